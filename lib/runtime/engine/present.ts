/** Builds a result: context writes, tables, notes, and the raw response with secrets masked. */

import type { AisecError } from '../../core/errors.ts';
import { objectOf } from '../../core/json.ts';
import type { SavedFile } from '../../core/ports.ts';
import { plural } from '../../core/text/numbers.ts';
import { isOwn } from '../../core/text/own.ts';
import type { Plan } from '../api/call.ts';
import type { Page } from '../api/pagination.ts';
import type { ReadArguments } from '../arguments/read.ts';
import { lookUp, parsePath } from '../arguments/references.ts';
import { MASK, maskBody, maskWire } from '../output/mask.ts';
import { cell, heading, listOf, type Readable, type Table, tableOf, verticalTable } from '../output/readable.ts';
import { type Field, type Output, type RecordType, WHOLE, type Wire } from '../output/record.ts';
import type { ContextWrite, Issued, Result, Suspension, Tally, Truncation } from '../output/result.ts';
import type { Command } from './command.ts';
import { positionArgument } from './paging-arguments.ts';

/** Additions of a handler to its response. */
export interface ResultExtras {
  readonly notes: string[];
  readonly tables: Table[];
  readonly warnings: string[];
  truncated?: Truncation;
  failure?: AisecError;
  tally?: Tally | undefined;
}

export interface Presentation {
  readonly command: Command;
  readonly args: ReadArguments;
  readonly page: Page | undefined;
  readonly output: Output;
  readonly extras: ResultExtras;
  readonly files: readonly SavedFile[];
  readonly wire: Wire | readonly Wire[];
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly simulated: boolean;
}

/** Builds the result of a completed command. */
export function presentedResult(presentation: Presentation): Result {
  const { command, args, output, page, extras, wire, records, simulated } = presentation;
  const { record, many } = output;
  const raw = maskWire(wire, record);
  const tables = many ? [listTable(record, records)] : recordTables(record, records[0] ?? {});
  const declared = Array.isArray(wire) ? [] : (command.notes?.(wire as Wire, args.values) ?? []);
  const further = pageNotes(page, presentation);
  const notes = [...extras.notes, ...declared, ...secretNotes(record, records), ...further];
  const truncated = extras.truncated ?? truncationOf(page, further[0], presentation);
  return {
    command: command.name,
    writes: [...ownWrites(presentation), ...extraWrites(presentation, raw)],
    readable: {
      ...readableOf(record.title, simulated, [...tables, ...extras.tables], notes),
      ...summaryOf(record, wire),
    },
    raw,
    showRaw: args.generic.showRaw,
    tally: extras.tally,
    verdict: many ? undefined : record.view.verdict?.(wire as Wire),
    simulated,
    warnings: [...warningsOf(args), ...extras.warnings],
    planned: false,
    files: presentation.files,
    ...(truncated === undefined ? {} : { truncated }),
    ...(page?.gap === undefined ? {} : { gap: page.gap }),
    ...(extras.failure === undefined ? {} : { failure: extras.failure }),
    ...issuedIn(record, records),
  };
}

function summaryOf({ view }: RecordType, wire: Presentation['wire']): Pick<Readable, 'summary'> {
  return view.summary === undefined ? {} : { summary: tableOf([view.summary(wire as Wire)]) };
}

function issuedIn({ path, fields }: RecordType, [first]: Presentation['records']): { issued?: Issued } {
  if (first === undefined) return {};
  const names = Object.keys(fields).filter((name) => fields[name]?.once === true && (first[name] ?? '') !== '');
  return names.length === 0 ? {} : { issued: { path, names, record: () => first } };
}

/** Builds the result of a dry run: the request that was not sent, and the handler's extras. */
export function planned(
  command: Command,
  args: ReadArguments,
  plan: Plan,
  extras: ResultExtras,
  simulated: boolean,
): Result {
  const body = maskBody(plan.body, command.args, args.values);
  const request = verticalTable([
    ['Method', plan.method],
    ['Address', plan.url],
    ['Body', body === undefined ? '' : JSON.stringify(body, null, 2)],
  ]);
  const cost = command.consumes === undefined ? [] : [`It would use up: ${command.consumes}`];
  const notes = ['Nothing was changed.', ...cost, ...extras.notes];
  const { many, record } = (command.job ?? command).output;
  const isScan = !many && record.view.verdict !== undefined;
  return {
    command: command.name,
    writes: [],
    readable: readableOf(`Dry run: ${command.name}`, simulated, [request, ...extras.tables], notes),
    raw: { dry_run: true, method: plan.method, url: plan.url, body: body ?? null },
    showRaw: args.generic.showRaw,
    simulated,
    warnings: [...warningsOf(args), ...extras.warnings],
    planned: true,
    ...(isScan ? { verdict: { doubt: 'This is a dry run: nothing was scanned, so there is no verdict.' } } : {}),
    files: [],
  };
}

/** Builds the result of a run that only continued a job: its progress, without outputs. */
export function unfinished(command: Command, simulated: boolean, { progress }: Suspension): Result {
  return {
    command: command.name,
    writes: [],
    readable: readableOf(command.output.record.title, simulated, [], [progress]),
    raw: { progress },
    showRaw: false,
    simulated,
    warnings: [],
    planned: false,
    files: [],
  };
}

function readableOf(
  title: string,
  simulated: boolean,
  tables: Table[],
  sentences: readonly (string | undefined)[],
): Readable {
  return { title, simulated, tables, notes: sentences.filter((note): note is string => note !== undefined) };
}

function ownWrites({ output, args, records }: Presentation): ContextWrite[] {
  const { record, many } = output;
  if (args.generic.ignoreOutputs || output.silent === true || records.length === 0) return [];
  const values = isWhole(record) ? records.map((value) => value[WHOLE]) : records;
  return [{ path: record.path, key: record.key, value: many ? values : values[0] }];
}

function extraWrites({ args }: Presentation, raw: unknown): ContextWrite[] {
  return args.generic.extend.flatMap(({ path, from }) => {
    const steps = parsePath(from);
    const value = from === '.' || from === '' ? raw : steps === undefined ? undefined : lookUp(raw, steps);
    return value === undefined ? [] : [{ path, value }];
  });
}

function listTable(record: RecordType, records: Presentation['records']): Table {
  const columns = shown(record).map(([name, field]) => ({ name, field, steps: name.split('.') }));
  const rows = records.map((row) => columns.map(({ field, steps }) => shownCell(field, lastOf(row, steps))));
  const of = { many: true, fields: shown(record), view: record.view };
  return { columns: columns.map(({ name, field }) => field.heading ?? heading(name)), rows, of };
}

function recordTables(record: RecordType, value: Readonly<Record<string, unknown>>): Table[] {
  const flat = shown(record).filter(([, field]) => field.rows === undefined);
  const texts = flat.map(([name, field]) => shownCell(field, memberAt(value, name)));
  // Empty values are in the context, but not in the table.
  const fields = flat.filter((_, at) => texts[at] !== '');
  const filled = texts.filter((text) => text !== '');
  const pairs = fields.map(([name, field], at) => [field.heading ?? heading(name || 'value'), filled[at]] as const);
  const main = { ...verticalTable(pairs), of: { many: false, fields, view: record.view } };
  const nested = shown(record).filter(([, field]) => field.rows !== undefined);
  return [main, ...nested.map(([name, field]) => nestedTable(name, field, memberAt(value, name)))];
}

/** Reads a member; a dotted name is a nested member. */
function memberAt(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return lastOf(value, name.split('.'));
}

function lastOf(value: Readonly<Record<string, unknown>>, steps: readonly string[]): unknown {
  let inner: unknown = value;
  for (const step of steps) inner = objectOf(inner)[step];
  return inner;
}

function nestedTable(name: string, field: Field, value: unknown): Table {
  const display = field.show === undefined ? value : field.show(value);
  const rows = Array.isArray(display) ? display.filter((row) => typeof row === 'object' && row !== null) : [];
  return listOf(rows, { title: field.heading ?? heading(name), columns: field.rows ?? [] });
}

function isWhole(record: RecordType): boolean {
  return isOwn(record.fields, WHOLE);
}

function shown(record: RecordType): [string, Field][] {
  return Object.entries(record.fields).filter(([, field]) => field.hidden !== true);
}

function shownCell(field: Field, value: unknown): string {
  // A field's own `show` omits its secrets.
  if (field.secret === true && field.show === undefined && (value ?? '') !== '') return MASK;
  return cell(field.show === undefined ? value : field.show(value));
}

function secretNotes(record: RecordType, records: Presentation['records']): string[] {
  const filled = ([name]: [string, Field]) => records.some((value) => (memberAt(value, name) ?? '') !== '');
  const secrets = Object.entries(record.fields).filter((entry) => entry[1].secret === true && filled(entry));
  return secrets.map(([name, field]) => {
    const hidden = field.show === undefined ? 'hidden here' : 'shown here without its secrets';
    return secretNote(name, record, field.once === true ? 'shown this one time only' : hidden);
  });
}

/** Returns the sentence about where a record's secret is. @param state how the secret is shown */
export function secretNote(name: string, { path }: Pick<RecordType, 'path'>, state: string): string {
  return `${name} is ${state}: it is in the context, at ${path}.${name}.`;
}

function pageNotes(page: Page | undefined, { command, args }: Presentation): (string | undefined)[] {
  if (page === undefined) return [];
  if (page.repeated) return ['The service repeated a page: the list stops here, and may not be complete.'];
  const of = page.total === undefined ? 'there are more' : `there are ${page.total}`;
  if (page.pages !== undefined) return [pageNote(Number(args.values['page'] ?? 0), page.pages, page.total)];
  if (!page.more) return [];
  const next = nextOf(page, { command, args });
  const higher = `a higher ${next?.name === 'page' ? 'size' : 'limit'}`;
  const how = next === undefined ? higher : `${next.name}=${next.value}, or ${higher}`;
  return [`${page.count} shown, ${of}: continue with ${how}.`];
}

/** Returns the argument that continues the list, or undefined if the command has none. */
function nextOf(page: Page, { command, args }: Pick<Presentation, 'command' | 'args'>): Truncation['next'] {
  const name = positionArgument(command.args, args.values);
  if (name === undefined) return undefined;
  return { name, value: Number(args.values[name] ?? 0) + (name === 'page' ? 1 : page.count) };
}

/** Describes a list with more records than were fetched. */
function truncationOf(
  page: Page | undefined,
  note: string | undefined,
  presentation: Presentation,
): Truncation | undefined {
  if (page === undefined || !page.more || note === undefined) return undefined;
  const next = nextOf(page, presentation);
  const { count: kept, total = null } = page;
  return { kept, total, note, ...(next === undefined ? {} : { next }), isForSize: false };
}

/** Describes a page, counted from 0, of a plane that counts pages. */
export function pageNote(at: number, pages: number, total: number | undefined): string | undefined {
  if (pages === 0) return undefined;
  if (at >= pages) return `There is no page=${at}: the last is page=${pages - 1}.`;
  const next = at + 1 < pages ? ` Continue with page=${at + 1}; the first is page=0.` : '';
  return `${total === undefined ? 'Page' : `${plural(total, 'record')}, page`} ${at + 1} of ${pages}.${next}`;
}

function warningsOf({ generic }: ReadArguments): string[] {
  return generic.ignored.length === 0 ? [] : [`${generic.ignored.join(', ')}: no effect here.`];
}
