/** Selects fields of records by name: `id`, or `owner.email` for a member. */

import { UsageError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { isOwn } from '../../core/text/own.ts';
import { didYouMean } from '../arguments/suggest.ts';
import { type Field, type Fields, type RecordType, WHOLE } from '../output/record.ts';

/** Names as typed, in the order of the output. */
export type Selection = readonly string[];

/** Splits `a,b.c` into names. @throws UsageError if the text has no name */
export function parseFields(text: string): Selection {
  const names = text.split(',').map((name) => name.trim());
  const selection = [...new Set(names.filter((name) => name !== ''))];
  if (selection.length === 0) throw new UsageError('No field is named.', { hint: 'Separate names by commas.' });
  return selection;
}

/**
 * Checks names against the records that a command returns; at least one record must declare each name.
 * @throws UsageError that lists the fields
 */
export function checkFields(selection: Selection, records: readonly RecordType[]): void {
  const all = records.flatMap(({ fields }) => Object.keys(fields)).filter((name) => name !== WHOLE);
  const known = [...new Set(all)];
  if (known.length === 0) throw new UsageError('The result is a single value: it has no fields to choose from.');
  const unknown = selection.filter((name) => records.every(({ fields }) => fieldAt(fields, name) === undefined));
  if (unknown.length === 0) return;
  const near = unknown.map((name) => didYouMean(name, candidates(records, name)));
  const hints = [...near.filter((hint) => hint !== undefined), `Fields: ${known.join(', ')}.`];
  const names = unknown.map((name) => `"${name.slice(0, 60)}"`).join(', ');
  throw new UsageError(`Unknown ${unknown.length > 1 ? 'fields' : 'field'} ${names}.`, { hint: hints.join(' ') });
}

/** Finds the declaration of a name or of its members; undefined for an unknown name. */
export function fieldAt(fields: Fields, name: string): Field | undefined {
  const exact = isOwn(fields, name) ? fields[name] : undefined;
  if (exact !== undefined) return exact;
  const whole: Field = { type: 'Unknown', description: '' };
  if (Object.keys(fields).some((declared) => declared.startsWith(`${name}.`))) return whole;
  const owner = Object.keys(fields)
    .filter((declared) => declared !== WHOLE && name.startsWith(`${declared}.`))
    .sort((one, other) => other.length - one.length)[0];
  const field = owner === undefined ? undefined : fields[owner];
  if (owner === undefined || field?.type !== 'Unknown') return undefined;
  const members = field.items ?? field.members;
  // Members of a value that is kept as sent are not all known.
  return members === undefined ? whole : fieldAt(members, name.slice(owner.length + 1));
}

/** Names to suggest: fields, and also members if the typed name has a dot. */
function candidates(records: readonly RecordType[], name: string): string[] {
  const names = (fields: Fields): string[] =>
    Object.entries(fields).flatMap(([field, { items, members }]) => [
      field,
      ...(name.includes('.') ? names(items ?? members ?? {}).map((member) => `${field}.${member}`) : []),
    ]);
  return records.flatMap(({ fields }) => names(fields)).filter((each) => each !== WHOLE);
}

/** Selected members by name; null selects the whole value. */
type Tree = Map<string, Tree | null>;

/** Returns a function that keeps the selected fields of a record, nested as they were, in the order of the selection. */
export function projector(selection: Selection): (record: unknown) => unknown {
  const tree: Tree = new Map();
  for (const name of selection) grow(tree, name.split('.'));
  return (record) => pick(record, tree);
}

function grow(tree: Tree, [first = '', ...rest]: readonly string[]): void {
  const below = tree.get(first);
  if (below === null) return;
  if (rest.length === 0) {
    tree.set(first, null);
    return;
  }
  const members: Tree = below ?? new Map<string, Tree | null>();
  tree.set(first, members);
  grow(members, rest);
}

function pick(value: unknown, tree: Tree | null): unknown {
  if (tree === null || value === undefined || value === null) return value ?? null;
  if (Array.isArray(value)) return value.map((each) => pick(each, tree));
  if (!isObject(value)) return null;
  const own = (name: string) => (isOwn(value, name) ? value[name] : null);
  return Object.fromEntries([...tree].map(([name, below]) => [name, pick(own(name), below)]));
}

/** Returns the value of the named field; in a list, the field's values in all rows. */
export function valueAt(record: unknown, name: string): unknown {
  return name === WHOLE ? record : inside(record, name.split('.'));
}

function inside(value: unknown, steps: readonly string[]): unknown {
  const [first, ...rest] = steps;
  if (first === undefined) return value;
  if (Array.isArray(value)) return value.flatMap((each) => inside(each, steps) ?? []);
  return isObject(value) && isOwn(value, first) ? inside(value[first], rest) : undefined;
}
