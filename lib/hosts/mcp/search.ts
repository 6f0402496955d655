/** Finds commands by words. */
import type { CommandInfo } from '../../manifest/catalogue.ts';

const MOST = 10;

/** Words that name the same thing. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  start: ['create'],
  run: ['create', 'scan'],
  new: ['create'],
  add: ['create'],
  remove: ['delete'],
  change: ['update', 'patch', 'replace'],
  edit: ['update'],
  show: ['get', 'list'],
  find: ['list', 'get'],
  attack: ['redteam'],
  test: ['redteam', 'scan'],
  red: ['redteam'],
  team: ['redteam'],
  prompt: ['prompts'],
};

/** Lists the commands that fit words best, the best first. */
export function search(words: string, commands: readonly CommandInfo[]): readonly CommandInfo[] {
  const wanted = [...new Set(words.toLowerCase().match(/[a-z0-9]+/g) ?? [])];
  return commands
    .map((command) => ({ command, score: scoreOf(wanted, command) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.command.name.length - other.command.name.length)
    .slice(0, MOST)
    .map(({ command }) => command);
}

function scoreOf(wanted: readonly string[], { name, summary, arguments: args }: CommandInfo): number {
  const inName = name.split('-');
  const inSummary = summary.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const inArguments = args.flatMap((argument) => argument.name.toLowerCase().split(/[_-]/));
  const points = (word: string) => {
    if (inName.some((part) => isSame(part, word))) return 8;
    if (inSummary.some((part) => isSame(part, word))) return 3;
    return inArguments.some((part) => isSame(part, word)) ? 1 : 0;
  };
  // A synonym counts a little less than the word itself.
  const best = (word: string) =>
    (SYNONYMS[word] ?? []).reduce((most, other) => Math.max(most, points(other) - 1), points(word));
  return wanted.reduce((sum, word) => sum + best(word), 0);
}

/** Tells whether two words are the same but for a plural. */
function isSame(one: string, other: string): boolean {
  return one === other || one === `${other}s` || `${one}s` === other;
}
