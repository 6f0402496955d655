/** Checks a document against a JSON schema, and reports every problem with its line. */

import { type Problem, ValidationError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { type Path, problemIn } from '../../core/places.ts';
import type { Schema } from '../../runtime/arguments/builders.ts';
import { describeFailure } from '../../runtime/arguments/checks.ts';
import { didYouMean } from '../../runtime/arguments/suggest.ts';
import type { ReadDocument } from './read-document.ts';
import { type Failure, validatorOf } from './validators.ts';

/** Checks a document. @throws ValidationError that lists every problem, in the order of their lines */
export function checkDocument({ value, source }: ReadDocument, schema: Schema): void {
  const problems = validatorOf(schema)(value).map((failure) => {
    const path = pathOf(failure, value);
    const { message, hint } = explain(failure, path, value, schema);
    return { ...problemIn(source, path, message), hint };
  });
  if (problems.length > 0) throw new ValidationError(problems.sort(byLine));
}

const byLine = (one: Problem, other: Problem) => (one.line ?? 0) - (other.line ?? 0);

/** Returns the path of the invalid part; for an unknown member, the path of the member. */
function pathOf({ instancePath, keyword, params }: Failure, value: unknown): Path {
  const path: (string | number)[] = [];
  let inside = value;
  for (const name of instancePath.split('/').slice(1)) {
    const key = name.replace(/~1/g, '/').replace(/~0/g, '~');
    path.push(Array.isArray(inside) ? Number(key) : key);
    inside = memberOf(inside, key);
  }
  return keyword === 'additionalProperties' ? [...path, String(params['additionalProperty'])] : path;
}

function explain(failure: Failure, path: Path, value: unknown, schema: Schema): Pick<Problem, 'message' | 'hint'> {
  const location = path.length === 0 ? 'The document' : path.join('.');
  if (failure.keyword !== 'additionalProperties') {
    const inside = path.reduce<unknown>(memberOf, value);
    const title = memberOf(schemaAt(failure, schema), 'title');
    return describeFailure(failure, { location, value: inside, hidden: false, title });
  }
  const known = Object.keys(schemaAt(failure, schema)['properties'] as object);
  const suggestion = didYouMean(String(path.at(-1)), known);
  const names = `It may have: ${known.join(', ')}.`;
  return { message: `${location} is not known.`, hint: suggestion === undefined ? names : `${suggestion} ${names}` };
}

/** Returns the schema that contains the failed keyword. */
function schemaAt({ schemaPath }: Failure, schema: Schema): Schema {
  const names = schemaPath.slice(2).split('/').slice(0, -1);
  const found = names.reduce<unknown>((inside, name) => memberOf(inside, decodeURIComponent(name)), schema);
  return isObject(found) ? found : {};
}

function memberOf(holder: unknown, key: string | number): unknown {
  if (typeof holder !== 'object' || holder === null) return undefined;
  return Object.getOwnPropertyDescriptor(holder, key)?.value as unknown;
}
