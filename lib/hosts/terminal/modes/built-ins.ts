/** Built-in commands of the war room. */
import { lookUp, parsePath } from '../../../arguments/references.ts';
import { didYouMean } from '../../../arguments/suggest.ts';
import { UsageError } from '../../../core/errors.ts';
import type { Catalogue } from '../../../manifest/catalogue.ts';
import { describedCommand } from '../complete/command-name.ts';
import type { Follow } from '../complete/completion.ts';
import type { Options } from '../options/cli-options.ts';
import { FORMATS } from '../options/options.ts';
import { jsonText } from '../render/json.ts';
import { plainMeasure } from '../render/measure.ts';
import { sanitize } from '../render/sanitize.ts';
import type { Screen } from '../render/screen.ts';
import { definitions } from '../render/wrap.ts';
import type { Subcommands } from '../subcommand.ts';
import { commandHelp, commandLines, groupLines } from '../views/command-help.ts';

/** The parts of the war room that a built-in command uses. */
export interface Room {
  readonly screen: Screen;
  catalogue(): Promise<Catalogue>;
  context(): Readonly<Record<string, unknown>>;
  leave(): void;
  /** Oldest first. */
  history(): readonly string[];
  clear(): void;
  /** Changes options for the lines that follow. */
  set(changed: Partial<Options>): void;
  /** Runs a subcommand in the session of the war room. */
  subcommand(name: string, rest: string): Promise<void>;
  readonly builtIns: BuiltIns;
}

export interface BuiltIn {
  readonly usage: string;
  readonly summary: string;
  /** Kind of the words that Tab completes after it. */
  readonly completes?: Follow;
  /** Another entry of help names it too. */
  readonly isAlias?: boolean;
  readonly run: (room: Room, rest: string) => Promise<void>;
}

export type BuiltIns = Readonly<Record<string, BuiltIn>>;

const leave = async (room: Room) => room.leave();

const OWN: BuiltIns = {
  help: {
    usage: 'help [COMMAND]',
    summary: 'Show this list, or the arguments of a command.',
    completes: 'command',
    run: help,
  },
  commands: { usage: 'commands [WORD]', summary: 'List every command, or those that match a word.', run: commands },
  context: {
    usage: 'context [PATH]',
    summary: 'Show the outputs of earlier commands.',
    completes: 'path',
    run: context,
  },
  history: { usage: 'history', summary: 'List earlier lines; Ctrl-R searches them.', run: history },
  clear: { usage: 'clear', summary: 'Clear the screen; so does Ctrl-L.', run: async (room) => room.clear() },
  set: { usage: 'set NAME VALUE', summary: 'For later lines: output FORMAT, or dry-run on|off.', run: set },
};
const LEAVING: BuiltIns = {
  exit: { usage: 'exit', summary: 'Leave; so do quit and Ctrl-D.', run: leave },
  quit: { usage: 'quit', summary: 'Leave.', isAlias: true, run: leave },
};

/** Returns the built-in commands of a war room: its own, and the subcommands that declare a use in it. */
export function builtInsOf(subcommands: Subcommands): BuiltIns {
  const declared = Object.entries(subcommands).flatMap(([name, { inRoom }]): [string, BuiltIn][] =>
    inRoom === undefined
      ? []
      : [[name, { ...inRoom, completes: 'subcommand', run: (room, rest) => room.subcommand(name, rest) }]],
  );
  return { ...OWN, ...Object.fromEntries(declared), ...LEAVING };
}

async function help({ screen, catalogue, builtIns }: Room, rest: string): Promise<void> {
  const page = { width: screen.width, style: screen.style, measure: plainMeasure };
  if (rest !== '') return screen.result(commandHelp(describedCommand(await catalogue(), rest), page));
  const listed = Object.values(builtIns).filter(({ isAlias }) => isAlias !== true);
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
    '  Full names work too: runtime-scan is !aisec-runtime-scan.',
    '  A line may end in --wide, --explain, --output FORMAT, --fields A,B, --jq EXPR.',
    '  Tab completes names, arguments, values and, after ${, context paths.',
  ];
  screen.result(lines.join('\n'));
}

async function commands({ screen, catalogue }: Room, rest: string): Promise<void> {
  const word = rest.toLowerCase();
  const found = (await catalogue()).filter(({ name, summary }) => `${name} ${summary}`.toLowerCase().includes(word));
  if (found.length === 0) throw new UsageError(`No command matches "${rest.slice(0, 60)}".`);
  screen.result(commandLines(found, screen).join('\n'));
}

async function context({ screen, context: present }: Room, rest: string): Promise<void> {
  const whole = present();
  const steps = rest === '' ? [] : parsePath(rest.replace(/^\$\{(.*)\}$/, '$1'));
  const value = steps === undefined ? undefined : lookUp(whole, steps);
  if (value === undefined) {
    const hint = didYouMean(rest, Object.keys(whole)) ?? 'See all of it with: context';
    throw new UsageError(`The context has no value at "${rest.slice(0, 60)}".`, { hint });
  }
  screen.result(jsonText(value, true));
}

async function history({ screen, history: entries }: Room): Promise<void> {
  const all = entries();
  const width = String(all.length).length;
  screen.result(all.map((entry, index) => `${String(index + 1).padStart(width)}  ${sanitize(entry)}`).join('\n'));
}

async function set({ screen, set: change }: Room, rest: string): Promise<void> {
  const [name = '', value = ''] = rest.split(/\s+/);
  const format = FORMATS.find((known) => known === value);
  const hint = `set output ${FORMATS.join('|')}, or set dry-run on|off`;
  if (name === 'output' && format !== undefined) change({ format });
  else if (name === 'dry-run' && (value === 'on' || value === 'off')) change({ dryRun: value === 'on' });
  else throw new UsageError(`"set ${rest.slice(0, 60)}" changes nothing.`, { hint });
  screen.note(`note: ${name} is ${value}`);
}
