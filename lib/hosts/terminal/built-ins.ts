/** The words of the war room itself. */
import { lookUp, parsePath } from '../../arguments/references.ts';
import { didYouMean } from '../../arguments/suggest.ts';
import { UsageError } from '../../errors.ts';
import type { Catalogue } from '../../manifest/catalogue.ts';
import { commandHelp } from './command-help.ts';
import { jsonText } from './json.ts';
import { plainMeasure } from './measure.ts';
import type { Screen } from './screen.ts';
import { commandLines } from './subcommands/commands.ts';
import { findCommand } from './subcommands/help.ts';
import { definitions } from './wrap.ts';

/** What a word works with. */
export interface Room {
  readonly screen: Screen;
  catalogue(): Promise<Catalogue>;
  context(): Readonly<Record<string, unknown>>;
  leave(): void;
}

export interface BuiltIn {
  readonly usage: string;
  readonly summary: string;
  /** What may follow it. */
  readonly completes?: 'command' | 'path';
  readonly run: (room: Room, rest: string) => Promise<void>;
}

const leave = async (room: Room) => room.leave();

export const BUILT_INS: Readonly<Record<string, BuiltIn>> = {
  help: {
    usage: 'help [COMMAND]',
    summary: 'This list, or the arguments of a command.',
    completes: 'command',
    run: help,
  },
  commands: { usage: 'commands [WORD]', summary: 'Every command, or those that hold a word.', run: commands },
  context: { usage: 'context [PATH]', summary: 'What earlier commands left behind.', completes: 'path', run: context },
  exit: { usage: 'exit', summary: 'Leave; Ctrl-D does it too.', run: leave },
  quit: { usage: 'quit', summary: 'The same.', run: leave },
};

export const BUILT_IN_NAMES: readonly string[] = Object.keys(BUILT_INS);

async function help({ screen, catalogue }: Room, rest: string): Promise<void> {
  const page = { width: screen.width, style: screen.style, measure: plainMeasure };
  if (rest !== '') return screen.result(commandHelp(findCommand(await catalogue(), rest), page));
  const pairs = Object.values(BUILT_INS).map(({ usage, summary }) => [usage, summary] as const);
  const lines = [
    ...definitions([['!aisec-... name=value', 'Run a command.'], ...pairs], page, screen.style.bold),
    '',
    'Tab completes names, arguments, values and, after ${, context paths. Ctrl-C stops a command or clears the line.',
  ];
  screen.result(lines.join('\n'));
}

async function commands({ screen, catalogue }: Room, rest: string): Promise<void> {
  const word = rest.toLowerCase();
  const found = (await catalogue()).filter(({ name, summary }) => `${name} ${summary}`.toLowerCase().includes(word));
  if (found.length === 0) throw new UsageError(`No command holds "${rest.slice(0, 60)}".`);
  screen.result(commandLines(found, screen).join('\n'));
}

async function context({ screen, context: present }: Room, rest: string): Promise<void> {
  const whole = present();
  const steps = rest === '' ? [] : parsePath(rest.replace(/^\$\{(.*)\}$/, '$1'));
  const value = steps === undefined ? undefined : lookUp(whole, steps);
  if (value === undefined) {
    const hint = didYouMean(rest, Object.keys(whole)) ?? 'See all of it with: context';
    throw new UsageError(`"${rest.slice(0, 60)}" finds nothing in the context.`, { hint });
  }
  screen.result(jsonText(value, true));
}
