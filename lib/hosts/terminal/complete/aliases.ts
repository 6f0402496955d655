/**
 * Short names of arguments: `target` for `target_uuid`, and `file` for the path of a file. The terminal alone knows
 * them.
 */
import type { Lookup } from '../../../arguments/builders.ts';

interface Known {
  readonly kind?: string | undefined;
  readonly lookup?: Lookup | undefined;
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** Ids of the DLP service. */
const OTHER_ID = /^(?:[0-9a-f]{24}|\d{8,})$/i;

/**
 * Returns the declared argument that a short name means, or that the noun of its records means: `scan` for `job_id`.
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

/** Names the path of a file in a terminal; contexts of other hosts have entry ids. */
const FILE = 'file';

/** Returns the short name of an argument, or undefined. */
export function aliasOf(name: string, { kind, lookup }: Known): string | undefined {
  if (kind === 'file') return name === FILE ? undefined : FILE;
  if (lookup === undefined || lookup.takes === 'name') return undefined;
  const alias = /^(?:uu)?id$/.test(name) ? lookup.noun : name.replace(/_(?:uu)?id(s?)$/, '$1');
  return alias === name ? undefined : alias;
}

/** Reports whether a text is a whole id of the argument, which needs no list command. */
export function isId(
  text: string,
  argument: { readonly kind?: string; readonly schema?: Readonly<Record<string, unknown>> } = {},
): boolean {
  if (UUID.test(text)) return true;
  // The first eight characters of a UUID may be digits alone.
  if (argument.schema?.['title'] === 'a UUID') return false;
  return OTHER_ID.test(text) || (argument.kind === 'number' && /^\d+$/.test(text));
}
