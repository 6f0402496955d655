/** Describes a deletion for the confirmation question, in the same words on every host. */

import { spelledOut } from '../../core/redaction/characters.ts';
import type { Command } from './command.ts';

/** Maximum characters of a value in a question. */
const MAX_VALUE_LENGTH = 100;
/** Keep both ends, because long names often differ only at the end. */
const KEPT_END = 20;
/** Maximum number of list items that a question shows; the question also says how many more there are. */
const MAX_ITEMS = 5;

/** Returns the name of the record that the id in an argument means, if it is known. */
export type RecordName = (argument: string, id: string) => string | undefined;

/**
 * Describes a deletion: `Delete custom topic "x" (force=true)`. Identifiers come first, and every value is bounded, so that
 * no argument can push them out of sight.
 * @param typed as `readArguments` returns them
 */
export function deletionOf(
  { summary, args }: Command,
  typed: Readonly<Record<string, unknown>>,
  nameOfRecord: RecordName = () => undefined,
): string {
  const shown = (name: string) => listed(typed[name], (id) => nameOfRecord(name, id));
  const what = summary
    .replace(/[.;:][\s\S]*$/, '')
    .replace(/^(Delete|Archive) an? /, '$1 ')
    .replace(/ (?:permanently|by .*|that .*|and its .*)$/, '');
  const names = Object.keys(args).filter((name) => typed[name] !== undefined && args[name]?.secret !== true);
  const isId = (name: string) => args[name]?.required === true && name !== 'updated_by';
  const ids = names.filter(isId);
  const values =
    ids.length === 1 ? ` ${shown(ids[0] ?? '')}` : `: ${ids.map((name) => `${name} ${shown(name)}`).join(', ')}`;
  const others = names
    .filter((name) => !isId(name) && typed[name] !== false)
    .map((name) => (typed[name] === true ? `${name}=true` : `${name} ${shown(name)}`));
  return what + values + (others.length === 0 ? '' : ` (${others.join(', ')})`);
}

/** Names the tenant in a question. */
export function tenantOf(isSimulated: boolean, tenant: string | undefined): string {
  return `${isSimulated ? 'the simulated ' : ''}tenant ${tenant ?? ''}`.trim();
}

/** Quotes a value with the name of its record, or the first items of a list. */
function listed(value: unknown, nameOfRecord: (id: string) => string | undefined): string {
  const shown = (item: unknown) => {
    const [id, name] = [String(item), nameOfRecord(String(item))];
    if (name === undefined) return quoted(id);
    return `${quoted(name)} (${/^[\w-]{1,100}$/.test(id) ? id : quoted(id)})`;
  };
  if (!Array.isArray(value)) return shown(value);
  const items = (value as readonly unknown[]).slice(0, MAX_ITEMS).map(shown);
  const more = value.length - items.length;
  return items.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/**
 * Quotes a text on one line. Spells out invisible characters, because two names that differ only in them must not look
 * alike.
 */
function quoted(text: string): string {
  const visible = spelledOut(bounded(text));
  return JSON.stringify(bounded(visible));
}

/** Cuts the middle out of a long text. */
function bounded(text: string): string {
  if (text.length <= MAX_VALUE_LENGTH) return text;
  return `${text.slice(0, MAX_VALUE_LENGTH - KEPT_END - 1)}…${text.slice(text.length - KEPT_END)}`;
}
