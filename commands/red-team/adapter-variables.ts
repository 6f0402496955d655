/** Variables of a script. The service returns secrets redacted, and sending null keeps them. */
import { isObject, type JsonObject } from '../../lib/runtime/engine/declare.ts';

const KEY = { type: 'string', minLength: 1, maxLength: 255 };
const TYPE = { enum: ['VAR', 'SECRET'] };

/** Creates the JSON Schema of variables. @param value schema of a value */
function variablesOf(value: JsonObject, required: readonly string[]) {
  const properties = { key: KEY, value, type: TYPE, is_redacted: { type: 'boolean' } };
  return { type: 'array', items: { type: 'object', required, properties, additionalProperties: false } };
}

/** New variables: each needs a value. */
export const NEW_VARIABLES = variablesOf({ type: 'string' }, ['key', 'value', 'type']);

/** Variables of an existing adapter: null keeps a stored value. */
export const VARIABLES = variablesOf({ type: ['string', 'null'] }, ['key', 'type']);

/** Converts variables to their wire form: redacted values become null, which keeps the stored value. */
export function sentVariables(variables: unknown): unknown {
  if (!Array.isArray(variables)) return variables;
  return variables.map((variable: unknown) => {
    if (!isObject(variable)) return variable;
    const { key, value, type, is_redacted } = variable;
    return { key, value: is_redacted === true ? null : value, type };
  });
}

/** Removes secrets from an adapter, in case the service returns any. */
export function withoutSecrets(adapter: JsonObject): JsonObject {
  const { variables } = adapter;
  return Array.isArray(variables) ? { ...adapter, variables: variables.map(redacted) } : adapter;
}

function redacted(variable: unknown): unknown {
  if (!isObject(variable) || variable['type'] === 'VAR' || variable['is_redacted'] === true) return variable;
  const shown = typeof variable['value'] === 'string' && !/^\**$/.test(variable['value']);
  return shown ? { ...variable, value: null, is_redacted: true } : variable;
}
