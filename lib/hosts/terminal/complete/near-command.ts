/** Suggests commands for words that name none: by spelling, by noun and verb in any order, and by meaning. */
import { aboutNoun, suggest } from '../../../arguments/suggest.ts';

const PREFIX = 'aisec-';
const MAX_SUGGESTIONS = 6;
/** Maximum number of words that may be parts of one name. */
const MAX_WORDS = 4;

const FAMILIES = ['runtime', 'redteam', 'model-security'];

/** Verbs of other programs. */
const VERBS: Readonly<Record<string, string>> = {
  ...{ add: 'create', make: 'create', new: 'create', run: 'create', start: 'create' },
  ...{ del: 'delete', remove: 'delete', rm: 'delete' },
  ...{ describe: 'get', show: 'get', view: 'get' },
  ...{ change: 'update', edit: 'update' },
  ...{ find: 'list', ls: 'list', search: 'list' },
};

/** Words of other programs, and the subcommands, options and commands that have their meaning. */
const MEANINGS: Readonly<Record<string, readonly string[]>> = {
  auth: ['init', 'doctor'],
  check: ['doctor', 'runtime-scan'],
  config: ['init', 'profiles'],
  configure: ['init', 'profiles'],
  demo: ['--simulate'],
  docs: ['help'],
  examples: ["help"],
  info: ['doctor'],
  list: ['commands'],
  login: ['init'],
  logout: ['profiles'],
  ls: ['commands'],
  man: ['help'],
  policies: ['runtime-profiles-list'],
  policy: ['runtime-profiles-list'],
  scan: ['runtime-scan', 'redteam-scan-create', 'model-security-scans-create'],
  settings: ['init', 'profiles'],
  setup: ['init'],
  status: ['doctor', 'redteam-scans-list'],
  tenant: ['doctor', 'profiles'],
  test: ['doctor', 'runtime-scan'],
  tutorial: ['--simulate'],
  usage: ['help', 'redteam-metering-quota'],
  version: ['--version'],
  whoami: ['doctor', 'profiles'],
};

/** The place of the words. */
export interface Near {
  /** Full names of the commands. */
  readonly names: readonly string[];
  /** Further names to suggest, such as subcommands. */
  readonly others: readonly string[];
  /** Words after the first. */
  readonly rest?: readonly string[];
}

/**
 * Suggests the command of a family for the words of a subcommand: `runtime-profiles-list` for `profiles list`.
 * @param names of all commands
 */
export function commandInstead(
  [noun = '', typed = '']: readonly string[],
  names: readonly string[],
): string | undefined {
  const verb = Object.hasOwn(VERBS, typed) ? VERBS[typed] : typed;
  const found = FAMILIES.map((family) => `${family}-${noun}-${verb}`).find((name) => names.includes(PREFIX + name));
  return found === undefined ? undefined : `Did you mean "${found}"?`;
}

/** Suggests commands for a word, in its spelling. */
export function nearest(word: string, { names, others, rest = [] }: Near): string | undefined {
  const typed = word.replace(/^!/, '').toLowerCase();
  const isFull = typed.startsWith(PREFIX);
  const spelled = names.map((name) => (isFull || !name.startsWith(PREFIX) ? name : name.slice(PREFIX.length)));
  const { found, how } = search(typed, rest, spelled, others);
  if (found.length === 0) return undefined;
  const mark = isFull || word.startsWith('!') ? '!' : '';
  const shown = found.slice(0, MAX_SUGGESTIONS).map((name) => `"${others.includes(name) ? '' : mark}${name}"`);
  const last = shown.length > 1 ? ` or ${shown.pop()}` : '';
  const more = found.length - Math.min(found.length, MAX_SUGGESTIONS);
  return `Did you mean ${shown.join(', ')}${last}?${more === 0 ? '' : ` ${more} more ${how}: aisec commands ${typed}`}`;
}

function search(typed: string, rest: readonly string[], names: readonly string[], others: readonly string[]) {
  const together = aboutWords([typed, ...rest], names);
  if (together.length > 0) return { found: together, how: 'are near' };
  const meant = (Object.hasOwn(MEANINGS, typed) ? (MEANINGS[typed] ?? []) : []).filter(
    (name) => others.includes(name) || names.includes(name),
  );
  if (meant.length > 0) return { found: meant, how: 'are near' };
  const ends = typed === '' ? [] : names.filter((name) => name.endsWith(`-${typed}`));
  const about = aboutNoun(typed, names);
  // The plural of a noun asks for its list.
  const lists = typed.endsWith('s') ? about.filter((name) => name.endsWith('-list')) : [];
  if (ends.length > 0) return { found: [...new Set([...lists, ...ends])], how: 'end so' };
  const near = suggest(typed, [...others, ...names]);
  if (near !== undefined) return { found: [near], how: 'are near' };
  const parts = about.length > 0 ? about : aboutWords(typed.split('-'), names);
  return { found: parts.length > 0 ? parts : joined(typed, names), how: 'are near' };
}

/** Finds names that have all words as parts, in any order; of the longest sequence of words that any name has. */
function aboutWords(words: readonly string[], names: readonly string[]): string[] {
  const end = words.findIndex((word) => !/^[a-z][a-z-]*$/i.test(word));
  const plain = words.slice(0, Math.min(end < 0 ? words.length : end, MAX_WORDS)).map((word) => word.toLowerCase());
  for (let count = plain.length; count > 1; count -= 1) {
    const wanted = plain.slice(0, count).map((word) => (Object.hasOwn(VERBS, word) ? (VERBS[word] ?? word) : word));
    const fits = names.filter((name) => wanted.every((word) => hasPart(name, word)));
    if (fits.length > 0) return fits.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
  return [];
}

/** Lists first, then short names. */
function rankOf(name: string): number {
  return name.split('-').length - (name.endsWith('-list') ? 100 : 0);
}

function hasPart(name: string, word: string): boolean {
  return `-${singular(name)}-`.includes(`-${singular(word)}-`) || joined(word, [name]).length > 0;
}

/** `apikeys` is a part of `runtime-api-keys-list`. */
function joined(word: string, names: readonly string[]): string[] {
  if (word.length < 5) return [];
  const wanted = singular(word).replace(/-/g, '');
  return names.filter((name) => singular(name).replace(/-/g, '').includes(wanted));
}

function singular(text: string): string {
  return text.replace(/s(?=-|$)/g, '');
}
