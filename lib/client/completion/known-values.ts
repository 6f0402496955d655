/** Tenant values for an argument: ids and names of the records of one list command, also while a key press waits. */

import { setTimeout as wait } from 'node:timers/promises';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { Runtime } from '../../core/runtime.ts';
import type { Lookup } from '../../runtime/arguments/builders.ts';
import type { Pair } from '../../runtime/arguments/lexer.ts';
import { lookUp, parsePath } from '../../runtime/arguments/references.ts';
import { findCommand, needFound, type Registry } from '../../runtime/engine/command.ts';

export interface KnownValue {
  readonly id: string;
  /** Empty if the record has none. */
  readonly name: string;
  /** When the record was created, as the service writes it. */
  readonly createdAt?: string;
}

/** The candidates for an argument. */
export interface Listed {
  readonly values: readonly KnownValue[];
  /** Whether the list may have more records. */
  readonly isCut: boolean;
}

/** Maximum records to request: a longer list is not searched to its end. */
export const MAX_VALUES = 500;

const CREATED = ['created_at', 'creation_ts', 'createdAt'];

/** Lists the candidates for completion with one list command. */
export async function fetchValues(lookup: Lookup, registry: Registry, runtime: Runtime): Promise<KnownValue[]> {
  return [...(await listValues(lookup, [], registry, runtime)).values];
}

/**
 * Lists the candidates with one list command, and reports whether there may be more. @param within arguments that the
 * list requires, such as the scan whose attacks it lists
 */
export async function listValues(
  lookup: Lookup,
  within: readonly Pair[],
  registry: Registry,
  runtime: Runtime,
): Promise<Listed> {
  const [{ dispatchFound }, found] = await Promise.all([
    import('../../runtime/engine/dispatch.ts'),
    findCommand(registry, lookup.command),
  ]);
  const command = needFound(found, lookup.command, registry, runtime.advice.commands);
  const { limit } = command.args;
  const pairs = [...within, ...(limit === undefined ? [] : [{ name: 'limit', value: String(MAX_VALUES) }])];
  const quiet = { ...runtime, dryRun: false, contextLimit: Number.POSITIVE_INFINITY };
  const { raw, truncated, gap } = await dispatchFound(command, { name: lookup.command, pairs, positionals: [] }, quiet);
  const values = valuesOf(raw, lookup);
  return { values, isCut: truncated !== undefined || gap !== undefined || values.length >= MAX_VALUES };
}

/** Returns the candidates that the context of a room has. */
export async function contextValues(
  lookup: Lookup,
  { registry, context }: { readonly registry: Registry; readonly context: Readonly<Record<string, unknown>> },
): Promise<KnownValue[]> {
  const path = (await findCommand(registry, lookup.command))?.output.record.path ?? '';
  const steps = parsePath(path);
  return steps === undefined ? [] : valuesOf(lookUp(context, steps), lookup);
}

/** Reads ids and names from records of the service or of the context. */
export function valuesOf(records: unknown, lookup: Lookup): KnownValue[] {
  const values = recordsIn(records, lookup).flatMap((record) => {
    const id = textAt(record, lookup.id);
    const createdAt = textAt(record, CREATED);
    return id === '' ? [] : [{ id, name: textAt(record, lookup.name), ...(createdAt === '' ? {} : { createdAt }) }];
  });
  return [...new Map(values.map((value) => [value.id, value])).values()];
}

/** Returns the records of a list, or of the member that holds them, such as the attacks of a scan. */
function recordsIn(records: unknown, { member }: Lookup): JsonObject[] {
  const all = (Array.isArray(records) ? records : [records]).filter(isObject);
  if (member === undefined) return all;
  return all.flatMap((record) => [record[member] ?? record['data'] ?? []].flat()).filter(isObject);
}

function textAt(record: JsonObject, fields: readonly string[]): string {
  const found = fields.map((field) => record[field]).find((value) => value !== undefined && value !== null);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
}

/** Reports whether a line can contain the name as it is: no quote, escape or reference in it has a special meaning. */
export function needsNoQuotes(name: string): boolean {
  return name !== '' && name.trim() === name && !/[\p{C}"'`\\]|\$\{/u.test(name);
}

/** Reports whether the name fits on one printed line. */
export function isPrintable(name: string): boolean {
  return name !== '' && name.trim() === name && !/\p{C}|[\u2028\u2029]|\$\{/u.test(name);
}

const FRESH_MS = 60_000;
/** Maximum wait of a key press. */
const PATIENCE_MS = 100;

export type LiveValues = ReturnType<typeof liveValues>;

/** @param fetch may fail; then nothing is completed */
export function liveValues(fetch: (lookup: Lookup) => Promise<readonly KnownValue[]>) {
  const values = new Map<string, readonly KnownValue[]>();
  const asked = new Map<string, number>();
  const pending = new Set<Promise<void>>();
  return {
    known: (lookup: Lookup) => {
      const { command } = lookup;
      if (Date.now() - (asked.get(command) ?? Number.NEGATIVE_INFINITY) > FRESH_MS) {
        asked.set(command, Date.now());
        const fetching = fetch(lookup)
          .then((found) => void values.set(command, found))
          .catch(() => undefined)
          .finally(() => pending.delete(fetching));
        pending.add(fetching);
      }
      return values.get(command) ?? [];
    },
    /** Resolves when the pending values have arrived, after 100 ms at most. */
    settled: async () => {
      const waiting = new AbortController();
      const timeout = wait(PATIENCE_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
      await Promise.race([Promise.all(pending), timeout]);
      waiting.abort();
    },
    /** Makes the next Tab list the values again, because a command has changed something. */
    forget: () => asked.clear(),
  };
}
