/** The values of a playbook while it runs. A reference that finds nothing is an empty value there, not an error. */
import { lookUp, parsePath, resolveReferences } from '../arguments/references.ts';
import type { JsonObject } from '../json.ts';
import { compare } from './operators.ts';
import type { Comparison, Operand, Selection, Test, Value } from './playbook.ts';
import { transform } from './transformers.ts';

/** Where references look: the context, and the inputs beside it. */
export type Scope = JsonObject;

/** @returns undefined when there is nothing */
export function valueIn(scope: Scope, value: Value | undefined): unknown {
  if (value === undefined) return undefined;
  if ('complex' in value) return selected(scope, value.complex);
  return resolveReferences(value.simple, scope, () => undefined);
}

/** Does a test hold? @throws UsageError for values that cannot be compared */
export function holds(scope: Scope, test: Test): boolean {
  return holdsFor(test, (path) => at(scope, path), scope);
}

/** The value at a path, or undefined. */
export function at(scope: unknown, path: string): unknown {
  const steps = parsePath(path);
  return steps === undefined ? undefined : lookUp(scope, steps);
}

type Find = (path: string) => unknown;

function holdsFor(test: Test, find: Find, scope: Scope): boolean {
  const one = ({ operator, left, right, ignoreCase }: Comparison) =>
    compare(operator, operandIn(left, find, scope), operandIn(right, find, scope), ignoreCase);
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
  return single(transformers.reduce<unknown>((value, name) => transform(name, value), single(found)));
}

/** A path below the root means this item's own member; any other one looks into the whole context. */
function inItem(item: unknown, path: string, root: string, scope: Scope): unknown {
  if (path === root) return item;
  return path.startsWith(`${root}.`) ? at({ item }, `item${path.slice(root.length)}`) : at(scope, path);
}

function single(value: unknown): unknown {
  return Array.isArray(value) && value.length <= 1 ? value[0] : value;
}
