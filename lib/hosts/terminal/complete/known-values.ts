/** Values of the tenant that an argument may name: ids and names of the records of one list command. */
import type { Lookup } from '../../../arguments/builders.ts';
import { isObject, type JsonObject } from '../../../core/json.ts';
import type { Runtime } from '../../../core/runtime.ts';
import { findCommand, needFound, type Registry } from '../../../engine/command.ts';

export interface KnownValue {
  readonly id: string;
  /** Empty if the record has none. */
  readonly name: string;
}

/** Most records that are asked for: a longer list is not searched to its end. */
export const MAX_VALUES = 500;

/** Lists the candidates by one list command. */
export async function fetchValues(lookup: Lookup, registry: Registry, runtime: Runtime): Promise<KnownValue[]> {
  const [{ dispatchFound }, found] = await Promise.all([
    import('../../../engine/dispatch.ts'),
    findCommand(registry, lookup.command),
  ]);
  const command = needFound(found, lookup.command, registry, runtime.advice.commands);
  const { limit } = command.args;
  const pairs = limit === undefined ? [] : [{ name: 'limit', value: String(MAX_VALUES) }];
  const quiet = { ...runtime, dryRun: false, contextLimit: Number.POSITIVE_INFINITY };
  const { raw } = await dispatchFound(command, { name: lookup.command, pairs, positionals: [] }, quiet);
  return valuesOf(raw, lookup);
}

/** Reads ids and names from records of the service or of the context. */
export function valuesOf(records: unknown, lookup: Lookup): KnownValue[] {
  const all = Array.isArray(records) ? records : [records];
  const values = all.filter(isObject).flatMap((record) => {
    const id = textAt(record, lookup.id);
    return id === '' ? [] : [{ id, name: textAt(record, lookup.name) }];
  });
  return [...new Map(values.map((value) => [value.id, value])).values()];
}

function textAt(record: JsonObject, fields: readonly string[]): string {
  const found = fields.map((field) => record[field]).find((value) => value !== undefined && value !== null);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
}

/** Reports whether a line can hold the name without a quote, an escape or a reference changing it. */
export function isPlain(name: string): boolean {
  return name !== '' && name.trim() === name && !/[\p{C}"'`\\]|\$\{/u.test(name);
}

/** Reports whether one printed line can hold the name. */
export function isPrintable(name: string): boolean {
  return name !== '' && name.trim() === name && !/\p{C}|[\u2028\u2029]|\$\{/u.test(name);
}
