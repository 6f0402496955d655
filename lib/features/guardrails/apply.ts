/** Makes the changes of a plan one after the other, through the registry's commands. */
import {
  type AisecError,
  CancelledError,
  NetworkError,
  NotFoundError,
  ServiceError,
  toAisecError,
} from '../../core/errors.ts';
import { objectOf } from '../../core/json.ts';
import type { SecretSource } from '../../core/ports.ts';
import type { Amount } from '../../core/progress.ts';
import type { RunCommand } from '../../runtime/engine/command-port.ts';
import { type MemberChange, reconcile, withoutIdle } from '../../runtime/topics/reconcile.ts';
import type { KnownTopic } from '../../runtime/topics/topic-references.ts';
import { type ArgumentsOf, runCommand } from '../scans/commands.ts';
import { DLP_KINDS } from './dlp/names.ts';
import { checkDlp, type DlpChange, type DlpWork, readDlpBack, writeDlp } from './dlp/write-dlp.ts';
import { withDlpIds } from './moved-tenant.ts';
import { comparable, type Plan, resolvedProfile } from './plan.ts';
import { checkTarget, readTargetBack, type TargetWork, writeTarget } from './targets/targets.ts';
import { type AnyKind, type Change, findRecord, type Members, outdated, type TenantRecord } from './tenant.ts';

/**
 * `unknown`: there was no answer, and the service may have made the change. `unchecked`: the service accepted it, but
 * it could not be read again. `partly made`: older revisions of a deleted profile still exist.
 */
export type State = 'done' | 'unchecked' | 'partly made' | 'failed' | 'unknown' | 'not made';

export interface Step {
  readonly change: Change;
  readonly state: State;
  /** Revision after a create or an update. */
  readonly revision?: number;
  /** Members that differ from the values that were sent. */
  readonly notKept: readonly MemberChange[];
}

export interface Applied {
  readonly steps: readonly Step[];
  readonly failure?: AisecError;
}

/** Context of the changes. */
export type Means = Pick<DlpWork, 'run' | 'keepText'> & TargetWork;

/** Returns the changes that need a command. */
export function changesIn({ changes }: Plan): readonly Change[] {
  return changes.filter(({ verb }) => verb === 'create' || verb === 'update' || verb === 'delete');
}

/**
 * Makes the changes, reads each resource again, and stops at the first failure. Once the service has failed to keep a
 * value, nothing is deleted: the resource to delete may still be the only protection.
 * @param onStep called after each change
 * @param onBegin called before each change, with the number of changes
 */
export async function applyPlan(
  plan: Plan,
  { run, keepText, secret }: Means,
  onStep: (step: Step) => void,
  onBegin: (change: Change, amount: Amount) => void = () => undefined,
): Promise<Applied> {
  const dlp = plan.dlp === undefined ? undefined : { run, keepText, names: plan.dlp.names };
  const work: Work = { run, topics: new Map(plan.topics), records: plan.tenant.topics, dlp, secret };
  const steps: Step[] = [];
  let failure: AisecError | undefined;
  const changes = changesIn(plan);
  for (const change of changes) {
    const isHeld = change.verb === 'delete' && steps.some(({ notKept }) => notKept.length > 0);
    if (failure !== undefined || isHeld) {
      steps.push({ change, state: 'not made', notKept: [] });
      continue;
    }
    onBegin(change, { done: steps.length, total: changes.length });
    const attempt: Attempt = { phase: 'before' };
    try {
      steps.push({ change, state: 'done', ...(await make(change, work, attempt)) });
    } catch (thrown) {
      failure = toAisecError(thrown);
      steps.push({ change, state: stateOf(attempt, failure), notKept: [] });
    }
    onStep(steps.at(-1) as Step);
  }
  return failure === undefined ? { steps } : { steps, failure };
}

/** Progress of one change. */
interface Attempt {
  phase: 'before' | 'writing' | 'removing older' | 'reading again';
}

interface Work {
  readonly run: RunCommand;
  /** Topics by name; topics from earlier steps have the ids and revisions that the service gave them. */
  readonly topics: Map<string, KnownTopic>;
  readonly records: readonly TenantRecord[];
  readonly dlp: DlpWork | undefined;
  readonly secret: SecretSource;
}

function stateOf({ phase }: Attempt, failure: AisecError): State {
  if (phase === 'reading again') return 'unchecked';
  if (phase === 'removing older') return 'partly made';
  return phase === 'writing' && mayBeMade(failure) ? 'unknown' : 'failed';
}

function mayBeMade(error: AisecError): boolean {
  if (error instanceof NetworkError) return error.sent;
  return error instanceof ServiceError || error instanceof CancelledError;
}

type Made = Pick<Step, 'revision' | 'notKept'>;

async function make(change: Change, work: Work, attempt: Attempt): Promise<Made> {
  if (change.kind === 'target') return makeTarget(change, work, attempt);
  if (work.dlp !== undefined && isDlp(change)) return makeDlp(change, work.dlp, attempt);
  const current = change.record === undefined ? undefined : await readAgain(change.record, work.run);
  attempt.phase = 'writing';
  if (change.verb === 'delete') return remove(change, work.run, attempt);
  const sent = change.kind === 'topic' ? await writeTopic(change, work) : await writeProfile(change, current, work);
  attempt.phase = 'reading again';
  const made = await readBack(change, sent, work);
  if (change.kind === 'topic') work.topics.set(change.name, { id: made.id, revision: made.revision });
  return made;
}

function isDlp(change: Change): change is DlpChange {
  return DLP_KINDS.some((kind) => kind === change.kind);
}

async function makeTarget(change: Change, work: Work, attempt: Attempt): Promise<Made> {
  const current = await checkTarget(change, work.run);
  attempt.phase = 'writing';
  const id = await writeTarget(change, current, work);
  attempt.phase = 'reading again';
  return { notKept: await readTargetBack(change, id, work.run) };
}

async function makeDlp(change: DlpChange, work: DlpWork, attempt: Attempt): Promise<Made> {
  await checkDlp(change, work);
  attempt.phase = 'writing';
  const id = await writeDlp(change, work);
  attempt.phase = 'reading again';
  return { notKept: await readDlpBack(change, id, work) };
}

/**
 * Reads a resource just before it is changed, because the service has no conditional writes.
 * @throws ConflictError if it has changed since the plan
 */
async function readAgain(planned: TenantRecord, run: RunCommand): Promise<TenantRecord> {
  const { id, revision } = planned;
  const current = await findRecord(planned, run);
  if (current === undefined) throw outdated(planned, 'it was deleted or renamed');
  if (current.id === id && current.revision === revision) return current;
  const isNewer = current.revision !== revision;
  throw outdated(planned, isNewer ? `revision ${revision} became ${current.revision}` : `its id became ${current.id}`);
}

async function writeTopic({ name, record, after = {}, members }: Change, { run }: Work): Promise<Members> {
  const changed = pick(after, members);
  if (record === undefined) {
    // The plan has already refused new topics without a description or examples.
    const args = { topic_name: name, ...changed } as ArgumentsOf<'aisec-runtime-topics-create'>;
    await runCommand(run, 'aisec-runtime-topics-create', args);
  } else await runCommand(run, 'aisec-runtime-topics-update', { topic_id: record.id, topic_name: name, ...changed });
  return after;
}

async function writeProfile(
  { name, record, stated = {} }: Change,
  current: TenantRecord | undefined,
  { topics, records, run, dlp }: Work,
): Promise<Members> {
  const wanted = resolvedProfile(stated, topics);
  const withIds = (members: Members): Members =>
    members.policy === undefined ? members : { ...members, policy: withDlpIds(members.policy, dlp?.names) };
  const named = { profile_name: name };
  if (record === undefined) {
    const members = withIds(withBothLists(objectOf(withoutIdle(wanted, ''))));
    await runCommand(run, 'aisec-runtime-profiles-create', { ...named, ...members });
    // The command creates an active profile unless the file states otherwise.
    return { active: true, ...members };
  }
  const merged = reconcile(wanted, current === undefined ? undefined : comparable(current.members, records));
  const members = objectOf(merged.value);
  // References stay unchanged if the policy is not sent.
  const changed = withIds(pick(members, merged.changes));
  await runCommand(run, 'aisec-runtime-profiles-update', { profile_id: record.id, ...named, ...changed });
  return { ...members, ...changed };
}

/** Adds the lists that a policy lacks; without them it would look like a partly read policy. */
function withBothLists(members: Members): Members {
  const { policy } = members;
  const empty = { 'ai-security-profiles': [], 'dlp-data-profiles': [] };
  return policy === undefined ? members : { ...members, policy: { ...empty, ...policy } };
}

/**
 * Reads a resource again after its change, because a 200 does not prove that the service kept the values; finds it by
 * name, because an update may have given it a new id.
 * @param sent all members, also members missing from the file: an update replaces the whole resource
 */
export async function readBack(
  { kind, name, record }: Change,
  sent: Members,
  { run, records }: Pick<Work, 'run' | 'records'>,
) {
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

async function remove({ kind, name, record }: Change, run: RunCommand, attempt: Attempt): Promise<Made> {
  if (record === undefined) return { notKept: [] };
  await removeRecord(kind, name, record.id, run);
  // If each revision has its own id, the next older revision would become active.
  for (const id of record.older) {
    attempt.phase = 'removing older';
    await removeRecord(kind, name, id, run).catch((thrown: unknown) => {
      if (!(thrown instanceof NotFoundError)) throw thrown;
    });
  }
  attempt.phase = 'reading again';
  const left = await findRecord({ kind, name, id: record.id }, run);
  if (left === undefined) return { notKept: [] };
  throw new ServiceError(
    `The service confirmed the deletion, but the ${kind} ${name} is still there, at revision ${left.revision}.`,
  );
}

async function removeRecord(kind: AnyKind, name: string, id: string, run: RunCommand): Promise<void> {
  const { record } =
    kind === 'topic'
      ? await runCommand(run, 'aisec-runtime-topics-delete', { topic_id: id })
      : await runCommand(run, 'aisec-runtime-profiles-delete', { profile_id: id });
  if (record.deleted === false)
    throw new ServiceError(`The service did not confirm that the ${kind} ${name} is deleted.`);
}

/** Selects the changed members, as arguments of a command. */
function pick(members: Members, changes: readonly MemberChange[]): Members {
  return Object.fromEntries(changes.map(({ path: [member = ''] }) => [member, members[member]]));
}
