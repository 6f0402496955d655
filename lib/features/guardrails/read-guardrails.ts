/** Reads a guardrails file. */

import { type Problem, UsageError, ValidationError } from '../../core/errors.ts';
import { isDeeper, isObject, MAX_DEPTH, objectOf } from '../../core/json.ts';
import { type Path, problemIn, type Source } from '../../core/places.ts';
import { checkDocument } from '../../node/documents/check-document.ts';
import { MOST_OF_A_TENANT } from '../../node/documents/parse-sliced.ts';
import { readDocument } from '../../node/documents/read-document.ts';
import type { Schema } from '../../runtime/arguments/builders.ts';
import { didYouMean } from '../../runtime/arguments/suggest.ts';
import { type Command, findCommand, needFound, type Registry } from '../../runtime/engine/command.ts';
import { keyedList, keyOf } from '../../runtime/topics/reconcile.ts';
import { DECLARING, type DeclaredArguments, type Guardrails, guardrailsSchema } from './schema.ts';

/** A problem or note about a part of the file. */
export interface Remark {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
}

export interface GuardrailsFile {
  readonly guardrails: Guardrails;
  readonly source: Source;
  /** Policy members that the schema does not describe. */
  readonly undocumented: readonly Remark[];
}

const KIND = {
  noun: 'guardrails file',
  contents: 'It holds version: 1, then topics, profiles, dlp and targets.',
  limits: MOST_OF_A_TENANT,
} as const;

/** Schemas by the command whose arguments they repeat, so that each validator is compiled once. */
const schemas = new WeakMap<Command, Schema>();

/**
 * Reads and checks a guardrails file. A null member counts as left out. @param name file name, for messages @param
 * registry has the commands that create topics and profiles, whose limits apply to the file @throws ValidationError
 * that lists every problem with its line
 */
export async function readGuardrails(text: string, name: string, registry: Registry): Promise<GuardrailsFile> {
  const { value: document, source } = await readDocument(text, name, KIND);
  if (isDeeper(document, MAX_DEPTH)) throw new UsageError(`${name} is nested deeper than ${MAX_DEPTH} levels.`);
  const topic = await declared(DECLARING.topic, registry);
  const schema = schemas.get(topic) ?? (await schemaOf(registry));
  schemas.set(topic, schema);
  const value = objectOf(withoutNulls(document));
  checkDocument({ value, source }, schema);
  // The schema has checked the shape.
  const guardrails = value as Guardrails;
  const problems = [
    ...doubles(entriesOf(guardrails.topics, ['topics']), 'name'),
    ...(guardrails.topics ?? []).flatMap((entry, at) => broken(entry, at, topic)),
    ...doubles(entriesOf(guardrails.profiles, ['profiles']), 'name'),
    ...(guardrails.profiles ?? []).flatMap(({ policy }, at) => doublesInside(policy, ['profiles', at, 'policy'])),
    ...doubles(entriesOf(guardrails.targets, ['targets']), 'name'),
    ...Object.entries(guardrails.dlp ?? {}).flatMap(([kind, list]) => doubles(entriesOf(list, ['dlp', kind]), 'name')),
  ];
  if (problems.length > 0) throw new ValidationError(problems.map((found) => problemAt(found, source)));
  const { topics, profiles, dlp, targets } = guardrails;
  if (topics === undefined && profiles === undefined && targets === undefined && Object.keys(dlp ?? {}).length === 0) {
    throw new UsageError(`${name} states no topics, profiles, DLP resources or targets, so it would change nothing.`, {
      hint: 'Add topics:, profiles:, dlp: or targets:, or an empty list of the kind, such as topics: [].',
    });
  }
  return {
    guardrails,
    source,
    // Rules of data profiles have no documented members; the service itself refuses wrong members.
    undocumented: undocumented(value, schema, []).filter(({ path }) => path[0] === 'profiles'),
  };
}

/** Prefixes a message with its place in the file. */
export function problemAt({ path, message, hint }: Remark, source: Source): Problem {
  const { message: located, ...line } = problemIn({ ...source, showsColumns: true }, path, message);
  return { message: located, ...(hint === undefined ? {} : { hint }), ...line };
}

async function schemaOf(registry: Registry): Promise<Schema> {
  const args = await Promise.all(
    Object.entries(DECLARING).map(async ([name, command]) => [name, (await declared(command, registry)).args] as const),
  );
  return guardrailsSchema(Object.fromEntries(args) as unknown as DeclaredArguments);
}

async function declared(name: string, registry: Registry): Promise<Command> {
  return needFound(await findCommand(registry, name), name, registry, 'See all with: aisec commands');
}

/** Drops members that are null, and numbers that JSON does not have. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return typeof value === 'number' && !Number.isFinite(value) ? undefined : value;
  const members = Object.entries(value).map(([name, member]) => [name, withoutNulls(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined && member !== null));
}

/** Checks limits across several members, which a schema cannot express. */
function broken({ name, ...others }: { readonly name: string }, at: number, { rules = [] }: Command): Remark[] {
  const problems = rules.map((rule) => rule.check({ topic_name: name, ...others }));
  return problems.flatMap((problem) =>
    problem === undefined ? [] : [{ path: ['topics', at], message: `topics.${at}: ${problem.message}` }],
  );
}

/** Finds entries with the same key. @param entries with the path of each in the file */
function doubles(entries: readonly (readonly [Path, unknown])[], key: string): Remark[] {
  const seen = new Set<string>();
  return entries.flatMap(([path, entry]) => {
    const value = keyOf(entry, key);
    if (value === undefined || !seen.has(value)) {
      if (value !== undefined) seen.add(value);
      return [];
    }
    const place = [...path, key];
    return [{ path: place, message: `${place.join('.')} is there twice: ${value}.` }];
  });
}

/** Finds entries with the same key in the lists of a policy. The topics of a guardrail are one list, whatever their actions. */
function doublesInside(value: unknown, path: Path): Remark[] {
  const name = String(path.at(-1));
  const entries = entriesOf(value, path);
  const own = name === 'topic' ? [] : doubles(entries, keyedList(name)?.key ?? '');
  const topics =
    name === 'topic-list'
      ? entries.flatMap(([at, group]) => entriesOf(objectOf(group)['topic'], [...at, 'topic']))
      : [];
  const inside = Array.isArray(value)
    ? entries
    : Object.entries(objectOf(value)).map(([member, inner]) => [[...path, member], inner] as const);
  return [...own, ...doubles(topics, 'topic_name'), ...inside.flatMap(([at, inner]) => doublesInside(inner, at))];
}

function entriesOf(list: unknown, path: Path): (readonly [Path, unknown])[] {
  return Array.isArray(list) ? list.map((entry: unknown, at) => [[...path, at], entry] as const) : [];
}

/** Finds members that the schema permits without describing them: a misspelt detector would protect nothing. */
function undocumented(value: unknown, schema: Schema, path: Path): Remark[] {
  if (Array.isArray(value)) {
    const items = schema['items'];
    return isObject(items) ? value.flatMap((item, at) => undocumented(item, items, [...path, at])) : [];
  }
  const properties = schema['properties'];
  if (!isObject(value) || !isObject(properties)) return [];
  const known = Object.keys(properties);
  return Object.entries(value).flatMap(([name, member]) => {
    const place = [...path, name];
    if (known.includes(name)) return undocumented(member, objectOf(properties[name]), place);
    const hint = didYouMean(name, known);
    return [{ path: place, message: place.join('.'), ...(hint === undefined ? {} : { hint }) }];
  });
}
