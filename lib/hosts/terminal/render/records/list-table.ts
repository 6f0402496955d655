/** Prepares a result for a terminal: columns of a list that the record does not have, and shorter notes. */

import type { Command } from '../../../../engine/command.ts';
import { tableOnly } from '../../../../engine/listed-fields.ts';
import { pageNote, secretNote } from '../../../../engine/present.ts';
import { cell, type FurtherColumns, heading, type Readable } from '../../../../output/readable.ts';
import type { RecordType } from '../../../../output/record.ts';
import type { Result } from '../../../../output/result.ts';

/** Returns the readable part of a result as a terminal shows it. */
export function readableInTerminal(result: Result, { output }: Pick<Command, 'output'>): Readable {
  const { record } = output;
  const { raw } = result;
  const readable = withBriefSecrets(result.readable, record);
  const [table, ...others] = readable.tables;
  if (!output.many || table?.of?.many !== true) return readable;
  const columns = furtherColumns(record, raw, table.rows.length);
  const first = columns === undefined ? table : { ...table, further: columns };
  return { ...readable, tables: [first, ...others], brief: briefForms(table.rows.length) };
}

function furtherColumns(record: RecordType, raw: unknown, count: number): FurtherColumns | undefined {
  const { further } = record.view;
  if (further === undefined || !Array.isArray(raw) || raw.length !== count) return undefined;
  const named = Object.entries(further);
  const rows = raw.map((item: unknown) => {
    const value = tableOnly(record, item);
    return named.map(([name]) => cell(value[name]));
  });
  return { fields: named, columns: named.map(([name, field]) => field.heading ?? heading(name)), rows };
}

const SECRETS: Readonly<Record<string, string>> = {
  'hidden here': 'hidden here; shown by --output json.',
  'shown here without its secrets': 'shown without its secrets; all of it with --output json.',
};

/** Shortens the notes about hidden values: the path in the context means nothing after a one-shot command. */
function withBriefSecrets(readable: Readable, record: RecordType): Readable {
  const forms = new Map<string, string>();
  for (const [name, { secret }] of Object.entries(record.fields)) {
    if (secret !== true) continue;
    for (const [state, brief] of Object.entries(SECRETS))
      forms.set(secretNote(name, record, state), `${name}: ${brief}`);
  }
  return forms.size === 0 ? readable : { ...readable, notes: readable.notes.map((note) => forms.get(note) ?? note) };
}

/** Leaves out the notes about a whole page: the summary counts it. */
function briefForms(count: number): Record<string, string> {
  const forms: Record<string, string> = {};
  for (const note of [pageNote(0, 1, count), pageNote(0, 1, undefined)]) if (note !== undefined) forms[note] = '';
  return forms;
}
