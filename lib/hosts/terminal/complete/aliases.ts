/**
 * Short names of arguments: `target` for `target_uuid`, for a person at a terminal alone, and `file` for the path of a
 * file, in scripts as well.
 */
import type { Lookup } from '../../../arguments/builders.ts';

interface Known {
  readonly kind?: string | undefined;
  readonly lookup?: Lookup | undefined;
}

/**
 * Returns the declared argument that a short name means.
 * @param arguments_ the arguments of the command by name
 */
export function declaredName(typed: string, arguments_: Readonly<Record<string, Known>>): string {
  if (Object.hasOwn(arguments_, typed)) return typed;
  return Object.entries(arguments_).find(([name, known]) => aliasOf(name, known) === typed)?.[0] ?? typed;
}

/** Names the path of a file in a terminal; contexts of other hosts have entry ids. */
export const FILE = 'file';

/** Returns the short name of an argument, or undefined. */
export function aliasOf(name: string, { kind, lookup }: Known): string | undefined {
  if (kind === 'file') return name === FILE ? undefined : FILE;
  if (lookup === undefined || lookup.takes === 'name') return undefined;
  const alias = /^(?:uu)?id$/.test(name) ? lookup.noun : name.replace(/_(?:uu)?id(s?)$/, '$1');
  return alias === name ? undefined : alias;
}
