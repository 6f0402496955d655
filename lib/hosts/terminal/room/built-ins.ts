/** Built-in commands of the war room. */
import type { Interface } from 'node:readline';
import type { LiveValues } from '../../../client/completion/known-values.ts';
import { UsageError } from '../../../core/errors.ts';
import { lookUp, parsePath } from '../../../runtime/arguments/references.ts';
import { didYouMean } from '../../../runtime/arguments/suggest.ts';
import { readOptions } from '../line/cli-options.ts';
import { roomAsk } from '../line/confirm.ts';
import { wordWithValues } from '../line/invocation.ts';
import { givenOptions } from '../line/line-options.ts';
import { FORMATS, optionTable } from '../line/options.ts';
import type { Session } from '../line/session.ts';
import { shellWords } from '../line/shell-words.ts';
import { type CliContext, checkSubcommandLine, type Subcommand, type Subcommands } from '../line/subcommand.ts';
import { commandList, commandsWith, namedHelp } from '../result/command-groups.ts';
import { groupLines } from '../result/command-help.ts';
import { printLong } from '../result/print-long.ts';
import { jsonText } from '../ui/json.ts';
import { plainMeasure } from '../ui/measure.ts';
import { sanitize } from '../ui/sanitize.ts';
import { definitions } from '../ui/wrap.ts';
import type { Follow } from './completion/completion.ts';

/** State shared by the lines of a war room; `set` replaces the options. */
export interface RoomState {
  cli: CliContext;
  readonly session: Session;
  readonly builtIns: BuiltIns;
  readonly values: LiveValues;
  /** The history, newest first. */
  readonly recalled: () => string[];
  readonly lines: () => Interface;
}

/** One line of a war room. */
interface Turn {
  readonly state: RoomState;
  /** Stops the line. */
  readonly signal: AbortSignal;
  /** Ends the war room after the line. */
  readonly leave: () => void;
}

export interface BuiltIn {
  readonly usage: string;
  readonly summary: string;
  /** Kind of words that Tab completes after the command. */
  readonly completes?: Follow;
  /** Another help entry already names the command. */
  readonly isAlias?: boolean;
  readonly run: (turn: Turn, rest: string) => Promise<void>;
}

export type BuiltIns = Readonly<Record<string, BuiltIn>>;

const leave = async (turn: Turn) => turn.leave();

const OWN: BuiltIns = {
  help: {
    usage: 'help [COMMAND | GROUP]',
    summary: 'Show this list, a command, or a group such as dlp.',
    completes: 'command',
    run: help,
  },
  commands: { usage: 'commands [WORD]', summary: 'List every command by group, or those with a word.', run: commands },
  context: {
    usage: 'context [PATH]',
    summary: 'Show the outputs of earlier commands.',
    completes: 'path',
    run: context,
  },
  history: { usage: 'history', summary: 'List earlier lines. Ctrl-R searches; Ctrl-L clears.', run: history },
  clear: { usage: 'clear', summary: 'Clear the screen; so does Ctrl-L.', isAlias: true, run: clear },
  set: { usage: 'set NAME VALUE', summary: 'For later lines: output FORMAT, or dry-run on|off.', run: set },
};
const LEAVING: BuiltIns = {
  exit: { usage: 'exit', summary: 'Leave; so do quit and Ctrl-D.', run: leave },
  quit: { usage: 'quit', summary: 'Leave.', isAlias: true, run: leave },
};

/** Returns the built-in commands of a war room: its own, and the subcommands that are declared for use in it. */
export function builtInsOf(subcommands: Subcommands): BuiltIns {
  const declared = Object.entries(subcommands).flatMap(([name, subcommand]): [string, BuiltIn][] => {
    const { inRoom } = subcommand;
    if (inRoom === undefined) return [];
    const run = (turn: Turn, rest: string) => runSubcommand(name, subcommand, turn, rest);
    return [[name, { ...inRoom, completes: 'subcommand', run }]];
  });
  return { ...OWN, ...Object.fromEntries(declared), ...LEAVING };
}

/** Runs a subcommand in the session of the war room. */
async function runSubcommand(name: string, subcommand: Subcommand, { state, signal }: Turn, rest: string) {
  const { cli, session } = state;
  const { options: typed, positionals } = readOptions(shellWords(rest), optionTable(cli.subcommands));
  // Added after the options, so that a value from the service is never read as an option.
  const words = positionals.map((word) => wordWithValues(word, session.context()));
  checkSubcommandLine(name, subcommand, { words, options: typed });
  const options = { ...cli.options, ...givenOptions(typed) };
  const format = typed.format ?? cli.format;
  try {
    await subcommand.run({ ...cli, options, format, session, words, signal, ask: roomAsk(state.lines()) });
  } finally {
    // The program goes on, and a leftover progress line would be drawn over the prompt.
    cli.screen.settle();
  }
}

async function help({ state }: Turn, rest: string): Promise<void> {
  const { host, screen } = state.cli;
  const { width, style, shell, terminal } = screen;
  const page = { width, style, measure: plainMeasure };
  if (rest !== '') {
    return printLong(namedHelp(await host.catalogue(), rest.split(/\s+/), { ...page, shell, terminal }), state.cli);
  }
  const listed = Object.values(state.builtIns).filter(({ isAlias }) => isAlias !== true);
  const pairs = listed.map(({ usage, summary }) => [usage, summary] as const);
  const lines = [
    ...definitions(
      [['COMMAND name=value ...', 'Run a command: runtime-scan prompt="hi"'], ...pairs],
      page,
      screen.style.bold,
    ),
    screen.style.bold('Common commands'),
    ...groupLines(page),
    screen.style.bold('Typing'),
    '  Full names work too (!aisec-runtime-scan), and spaces: runtime topics ls.',
    '  A line may end in --wide, --explain, --output FORMAT, --fields A,B, --jq EXPR.',
    '  Tab completes names, arguments, values and, after ${, context paths.',
  ];
  await printLong(lines.join('\n'), state.cli);
}

async function commands({ state }: Turn, rest: string): Promise<void> {
  const { host, screen } = state.cli;
  const words = rest === '' ? [] : rest.split(/\s+/);
  await printLong(commandList(commandsWith(await host.catalogue(), words), screen).join('\n'), state.cli);
}

async function context({ state }: Turn, rest: string): Promise<void> {
  const whole = state.session.context();
  const steps = rest === '' ? [] : parsePath(rest.replace(/^\$\{(.*)\}$/, '$1'));
  const value = steps === undefined ? undefined : lookUp(whole, steps);
  if (value === undefined) {
    const hint = didYouMean(rest, Object.keys(whole)) ?? 'See all of it with: context';
    throw new UsageError(`The context has no value at "${rest.slice(0, 60)}".`, { hint });
  }
  await printLong(jsonText(value, true), state.cli);
}

async function history({ state }: Turn): Promise<void> {
  const all = state.recalled().toReversed();
  const width = String(all.length).length;
  const lines = all.map((entry, index) => `${String(index + 1).padStart(width)}  ${sanitize(entry)}`);
  await printLong(lines.join('\n'), state.cli);
}

async function clear({ state }: Turn): Promise<void> {
  state.lines().write(null, { ctrl: true, name: 'l' });
}

async function set({ state }: Turn, rest: string): Promise<void> {
  const { cli } = state;
  const [name = '', value = ''] = rest.split(/\s+/);
  const format = FORMATS.find((known) => known === value);
  const hint = `set output ${FORMATS.join('|')}, or set dry-run on|off`;
  if (name === 'output' && format !== undefined) state.cli = { ...cli, options: { ...cli.options, format }, format };
  else if (name === 'dry-run' && (value === 'on' || value === 'off'))
    state.cli = { ...cli, options: { ...cli.options, dryRun: value === 'on' } };
  else throw new UsageError(`"set ${rest.slice(0, 60)}" changes nothing.`, { hint });
  cli.screen.note(`note: ${name} is ${value}`);
}
