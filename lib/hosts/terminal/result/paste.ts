/** Writes the commands of messages as they can be pasted: `!aisec-x name=value` becomes a line of the person's own shell. */
import { parseLine } from '../../../client/argv.ts';
import type { Invocation } from '../../../runtime/arguments/lexer.ts';
import { splitLine } from '../line/line-options.ts';
import { shortName } from '../line/names/command-name.ts';
import { COMMAND_OPTIONS } from '../line/options.ts';
import { quoted, type Shell } from '../ui/shell.ts';

/** A command of a message, with its arguments. The full stop of the sentence is not part of it; a quoted name is a near name, in the spelling of the line. */
const VALUE =
  '(?:"(?:\\\\.|[^"\\\\])*"|\'(?:\\\\.|[^\'\\\\])*\'|`[^`]*`|[^\\s"\'`]*[^\\s"\'`.,:;?!)]|(?=[\\s.,:;?!)]|$))';
const COMMAND = new RegExp(`(?<!")!(?:help )?(aisec-[a-z0-9-]*[a-z0-9])((?: (?:--)?[A-Za-z][\\w-]*=${VALUE})*)`, 'g');
/** Help about a command, which is no command of the interface. */
const HELP = /^!(?=help )/;

const OWN_LINE = '\n  ';

/** How the words of a command stand in the text. */
export interface Writing {
  /** Stands for the spaces of a command. */
  readonly space?: string;
  readonly emphasis?: (command: string) => string;
  /** A command at the end of the text stands on a line of its own, which a click selects. */
  readonly isOwnLine?: boolean;
}

/** Rewrites the commands of a text for a shell. In the war room they stay lines of its own. */
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

/** Writes the line that shows the help of a command: it needs no tenant, and so no option. */
function helpLine(line: string, { dialect }: Shell): string {
  const [, name = ''] = line.split(' ');
  return `${dialect === 'room' ? '' : 'aisec '}help ${shortName(name)}`;
}

/** Writes a command line. @param invocation its values are texts */
export function commandLine({ name, pairs }: Invocation, { dialect, options }: Shell): string {
  const words = pairs.map((pair) => `${pair.name}=${String(pair.value)}`);
  return ['aisec', shortName(name), ...[...words, ...options].map((word) => quoted(word, dialect))].join(' ');
}

/** Returns where the command begins that ends a text, with or without a full stop. */
function commandAtEnd(text: string): number | undefined {
  const last = [...text.matchAll(COMMAND)].at(-1);
  return last !== undefined && /^\.?$/.test(text.slice(last.index + last[0].length)) ? last.index : undefined;
}
