/** Names the records of a deletion for its question. */
import type { Lookup } from '../../runtime/arguments/builders.ts';
import type { Command, Registry } from '../../runtime/engine/command.ts';
import type { RecordName } from '../../runtime/engine/deletion.ts';
import { contextValues, type KnownValue } from './known-values.ts';

interface NamedRecords {
  readonly registry: Registry;
  readonly context: Readonly<Record<string, unknown>>;
  /** Returns the values of a list. */
  readonly known?: (lookup: Lookup) => Promise<readonly KnownValue[]>;
}

/** Finds the names of the records in the arguments: in their lists, then in the context. */
export async function recordNames(
  { args }: Command,
  typed: Readonly<Record<string, unknown>>,
  { known = async () => [], ...room }: NamedRecords,
): Promise<RecordName> {
  const values = new Map<string, readonly KnownValue[]>();
  for (const [name, { lookup }] of Object.entries(args)) {
    if (typed[name] === undefined || lookup === undefined || lookup.takes === 'name') continue;
    const listed = lookup.within === undefined ? await known(lookup) : [];
    values.set(name, [...listed, ...(await contextValues(lookup, room))]);
  }
  return (argument, id) => values.get(argument)?.find((each) => each.id === id && each.name !== '')?.name;
}
