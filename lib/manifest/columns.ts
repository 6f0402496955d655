/** Chooses the columns of tables from the declarations of records, for programs that show results to people. */
import type { Command } from '../runtime/engine/command.ts';
import { type Output, type RecordType, WHOLE } from '../runtime/output/record.ts';
import { outputsOf } from './schema.ts';

/** Names of fields by context path: of a list, of a single record, or of a list inside a record. */
export type ColumnNames = Readonly<Record<string, readonly string[]>>;

/** Lists the fields that people want first: the columns of a list, and the fields of a single record, verdict first. */
export function columnNames(command: Pick<Command, 'output' | 'job'>): ColumnNames {
  return Object.fromEntries(
    outputsOf(command).flatMap((output) => [[output.record.path, firstOf(output)], ...innerOf(output.record)]),
  );
}

function firstOf({ record: { fields, view }, many }: Output): readonly string[] {
  const shown = Object.entries(fields).flatMap(([name, field]) =>
    name === WHOLE || field.hidden === true || field.rows !== undefined ? [] : [name],
  );
  if (many) return view.firstColumns ?? shown;
  const headline: readonly string[] = view.headline ?? [];
  return [...headline, ...shown.filter((name) => !headline.includes(name))];
}

function innerOf({ path, fields }: RecordType): [path: string, columns: readonly string[]][] {
  return Object.entries(fields).flatMap(([name, { rows }]) => (rows === undefined ? [] : [[`${path}.${name}`, rows]]));
}
