/** Prepares the result of a list for a terminal: columns that the record does not have, and shorter notes. */

import { isObject } from '../../../core/json.ts';
import type { Command } from '../../../engine/command.ts';
import { pageNote, secretNote } from '../../../engine/present.ts';
import { cell, type FurtherColumns, heading, type Readable } from '../../../output/readable.ts';
import type { Fields, RecordType } from '../../../output/record.ts';
import type { Result } from '../../../output/result.ts';
import { shape } from '../../../output/shape.ts';

/** Returns the readable part of a result as a terminal shows it. */
export function readableInTerminal({ readable, raw }: Result, { output }: Pick<Command, 'output'>): Readable {
  const [table, ...others] = readable.tables;
  if (!output.many || table?.of?.many !== true) return readable;
  const { record } = output;
  const { further } = record.view;
  const columns = further === undefined ? undefined : furtherColumns(record, further, raw, table.rows.length);
  const first = columns === undefined ? table : { ...table, further: columns };
  return { ...readable, tables: [first, ...others], brief: briefForms(record, table.rows.length) };
}

function furtherColumns({ path }: RecordType, fields: Fields, raw: unknown, count: number): FurtherColumns | undefined {
  if (!Array.isArray(raw) || raw.length !== count) return undefined;
  const named = Object.entries(fields);
  const rows = raw.map((item: unknown) => {
    const value = shape({ path, fields }, isObject(item) ? item : {}, {});
    return named.map(([name]) => cell(value[name]));
  });
  return { fields: named, columns: named.map(([name, field]) => field.heading ?? heading(name)), rows };
}

/** Shortens notes: a screen has no room for the path of each hidden value, and the summary counts a whole list. */
function briefForms(record: RecordType, count: number): Record<string, string> {
  const hidden = Object.entries(record.fields).filter(([, { secret, show }]) => secret === true && show === undefined);
  const forms: Record<string, string> = {};
  for (const [name] of hidden)
    forms[secretNote(name, record, 'hidden here')] = `${name}: hidden here; shown by --output json.`;
  for (const note of [pageNote(0, 1, count), pageNote(0, 1, undefined)]) if (note !== undefined) forms[note] = '';
  return forms;
}
