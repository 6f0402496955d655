/**
 * Resolves references to the context in arguments, such as `${AiSec.Topic.[0].topic_id}`: dotted paths with `[n]` and
 * `(val.field == "x")` filters. Nothing is evaluated as code, and text that does not parse as a path is not a reference.
 */
import { UsageError } from '../../core/errors.ts';
import { asText, isDeeper, MAX_DEPTH } from '../../core/json.ts';
import { isOwn } from '../../core/text/own.ts';

type Step = { member: string } | { index: number } | { filter: readonly Condition[] };

interface Condition {
  readonly path: readonly string[];
  readonly equal: boolean;
  readonly value: string;
}

const MEMBER = /^\.?([A-Za-z_][\w-]*)/;
const INDEX = /^\.?\[(\d+)\]/;
const FILTER = /^\(([^()]*)\)/;
// No value is nested deeper, and an unbounded repetition could overflow the regular expression's stack.
const CONDITION = /^\s*val((?:\.[A-Za-z_][\w-]*){1,100})\s*(===?|!==?)\s*(?:"([^"]*)"|'([^']*)'|([\w.-]+))\s*$/;

/** Maximum characters of an argument, before and after its references are resolved; the longest prompt has half as many. */
export const MAX_CHARACTERS = 4_000_000;
/** Maximum references of a line: each of them may search the whole context. */
export const MAX_REFERENCES = 200;
const MAX_PATH_CHARACTERS = 10_000;
/** A path without a value. */
const NOWHERE: readonly Step[] = [{ index: -1 }];

/** Parses a path. @returns its steps, which find nothing if it is too long, or undefined if the text is not a path */
export function parsePath(text: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  let rest = text.trim();
  if (rest.length > MAX_PATH_CHARACTERS) return MEMBER.test(rest) ? NOWHERE : undefined;
  while (rest !== '') {
    const found = step(rest, steps.length === 0);
    if (found === undefined) return undefined;
    steps.push(found.step);
    rest = rest.slice(found.length);
  }
  return steps.length === 0 ? undefined : steps;
}

function step(rest: string, first: boolean): { step: Step; length: number } | undefined {
  const member = MEMBER.exec(rest);
  if (member?.[1] !== undefined && first !== rest.startsWith('.')) {
    return { step: { member: member[1] }, length: member[0].length };
  }
  if (first) return undefined;
  const index = INDEX.exec(rest);
  if (index !== null) return { step: { index: Number(index[1]) }, length: index[0].length };
  const filter = FILTER.exec(rest);
  const conditions = filter === null ? undefined : parseConditions(filter[1] ?? '');
  return filter === null || conditions === undefined
    ? undefined
    : { step: { filter: conditions }, length: filter[0].length };
}

function parseConditions(text: string): Condition[] | undefined {
  const conditions: Condition[] = [];
  for (const part of text.split('&&')) {
    const found = CONDITION.exec(part);
    if (found?.[1] === undefined || found[2] === undefined) return undefined;
    const path = found[1].slice(1).split('.');
    conditions.push({ path, equal: found[2].startsWith('='), value: found[3] ?? found[4] ?? found[5] ?? '' });
  }
  return conditions;
}

/** Returns the value at a path, or undefined. On an array, a name picks that member of every item. */
export function lookUp(context: unknown, steps: readonly Step[]): unknown {
  let value = context;
  for (const next of steps) {
    if ('member' in next) value = memberOf(value, next.member);
    else if ('index' in next) value = [value].flat()[next.index];
    else value = single([value].flat().filter((item) => next.filter.every((condition) => matches(item, condition))));
    if (value === undefined) return undefined;
  }
  return value;
}

function memberOf(value: unknown, name: string, levels = MAX_DEPTH): unknown {
  if (Array.isArray(value)) {
    if (levels <= 0) return undefined;
    return single(value.map((item) => memberOf(item, name, levels - 1)).filter((item) => item !== undefined));
  }
  if (typeof value !== 'object' || value === null || !isOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function single(items: readonly unknown[]): unknown {
  return items.length > 1 ? items : items[0];
}

function matches(item: unknown, { path, equal, value }: Condition): boolean {
  const found = path.reduce<unknown>((inner, name) => memberOf(inner, name), item);
  if (found === undefined || found === null || isDeeper(found, MAX_DEPTH)) return !equal;
  return equal === ([found].flat().map(asText).join(',') === value);
}

/**
 * Replaces the references in one argument's value. A reference that is the whole value keeps its type; inside text,
 * objects become JSON.
 * @param onMissing called for each reference without a value, or whose value is nested too deeply @param line counts
 * the references of the line
 * @throws UsageError for too many references, and for too long a reference or text
 */
export function resolveReferences(
  text: string,
  context: unknown,
  onMissing: (reference: string, tooDeep: boolean) => void,
  line = { references: 0 },
): unknown {
  const find = (path: string, steps: readonly Step[]) => {
    line.references += 1;
    if (line.references > MAX_REFERENCES) throw new UsageError(`There are more than ${MAX_REFERENCES} references.`);
    if (steps === NOWHERE) throw new UsageError(`A reference has more than ${MAX_PATH_CHARACTERS} characters.`);
    const value = lookUp(context, steps);
    const tooDeep = isDeeper(value, MAX_DEPTH);
    if (value === undefined || tooDeep) onMissing(path.trim(), tooDeep);
    return tooDeep ? undefined : value;
  };
  const whole = /^\$\{([^{}]*)\}$/.exec(text);
  const steps = whole === null ? undefined : parsePath(whole[1] ?? '');
  if (whole !== null && steps !== undefined) return find(whole[1] ?? '', steps);
  const pieces: string[] = [];
  let length = text.length;
  let from = 0;
  for (let at = text.indexOf('${'); at >= 0; at = text.indexOf('${', at + 2)) {
    const start = firstBackslash(text, from, at);
    const backslashes = text.slice(start, start + Math.floor((at - start) / 2));
    // An odd number of backslashes escapes the reference.
    if ((at - start) % 2 === 1) {
      pieces.push(text.slice(from, start), backslashes);
      from = at;
      continue;
    }
    const path = pathAt(text, at + 2);
    const inner = path === undefined ? undefined : parsePath(path);
    if (path === undefined || inner === undefined) continue;
    const value = find(path, inner);
    const inserted = asText(value ?? '');
    length += inserted.length;
    if (length > MAX_CHARACTERS)
      throw new UsageError(`References make a text of more than ${MAX_CHARACTERS} characters.`);
    pieces.push(text.slice(from, start), backslashes, inserted);
    from = at + path.length + 3;
  }
  return pieces.join('') + text.slice(from);
}

/** Returns the start of the run of backslashes before a position. */
function firstBackslash(text: string, from: number, at: number): number {
  let start = at;
  while (start > from && text.charAt(start - 1) === '\\') start -= 1;
  return start;
}

/** Returns the text up to the closing brace, unless another brace opens first. */
function pathAt(text: string, start: number): string | undefined {
  let end = start;
  while (end < text.length && text.charAt(end) !== '{' && text.charAt(end) !== '}') end += 1;
  return text.charAt(end) === '}' ? text.slice(start, end) : undefined;
}
