/** The subcommands. A new one is a file in `subcommands/` and an entry here; it is loaded on use. */
import { UsageError } from '../engine/errors.ts';
import type { Options } from '../hosts/terminal/options/cli-options.ts';
import type {
  DryRun,
  Subcommand,
  SubcommandContext,
  SubcommandLine,
  Subcommands,
} from '../hosts/terminal/subcommand.ts';
import { isOwn } from '../text/own.ts';

/** Options of `aisec gate` that write a file. */
const GATE_FILES = ['sarif', 'junit', 'summary', 'codeQuality'] as const satisfies (keyof Options)[];

const startsScan = ({ scan, start }: Options) => scan !== undefined || start !== undefined;
const writesGateFiles = (options: Options) => GATE_FILES.some((name) => options[name] !== undefined);

const DRY_RUN_OF_SERVE: Readonly<Record<string, DryRun>> = {
  '': {
    refused: 'Its clients decide on each call.',
    hint: 'Add ?dry_run=true to a call, or use tokens of the role read.',
  },
  token: 'honours',
};

export const SUBCOMMANDS = {
  init: {
    usage: 'init [--profile NAME]',
    summary: 'Set up a tenant: ask, test, write the settings file.',
    everyday: true,
    words: 0,
    dryRun: 'honours',
    load: async () => (await import('./init.ts')).init,
  },
  doctor: {
    usage: 'doctor',
    summary: 'Test the connection, and show tenant and settings.',
    everyday: true,
    words: 0,
    dryRun: 'reads',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  profiles: {
    usage: 'profiles | profiles diff FILE [--prune] [--allow-unknown] [--exit-code]',
    summary: 'List the configured tenants, or diff the security profiles.',
    everyday: true,
    words: 2,
    dryRun: 'reads',
    load: async () => (await import('./profiles.ts')).profiles,
  },
  commands: {
    usage: 'commands [--json]',
    summary: 'List every command.',
    everyday: true,
    words: 0,
    dryRun: 'reads',
    load: async () => (await import('./commands.ts')).commands,
  },
  gate: {
    usage: 'gate model SCAN_UUID | bulk FILE.jsonl... | redteam JOB_ID',
    summary: 'Fail a build on a model, prompts or a red-team result.',
    everyday: true,
    words: Number.POSITIVE_INFINITY,
    dryRun: ({ options }) => (startsScan(options) || writesGateFiles(options) ? 'honours' : 'reads'),
    load: async () => (await import('./gate/gate.ts')).gate,
  },
  apply: {
    usage: 'apply FILE [--prune] [--allow-unknown] [--dry-run] [--yes]',
    summary: 'Create and update profiles and topics as a file states.',
    everyday: true,
    words: 1,
    dryRun: 'honours',
    load: async () => (await import('./apply.ts')).apply,
  },
  topics: {
    usage: 'topics diff FILE [--prune] [--allow-unknown] [--exit-code]',
    summary: 'Compare the custom topics of a file with those of the tenant.',
    words: 2,
    dryRun: 'reads',
    load: async () => (await import('./topics.ts')).topics,
  },
  help: {
    usage: 'help [COMMAND | SUBCOMMAND | options | environment | exit-codes]',
    summary: 'Show the arguments, outputs and an example of a command.',
    words: 1,
    dryRun: 'reads',
    load: async () => (await import('./help.ts')).help,
  },
  playbook: {
    usage: 'playbook FILE [--input NAME=VALUE ...] [--check] [--trace] | new NAME',
    summary: 'Rehearse a playbook of the platform task by task, check it, or write a new one.',
    words: 2,
    dryRun: ({ options }) => (options.check ? 'reads' : 'honours'),
    load: async () => (await import('./playbook/playbook.ts')).playbook,
  },
  report: {
    usage: 'report JOB_ID --html FILE',
    summary: 'Write the result of a red-team scan as an HTML page.',
    words: 1,
    dryRun: 'honours',
    load: async () => (await import('./report.ts')).report,
  },
  compare: {
    usage: 'compare JOB_ID JOB_ID [--html FILE]',
    summary: 'Compare two red-team scans: newly successful, fixed and still open attacks.',
    words: 2,
    dryRun: ({ options }) => (options.html === undefined ? 'reads' : 'honours'),
    load: async () => (await import('./compare/compare.ts')).compare,
  },
  completion: {
    usage: 'completion bash|zsh|fish',
    summary: 'Print a script that completes the command line; source it in the shell.',
    words: 1,
    dryRun: 'reads',
    load: async () => (await import('./complete/completion.ts')).completion,
  },
  __complete: {
    usage: '__complete -- SHELL WORDS',
    summary: 'Prints the candidates for a completion script.',
    words: Number.POSITIVE_INFINITY,
    dryRun: 'reads',
    hidden: true,
    load: async () => (await import('./complete/complete.ts')).complete,
  },
  __refresh: {
    usage: '__refresh LIST-COMMAND',
    summary: 'Refreshes the completion cache.',
    words: 1,
    dryRun: { refused: 'It writes the cache of completion.', hint: 'Leave out --dry-run.' },
    hidden: true,
    load: async () => (await import('./complete/refresh.ts')).refresh,
  },
  mcp: {
    usage: 'mcp [--http [PORT]] [--toolsets NAMES] [--tools NAMES] [--read-only]',
    summary: 'Serve the commands to agents over the Model Context Protocol.',
    words: 1,
    dryRun: {
      refused: 'Its agents decide on each call.',
      hint: 'Start it with --read-only, or pass dry_run: true in a call.',
    },
    untilStopped: true,
    load: async () => (await import('./mcp.ts')).mcp,
  },
  serve: {
    usage: 'serve [--port N] [--tokens FILE] | serve token NAME --role ROLE | serve tokens',
    summary: 'Serve the commands over HTTP with OpenAPI, or manage its tokens.',
    words: 2,
    dryRun: ({ words: [word] }) => DRY_RUN_OF_SERVE[word ?? ''] ?? 'reads',
    untilStopped: true,
    load: async () => (await import('./serve.ts')).serve,
  },
  worker: {
    usage: 'worker --queue URL [--slots N] [--requests-per-second N]',
    summary: 'Do the bulk scans and runs that others put on the queue.',
    words: 0,
    dryRun: {
      refused: 'It does what others have put on the queue, for real.',
      hint: 'Leave out --dry-run; a dry run is never put on the queue.',
    },
    untilStopped: true,
    load: async () => (await import('./worker.ts')).worker,
  },
  queue: {
    usage: 'queue --queue URL | queue retry ID | queue drop ID',
    summary: 'Show the queue and its workers, or act on what was set aside.',
    words: 2,
    dryRun: ({ words: [word] }) => (word === 'retry' || word === 'drop' ? 'honours' : 'reads'),
    load: async () => (await import('./queue.ts')).queue,
  },
  simulate: {
    usage: 'simulate [--port N]',
    summary: 'Serve the simulated service on loopback until it is stopped.',
    words: 0,
    dryRun: {
      refused: 'It changes no tenant; its clients decide on each request.',
      hint: 'Leave out --dry-run.',
    },
    untilStopped: true,
    load: async () => (await import('./simulate.ts')).simulate,
  },
} satisfies Subcommands;

export type SubcommandName = keyof typeof SUBCOMMANDS;

export function isSubcommand(word: string): word is SubcommandName {
  return isOwn(SUBCOMMANDS, word);
}

/** A subcommand with its words. */
export interface FoundSubcommand {
  readonly untilStopped: boolean;
  /** Loads and runs it. @returns the exit code */
  readonly run: (context: Omit<SubcommandContext, 'subcommands' | 'words'>) => Promise<number>;
}

/**
 * Finds a subcommand.
 * @param options as typed on its line
 * @throws UsageError if it does not take so many words, or refuses a dry run
 */
export function findSubcommand(name: SubcommandName, words: readonly string[], options: Options): FoundSubcommand {
  const found: Subcommand = SUBCOMMANDS[name];
  if (words.length > found.words) {
    const surplus = words.slice(found.words).join(' ').slice(0, 60);
    throw new UsageError(`Too many arguments for aisec ${name}: "${surplus}".`, {
      hint: `Usage: aisec ${found.usage}`,
    });
  }
  if (options.dryRun) refuseDryRun(name, { words, options });
  return {
    untilStopped: found.untilStopped === true,
    run: async (context) => (await found.load())({ ...context, subcommands: SUBCOMMANDS, words }),
  };
}

function refuseDryRun(name: SubcommandName, line: SubcommandLine): void {
  const { dryRun }: Subcommand = SUBCOMMANDS[name];
  const use = typeof dryRun === 'function' ? dryRun(line) : dryRun;
  if (use === 'honours') return;
  const { refused, hint } =
    use === 'reads' ? { refused: 'It has nothing to change.', hint: 'Leave out --dry-run.' } : use;
  throw new UsageError(`Option --dry-run means nothing for aisec ${name}. ${refused}`, { hint });
}
