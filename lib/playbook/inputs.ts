/** The inputs of a playbook: what is given, and what it brings along itself. */
import { didYouMean } from '../arguments/suggest.ts';
import { type Problem, ValidationError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Playbook } from './playbook.ts';
import { valueIn } from './values.ts';

/**
 * @param given texts by the key of their input
 * @param context where the playbook's own values look
 * @returns the values by key; inputs without one are left out
 * @throws ValidationError for inputs that there are not, and required ones without a value
 */
export function inputsOf({ inputs }: Playbook, given: ReadonlyMap<string, string>, context: JsonObject): JsonObject {
  const keys = inputs.map(({ key }) => key);
  const problems: Problem[] = [];
  for (const key of given.keys()) {
    if (keys.includes(key)) continue;
    const hint = didYouMean(key, keys) ?? (keys.length === 0 ? 'It has none.' : `It has ${keys.join(', ')}.`);
    problems.push({ message: `The playbook has no input "${key.slice(0, 60)}".`, hint });
  }
  const values = inputs.flatMap(({ key, value, required, description }) => {
    const text = given.get(key) ?? '';
    const found = text === '' ? valueIn(context, value) : text;
    if (required && (found === undefined || found === '')) {
      problems.push({ message: `The input ${key} is required.`, hint: `${key}: ${description}` });
    }
    return found === undefined ? [] : [[key, found] as const];
  });
  if (problems.length > 0) throw new ValidationError(problems);
  return Object.fromEntries(values);
}
