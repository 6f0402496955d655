/** Evaluates values of a running playbook. A reference without a value is empty, not an error. */

import type { JsonObject } from '../core/json.ts';
import { lookUp, parsePath, resolveReferences } from '../runtime/arguments/references.ts';
import { OPERATORS, TRANSFORMERS } from './operators.ts';
import type { Comparison, Operand, Selection, Test, Value } from './playbook.ts';

/** Scope of references: the context and the inputs. */
export type Scope = JsonObject;

/** Evaluates a value; unwraps a list of one entry. @returns undefined if the value is empty */
export function valueIn(scope: Scope, value: Value | undefined): unknown {
  if (value === undefined) return undefined;
  if ('complex' in value) return selected(scope, value.complex);
  return single(resolveReferences(value.simple, scope, () => undefined));
}

/** One comparison of a condition, with the values that it compared. */
export interface Compared {
  readonly comparison: Comparison;
  readonly left: unknown;
  readonly right: unknown;
  readonly holds: boolean;
}

/**
 * Reports whether a test is true. @param note receives each comparison made; the test makes no comparison after it is decided
 * @throws UsageError for values that cannot be compared
 */
export function holds(scope: Scope, test: Test, note?: (compared: Compared) => void): boolean {
  return holdsFor(test, (path) => at(scope, path), scope, note);
}

export function at(scope: unknown, path: string): unknown {
  const steps = parsePath(path);
  return steps === undefined ? undefined : lookUp(scope, steps);
}

type Find = (path: string) => unknown;

function holdsFor(test: Test, find: Find, scope: Scope, note?: (compared: Compared) => void): boolean {
  const one = (comparison: Comparison) => {
    const { operator, ignoreCase } = comparison;
    const left = operandIn(comparison.left, find, scope);
    const right = operandIn(comparison.right, find, scope);
    const isTrue = OPERATORS[operator](left, right, ignoreCase);
    note?.({ comparison, left, right, holds: isTrue });
    return isTrue;
  };
  return test.every((group) => group.some(one));
}

function operandIn({ value, isPath }: Operand, find: Find, scope: Scope): unknown {
  if (value !== undefined && isPath && 'simple' in value && !value.simple.includes('${')) return find(value.simple);
  return valueIn(scope, value);
}

function selected(scope: Scope, { root, filters, accessor, transformers }: Selection): unknown {
  const whole = at(scope, root);
  const kept =
    filters.length === 0 || whole === undefined
      ? whole
      : [whole].flat().filter((item) => holdsFor(filters, (path) => inItem(item, path, root, scope), scope));
  const found = accessor === undefined ? kept : at({ kept }, `kept.${accessor}`);
  const transformed = transformers.reduce<unknown>((value, { name, args }) => {
    const given: Record<string, unknown> = {};
    for (const [key, operand] of Object.entries(args))
      given[key] = operandIn(operand, (path) => at(scope, path), scope);
    return TRANSFORMERS[name].apply(value, given);
  }, single(found));
  return single(transformed);
}

/** Resolves a path: below the root it is a member of the item, otherwise a path in the whole context. */
function inItem(item: unknown, path: string, root: string, scope: Scope): unknown {
  if (path === root) return item;
  return path.startsWith(`${root}.`) ? at({ item }, `item${path.slice(root.length)}`) : at(scope, path);
}

function single(value: unknown): unknown {
  return Array.isArray(value) && value.length <= 1 ? value[0] : value;
}
