/** Tab completion in the war room. */

import { freeArguments } from '../../../../client/completion/free-arguments.ts';
import { isPrintable, type KnownValue, needsNoQuotes } from '../../../../client/completion/known-values.ts';
import { offeredPaths } from '../../../../client/completion/offered-paths.ts';
import { wordsOf } from '../../../../client/completion/words.ts';
import { aliasOf, declaredName } from '../../../../client/names/aliases.ts';
import { spelledAs } from '../../../../client/names/command-name.ts';
import { commandAt, nextWords } from '../../../../client/names/spaced-name.ts';
import type { ArgumentInfo, Catalogue } from '../../../../manifest/catalogue.ts';
import type { Lookup } from '../../../../runtime/arguments/builders.ts';
import { GENERIC_NAMES } from '../../../../runtime/arguments/generic.ts';
import { COMMAND_OPTIONS, ROOM_OPTION_NAMES } from '../../line/options.ts';
import { fieldTexts } from './field-completion.ts';

/** Kind of the words after a built-in command. */
export type Follow = 'command' | 'path' | 'subcommand';

/** Candidates, and the text that they replace. */
export type Completion = [fits: string[], replaced: string];

/** Returns the known values of a list command without waiting. */
export type Known = (lookup: Lookup) => readonly KnownValue[];

interface Place {
  readonly known: Known;
  /** The shell quotes what it inserts. */
  readonly inShell?: boolean;
  /** Whether the argument is typed by its short name. */
  readonly isAlias?: boolean;
}

/**
 * Completes the text before the cursor.
 * @param builtIns built-in commands, with the kind of words that follow each
 */
export function complete(
  line: string,
  catalogue: Catalogue,
  context: Readonly<Record<string, unknown>>,
  builtIns: Readonly<Record<string, Follow | undefined>>,
  known: Known = () => [],
): Completion {
  const reference = /\$\{([^{}]*)$/.exec(line)?.[1];
  if (reference !== undefined) return [offeredPaths(reference, context, '}'), reference];
  const words = wordsOf(line);
  const [first = ''] = words;
  const last = words.at(-1) ?? '';
  const names = catalogue.map(({ name }) => name);
  if (words.length <= 1) {
    return fitting([...Object.keys(builtIns), ...names.map((name) => `${spelledAs(last, name)} `)], last);
  }
  if (Object.hasOwn(builtIns, first)) {
    const typed = words.slice(1, -1);
    if (builtIns[first] === 'command')
      return fitting(typed.length > 0 ? nextWords(typed, names) : names.map((name) => spelledAs(last, name)), last);
    return [builtIns[first] === 'path' ? offeredPaths(last, context, '') : [], last];
  }
  const valued = optionValue(words, catalogue);
  if (valued !== undefined) return valued;
  if (last.startsWith('--'))
    return fitting(
      ROOM_OPTION_NAMES.map((name) => `--${name}`),
      last,
    );
  const { command, typed, next } = commandAt(words.slice(0, -1), catalogue);
  const [further] = fitting(next, last);
  if (command === undefined) return [further.map((word) => `${word} `), last];
  const [fits, replaced] = completedArguments(command.arguments, typed, last, { known });
  return [[...further.map((word) => `${word} `), ...fits], replaced];
}

/** Completes the value of an option: `--sort as` or `--sort=as`. */
function optionValue(words: readonly string[], catalogue: Catalogue): Completion | undefined {
  const last = words.at(-1) ?? '';
  const joined = /^--([a-z-]+)=/.exec(last);
  const before = /^--([a-z-]+)$/.exec(words.at(-2) ?? '');
  const name = joined?.[1] ?? before?.[1] ?? '';
  const option = COMMAND_OPTIONS[name];
  if (option === undefined || option.kind === 'flag') return undefined;
  const typed = last.slice(joined?.[0].length ?? 0).replace(/^["']/, '');
  const fields = fieldTexts(name, typed, commandAt(words.slice(0, -1), catalogue).command);
  return fields === undefined ? fitting(option.choices ?? [], typed) : [fields, typed];
}

/** Completes one argument of a command. @param typed the words before it */
export function completedArguments(
  known: readonly ArgumentInfo[],
  typed: readonly string[],
  last: string,
  place: Place,
): Completion {
  const at = last.indexOf('=');
  if (at >= 0) {
    const name = last.slice(0, at);
    const argument =
      known.find((each) => each.name === name) ?? known.find((each) => aliasOf(each.name, each) === name);
    return values(argument, last.slice(at + 1), { ...place, isAlias: argument?.name !== name });
  }
  const declared = Object.fromEntries(known.map((argument) => [argument.name, argument]));
  const present = new Set(typed.map((word) => declaredName(word.split('=')[0] ?? '', declared)));
  const { required, optional } = freeArguments(known, present);
  // Offer a platform's name for a file argument only after the user has begun to type it.
  const named = (all: readonly ArgumentInfo[]) =>
    all.map((argument) => {
      const alias = argument.kind === 'file' && !/^e/.test(last) ? aliasOf(argument.name, argument) : undefined;
      return `${alias ?? argument.name}=`;
    });
  // Required arguments come first.
  if (last === '' && required.length > 0) return fitting(named(required), last);
  if (last === '') return fitting(named(optional), last);
  const names = new Set(known.map(({ name }) => name));
  const aliases = [...required, ...optional].flatMap((argument) => aliasOf(argument.name, argument) ?? []);
  const short = aliases.filter((alias) => !names.has(alias)).map((alias) => `${alias}=`);
  const generic = GENERIC_NAMES.filter((name) => !present.has(name)).map((name) => `${name}=`);
  return fitting([...new Set([...named(required), ...named(optional), ...short, ...generic])], last);
}

function values(argument: ArgumentInfo | undefined, typed: string, place: Place): Completion {
  if (argument === undefined) return [[], typed];
  const quote = place.inShell === true ? '' : (/^["'`]/.exec(typed)?.[0] ?? '');
  const begun = argument.kind === 'list' ? typed.slice(typed.lastIndexOf(',') + 1) : typed;
  const word = begun.startsWith(quote) ? begun.slice(quote.length) : begun;
  const declared =
    argument.kind === 'flag' ? ['true', 'false'] : [...(argument.choices ?? []), ...(argument.hints ?? [])];
  const offered = [...new Set([...declared, ...knownTexts(argument, word, place)])];
  const fits = offered.filter((choice) => choice.startsWith(word));
  return [place.inShell === true || quote !== '' ? fits : fits.map(spaced), word];
}

function knownTexts({ lookup, kind }: ArgumentInfo, word: string, { known, inShell, isAlias }: Place): string[] {
  // A list inside another record cannot be fetched in advance.
  if (lookup === undefined || lookup.within !== undefined) return [];
  const all = known(lookup);
  const fitsLine = inShell === true ? isPrintable : needsNoQuotes;
  const writable = (name: string) => fitsLine(name) && !(kind === 'list' && name.includes(','));
  if (lookup.takes === 'name') return all.map(({ name }) => name).filter(writable);
  // Ids in a saved script stay valid if the record is renamed.
  if (inShell === true && isAlias !== true) return all.map(({ id }) => id);
  const count = new Map<string, number>();
  for (const { name } of all) count.set(name, (count.get(name) ?? 0) + 1);
  const labels = all.map(({ id, name }) => (count.get(name) === 1 && writable(name) ? name : id));
  return word === '' ? labels : [...labels, ...all.map(({ id }) => id)];
}

function spaced(choice: string): string {
  return /\s/.test(choice) ? `"${choice}"` : choice;
}

function fitting(offered: readonly string[], typed: string): Completion {
  return [offered.filter((word) => word.startsWith(typed)), typed];
}
