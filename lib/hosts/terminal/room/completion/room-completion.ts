/** Completes lines of the war room: words of subcommands as in a shell, and paths. */
import { readdirSync } from 'node:fs';
import { needsNoQuotes } from '../../../../client/completion/known-values.ts';
import { wordsOf } from '../../../../client/completion/words.ts';
import { builtInsOf } from '../built-ins.ts';
import { candidates, type Offers } from './command-line-completion.ts';
import { type Completion, complete } from './completion.ts';

/** Completes the text before the cursor. */
export function completeInRoom(
  line: string,
  offers: Offers & { readonly context: Readonly<Record<string, unknown>> },
): Completion {
  const words = wordsOf(line);
  const [first = ''] = words;
  const last = words.at(-1) ?? '';
  const builtIns = builtInsOf(offers.subcommands);
  const follows = Object.fromEntries(Object.entries(builtIns).map(([name, { completes }]) => [name, completes]));
  const inRoom = () => complete(line, offers.catalogue, offers.context, follows, offers.known);
  const isSubcommand = follows[first] === 'subcommand';
  if (words.length < 2 || (Object.hasOwn(follows, first) && !isSubcommand)) return inRoom();
  // A reference to the context is allowed wherever a path is.
  if (/\$\{[^{}]*$/.test(last)) return inRoom();
  const { values, files } = candidates(words.slice(0, -1), last, offers);
  if (files === true) return paths(last.replace(/^[\w-]+=(?:@file:)?/, ''));
  if (!isSubcommand) return inRoom();
  // A name with a space would be several words.
  const fits = values.map(({ value }) => value).filter((value) => !/\s/.test(value.trim()));
  return [fits, last];
}

/** Completes a path; leaves out names that a line would have to quote. */
function paths(typed: string): Completion {
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1);
  const begun = typed.slice(folder.length);
  const fits = entriesOf(folder).filter((name) => name.startsWith(begun) && (begun !== '' || !name.startsWith('.')));
  return [fits.map((name) => folder + name), typed];
}

function entriesOf(folder: string): string[] {
  try {
    const entries = readdirSync(folder === '' ? '.' : folder, { withFileTypes: true });
    const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
    return names.filter((name) => needsNoQuotes(name) && !/\s/.test(name)).sort();
  } catch {
    return [];
  }
}
