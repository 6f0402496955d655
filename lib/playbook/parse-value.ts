/** Parses values, comparisons and tests of a playbook, and reports unsupported parts as problems. */

import { isObject, objectOf } from '../core/json.ts';
import type { Path } from '../core/places.ts';
import { parsePath } from '../runtime/arguments/references.ts';
import { didYouMean } from '../runtime/arguments/suggest.ts';
import { OPERATORS, TRANSFORMERS } from './operators.ts';
import type { Comparison, Operand, Place, Problems, Selection, Test, Transformation, Value } from './playbook.ts';

/** Reports a problem at the current place, or at a part of the value there. */
export type ReportProblem = (what: string, hint?: string, below?: Path) => void;

/** Creates a reporter for one place of the playbook. */
export function reporterAt(problems: Problems, { title, path }: Place): ReportProblem {
  return (what, hint, below = []) => problems.add({ title, path: [...path, ...below] }, what, hint);
}

export function underKeys(report: ReportProblem, ...keys: Path): ReportProblem {
  return (what, hint, below = []) => report(what, hint, [...keys, ...below]);
}

/** Converts a scalar to a string, as the platform does. @returns undefined for lists and objects */
export function scalarText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Parses a value. @returns undefined for an empty value */
export function parseTemplateValue(source: unknown, report: ReportProblem): Value | undefined {
  if (!isObject(source)) return undefined;
  const { complex, simple } = source;
  if (complex !== undefined && complex !== null) return complexOf(complex, underKeys(report, 'complex'));
  if (simple === undefined || simple === null) return undefined;
  const text = scalarText(simple);
  if (text === undefined) report('a "simple" value is a text.');
  return text === undefined || text === '' ? undefined : { simple: text };
}

function complexOf(source: unknown, report: ReportProblem): Value | undefined {
  const { root, accessor, filters, transformers } = objectOf(source);
  const complex: Selection = {
    root: pathOf(root, underKeys(report, 'root')),
    filters: parseTest(filters, underKeys(report, 'filters')),
    accessor:
      accessor === undefined || accessor === null || accessor === ''
        ? undefined
        : pathOf(accessor, underKeys(report, 'accessor')),
    transformers: asList(transformers).flatMap((each, at) =>
      transformerOf(each, underKeys(report, 'transformers', at)),
    ),
  };
  return { complex };
}

function pathOf(source: unknown, report: ReportProblem): string {
  const text = scalarText(source) ?? '';
  if (parsePath(text) === undefined) report(`"${text.slice(0, 80)}" is not a valid context path.`);
  return text;
}

function transformerOf(source: unknown, report: ReportProblem): Transformation[] {
  const { operator, args } = objectOf(source);
  const name = scalarText(operator) ?? '';
  if (!hasEntry(TRANSFORMERS, name)) {
    report(`the transformer "${name.slice(0, 60)}" cannot be rehearsed.`, nearIn(TRANSFORMERS, name));
    return [];
  }
  const known: readonly string[] = TRANSFORMERS[name].args;
  const read = Object.entries(objectOf(args)).flatMap(([key, value]) => {
    if (known.includes(key)) return [[key, operandOf(value, underKeys(report, 'args', key))] as const];
    report(`the transformer "${name}" has no argument "${key.slice(0, 60)}".`, didYouMean(key, known));
    return [];
  });
  return [{ name, args: Object.fromEntries(read) }];
}

/** Parses a test. @param source groups that must all be true; a group is true if one of its comparisons is true */
export function parseTest(source: unknown, report: ReportProblem): Test {
  return asList(source).map((group, at) =>
    asList(group).flatMap((each, index) => comparisonOf(each, underKeys(report, at, index))),
  );
}

function comparisonOf(source: unknown, report: ReportProblem): Comparison[] {
  const { operator, left, right, ignorecase } = objectOf(source);
  const name = scalarText(operator) ?? '';
  if (!hasEntry(OPERATORS, name)) {
    report(`the operator "${name.slice(0, 60)}" cannot be rehearsed.`, nearIn(OPERATORS, name));
    return [];
  }
  const ignoreCase = ignorecase === true;
  return [
    {
      operator: name,
      left: operandOf(left, underKeys(report, 'left')),
      right: operandOf(right, underKeys(report, 'right')),
      ignoreCase,
    },
  ];
}

function operandOf(source: unknown, report: ReportProblem): Operand {
  const { value, iscontext } = objectOf(source);
  const isPath = iscontext === true;
  const found = parseTemplateValue(value, underKeys(report, 'value'));
  if (isPath && found !== undefined && 'simple' in found && !found.simple.includes('${')) pathOf(found.simple, report);
  return { value: found, isPath };
}

/** Reports whether a table has an entry of this name. */
export function hasEntry<Table extends object>(table: Table, name: string): name is keyof Table & string {
  return Object.hasOwn(table, name);
}

function nearIn(table: object, name: string): string {
  const names = Object.keys(table);
  return didYouMean(name, names) ?? `Known are: ${names.join(', ')}.`;
}
