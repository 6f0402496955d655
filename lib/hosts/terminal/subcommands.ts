/** The subcommands. A new one is a file in `subcommands/` and an entry here; it is loaded when it is used. */
import type { Subcommands } from './subcommand.ts';

export const SUBCOMMANDS: Subcommands = {
  commands: {
    usage: 'commands [--json]',
    summary: 'List every command.',
    words: 0,
    load: async () => (await import('./subcommands/commands.ts')).commands,
  },
  help: {
    usage: 'help [COMMAND]',
    summary: 'Show the arguments, outputs and an example of a command.',
    words: 1,
    load: async () => (await import('./subcommands/help.ts')).help,
  },
  doctor: {
    usage: 'doctor',
    summary: 'Test the connection to each plane, and name the tenant.',
    words: 0,
    load: async () => (await import('./subcommands/doctor.ts')).doctor,
  },
  gate: {
    usage: 'gate model SCAN_UUID | bulk FILE.jsonl | redteam JOB_ID',
    summary: 'Fail a build on a blocked model, blocked prompts, or a red-team result above a limit.',
    words: 2,
    load: async () => (await import('./subcommands/gate.ts')).gate,
  },
  playbook: {
    usage: 'playbook FILE [--input NAME=VALUE ...]',
    summary: 'Rehearse a playbook of the platform, task by task.',
    words: 1,
    load: async () => (await import('./subcommands/playbook.ts')).playbook,
  },
  report: {
    usage: 'report JOB_ID --html FILE',
    summary: 'Write the result of a red-team scan as a page to look at.',
    words: 1,
    load: async () => (await import('./subcommands/report.ts')).report,
  },
  simulate: {
    usage: 'simulate [--port N]',
    summary: 'Serve the simulated service on loopback until it is stopped.',
    words: 0,
    untilStopped: true,
    load: async () => (await import('./subcommands/simulate.ts')).simulate,
  },
};
