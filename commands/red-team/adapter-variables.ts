/** Variables of a script: some of them are secrets, which come back redacted and are kept by sending null. */
import { isObject, type JsonObject } from '../../lib/declare.ts';

const KEY = { type: 'string', minLength: 1, maxLength: 255 };
const TYPE = { enum: ['VAR', 'SECRET'] };

/** The JSON Schema of variables. @param value schema of a value */
function variablesOf(value: JsonObject, required: readonly string[]) {
  const properties = { key: KEY, value, type: TYPE, is_redacted: { type: 'boolean' } };
  return { type: 'array', items: { type: 'object', required, properties, additionalProperties: false } };
}

/** Variables that are new: each has its value. */
export const NEW_VARIABLES = variablesOf({ type: 'string' }, ['key', 'value', 'type']);

/** Variables of which some may be stored: null stands for what is. */
export const VARIABLES = variablesOf({ type: ['string', 'null'] }, ['key', 'type']);

/** As they travel: what is redacted becomes null, which keeps the stored value. What is no list is left alone. */
export function sentVariables(variables: unknown): unknown {
  if (!Array.isArray(variables)) return variables;
  return variables.map((variable: unknown) => {
    if (!isObject(variable)) return variable;
    const { key, value, type, is_redacted } = variable;
    return { key, value: is_redacted === true ? null : value, type };
  });
}

/** An adapter as the service answers it; should a secret stand in it after all, it is taken out. */
export function withoutSecrets(adapter: JsonObject): JsonObject {
  const { variables } = adapter;
  return Array.isArray(variables) ? { ...adapter, variables: variables.map(redacted) } : adapter;
}

function redacted(variable: unknown): unknown {
  if (!isObject(variable) || variable['type'] === 'VAR' || variable['is_redacted'] === true) return variable;
  const shown = typeof variable['value'] === 'string' && !/^\**$/.test(variable['value']);
  return shown ? { ...variable, value: null, is_redacted: true } : variable;
}
