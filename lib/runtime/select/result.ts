/** Reduces a result to selected fields: its outputs, and a table of them. */

import { isObject } from '../../core/json.ts';
import type { Command } from '../engine/command.ts';
import { tableOnly } from '../engine/list-reader.ts';
import { maskRecord } from '../output/mask.ts';
import { cell, heading, type Table } from '../output/readable.ts';
import type { Field, RecordType } from '../output/record.ts';
import type { ContextWrite, Result } from '../output/result.ts';
import { fieldAt, projector, type Selection, valueAt } from './fields.ts';

/** Lists the record types of a command; the records of a list command also have the fields that only its table shows. */
export function recordsOf({ output, job }: Command): readonly RecordType[] {
  const { record, many } = output;
  const { further } = record.view;
  const listed = many && further !== undefined ? { ...record, fields: { ...record.fields, ...further } } : record;
  return job === undefined || job.output.record === record ? [listed] : [listed, job.output.record];
}

/** Adds the fields that only the table of a list shows, such as `asr`, to the records of a result. */
export function withListed(result: Result, record: RecordType): Result {
  const { raw, writes, uncut } = result;
  if (!Array.isArray(raw)) return result;
  const rows: readonly unknown[] = raw;
  const added = (each: unknown, at: number) => (isObject(each) ? { ...tableOnly(record, rows[at]), ...each } : each);
  const extended = (write: ContextWrite) =>
    write.path === record.path && Array.isArray(write.value) ? { ...write, value: write.value.map(added) } : write;
  return { ...result, writes: writes.map(extended), ...(uncut === undefined ? {} : { uncut: uncut.map(extended) }) };
}

/**
 * Keeps the selected fields of a result. Outputs without any of them and the raw response are left out; paths of
 * `extend-context` stay. @param selection must have been checked against the same records
 */
export function projectResult(result: Result, selection: Selection, records: readonly RecordType[]): Result {
  const { writes, uncut, readable } = result;
  const shown = (write: ContextWrite) => {
    const record = write.key === undefined ? undefined : records.find(({ path }) => path === write.path);
    return record === undefined ? undefined : { record, names: declaredOf(selection, record) };
  };
  const projected = (write: ContextWrite): ContextWrite[] => {
    const found = shown(write);
    if (found === undefined) return [write];
    if (found.names.length === 0) return [];
    const project = projector(found.names);
    return [{ ...write, value: Array.isArray(write.value) ? write.value.map(project) : project(write.value) }];
  };
  const tables = writes.flatMap((write) => {
    const found = shown(write);
    return found === undefined || found.names.length === 0 ? [] : [tableOf(write.value, found.names, found.record)];
  });
  return {
    ...result,
    // Drop the response, which has all fields under the service's names. Keep the planned request, because a dry run is
    // meant to show it.
    raw: result.planned ? result.raw : undefined,
    writes: writes.flatMap(projected),
    ...(uncut === undefined ? {} : { uncut: uncut.flatMap(projected) }),
    readable: tables.length === 0 ? readable : { ...readable, tables },
  };
}

function declaredOf(selection: Selection, { fields }: RecordType): Selection {
  return selection.filter((name) => fieldAt(fields, name) !== undefined);
}

function tableOf(value: unknown, names: Selection, record: RecordType): Table {
  const fields = names.map((name) => [name, fieldAt(record.fields, name)] as const);
  const declared = fields.flatMap(([name, field]) => (field === undefined ? [] : [[name, field] as const]));
  const cells = (each: unknown) => {
    const masked = maskRecord(each, record);
    return declared.map(([name, field]) => shownCell(field, valueAt(each, name), valueAt(masked, name)));
  };
  const titles = declared.map(([name, field]) => field.heading ?? heading(name));
  if (Array.isArray(value)) {
    return { columns: titles, rows: value.map(cells), of: { many: true, fields: declared, view: {} } };
  }
  const texts = cells(value);
  const rows = titles.map((title, at) => [title, texts[at] ?? '']);
  return { columns: ['Field', 'Value'], rows, of: { many: false, fields: declared, view: {} } };
}

/** A field's own `show` omits its secrets. */
function shownCell({ show }: Field, value: unknown, masked: unknown): string {
  return cell(show === undefined ? masked : show(value));
}
