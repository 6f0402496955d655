/** Makes the changes of a plan, one after the other, by the commands of the registry. */
import {
  type AisecError,
  CancelledError,
  ConflictError,
  NetworkError,
  NotFoundError,
  ServiceError,
  toAisecError,
} from '../errors.ts';
import { type JsonObject, objectOf } from '../json.ts';
import type { RunCommand } from '../run-command.ts';
import { type Change, comparable, type Plan, resolvedProfile } from './plan.ts';
import { type MemberChange, reconcile, withoutIdle } from './reconcile.ts';
import { profileRecord, type TenantRecord, type TopicRecord, topicRecord } from './tenant.ts';
import type { KnownTopic } from './topic-references.ts';

/** `unknown`: there was no answer, and the service may have made the change. */
export type State = 'done' | 'failed' | 'unknown' | 'not made';

/** What became of a change. */
export interface Step {
  readonly change: Change;
  readonly state: State;
  /** Revision after a create or an update. */
  readonly revision?: number;
  /** What the service has in place of stated members. */
  readonly notKept: readonly MemberChange[];
}

export interface Applied {
  readonly steps: readonly Step[];
  /** What ended it before the last change. */
  readonly failure?: AisecError;
}

/** Returns the changes that need a command. */
export function changesIn({ changes }: Plan): readonly Change[] {
  return changes.filter(({ verb }) => verb !== 'unchanged' && verb !== 'unlisted');
}

/** Makes the changes, and stops at the first failure. @param onStep called after each change */
export async function applyPlan(plan: Plan, run: RunCommand, onStep: (step: Step) => void): Promise<Applied> {
  const work: Work = { run, topics: new Map(plan.topics), records: plan.tenant.topics };
  const steps: Step[] = [];
  let failure: AisecError | undefined;
  for (const change of changesIn(plan)) {
    if (failure !== undefined) {
      steps.push({ change, state: 'not made', notKept: [] });
      continue;
    }
    const attempt = { isWriting: false };
    try {
      const made = await make(change, work, () => {
        attempt.isWriting = true;
      });
      steps.push({ change, state: 'done', ...made });
    } catch (thrown) {
      failure = toAisecError(thrown);
      steps.push({ change, state: attempt.isWriting && mayBeMade(failure) ? 'unknown' : 'failed', notKept: [] });
    }
    onStep(steps.at(-1) as Step);
  }
  return failure === undefined ? { steps } : { steps, failure };
}

interface Work {
  readonly run: RunCommand;
  /** Topics by name; those of earlier steps have the ids and revisions that the service returned. */
  readonly topics: Map<string, KnownTopic>;
  readonly records: readonly TopicRecord[];
}

function mayBeMade(error: AisecError): boolean {
  if (error instanceof NetworkError) return error.sent;
  return error instanceof ServiceError || error instanceof CancelledError;
}

type Made = Pick<Step, 'revision' | 'notKept'>;

async function make(change: Change, work: Work, onWrite: () => void): Promise<Made> {
  const current = change.record === undefined ? undefined : await readAgain(change.record, work.run);
  const write: RunCommand = (name, args) => {
    onWrite();
    return work.run(name, args);
  };
  if (change.verb === 'delete') return remove(change, write);
  return change.kind === 'topic' ? writeTopic(change, work, write) : writeProfile(change, current, work, write);
}

/**
 * Reads a resource just before it is changed, because the service has no conditional writes.
 * @throws ConflictError if it is not as it was planned
 */
async function readAgain({ kind, id, name, revision }: TenantRecord, run: RunCommand): Promise<TenantRecord> {
  const current = await (kind === 'topic'
    ? run('aisec-runtime-topics-get', { topic_id: id }).then(({ record }) => topicRecord(record))
    : run('aisec-runtime-profiles-get', { profile_name: name }).then(({ record }) => profileRecord(record))
  ).catch((thrown: unknown) => {
    if (thrown instanceof NotFoundError) throw outdated(kind, name, 'it was deleted or renamed');
    throw thrown;
  });
  if (current.id === id && current.revision === revision) return current;
  throw outdated(kind, name, `revision ${revision} became ${current.revision}`);
}

function outdated(kind: string, name: string, how: string): ConflictError {
  return new ConflictError(`The ${kind} ${name} changed after it was compared with the file: ${how}.`, {
    hint: 'It was not overwritten. Look at the new difference with --dry-run, then apply the file again.',
  });
}

async function writeTopic(change: Change, { topics }: Work, write: RunCommand): Promise<Made> {
  const { name, verb, record, after = {} } = change;
  const known = record === undefined ? {} : { topic_id: record.id };
  const { record: answer } = await write(`aisec-runtime-topics-${verb}`, {
    ...known,
    topic_name: name,
    ...argumentsOf(after, changedIn(change)),
  });
  const { id, revision } = topicRecord(answer);
  // An answer without a revision leaves the one that was planned.
  const planned = topics.get(name)?.revision ?? 1;
  topics.set(name, { id: id === '' ? record?.id : id, revision: revision > 0 ? revision : planned });
  return { revision: topics.get(name)?.revision ?? planned, notKept: [] };
}

async function writeProfile(
  { name, verb, record, stated = {} }: Change,
  current: TenantRecord | undefined,
  { topics, records }: Work,
  write: RunCommand,
): Promise<Made> {
  const wanted = resolvedProfile(stated, topics);
  const merged = reconcile(wanted, current === undefined ? undefined : comparable(current.members, records));
  const isNew = record === undefined;
  const members = isNew ? objectOf(withoutIdle(wanted, '')) : objectOf(merged.value);
  const names = isNew ? Object.keys(wanted) : merged.changes.map(({ path: [member = ''] }) => member);
  const { record: answer } = await write(`aisec-runtime-profiles-${verb}`, {
    ...(isNew ? {} : { profile_id: record.id }),
    profile_name: name,
    ...argumentsOf(members, names),
  });
  const { revision } = profileRecord(answer);
  return { revision, notKept: notKept(wanted, answer, records) };
}

/** Compares what was stated with the answer, as far as the answer repeats it. */
function notKept(wanted: JsonObject, answer: JsonObject, records: readonly TopicRecord[]): readonly MemberChange[] {
  const repeated = Object.entries(wanted).filter(([name]) => (answer[name] ?? undefined) !== undefined);
  return reconcile(Object.fromEntries(repeated), comparable(answer, records)).changes;
}

async function remove({ kind, name, record }: Change, write: RunCommand): Promise<Made> {
  if (record === undefined) return { notKept: [] };
  await removeRecord(kind, name, record.id, write);
  // Where each revision has an id of its own, the next older one would come into force.
  for (const id of record.kind === 'profile' ? record.older : []) {
    await removeRecord(kind, name, id, write).catch((thrown: unknown) => {
      if (!(thrown instanceof NotFoundError)) throw thrown;
    });
  }
  return { notKept: [] };
}

async function removeRecord(kind: string, name: string, id: string, write: RunCommand): Promise<void> {
  const { record } = await write(`aisec-runtime-${kind}s-delete`, { [`${kind}_id`]: id });
  if (record['deleted'] === false)
    throw new ServiceError(`The service did not confirm that the ${kind} ${name} is deleted.`);
}

function changedIn({ members }: Change): string[] {
  return members.map(({ path: [member = ''] }) => member);
}

/** Writes members as the arguments of a command. */
function argumentsOf(members: JsonObject, names: readonly string[]): Record<string, string> {
  const texts = names.map((name) => {
    const value = members[name];
    return [name, typeof value === 'string' ? value : JSON.stringify(value)] as const;
  });
  return Object.fromEntries(texts);
}
