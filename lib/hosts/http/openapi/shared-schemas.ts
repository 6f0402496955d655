/** Names object schemas with the same content, so that a document contains each of them once. */
import { isObject, type JsonObject } from '../../../core/json.ts';
import type { JsonSchema } from '../../../manifest/schema.ts';
import { pascalCase } from './names.ts';

/** A schema that gets a name. */
export interface NamedSchema {
  /** In Pascal case. */
  readonly name: string;
  /** The last word of the command: it distinguishes equal names, and is omitted from the name of a shared schema. */
  readonly verb: string;
  readonly schema: JsonSchema;
}

export interface SharedSchemas {
  /** Schemas by name, with references to each other. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Replaces schemas that have names by references. */
  linked(schema: unknown): JsonSchema;
}

/**
 * Names the passed schemas, and inner objects of them and of `others` that occur more than once.
 * @param others schemas that stay in their places, by the names of the places
 * @param reserved names that are taken
 */
export function sharedSchemas(
  named: readonly NamedSchema[],
  others: readonly (readonly [place: string, schema: JsonSchema])[],
  reserved: readonly string[],
): SharedSchemas {
  const names = new Map<string, string>();
  const contents = new Map<string, JsonObject>();
  const taken = new Set(reserved);
  const give = (schema: JsonObject, candidates: readonly string[]) => {
    const name = candidates.find((candidate) => !taken.has(candidate)) ?? numbered(candidates[0] ?? '', taken);
    taken.add(name);
    names.set(contentOf(schema), name);
    contents.set(contentOf(schema), schema);
  };
  for (const { name, verb, schema } of named.filter((each) => isRecord(each.schema))) {
    const content = contentOf(schema);
    if (names.has(content)) continue;
    const isShared = named.some((other) => other.name !== name && contentOf(other.schema) === content);
    const general = isShared && name.endsWith(verb) ? [name.slice(0, -verb.length)] : [];
    give(schema, [...general, name, `${name}${verb}`]);
  }
  const roots = [...contents].map(([content, schema]) => [names.get(content) ?? '', schema] as const);
  const firsts = new Map<string, string>();
  for (const [place, schema] of [...roots, ...others]) {
    visitInner(schema, place, (inner, path) => {
      const content = contentOf(inner);
      const first = firsts.get(content);
      if (first !== undefined && !names.has(content)) give(inner, [first]);
      firsts.set(content, first ?? path);
      return first === undefined && !names.has(content);
    });
  }

  const linked = (schema: unknown): JsonSchema => {
    if (!isObject(schema)) return {};
    const name = isRecord(schema) ? names.get(contentOf(schema)) : undefined;
    if (name === undefined) return members(schema, linked);
    const { description } = schema;
    return { ...(description === undefined ? {} : { description }), $ref: `#/components/schemas/${name}` };
  };
  const schemas = [...contents].map(
    ([content, schema]) => [names.get(content) ?? '', members(schema, linked)] as const,
  );
  return { schemas: Object.fromEntries(schemas), linked };
}

/** Visits each object schema inside a schema, and descends if the callback returns true. */
function visitInner(schema: JsonObject, place: string, enter: (inner: JsonObject, path: string) => boolean): void {
  const visit = (inner: unknown, path: string) => {
    if (isObject(inner) && (!isRecord(inner) || enter(inner, path))) visitInner(inner, path, enter);
  };
  for (const [name, inner] of Object.entries(isObject(schema['properties']) ? schema['properties'] : {}))
    visit(inner, `${place}${pascalCase(name)}`);
  visit(schema['items'], place);
}

/** Converts the schemas inside a schema. */
function members(schema: JsonObject, convert: (inner: unknown) => JsonSchema): JsonSchema {
  const { properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(isObject(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, convert(inner)])) }
      : {}),
    ...(isObject(items) ? { items: convert(items) } : {}),
    ...(isObject(additionalProperties) ? { additionalProperties: convert(additionalProperties) } : {}),
  };
}

/** Reports whether a schema is an object with members of its own. */
function isRecord({ properties }: JsonObject): boolean {
  return isObject(properties) && Object.keys(properties).length > 0;
}

function contentOf({ description: _description, ...content }: JsonObject): string {
  return JSON.stringify(content);
}

function numbered(name: string, taken: ReadonlySet<string>): string {
  let number = 2;
  while (taken.has(`${name}${number}`)) number += 1;
  return `${name}${number}`;
}
