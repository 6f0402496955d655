/** The parts of a war room that its built-in commands use. */
import type { Interface } from 'node:readline';
import type { LiveValues } from '../complete/live-values.ts';
import { readOptions } from '../options/cli-options.ts';
import { givenOptions } from '../options/line-options.ts';
import { tableOf } from '../options/options.ts';
import { shellWords } from '../options/shell-words.ts';
import { type CliContext, checkSubcommandLine } from '../subcommand.ts';
import type { BuiltIns, Room } from './built-ins.ts';
import type { Ask } from './confirm.ts';
import type { Session } from './session.ts';

/** State shared by the lines of a war room; `set` replaces the options. */
export interface RoomState {
  cli: CliContext;
  readonly session: Session;
  readonly builtIns: BuiltIns;
  readonly values: LiveValues;
  readonly recalled: () => string[];
  readonly lines: () => Interface;
}

/** Creates the parts for one line. @param signal stops the line @param leave ends the war room after it */
export function roomOf(state: RoomState, signal: AbortSignal, leave: () => void): Room {
  const { cli, session, builtIns } = state;
  return {
    builtIns,
    screen: cli.screen,
    catalogue: cli.host.catalogue,
    context: session.context,
    leave,
    history: () => state.recalled().toReversed(),
    clear: () => {
      state.lines().write(null, { ctrl: true, name: 'l' });
    },
    set: (changed) => {
      const options = { ...cli.options, ...changed };
      state.cli = { ...cli, options, format: options.format ?? cli.format };
    },
    subcommand: async (name, rest) => {
      const { subcommands } = cli;
      const subcommand = subcommands[name];
      if (subcommand === undefined) return;
      const { options: typed, positionals: words } = readOptions(shellWords(rest), tableOf(subcommands));
      checkSubcommandLine(name, subcommand, { words, options: typed });
      const options = { ...cli.options, ...givenOptions(typed) };
      const format = typed.format ?? cli.format;
      await subcommand.run({ ...cli, options, format, session, words, signal, ask: roomAsk(state.lines()) });
    },
  };
}

/** Asks with the room's own line editor: the next line is the answer. */
export function roomAsk(lines: Interface): Ask {
  return (question, signal) =>
    new Promise((resolve) => {
      const none = () => resolve(undefined);
      lines.once('close', none);
      signal.addEventListener('abort', none, { once: true });
      lines.question(question, { signal }, (answer) => {
        lines.off('close', none);
        resolve(answer);
      });
    });
}
