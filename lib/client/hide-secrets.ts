/** Hides the secrets that a service returns only once, for readers who must not see them. */

import { isObject } from '../core/json.ts';
import type { Command } from '../engine/command.ts';
import { MASK, maskSecrets } from '../output/mask.ts';
import type { Readable } from '../output/readable.ts';
import type { RecordType } from '../output/record.ts';
import type { ContextWrite, Result } from '../output/result.ts';
import { recordsOf } from '../project/result.ts';

/** Returns the result with these secrets masked, including copies in tables and notes. */
export function hideSecrets(result: Result, command: Command): Result {
  const records = recordsOf(command);
  const masked = result.writes.map((write): ContextWrite => {
    const value = records.reduce((all, record) => maskSecrets(all, record), write.value);
    return value === write.value ? write : { ...write, value };
  });
  const hidden = [...new Set(result.writes.flatMap(({ value }, at) => difference(value, masked[at]?.value)))];
  if (hidden.length === 0) return result;
  const hide = (text: string) => hidden.reduce((all, secret) => all.split(secret).join(MASK), text);
  return {
    ...result,
    writes: masked,
    readable: withTexts(result.readable, (text) => corrected(hide(text), records)),
    warnings: result.warnings.map(hide),
  };
}

/** Corrects a note that says where in the context a secret is. */
function corrected(note: string, records: readonly RecordType[]): string {
  for (const { path, fields } of records) {
    const name = Object.keys(fields).find((field) => note.endsWith(` in the context, at ${path}.${field}.`));
    if (name !== undefined) return `${name} is hidden from this client; the person who runs it can allow secrets.`;
  }
  return note;
}

/** Lists the texts that were masked, the longest first, because one may be part of another. */
function difference(value: unknown, masked: unknown): string[] {
  if (value === masked) return [];
  if (masked === MASK) return textsOf(value);
  if (Array.isArray(value) && Array.isArray(masked))
    return value.flatMap((item, at) => difference(item, (masked as unknown[])[at]));
  if (!isObject(value) || !isObject(masked)) return [];
  return Object.keys(value)
    .flatMap((name) => difference(value[name], masked[name]))
    .sort((one, other) => other.length - one.length);
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function withTexts(readable: Readable, change: (text: string) => string): Readable {
  return {
    ...readable,
    tables: readable.tables.map((table) => ({ ...table, rows: table.rows.map((row) => row.map(change)) })),
    notes: readable.notes.map(change),
  };
}
