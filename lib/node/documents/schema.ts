/**
 * Builders for the JSON Schemas of documents. A schema includes the TypeScript type of its values, so that no type is
 * declared twice.
 */

import type { JsonObject } from '../../core/json.ts';
import type { Schema } from '../../runtime/arguments/builders.ts';

declare const VALUE: unique symbol;
/** A schema whose values have the type `T`. */
export type SchemaOf<T> = Schema & { readonly [VALUE]?: T };
/** The type of the values of a schema. */
export type ValueOf<S> = S extends SchemaOf<infer T> ? T : never;

type Members = Readonly<Record<string, Schema>>;
type Values<M extends Members, Required extends keyof M> = {
  readonly [Name in Required]: ValueOf<M[Name]>;
} & { readonly [Name in Exclude<keyof M, Required>]?: ValueOf<M[Name]> };

/** Declares an object with documented members only. */
export function object<M extends Members, Required extends keyof M = never>(
  description: string,
  properties: M,
  required: readonly Required[] = [],
): SchemaOf<Values<M, Required>> {
  return objectWith({ description, properties, additionalProperties: false }, required);
}

/** Declares an object that accepts undocumented members, because the service may have added some. */
export function openObject(
  description: string,
  properties: Schema,
  required: readonly string[] = [],
): SchemaOf<JsonObject> {
  return objectWith({ description, properties }, required);
}

function objectWith(keywords: Schema, required: readonly PropertyKey[]): Schema {
  return { type: 'object', ...keywords, ...(required.length === 0 ? {} : { required }) };
}

/** Declares a string, which may be empty. */
export const text = (description: string): SchemaOf<string> => ({ type: 'string', description });
export const flag = (description: string): SchemaOf<boolean> => ({ type: 'boolean', description });
export const count = (description: string): SchemaOf<number> => ({ type: 'integer', minimum: 0, description });
export const list = <T>(description: string, items: SchemaOf<T>): SchemaOf<readonly T[]> => ({
  type: 'array',
  description,
  items,
});
