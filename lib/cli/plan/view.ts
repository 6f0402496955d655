/** Renders a plan and its application: a line for each change, a line for each changed member, the counts last. */

import { isObject, type JsonObject } from '../../core/json.ts';
import type { Step } from '../../features/guardrails/apply.ts';
import type { Change } from '../../features/guardrails/change.ts';
import { countsOf } from '../../features/guardrails/outcome.ts';
import type { Plan } from '../../features/guardrails/plan.ts';
import type { MemberChange } from '../../features/guardrails/reconcile.ts';
import { jsonText } from '../../hosts/terminal/render/json.ts';
import type { Painted } from '../../hosts/terminal/render/record-view.ts';
import { sanitize } from '../../hosts/terminal/render/sanitize.ts';
import type { Style } from '../../hosts/terminal/render/style.ts';
import { type Page, wrapped } from '../../hosts/terminal/render/wrap.ts';
import { MASK, type Redaction } from '../../redaction/redact.ts';

const INDENT = '    ';
const NONE = '(none)';

/** A change with its secrets masked. */
export interface ShownChange extends Pick<Change, 'kind' | 'name' | 'verb' | 'reason'> {
  readonly members: readonly MemberChange[];
}

/** Masks secrets by their values, and by the names of the members around them. */
export function shownChanges({ changes }: Plan, redaction: Redaction): ShownChange[] {
  return changes.map(({ kind, name, verb, members, reason }) => ({
    kind,
    verb,
    ...(reason === undefined ? {} : { reason: redaction.text(reason) }),
    name: redaction.text(name),
    members: members.map(({ path, before, after }) => ({
      path,
      before: redacted(redaction, path, before),
      after: redacted(redaction, path, after),
    })),
  }));
}

function redacted(redaction: Redaction, path: readonly string[], value: unknown): unknown {
  if (value === undefined) return undefined;
  const nested = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return path.reduce<unknown>((inner, name) => {
    const shown = redaction.text(name);
    return isObject(inner) ? (Object.hasOwn(inner, shown) ? inner[shown] : MASK) : inner;
  }, redaction.value(nested));
}

/** Renders the changes; unchanged entries are only counted. */
export function planLines(changes: readonly ShownChange[], page: Page): string[] {
  return changes.flatMap(({ kind, name, verb, members, reason }) => {
    if (verb === 'unchanged') return [];
    const { sign, what, paint } = SIGNS[verb];
    const why = reason === undefined ? '' : `: ${oneLine(reason)}`;
    const line = `${sign} ${kind} ${oneLine(name)} (${what}${why})`;
    const details = verb === 'update' ? members.flatMap((member) => memberLines(member, page)) : [];
    return [page.style[paint](line), ...details];
  });
}

const SIGNS = {
  create: { sign: '+', what: 'create', paint: 'green' },
  update: { sign: '~', what: 'update', paint: 'yellow' },
  delete: { sign: '-', what: 'delete', paint: 'red' },
  unlisted: { sign: '-', what: 'only with --prune', paint: 'dim' },
  skipped: { sign: '!', what: 'skipped', paint: 'yellow' },
} as const satisfies Readonly<Record<string, { sign: string; what: string; paint: keyof Style }>>;

/** Renders the last line of a plan: `1 to create, 2 to update, 0 to delete, 5 unchanged`. */
export function planSummary(changes: readonly ShownChange[]): string {
  const { create, update, delete: deleted, unchanged } = countsOf(changes);
  return `${create} to create, ${update} to update, ${deleted} to delete, ${unchanged} unchanged${skippedText(changes)}`;
}

function skippedText(changes: readonly Pick<Change, 'verb'>[]): string {
  const { skipped } = countsOf(changes);
  return skipped === 0 ? '' : `, ${skipped} skipped`;
}

/** Renders the last line of an application. */
export function appliedSummary(steps: readonly Step[], { changes }: Plan): string {
  const done = countsOf(steps.filter(({ state }) => state === 'done').map(({ change }) => change));
  const { unchanged } = countsOf(changes);
  return `${done.create} created, ${done.update} updated, ${done.delete} deleted, ${unchanged} unchanged${skippedText(changes)}`;
}

const DONE = { create: 'created', update: 'updated', delete: 'deleted', unchanged: '', unlisted: '', skipped: '' };

/** Renders the outcome of one change. */
export function stepLine(step: Step, redaction: Redaction, style: Style): string {
  const { change, state, revision, notKept } = step;
  const { kind, name, verb } = change;
  const label = `${kind} ${oneLine(redaction.text(name))}`;
  const at = revision === undefined || revision === 0 ? '' : `, revision ${revision}`;
  if (state === 'done' && notKept.length === 0) return `${style.green('✓')} ${label}: ${DONE[verb]}${at}`;
  return `${style.red('✗')} ${label}: ${problemOf(state, DONE[verb])}`;
}

function problemOf(state: Step['state'], done: string): string {
  if (state === 'done') return `${done}, but not kept as stated`;
  if (state === 'unknown') return 'no answer; it may have been made';
  if (state === 'unchecked') return `${done}, but not checked`;
  return state === 'partly made' ? 'deleted in part: an older revision is in force' : `not ${done}`;
}

/** Renders a changed member on one line, or on several if it is too long for one. */
function memberLines({ path, before, after }: MemberChange, page: Page): string[] {
  const { width, measure, style } = page;
  const room = width - INDENT.length;
  if (!Array.isArray(before) && !Array.isArray(after)) {
    const values = `: ${valueText(before, path)} -> ${valueText(after, path)}`;
    const name = shortPath(path, room - measure(values), page);
    if (measure(name + values) <= room) return [INDENT + name + values];
  }
  const [removed, added] = [without(before, after), without(after, before)];
  const short = changedEntries(removed, added, page);
  const name = shortPath(path, room, page);
  if (short !== undefined && measure(`${name}: ${short.plain}`) <= room) return [`${INDENT}${name}: ${short.painted}`];
  const lines = (sign: string, paint: (text: string) => string, values: readonly unknown[]) =>
    values.flatMap((value) =>
      wrapped(valueText(value, path), room - 4, measure).map((text, at) =>
        paint(`${INDENT}  ${at === 0 ? sign : ' '} ${text}`),
      ),
    );
  return [`${INDENT}${name}`, ...lines('-', style.red, removed), ...lines('+', style.green, added)];
}

/** Writes the changed entries of a list on one line: `- investment-advice  + Stock tips`. */
function changedEntries(removed: readonly unknown[], added: readonly unknown[], { style }: Page): Painted | undefined {
  const texts = (values: readonly unknown[]) => values.map((value) => valueText(value));
  const [gone, come] = [texts(removed), texts(added)];
  // A gap inside of an entry could pass for the beginning of the next entry.
  if ([...gone, ...come].some((text) => /\s{2}|\n/.test(text))) return undefined;
  const [minus, plus] = [gone.map((text) => `- ${text}`), come.map((text) => `+ ${text}`)];
  const painted = [...minus.map((text) => style.red(text)), ...plus.map((text) => style.green(text))];
  return { plain: [...minus, ...plus].join('  '), painted: painted.join('  ') };
}

/** Returns the entries of a list that the other one lacks; of another value, the value. */
function without(value: unknown, other: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return value === undefined ? [] : [value];
  const left = new Map<string, number>();
  const countOf = (key: string) => left.get(key) ?? 0;
  for (const entry of Array.isArray(other) ? other : []) {
    const key = JSON.stringify(entry);
    left.set(key, countOf(key) + 1);
  }
  return value.filter((entry) => {
    const key = JSON.stringify(entry);
    left.set(key, countOf(key) - 1);
    return countOf(key) < 0;
  });
}

/** Joins the names; without room for all, the last names identify the member best. */
function shortPath(path: readonly string[], room: number, { measure }: Page): string {
  const names = path.map(oneLine);
  for (let skipped = 0; skipped + 3 < names.length; skipped += 1) {
    const shown = skipped === 0 ? names : [names[0], '…', ...names.slice(skipped + 1)];
    if (measure(shown.join('.')) <= room) return shown.join('.');
  }
  return names.length > 3 ? [names[0], '…', ...names.slice(-2)].join('.') : names.join('.');
}

/** @param path of the value: an entry of a list does not repeat its key */
function valueText(value: unknown, path: readonly string[] = []): string {
  if (value === undefined || value === null) return NONE;
  if (typeof value === 'string') return textValue(value);
  if (!isObject(value)) return jsonText(value);
  const members = Object.entries(value).filter(([name, member]) => name !== 'topic_id' && member !== path.at(-1));
  const isFlat = members.every(([, member]) => typeof member !== 'object');
  // An entry that has only its key.
  if (members.length === 0) return 'listed';
  return isFlat ? flatText(members) : jsonText(Object.fromEntries(members));
}

function flatText(members: readonly (readonly [string, unknown])[]): string {
  return members.map(([name, member]) => `${oneLine(name)}: ${valueText(member)}`).join(', ');
}

/** Quotes a text that could be taken for something else, or whose characters are not all visible. */
function textValue(text: string): string {
  const isPlain = sanitize(text) === text && /^[^\s"](?:.*\S)?$/.test(text) && text !== NONE && !text.includes(' -> ');
  return isPlain ? text : jsonText(text);
}

/** Returns a name as it may stand in a line. */
export function oneLine(name: string): string {
  return sanitize(name).replace(/\s+/g, ' ');
}

/** Writes the changes for programs. */
export function planJson(changes: readonly ShownChange[]): JsonObject {
  const { unlisted, skipped, ...counts } = countsOf(changes);
  return {
    changes: changes.map(({ kind, name, verb, members, reason }) => ({
      kind,
      name,
      change: verb,
      ...(reason === undefined ? {} : { reason }),
      members: members.map(({ path, before, after }) => ({
        member: path.join('.'),
        before: before ?? null,
        after: after ?? null,
      })),
    })),
    summary: { ...counts, unlisted, ...(skipped === 0 ? {} : { skipped }) },
  };
}
