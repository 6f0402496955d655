/** Replaces names and id prefixes with ids before the line of a room or a terminal runs. Playbooks and calls accept only ids. */

import { CancelledError, ConfigurationError, PreconditionError, toAisecError } from '../../core/errors.ts';
import type { Argument, Lookup } from '../../runtime/arguments/builders.ts';
import type { Invocation, Pair } from '../../runtime/arguments/lexer.ts';
import type { Command, Registry } from '../../runtime/engine/command.ts';
import { contextValues, type KnownValue, type Listed } from '../completion/known-values.ts';
import { declaredName, isId, withMissingIds, withMissingNames } from './aliases.ts';
import { matching, nearName, noSuchName, type Typed } from './match-name.ts';
import { withoutReferences, withValues } from './values.ts';

export interface NameSources {
  readonly registry: Registry;
  readonly context: Readonly<Record<string, unknown>>;
  /** Lists the candidates with one list command. @param within arguments that it requires */
  readonly list: (lookup: Lookup, within: readonly Pair[]) => Promise<Listed>;
  /** Receives the id that replaces a name. */
  readonly note: (text: string) => void;
  /** Accept no prefix, because the command deletes without a question that names the record. */
  readonly needsFull: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Where to look up one value: its list, if the line has the arguments that the list requires. */
interface ValueSources extends Omit<NameSources, 'list'> {
  readonly within: readonly Pair[];
  readonly list: ((lookup: Lookup) => Promise<Listed>) | undefined;
  /** Whether only the list decides: the context of a room may be older than the names of the tenant. */
  readonly deletes: boolean;
}

const SHORT_ID = 13;

/**
 * Replaces names with ids, and short argument names with declared names. @throws PreconditionError if several records
 * match, NotFoundError if no record has the name
 */
export async function resolveNames(
  invocation: Invocation,
  command: Command,
  sources: NameSources,
): Promise<Invocation> {
  const { args } = command;
  const deletes = command.effect === 'delete';
  const listed = new Map<string, Promise<Listed>>();
  const list = (lookup: Lookup, within: readonly Pair[]) => {
    const found = listed.get(lookup.command) ?? sources.list(lookup, within);
    listed.set(lookup.command, found);
    return found;
  };
  const pairs = invocation.pairs.map(({ name, value }) => ({ name: declaredName(name, args), value }));
  const named = withMissingIds({ ...invocation, pairs }, command);
  const plain = await withValues(named, command, (name, value) =>
    isInside(args[name])
      ? Promise.resolve(value)
      : resolveValue(name, value, args[name], { ...sources, deletes, within: [], list: (lookup) => list(lookup, []) }),
  );
  const whole = await withMissingNames(plain, command, async (lookup, isWanted) => {
    const known = deletes ? [] : await contextValues(lookup, sources);
    return known.find(isWanted) ?? (await list(lookup, [])).values.find(isWanted);
  });
  // Their lists require the ids of other arguments.
  return withValues(whole, command, async (name, value) => {
    if (!isInside(args[name])) return value;
    const within = outer(args[name]?.lookup?.within ?? [], whole, command);
    const inside = within === undefined ? undefined : (lookup: Lookup) => list(lookup, within);
    return resolveValue(name, value, args[name], { ...sources, deletes, within: within ?? [], list: inside });
  });
}

function isInside(argument: Argument | undefined): boolean {
  return argument?.lookup?.within !== undefined;
}

/** Returns the line's values for the arguments that a list requires; undefined if the line lacks any. */
function outer(names: readonly string[], { pairs, positionals }: Invocation, { args }: Command): Pair[] | undefined {
  const [first] = positionals;
  const found = names.flatMap((name) => {
    const pair = pairs.find((each) => each.name === name);
    if (pair !== undefined) return [pair];
    return args[name]?.positional === true && first !== undefined ? [{ name, value: first }] : [];
  });
  return found.length === names.length ? found : undefined;
}

async function resolveValue(
  name: string,
  value: unknown,
  argument: Argument | undefined,
  sources: ValueSources,
): Promise<unknown> {
  const lookup = argument?.lookup;
  if (lookup === undefined || lookup.takes === 'name' || typeof value !== 'string') return value;
  const text = value.trim();
  if (argument?.kind !== 'list') return (await resolveOne(name, text, argument, lookup, sources)) ?? value;
  if (text.startsWith('[')) return value;
  const ids: string[] = [];
  for (const item of text.split(',').map((each) => each.trim()))
    ids.push((await resolveOne(name, item, argument, lookup, sources)) ?? item);
  return ids.join(',');
}

/** @returns the id, or undefined for a value to send as typed */
async function resolveOne(
  name: string,
  text: string,
  argument: Argument | undefined,
  lookup: Lookup,
  sources: ValueSources,
): Promise<string | undefined> {
  if (text === '' || text === 'null' || text.includes('${') || isId(text, argument)) return undefined;
  const typed = { name, text, lookup, needsFull: sources.needsFull, within: sources.within, now: sources.now };
  const fromContext = sources.deletes ? [] : await contextValues(lookup, sources);
  const found = matching(typed, fromContext) ?? (await listed(typed, isUuid(argument), fromContext, sources));
  if (found === undefined) return undefined;
  if (found.id !== text) sources.note(`note: ${name} is ${labelOf(found)}`);
  return withoutReferences(found.id);
}

async function listed(
  typed: Typed,
  isUuidArgument: boolean,
  fromContext: readonly KnownValue[],
  { list, note, deletes }: ValueSources,
): Promise<KnownValue | undefined> {
  const { name, text, lookup } = typed;
  if (list === undefined) {
    if (!isUuidArgument) return undefined;
    throw deletes ? unlisted(typed) : noSuchName(typed, fromContext, false);
  }
  let answer: Listed;
  try {
    answer = await list(lookup);
  } catch (thrown) {
    if (thrown instanceof CancelledError || thrown instanceof ConfigurationError) throw thrown;
    if (deletes && isUuidArgument) throw unlisted(typed, thrown);
    note(`note: ${lookup.command} could not look up ${name}: ${toAisecError(thrown).message}`);
    return undefined;
  }
  const { values, isCut } = answer;
  const found = matching(typed, values);
  if (found?.id === text) return found;
  // A record beyond the end of the list could have the same name or prefix.
  if (isCut && (found !== undefined || isUuidArgument)) throw beyond(typed, values, found);
  if (found === undefined && isUuidArgument) throw noSuchName(typed, values, true);
  if (found === undefined) {
    const near = nearName(text, values);
    const start = `note: ${name}: ${lookup.command} shows no "${text.slice(0, 60)}".`;
    note(near === undefined ? start : `${start} ${near}`);
  }
  return found;
}

function unlisted({ name, text, lookup }: Typed, cause?: unknown): PreconditionError {
  const reason = cause === undefined ? '' : `: ${toAisecError(cause).message}`;
  const message = `${name}: ${lookup.command} could not look up "${text.slice(0, 60)}" for a deletion${reason}`;
  return new PreconditionError(cause === undefined ? `${message}.` : message, {
    hint: 'Give the full id.',
    argument: name,
  });
}

function beyond(
  { name, text }: Typed,
  values: readonly KnownValue[],
  found: KnownValue | undefined,
): PreconditionError {
  const fit = found === undefined ? '.' : `, such as ${found.id}.`;
  return new PreconditionError(`${name}: only the first ${values.length} were searched for "${text.slice(0, 60)}".`, {
    hint: `Give the full id${fit}`,
    argument: name,
  });
}

/** The service would refuse a value that is not a UUID anyway. */
function isUuid(argument: Argument | undefined): boolean {
  return argument?.schema['title'] === 'a UUID';
}

function labelOf({ id, name }: KnownValue): string {
  return name === '' ? id : `${id.slice(0, SHORT_ID).replace(/-$/, '')} (${name})`;
}
