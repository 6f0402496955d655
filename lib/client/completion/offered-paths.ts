/** Completes paths of a context. */
import { lookUp, parsePath } from '../../runtime/arguments/references.ts';

const MAX_INDEXES = 20;

/**
 * Lists the paths that continue a path as typed so far.
 * @param end added to the path of a plain value, such as a closing brace
 */
export function offeredPaths(typed: string, context: Readonly<Record<string, unknown>>, end: string): string[] {
  const cut = Math.max(typed.lastIndexOf('.'), 0);
  const parent = typed.slice(0, cut);
  const steps = parent === '' ? [] : parsePath(parent);
  const value = steps === undefined ? undefined : lookUp(context, steps);
  const dot = parent === '' ? '' : '.';
  const offered = membersOf(value).map(([name, member]) => {
    const whole = `${parent}${dot}${name}`;
    return typeof member === 'object' && member !== null ? whole : whole + end;
  });
  return offered.filter((path) => path.startsWith(typed));
}

function membersOf(value: unknown): [string, unknown][] {
  if (Array.isArray(value)) return value.slice(0, MAX_INDEXES).map((item, index) => [`[${index}]`, item]);
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
