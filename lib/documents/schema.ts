/** Builders for the JSON Schemas of documents. */
import type { Schema } from '../arguments/builders.ts';

interface ObjectOptions {
  readonly required?: readonly string[];
  /** Accepts undocumented members, because the service may have added some. */
  readonly open?: boolean;
}

/** Declares an object; unless it is open, only documented members are allowed. */
export function object(description: string, properties: Schema, { required = [], open }: ObjectOptions = {}): Schema {
  return {
    type: 'object',
    description,
    properties,
    ...(open === true ? {} : { additionalProperties: false }),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** Declares a text, which may be empty. */
export const text = (description: string): Schema => ({ type: 'string', description });
export const flag = (description: string): Schema => ({ type: 'boolean', description });
export const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description });
export const list = (description: string, items: Schema): Schema => ({ type: 'array', description, items });
