/** Writes the commands of messages as they can be pasted: `!aisec-x name=value` becomes a line of the person's own shell. */
import { parseLine } from '../../../arguments/argv.ts';
import type { Invocation } from '../../../arguments/lexer.ts';
import { shortName } from '../complete/command-name.ts';
import { quoted, type Shell } from '../options/shell.ts';

/** A command of a message, with its arguments. The full stop of the sentence is not part of it; a quoted name is a near name, in the spelling of the line. */
const VALUE =
  '(?:"(?:\\\\.|[^"\\\\])*"|\'(?:\\\\.|[^\'\\\\])*\'|`[^`]*`|[^\\s"\'`]*[^\\s"\'`.,:;?!)]|(?=[\\s.,:;?!)]|$))';
const COMMAND = new RegExp(`(?<!")!(aisec-[a-z0-9-]*[a-z0-9])((?: [A-Za-z][\\w-]*=${VALUE})*)`, 'g');

/** How the words of a command stand in the text. */
export interface Writing {
  /** Stands for the spaces of a command. */
  readonly space?: string;
  readonly emphasis?: (command: string) => string;
}

/** Rewrites the commands of a text for a shell. In the war room they stay lines of its own. */
export function pasteable(text: string, shell: Shell, { space = ' ', emphasis = (it) => it }: Writing = {}): string {
  const end = /\.$/.test(text) && endsWithCommand(text) ? text.slice(0, -1) : text;
  return end.replace(COMMAND, (line: string) => {
    const written = shell.dialect === 'room' ? line : commandLine(parseLine(line), shell);
    return emphasis(written.replace(/ /g, space));
  });
}

/** Writes a command line. @param invocation its values are texts */
export function commandLine({ name, pairs }: Invocation, { dialect, options }: Shell): string {
  const words = pairs.map((pair) => `${pair.name}=${String(pair.value)}`);
  return ['aisec', shortName(name), ...[...words, ...options].map((word) => quoted(word, dialect))].join(' ');
}

function endsWithCommand(text: string): boolean {
  const last = [...text.matchAll(COMMAND)].at(-1);
  return last !== undefined && last.index + last[0].length === text.length - 1;
}
