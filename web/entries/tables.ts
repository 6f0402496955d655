/** Finds the tables in the result of a command: a list, or a record with its lists. */
import { isObject, type JsonObject, objectOf } from '../../lib/core/json.ts';
import { isOwn } from '../../lib/core/text/own.ts';
import { heading } from '../../lib/runtime/output/readable.ts';
import { type CellKind, kindOf, shortTitle } from '../../lib/runtime/select/printed.ts';
import type { Command, CommandResult } from '../types.ts';

export interface Column {
  /** Name of the field; empty for the value itself. */
  readonly name: string;
  readonly title: string;
  readonly kind: CellKind;
}

export interface ResultTable {
  /** Context path; empty for an answer that is not in the context. */
  readonly path: string;
  readonly title: string;
  /** Whether it is a list; otherwise its only row is a record. */
  readonly many: boolean;
  readonly rows: readonly unknown[];
  /** Columns that people want first. */
  readonly first: readonly Column[];
  readonly all: readonly Column[];
}

/** Without declared columns, a table begins with this many. */
const FIRST_COLUMNS = 8;
/** Rows in which fields are looked for. */
const SAMPLE = 100;
const HIDDEN = '(hidden)';

/** Returns the outputs of a result. Values that the declaration calls secret are hidden. */
export function outputsOf({ outputs }: CommandResult, command: Command | undefined): JsonObject {
  const schemas = objectOf(objectOf(command?.outputSchema)['properties']);
  return Object.fromEntries(
    Object.entries(outputs).map(([path, value]) => [path, withoutSecrets(value, objectOf(schemas[path]))]),
  );
}

/** Tables that were found, because an entry is drawn again whenever it comes into view. */
const found = new WeakMap<CommandResult, readonly ResultTable[]>();

/** Lists the tables of a result, without secrets. */
export function tablesOf(result: CommandResult, command: Command | undefined): readonly ResultTable[] {
  const tables = found.get(result) ?? newTables(result, command);
  found.set(result, tables);
  return tables;
}

function newTables(result: CommandResult, command: Command | undefined): readonly ResultTable[] {
  const declared = command?.columns ?? {};
  const outputs = Object.entries(outputsOf(result, command));
  if (outputs.length === 0) return rawTables(result, declared);
  return outputs.flatMap(([path, shown]) => {
    const value = Array.isArray(shown) ? withListed(shown, result.raw, declared[path] ?? []) : shown;
    return tablesAt(path, value, declared);
  });
}

/** A dry run and a command without context output only have their answer. */
function rawTables({ raw, planned }: CommandResult, declared: Command['columns']): readonly ResultTable[] {
  if (!isObject(raw) && !Array.isArray(raw)) return [];
  const { dry_run: _, ...request } = objectOf(raw);
  return tablesAt('', planned ? request : raw, declared);
}

function tablesAt(path: string, value: unknown, declared: Command['columns']): readonly ResultTable[] {
  if (Array.isArray(value)) return [tableOf(path, true, value, declared)];
  if (!isObject(value)) return [tableOf(path, false, [value], declared)];
  const inner = Object.keys(value).filter((name) => isList(value[name]));
  const record = Object.fromEntries(Object.entries(value).filter(([name]) => !inner.includes(name)));
  const prefix = path === '' ? '' : `${path}.`;
  const lists = inner.map((name) => tableOf(prefix + name, true, value[name] as readonly unknown[], declared));
  return [...(Object.keys(record).length === 0 ? [] : [tableOf(path, false, [record], declared)]), ...lists];
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

function tableOf(path: string, many: boolean, rows: readonly unknown[], declared: Command['columns']): ResultTable {
  const names = [...new Set(rows.slice(0, SAMPLE).flatMap((row) => (isObject(row) ? Object.keys(row) : [''])))];
  const known = (declared[path] ?? []).filter((name) => rows.some((row) => valueAt(row, name) !== undefined));
  const first = known.length > 0 ? known : many ? names.slice(0, FIRST_COLUMNS) : names;
  const columns = (each: readonly string[]) => each.map((name) => columnOf(name, rows, many));
  const title = heading((path.split('.').at(-1) ?? '').replace(/([a-z])(?=[A-Z])/g, '$1 ')) || 'Answer';
  return { path, many, rows, title, first: columns(first), all: columns([...new Set([...first, ...names])]) };
}

function columnOf(name: string, rows: readonly unknown[], many: boolean): Column {
  const sample = rows.slice(0, SAMPLE).flatMap((row) => valueAt(row, name) ?? []);
  const only = (type: string) => sample.length > 0 && sample.every((value) => typeof value === type);
  const type = only('number') ? 'Number' : only('boolean') ? 'Boolean' : 'String';
  const kind = /(?:^|_)decision$/.test(name) ? 'state' : kindOf(name, { type });
  const title = heading(name) || 'Value';
  return { name, title: many ? shortTitle(title, kind) : title, kind };
}

/** Returns the value of a field; a dotted name is a nested member. */
export function valueAt(row: unknown, name: string): unknown {
  if (name === '') return row;
  if (!isObject(row)) return undefined;
  if (isOwn(row, name)) return row[name];
  const dot = name.indexOf('.');
  return dot < 0 ? undefined : valueAt(row[name.slice(0, dot)], name.slice(dot + 1));
}

/** Adds the fields that only the answer of the service has, such as the score of a scan. */
function withListed(rows: readonly unknown[], raw: unknown, names: readonly string[]): readonly unknown[] {
  if (!Array.isArray(raw) || raw.length !== rows.length) return rows;
  return rows.map((row, at) => {
    if (!isObject(row)) return row;
    const answer = objectOf(raw[at]);
    const added = names.filter((name) => valueAt(row, name) === undefined && isOwn(answer, name));
    return added.length === 0 ? row : { ...Object.fromEntries(added.map((name) => [name, answer[name]])), ...row };
  });
}

function withoutSecrets(value: unknown, schema: JsonObject): unknown {
  if (schema['x-secret'] === true) return (value ?? '') === '' ? value : HIDDEN;
  if (!hasSecret(schema)) return value;
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, objectOf(schema['items'])));
  if (!isObject(value)) return value;
  const members = objectOf(schema['properties']);
  const schemaOf = (name: string) => (isOwn(members, name) ? objectOf(members[name]) : {});
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutSecrets(each, schemaOf(name))]));
}

/** Whether a schema has a secret, remembered because a list asks for each of its rows. */
const known = new WeakMap<JsonObject, boolean>();

function hasSecret(schema: JsonObject): boolean {
  const has = known.get(schema) ?? JSON.stringify(schema).includes('"x-secret":true');
  known.set(schema, has);
  return has;
}
