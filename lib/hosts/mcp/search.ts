/**
 * Searches commands by purpose: matches the words of their declarations, and the words that people use. Uses no model
 * and no network.
 */
import MiniSearch from 'minisearch';
import type { CommandInfo } from '../../manifest/catalogue.ts';
import { USES } from './uses.ts';

const MOST = 10;
/** Maximum characters of a query, which limits the cost of a pasted text. */
const MAX_QUERY = 300;

/** Stop words: they do not distinguish commands. */
const EMPTY = new Set(
  'a an the my our your its their of for to in on is are be me i we you it there this that these those and or by from at with have has had was were do does did can could should would please what how which who us up out need want let lets some into against about so if any all not no own whose aisec'.split(
    ' ',
  ),
);

/** Everyday verbs, by the command verb that they mean. */
const SAID: Readonly<Record<string, string>> = {
  create: 'add make register define generate start run launch begin trigger schedule',
  delete: 'remove erase drop destroy revoke',
  update: 'change edit modify rename',
  replace: 'overwrite',
  get: 'show display view see look read fetch detail',
  list: 'enumerate find which',
  abort: 'stop cancel kill halt interrupt',
};

const indexes = new WeakMap<readonly CommandInfo[], MiniSearch<CommandInfo>>();

/** Lists the best matches for a query, best first. A list's index is built at its first query. */
export function search(words: string, commands: readonly CommandInfo[]): readonly CommandInfo[] {
  const index = indexes.get(commands) ?? indexOf(commands);
  indexes.set(commands, index);
  const byName = new Map(commands.map((command) => [command.name, command]));
  return index
    .search(words.slice(0, MAX_QUERY))
    .slice(0, MOST)
    .flatMap(({ id }) => byName.get(String(id)) ?? []);
}

function indexOf(commands: readonly CommandInfo[]): MiniSearch<CommandInfo> {
  const index = new MiniSearch<CommandInfo>({
    idField: 'name',
    fields: ['name', 'uses', 'summary', 'arguments'],
    tokenize: (text) =>
      text
        .toLowerCase()
        .replace(/\bred[ -]team/g, 'redteam')
        .match(/[a-z0-9]+/g) ?? [],
    processTerm: (term) => (EMPTY.has(term) ? null : stem(term)),
    extractField: (command, field) => partsOf(command)[field] ?? '',
    searchOptions: {
      // A verb finds itself too.
      processTerm: (term) => (EMPTY.has(term) ? null : [term, ...(VERBS.get(stem(term)) ?? [])].map(stem)),
      boost: { name: 4, uses: 3, summary: 2, arguments: 0.5 },
    },
  });
  index.addAll(commands);
  return index;
}

function partsOf({ name, summary, arguments: args }: CommandInfo): Readonly<Record<string, string>> {
  return { name, uses: USES[name] ?? '', summary, arguments: args.map((argument) => argument.name).join(' ') };
}

/** Removes the endings of plurals and verbs: `policies` and `policy`, `scanning` and `scan` have one stem. */
function stem(word: string): string {
  if (word.length < 4) return word;
  const one = word
    .replace(/ies$/, 'y')
    .replace(/([^s])s$/, '$1')
    .replace(/(?<=..[^aeiou])(?:ing|ed)$/, '');
  return one.replace(/([bdgmnpt])\1$/, '$1').replace(/(?<=...)e$/, '');
}

const VERBS = new Map(
  Object.entries(SAID).flatMap(([verb, words]) => words.split(' ').map((word) => [stem(word), [verb]] as const)),
);
