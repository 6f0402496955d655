/**
 * Writes the commands in messages so that they can be pasted: `!aisec-x name=value` becomes a line for the user's own
 * shell.
 */
import { parseLine } from '../../../client/argv.ts';
import { shortName } from '../../../client/names/command-name.ts';
import type { Invocation } from '../../../runtime/arguments/lexer.ts';
import { splitLine } from '../line/line-options.ts';
import { COMMAND_OPTIONS } from '../line/options.ts';
import { quoted, type Shell } from '../ui/shell.ts';

/**
 * A command in a message, with its arguments. The full stop of the sentence is not part of it; a quoted name is a
 * similar name, in the spelling of the line.
 */
const VALUE =
  '(?:"(?:\\\\.|[^"\\\\])*"|\'(?:\\\\.|[^\'\\\\])*\'|`[^`]*`|[^\\s"\'`]*[^\\s"\'`.,:;?!)]|(?=[\\s.,:;?!)]|$))';
const COMMAND = new RegExp(`(?<!")!(?:help )?(aisec-[a-z0-9-]*[a-z0-9])((?: (?:--)?[A-Za-z][\\w-]*=${VALUE})*)`, 'g');
/** Help about a command, which is not itself a command of the interface. */
const HELP = /^!(?=help )/;

const OWN_LINE = '\n  ';

/** How the words of a command are written in the text. */
export interface Writing {
  /** Placeholder for the spaces in a command. */
  readonly space?: string;
  readonly emphasis?: (command: string) => string;
  /** A command at the end of the text gets its own line, so that a click selects it. */
  readonly isOwnLine?: boolean;
}

/** Rewrites the commands in a text for a shell. In the war room they stay war-room lines. */
export function pasteable(text: string, shell: Shell, writing: Writing = {}): string {
  const { space = ' ', emphasis = (it) => it, isOwnLine = false } = writing;
  const at = commandAtEnd(text);
  const end = at === undefined ? text : text.replace(/\.$/, '');
  const written = end.replace(COMMAND, (line: string, ...found: unknown[]) => {
    const command = HELP.test(line) ? helpLine(line, shell) : commandIn(line, shell);
    const start = isOwnLine && found.at(-2) === at ? OWN_LINE : '';
    return start + emphasis(command.replace(/ /g, space));
  });
  return written.replace(` ${OWN_LINE}`, OWN_LINE);
}

function commandIn(line: string, shell: Shell): string {
  if (shell.dialect === 'room') return line;
  const { command, words } = splitLine(line, COMMAND_OPTIONS);
  return commandLine(parseLine(command), { ...shell, options: [...words, ...shell.options] });
}

/** Writes the line that shows the help of a command, without options because it needs no tenant. */
function helpLine(line: string, { dialect }: Shell): string {
  const [, name = ''] = line.split(' ');
  return `${dialect === 'room' ? '' : 'aisec '}help ${shortName(name)}`;
}

/** Writes a command line. @param invocation has only text values */
export function commandLine({ name, pairs }: Invocation, { dialect, options }: Shell): string {
  const words = pairs.map((pair) => `${pair.name}=${String(pair.value)}`);
  return ['aisec', shortName(name), ...[...words, ...options].map((word) => quoted(word, dialect))].join(' ');
}

/** Returns the start of the command at the end of a text, with or without a full stop. */
function commandAtEnd(text: string): number | undefined {
  const last = [...text.matchAll(COMMAND)].at(-1);
  return last !== undefined && /^\.?$/.test(text.slice(last.index + last[0].length)) ? last.index : undefined;
}
