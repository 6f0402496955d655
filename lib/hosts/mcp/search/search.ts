/** Searches commands by purpose: by the words of their declarations, and by synonyms. No model, no network. */
import type { CommandInfo } from '../../../manifest/catalogue.ts';
import { USES } from './uses.ts';
import { sameAs, stemsOf } from './words.ts';

const MOST = 10;
/** Maximum words of a query: a pasted text must not cost more. */
const MAX_WORDS = 30;
/** Weight of a word in each part of a declaration. */
const WORTH = { name: 4, summary: 2, uses: 3, arguments: 0.5 };
/** Weight of a synonym, relative to the word itself. */
const SAME = 0.7;
/** Penalty for each word of a name that the query does not contain. */
const SURPLUS = 0.35;

interface Entry {
  readonly command: CommandInfo;
  /** Weight of each stem. */
  readonly worth: ReadonlyMap<string, number>;
  readonly inName: readonly string[];
}

/** Lists the best matches for a query, best first. */
export function search(words: string, commands: readonly CommandInfo[]): readonly CommandInfo[] {
  const wanted = [...new Set(stemsOf(words))].slice(0, MAX_WORDS);
  const index = indexOf(commands);
  return index.entries
    .map((entry) => ({ command: entry.command, score: scoreOf(wanted, entry, index) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.command.name.length - other.command.name.length)
    .slice(0, MOST)
    .map(({ command }) => command);
}

function scoreOf(wanted: readonly string[], { worth, inName }: Entry, { telling }: ReturnType<typeof indexOf>): number {
  const points = (stem: string) => (worth.get(stem) ?? 0) * telling(stem);
  const best = (stem: string) =>
    sameAs(stem).reduce((most, other) => Math.max(most, points(other) * SAME), points(stem));
  const sum = wanted.reduce((total, stem) => total + best(stem), 0);
  if (sum === 0) return 0;
  const asked = new Set(wanted.flatMap((stem) => [stem, ...sameAs(stem)]));
  return sum - SURPLUS * inName.filter((stem) => !asked.has(stem)).length;
}

function indexOf(commands: readonly CommandInfo[]) {
  const entries = commands.map(entryOf);
  const counts = new Map<string, number>();
  for (const { worth } of entries) for (const stem of worth.keys()) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  /** Inverse document frequency of a stem: the fewer commands have it, the higher. */
  const telling = (stem: string) => Math.log(1 + entries.length / (counts.get(stem) ?? 1));
  return { entries, telling };
}

function entryOf(command: CommandInfo): Entry {
  const { name, summary, arguments: args } = command;
  const inName = stemsOf(name).filter((stem) => stem !== 'aisec');
  const worth = new Map<string, number>();
  const add = (text: string, value: number) => {
    for (const stem of stemsOf(text)) worth.set(stem, Math.max(value, worth.get(stem) ?? 0));
  };
  add(inName.join(' '), WORTH.name);
  add(USES[name] ?? '', WORTH.uses);
  add(summary, WORTH.summary);
  for (const argument of args) add(argument.name.replace(/_/g, ' '), WORTH.arguments);
  return { command, worth, inName };
}
