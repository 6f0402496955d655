/**
 * Short names of arguments: `target` for `target_uuid`, and `file` for the path of a file. Only the terminal knows
 * them. If two arguments name the same record, one by id and one by name, the user may give either.
 */

import type { Argument, Lookup } from '../../runtime/arguments/builders.ts';
import type { Invocation } from '../../runtime/arguments/lexer.ts';
import type { Command } from '../../runtime/engine/command.ts';
import type { KnownValue } from '../completion/known-values.ts';
import { withNamedValues, withoutReferences } from './values.ts';

interface Known {
  readonly kind?: string | undefined;
  readonly lookup?: Lookup | undefined;
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** Ids of the DLP service. */
const OTHER_ID = /^(?:[0-9a-f]{24}|\d{8,})$/i;

/**
 * Returns the declared argument for a short name, or for the noun of its records: `scan` for `job_id`.
 * @param arguments_ the arguments of the command by name
 */
export function declaredName(typed: string, arguments_: Readonly<Record<string, Known>>): string {
  if (Object.hasOwn(arguments_, typed)) return typed;
  const all = Object.entries(arguments_);
  const byAlias = all.find(([name, known]) => aliasOf(name, known) === typed);
  if (byAlias !== undefined) return byAlias[0];
  const byNoun = all.filter(([, { lookup }]) => lookup?.takes !== 'name' && lookup?.noun === typed);
  return byNoun.length === 1 ? (byNoun[0]?.[0] ?? typed) : typed;
}

/** Name of a file path in a terminal; contexts of other hosts have entry ids. */
const FILE = 'file';

/** Returns the short name of an argument, or undefined. */
export function aliasOf(name: string, { kind, lookup }: Known): string | undefined {
  if (kind === 'file') return name === FILE ? undefined : FILE;
  if (lookup === undefined || lookup.takes === 'name') return undefined;
  const alias = /^(?:uu)?id$/.test(name) ? lookup.noun : name.replace(/_(?:uu)?id(s?)$/, '$1');
  return alias === name ? undefined : alias;
}

/** Reports whether a text is a complete id for the argument, which needs no list command. */
export function isId(
  text: string,
  argument: { readonly kind?: string; readonly schema?: Readonly<Record<string, unknown>> } = {},
): boolean {
  if (UUID.test(text)) return true;
  // The first eight characters of a UUID may be digits only.
  if (argument.schema?.['title'] === 'a UUID') return false;
  return OTHER_ID.test(text) || (argument.kind === 'number' && /^\d+$/.test(text));
}

type Args = Pick<Command, 'args'>;

/** Replaces short argument names, which needs no list command: `file=` with `entry_id=`, `target=` with `uuid=`. */
export function withDeclaredNames(typed: Invocation, { args }: Args): Invocation {
  const declared = <Word extends { name?: string }>(word: Word): Word =>
    word.name === undefined ? word : { ...word, name: declaredName(word.name, args) };
  return { ...typed, pairs: typed.pairs.map(declared), words: typed.words?.map(declared) };
}

/** Reports whether a value may be a record's name or a prefix of its id, or a line lacks the other name of a record. */
export function needsLookUp(line: Invocation, command: Args): boolean {
  const { args } = command;
  const { pairs, positionals } = line;
  const mayName = (argument: Argument | undefined, value: unknown) =>
    argument?.lookup !== undefined &&
    argument.lookup.takes !== 'name' &&
    !isId(String(value).trim(), argument) &&
    !String(value).includes('${');
  const unnamed = Object.values(args).find(({ positional }) => positional === true);
  return (
    lacksTwin(line, command) ||
    pairs.some(({ name, value }) => mayName(args[name], value)) ||
    positionals.some((value) => mayName(unnamed, value))
  );
}

interface Twins {
  readonly id: string;
  readonly name: string;
  readonly lookup: Lookup;
  /** The value of the argument that the line gives. */
  readonly given: string;
  readonly lacks: 'id' | 'name';
}

/** Reports whether a line lacks the other argument that can name the same record. */
function lacksTwin(line: Invocation, command: Args): boolean {
  return twinsOf(line, command).length > 0;
}

/** Uses the value of the name argument for a missing id, which is then looked up. */
export function withMissingIds(line: Invocation, command: Args): Invocation {
  const lacking = twinsOf(line, command).filter(({ lacks }) => lacks === 'id');
  const others = line.pairs.filter(({ name }) => !lacking.some(({ id }) => id === name));
  return { ...line, pairs: [...others, ...lacking.map(({ id, given }) => ({ name: id, value: given }))] };
}

/** Adds missing names of records with a known id. @param find finds the record in the context, or through its list */
export async function withMissingNames(
  line: Invocation,
  command: Args,
  find: (lookup: Lookup, isWanted: (record: KnownValue) => boolean) => Promise<KnownValue | undefined>,
): Promise<Invocation> {
  let { pairs } = line;
  for (const { name, lookup, given, lacks } of twinsOf(line, command)) {
    const record = lacks === 'name' ? await find(lookup, ({ id }) => id === given) : undefined;
    if (record === undefined || record.name === '') continue;
    const others = pairs.filter((pair) => pair.name !== name);
    pairs = [...others, { name, value: withoutReferences(record.name) }];
  }
  return { ...line, pairs };
}

/** Finds pairs of required arguments for the same record of which the line has only one. */
function twinsOf(line: Invocation, { args }: Args): Twins[] {
  const { pairs } = withNamedValues(line, { args });
  const required = Object.entries(args).filter(([, argument]) => argument.required === true);
  const typedFor = (name: string) => String(pairs.find((pair) => pair.name === name)?.value ?? '').trim();
  return required.flatMap(([name, { lookup }]): Twins[] => {
    if (lookup?.takes !== 'name') return [];
    const twin = required.find((each) => each[1].lookup?.command === lookup.command && each[0] !== name);
    if (twin?.[1].lookup === undefined) return [];
    const [byId, byName] = [typedFor(twin[0]), typedFor(name)];
    if ((byId === '') === (byName === '')) return [];
    const lacks = byId === '' ? 'id' : 'name';
    return [{ id: twin[0], name, lookup: twin[1].lookup, given: byId + byName, lacks }];
  });
}
