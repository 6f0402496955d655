/** Resolves the inputs of a playbook from provided values and defaults. */
import { didYouMean } from '../arguments/suggest.ts';
import { type Problem, ValidationError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { located } from '../documents/places.ts';
import type { Playbook } from './playbook.ts';
import { valueIn } from './values.ts';

/**
 * Resolves the inputs.
 * @param provided texts by input key
 * @param context where references in defaults are resolved
 * @returns values by key; inputs without a value are omitted
 * @throws ValidationError for unknown inputs and for missing required ones
 */
export function resolveInputs(
  { inputs, file }: Playbook,
  provided: ReadonlyMap<string, string>,
  context: JsonObject,
): JsonObject {
  const keys = inputs.map(({ key }) => key);
  const problems: Problem[] = [];
  for (const key of provided.keys()) {
    if (keys.includes(key)) continue;
    const hint = didYouMean(key, keys) ?? (keys.length === 0 ? 'It has none.' : `It has ${keys.join(', ')}.`);
    problems.push({ message: `The playbook has no input "${key.slice(0, 60)}".`, hint });
  }
  const values = inputs.flatMap(({ key, value, required, description, line }) => {
    const text = provided.get(key) ?? '';
    const found = text === '' ? valueIn(context, value) : text;
    if (required && (found === undefined || found === '')) {
      const message = located(file, line, `The input ${key} is required.`);
      problems.push({ message, hint: `${key}: ${description}`, line });
    }
    return found === undefined ? [] : [[key, found] as const];
  });
  if (problems.length > 0) throw new ValidationError(problems);
  return Object.fromEntries(values);
}
