/**
 * Disarms the commands that the runner of GitHub Actions obeys in a log: `::name ...::` at the start of a line, and
 * `##[name]` anywhere in it. A stop token could not do so, because the runner reads stdout and stderr in any order.
 */
import { isJson } from '../../../core/json.ts';

/** The runner skips all white space before a command. */
const MODERN = /(^|[\r\n\u0085\u2028\u2029])([^\S\r\n]*):(?=:)/g;
const OLD = /##(?=\[)/g;

/** Puts a space into each command; JSON keeps its meaning. */
export function withoutRunnerCommands(text: string): string {
  // Only the texts of a JSON document can have a `##[`, and no line of it begins with a colon.
  if (/^\s*[{[]/.test(text) && isJson(text)) return text.replace(/##\[/g, '##\\u005b');
  return text.replace(MODERN, '$1$2: ').replace(OLD, '## ');
}
