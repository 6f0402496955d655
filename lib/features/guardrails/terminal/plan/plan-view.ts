/** Renders a plan and what applying it did: a line for each change, a line for each changed member, then the counts. */

import { isObject, type JsonObject } from '../../../../core/json.ts';
import { MASK, type Redaction } from '../../../../core/redaction/redact.ts';
import type { Style } from '../../../../hosts/terminal/ui/style.ts';
import type { Page } from '../../../../hosts/terminal/ui/wrap.ts';
import type { MemberChange } from '../../../../runtime/topics/reconcile.ts';
import type { Step } from '../../apply.ts';
import { changeCounts } from '../../outcome.ts';
import type { Plan } from '../../plan.ts';
import type { Change } from '../../tenant.ts';
import { membersLines, nameInLine } from './members.ts';

/** A change with its secrets masked. */
export interface ShownChange extends Pick<Change, 'kind' | 'name' | 'verb' | 'reason'> {
  readonly members: readonly MemberChange[];
}

/** Masks secrets, recognized by their values and by the names of the members around them. */
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
    const why = reason === undefined ? '' : `: ${nameInLine(reason)}`;
    const line = `${sign} ${kind} ${nameInLine(name)} (${what}${why})`;
    const details = verb === 'update' ? membersLines(members, page) : [];
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
  const { create, update, delete: deleted, unchanged } = changeCounts(changes);
  return `${create} to create, ${update} to update, ${deleted} to delete, ${unchanged} unchanged${skippedText(changes)}`;
}

function skippedText(changes: readonly Pick<Change, 'verb'>[]): string {
  const { skipped } = changeCounts(changes);
  return skipped === 0 ? '' : `, ${skipped} skipped`;
}

/** Renders the last line after a plan was applied. */
export function appliedSummary(steps: readonly Step[], { changes }: Plan): string {
  const done = changeCounts(steps.filter(({ state }) => state === 'done').map(({ change }) => change));
  const { unchanged } = changeCounts(changes);
  return `${done.create} created, ${done.update} updated, ${done.delete} deleted, ${unchanged} unchanged${skippedText(changes)}`;
}

const DONE = { create: 'created', update: 'updated', delete: 'deleted', unchanged: '', unlisted: '', skipped: '' };

/** Renders the outcome of one change. */
export function stepLine(step: Step, redaction: Redaction, style: Style): string {
  const { change, state, revision, notKept } = step;
  const { kind, name, verb } = change;
  const label = `${kind} ${nameInLine(redaction.text(name))}`;
  const at = revision === undefined || revision === 0 ? '' : `, revision ${revision}`;
  if (state === 'done' && notKept.length === 0) return `${style.green('✓')} ${label}: ${DONE[verb]}${at}`;
  return `${style.red('✗')} ${label}: ${problemOf(state, DONE[verb])}`;
}

function problemOf(state: Step['state'], done: string): string {
  if (state === 'done') return `${done}, but not kept as stated`;
  if (state === 'unknown') return 'no answer; it may have been made';
  if (state === 'unchecked') return `${done}, but not checked`;
  return state === 'partly made' ? 'deleted in part: an older revision is active' : `not ${done}`;
}

/** Writes the changes for programs. */
export function planJson(changes: readonly ShownChange[]): JsonObject {
  const { unlisted, skipped, ...counts } = changeCounts(changes);
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
