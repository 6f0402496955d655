/** Reads values, comparisons and tests out of a playbook's document. What cannot be rehearsed is refused by its name. */
import { parsePath } from '../arguments/references.ts';
import { didYouMean } from '../arguments/suggest.ts';
import { isObject } from '../json.ts';
import type { Faults } from './faults.ts';
import { isOperator, OPERATOR_NAMES } from './operators.ts';
import type { Comparison, Operand, Selection, Test, Value } from './playbook.ts';
import { isTransformer, TRANSFORMER_NAMES, type TransformerName } from './transformers.ts';

/** Says what is wrong at the place that is read. */
export type Tell = (what: string, hint?: string) => void;

export function tellAt(faults: Faults, place: string): Tell {
  return (what, hint) => faults.add(place, what, hint);
}

/** Plain values are texts to the platform. @returns undefined for what is no plain value */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** @returns undefined for an empty value */
export function givenValue(given: unknown, tell: Tell): Value | undefined {
  if (!isObject(given)) return undefined;
  if (given['complex'] !== undefined && given['complex'] !== null) return complexOf(given['complex'], tell);
  if (given['simple'] === undefined || given['simple'] === null) return undefined;
  const simple = textOf(given['simple']);
  if (simple === undefined) tell('a "simple" value is a text.');
  return simple === undefined || simple === '' ? undefined : { simple };
}

function complexOf(given: unknown, tell: Tell): Value | undefined {
  const { root, accessor, filters, transformers } = isObject(given) ? given : {};
  const complex: Selection = {
    root: pathOf(root, tell),
    filters: testOf(filters, tell),
    accessor: accessor === undefined || accessor === null || accessor === '' ? undefined : pathOf(accessor, tell),
    transformers: listOf(transformers).flatMap((each) => transformerOf(each, tell)),
  };
  return { complex };
}

function pathOf(given: unknown, tell: Tell): string {
  const text = textOf(given) ?? '';
  if (parsePath(text) === undefined) tell(`"${text.slice(0, 80)}" is no context path that can be followed.`);
  return text;
}

function transformerOf(given: unknown, tell: Tell): TransformerName[] {
  const { operator, args } = isObject(given) ? given : {};
  const name = textOf(operator) ?? '';
  if (!isTransformer(name)) {
    tell(`the transformer "${name.slice(0, 60)}" cannot be rehearsed.`, known(name, TRANSFORMER_NAMES));
    return [];
  }
  if (isObject(args) && Object.keys(args).length > 0) tell(`the transformer "${name}" takes no arguments here.`);
  return [name];
}

/** @param given groups that all have to hold, each a list of which one has to */
export function testOf(given: unknown, tell: Tell): Test {
  return listOf(given).map((group) => listOf(group).flatMap((each) => comparisonOf(each, tell)));
}

function comparisonOf(given: unknown, tell: Tell): Comparison[] {
  const { operator, left, right, ignorecase } = isObject(given) ? given : {};
  const name = textOf(operator) ?? '';
  if (!isOperator(name)) {
    tell(`the operator "${name.slice(0, 60)}" cannot be rehearsed.`, known(name, OPERATOR_NAMES));
    return [];
  }
  const ignoreCase = ignorecase === true;
  return [{ operator: name, left: operandOf(left, tell), right: operandOf(right, tell), ignoreCase }];
}

function operandOf(given: unknown, tell: Tell): Operand {
  const { value, iscontext } = isObject(given) ? given : {};
  const isPath = iscontext === true;
  const found = givenValue(value, tell);
  if (isPath && found !== undefined && 'simple' in found && !found.simple.includes('${')) pathOf(found.simple, tell);
  return { value: found, isPath };
}

function known(name: string, names: readonly string[]): string {
  return didYouMean(name, names) ?? `Known are: ${names.join(', ')}.`;
}
