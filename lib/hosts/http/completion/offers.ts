/** Completes lines of a session: what can stand at the cursor. Nothing is offered that the line would refuse. */
import { freeArguments } from '../../../client/completion/free-arguments.ts';
import { isPrintable, type KnownValue } from '../../../client/completion/known-values.ts';
import { offeredPaths } from '../../../client/completion/offered-paths.ts';
import { wordsOf } from '../../../client/completion/words.ts';
import type { ArgumentInfo, CommandInfo } from '../../../manifest/catalogue.ts';
import type { Lookup } from '../../../runtime/arguments/builders.ts';
import { GENERIC_NAMES } from '../../../runtime/arguments/generic.ts';
import { quotedValue } from '../../../runtime/arguments/quoted-value.ts';
import { typedArguments, withoutQuotes } from './typed-line.ts';

export interface Offer {
  readonly text: string;
  readonly description?: string;
}

/** Offers, and the place in the line from which they replace the text before the cursor. */
interface Offered {
  readonly offers: readonly Offer[];
  readonly from: number;
}

/** What a line can refer to. */
export interface OfferSources {
  /** The commands that the caller may run. */
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  /** The command of the line. */
  readonly command: CommandInfo | undefined;
  readonly context: Readonly<Record<string, unknown>>;
  readonly known: (lookup: Lookup) => readonly KnownValue[];
}

/** Maximum number of offers: a longer list is not read. */
const MAX_OFFERS = 100;
const PREFIX = 'aisec-';

/** Completes the text before the cursor. */
export function offersAt(before: string, sources: OfferSources): Offered {
  const { replaced, offers } = offeredFor(before, sources);
  return { offers: offers.slice(0, MAX_OFFERS), from: before.length - replaced.length };
}

function offeredFor(before: string, { commands, command, context, known }: OfferSources) {
  const reference = /\$\{([^{}]*)$/.exec(before)?.[1];
  if (reference !== undefined) return { replaced: reference, offers: pathOffers(reference, context) };
  const words = wordsOf(before);
  const last = words.at(-1) ?? '';
  if (words.length <= 1) return { replaced: last, offers: commandOffers(last, commands) };
  if (command === undefined) return { replaced: last, offers: [] };
  const name = /^([^\s"'`=]+)=/.exec(last)?.[1];
  if (name === undefined) {
    const typed = before.slice(0, before.length - last.length);
    return { replaced: last, offers: nameOffers(last, typed, command) };
  }
  const value = last.slice(name.length + 1);
  const argument = command.arguments.find((each) => each.name === name);
  return { replaced: value, offers: argument === undefined ? [] : valueOffers(argument, value, known) };
}

function pathOffers(typed: string, context: OfferSources['context']): Offer[] {
  // The service chooses the names of some members, and none of them may end the reference or the value.
  const isWritable = (path: string) => /^[\w.[\]-]*[\w\]]\}?$/.test(path);
  return offeredPaths(typed, context, '}')
    .filter(isWritable)
    .map((text) => ({ text }));
}

/** Offers full names, also for the beginning of a short name, or for a part of a name. */
function commandOffers(typed: string, commands: OfferSources['commands']): Offer[] {
  const mark = typed.startsWith('!') ? '!' : '';
  const word = typed.slice(mark.length).toLowerCase();
  const rank = (name: string) => {
    if (name.startsWith(word) || name.startsWith(PREFIX + word)) return 0;
    return name.includes(word) ? 1 : 2;
  };
  return [0, 1].flatMap((wanted) =>
    commands
      .filter(({ name }) => rank(name) === wanted)
      .map(({ name, summary }) => ({ text: `${mark}${name} `, description: summary })),
  );
}

function nameOffers(typed: string, before: string, command: CommandInfo): Offer[] {
  const present = new Set(typedArguments(before, command).map(({ name }) => name));
  const { required, optional } = freeArguments(command.arguments, present);
  const all = [...required, ...optional].map(({ name, description }) => ({ name, description }));
  const generic = typed === '' ? [] : GENERIC_NAMES.filter((name) => !present.has(name)).map((name) => ({ name }));
  const fits = [...all, ...generic].filter(({ name }) => name.includes(typed));
  const begins = ({ name }: { readonly name: string }) => name.startsWith(typed);
  const sorted = [...fits.filter(begins), ...fits.filter((fit) => !begins(fit))];
  return sorted.map(({ name, ...description }) => ({ text: `${name}=`, ...description }));
}

function valueOffers(argument: ArgumentInfo, typed: string, known: OfferSources['known']): Offer[] {
  const text = withoutQuotes(typed);
  const cut = argument.kind === 'list' ? text.lastIndexOf(',') + 1 : 0;
  const [kept, word] = [text.slice(0, cut), text.slice(cut).toLowerCase()];
  const given = new Set(kept.split(','));
  const fits = ({ text: value, description = '' }: Offer) =>
    !given.has(value) && (value.toLowerCase().startsWith(word) || description.toLowerCase().includes(word));
  const declared =
    argument.kind === 'flag' ? ['true', 'false'] : [...(argument.choices ?? []), ...(argument.hints ?? [])];
  const offers = [...declared.map((value) => ({ text: value })), ...recordOffers(argument, known)].filter(fits);
  return unique(offers).map(({ text: value, ...more }) => ({ text: quotedValue(kept + value), ...more }));
}

/** Offers the ids of records with their names as descriptions, or the names for an argument that takes a name. */
function recordOffers({ lookup, kind }: ArgumentInfo, known: OfferSources['known']): Offer[] {
  // A list inside another record cannot be fetched in advance.
  if (lookup === undefined || lookup.within !== undefined) return [];
  const takesName = lookup.takes === 'name';
  return known(lookup).flatMap(({ id, name }) => {
    const [text, description] = takesName ? [name, id] : [id, name];
    if (!isPrintable(text) || (kind === 'list' && text.includes(','))) return [];
    return [{ text, ...(description === '' ? {} : { description }) }];
  });
}

function unique(offers: readonly Offer[]): Offer[] {
  return [...new Map(offers.toReversed().map((offer) => [offer.text, offer])).values()].toReversed();
}
