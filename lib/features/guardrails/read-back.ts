/** Reads a resource again after its change, because an answer of 200 does not say that the service kept what was sent. */
import type { RunCommand } from '../../engine/run-command.ts';
import { type Change, comparable } from './plan.ts';
import { type MemberChange, reconcile } from './reconcile.ts';
import { findRecord, type Members, type TopicRecord } from './tenant.ts';

export interface Kept {
  readonly id: string | undefined;
  readonly revision: number;
  /** Members that differ from what was sent. */
  readonly notKept: readonly MemberChange[];
}

interface Tools {
  readonly run: RunCommand;
  readonly records: readonly TopicRecord[];
}

/**
 * Reads a resource by its name, because an update may have given it another id.
 * @param sent all members, also those that the file does not state: an update replaces the whole resource
 */
export async function readBack({ kind, name, record }: Change, sent: Members, { run, records }: Tools): Promise<Kept> {
  const kept = await findRecord({ kind, name, id: undefined }, run);
  const expected = (record?.revision ?? 0) + 1;
  if (kept === undefined) {
    const lost = { path: ['name'], before: undefined, after: name };
    return { id: record?.id, revision: expected, notKept: [lost] };
  }
  const members = kind === 'profile' ? comparable(kept.members, records) : kept.members;
  const { changes } = reconcile({ name, ...sent }, { name: kept.name, ...members });
  const revision = { path: ['revision'], before: kept.revision, after: expected };
  return { id: kept.id, revision: kept.revision, notKept: kept.revision < expected ? [...changes, revision] : changes };
}
