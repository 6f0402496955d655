/** Finds the tables in the result of a command, for programs that draw them: a list, or a record with its lists. */
import { isObject, type JsonObject, objectOf } from '../../core/json.ts';
import { isOwn } from '../../core/text/own.ts';
import { heading } from '../output/readable.ts';
import { type CellKind, kindOf, shortTitle } from './printed.ts';

/** A column of a table. */
export interface TableColumn {
  /** Name of the field; empty for the value itself. */
  readonly name: string;
  readonly title: string;
  readonly kind: CellKind;
}

/** A list or a record in a result. */
export interface ResultTable {
  /** Context path; empty for an answer that is not in the context. */
  readonly path: string;
  readonly title: string;
  /** Whether it is a list; otherwise its only row is a record. */
  readonly many: boolean;
  readonly rows: readonly unknown[];
  /** Names of the columns that people want first: the first of all columns. */
  readonly first: readonly string[];
  readonly columns: readonly TableColumn[];
}

/** What a command declares of its result, as in the catalogue. */
export interface DeclaredTables {
  /** Names of fields by context path. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  readonly outputSchema: JsonObject;
}

/** A result, as far as tables show it. */
export interface TabledResult {
  readonly outputs: JsonObject;
  readonly raw: unknown;
  readonly planned: boolean;
}

type Names = DeclaredTables['columns'];

/** Without declared columns, a table begins with this many. */
const FIRST_COLUMNS = 8;
/** Rows in which fields are looked for. */
const SAMPLE = 100;
const HIDDEN = '(hidden)';

/** Returns the outputs of a result. Values that the declaration calls secret are hidden. */
export function shownOutputs(outputs: JsonObject, declared: DeclaredTables | undefined): JsonObject {
  const schemas = objectOf(declared?.outputSchema['properties']);
  return Object.fromEntries(
    Object.entries(outputs).map(([path, value]) => [path, withoutSecrets(value, objectOf(schemas[path]))]),
  );
}

/** Lists the tables of a result. @param outputs of it, without secrets */
export function resultTables(
  { outputs, raw, planned }: TabledResult,
  declared: DeclaredTables | undefined,
): readonly ResultTable[] {
  const names = declared?.columns ?? {};
  if (Object.keys(outputs).length === 0) return rawTables(raw, planned, names);
  return Object.entries(outputs).flatMap(([path, shown]) =>
    tablesAt(path, Array.isArray(shown) ? withListed(shown, raw, names[path] ?? []) : shown, names),
  );
}

/** A dry run and a command without context output only have their answer. */
function rawTables(raw: unknown, planned: boolean, declared: Names): readonly ResultTable[] {
  if (!isObject(raw) && !Array.isArray(raw)) return [];
  const { dry_run: _, ...request } = objectOf(raw);
  return tablesAt('', planned ? request : raw, declared);
}

function tablesAt(path: string, value: unknown, declared: Names): readonly ResultTable[] {
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

function tableOf(path: string, many: boolean, rows: readonly unknown[], declared: Names): ResultTable {
  const names = [...new Set(rows.slice(0, SAMPLE).flatMap((row) => (isObject(row) ? Object.keys(row) : [''])))];
  const known = (declared[path] ?? []).filter((name) => rows.some((row) => memberAt(row, name) !== undefined));
  const first = known.length > 0 ? known : many ? names.slice(0, FIRST_COLUMNS) : names;
  const title = heading(path.slice(path.lastIndexOf('.') + 1).replace(/([a-z])(?=[A-Z])/g, '$1 ')) || 'Answer';
  const columns = [...new Set([...first, ...names])].map((name) => columnOf(name, rows, many, path));
  return { path, title, many, first, columns, rows };
}

/** Outputs whose `score` is the risk score of a scan. */
const RATED = /^AiSec\.RedTeam(?:Scan|Report|CustomAttackReport)/;

function columnOf(name: string, rows: readonly unknown[], many: boolean, path: string): TableColumn {
  const sample = rows.slice(0, SAMPLE).flatMap((row) => memberAt(row, name) ?? []);
  const only = (type: string) => sample.length > 0 && sample.every((value) => typeof value === type);
  const type = only('number') ? 'Number' : only('boolean') ? 'Boolean' : 'String';
  const kind = /(?:^|_)decision$/.test(name) ? 'state' : kindOf(name, { type });
  const rated = many ? 'Risk Score' : 'Risk Score of 100, higher is worse';
  const title = name === 'score' && RATED.test(path) ? rated : heading(name) || 'Value';
  return { name, title: many ? shortTitle(title, kind) : title, kind };
}

/** Returns the value of a field; a dotted name is a nested member. */
export function memberAt(row: unknown, name: string): unknown {
  if (name === '') return row;
  if (!isObject(row)) return undefined;
  if (isOwn(row, name)) return row[name];
  const dot = name.indexOf('.');
  return dot < 0 ? undefined : memberAt(row[name.slice(0, dot)], name.slice(dot + 1));
}

/** Adds the fields that only the answer of the service has, such as the score of a scan. */
function withListed(rows: readonly unknown[], raw: unknown, names: readonly string[]): readonly unknown[] {
  if (!Array.isArray(raw) || raw.length !== rows.length) return rows;
  return rows.map((row, at) => {
    if (!isObject(row)) return row;
    const answer = objectOf(raw[at]);
    const added = names.filter((name) => memberAt(row, name) === undefined && isOwn(answer, name));
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
