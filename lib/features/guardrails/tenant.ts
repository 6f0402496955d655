/** Reads the topics and security profiles of a tenant. */
import { ConflictError, NotFoundError, ResponseError } from '../../core/errors.ts';
import { type JsonObject, objectOf } from '../../core/json.ts';
import { anyOf, list, object } from '../../core/received.ts';
import { plural } from '../../core/text/numbers.ts';
import type { CommandOutput, RunCommand } from '../../runtime/engine/command-port.ts';
import type { MemberChange } from '../../runtime/topics/reconcile.ts';
import { runCommand } from '../scans/commands.ts';

/** Members of a topic or a profile, except its identifiers. */
export type Members = JsonObject & { readonly policy?: JsonObject };

export type Kind = 'topic' | 'profile';

/** Kinds of resources that can be moved, besides topics and security profiles. They have no revisions. */
export type MovedKind = 'dictionary' | 'pattern' | 'data profile' | 'filtering profile' | 'target';
export type AnyKind = Kind | MovedKind;

export interface TenantRecord {
  readonly kind: AnyKind;
  readonly id: string;
  readonly name: string;
  readonly revision: number;
  readonly members: Members;
  /** Identifiers of older revisions of a profile, newest first, if each revision has its own. */
  readonly older: readonly string[];
}

export interface Tenant {
  readonly topics: readonly TenantRecord[];
  readonly profiles: readonly TenantRecord[];
  readonly simulated: boolean;
}

const NOUNS: Readonly<Record<Kind, string>> = { topic: 'topic', profile: 'security profile' };

const nounOf = (kind: AnyKind) => (kind === 'profile' ? NOUNS.profile : kind);

/** More than any tenant has. */
const MOST = 100_000_000;

const readTopic = object({
  topic_id: textOf,
  topic_name: textOf,
  revision: textOf,
  description: anyOf,
  examples: anyOf,
});
const readProfile = object({ id: textOf, name: textOf, revision: textOf, active: anyOf, policy: objectOf });
const readPolicies = list({ policy: anyOf });

/** @throws ResponseError if a list is incomplete, or contradicts itself */
export async function readTenant(run: RunCommand): Promise<Tenant> {
  const topics = await runCommand(run, 'aisec-runtime-topics-list', { limit: MOST });
  const profiles = await runCommand(run, 'aisec-runtime-profiles-list', { limit: MOST });
  responsesOf(topics, 'topic');
  // Policies are only in the raw response.
  const policies = readPolicies(responsesOf(profiles, 'profile').map(objectOf));
  const all = profiles.records.map((record, at) => profileRecord({ ...record, policy: policies[at]?.policy }));
  return {
    topics: newestById(topics.records.map(topicRecord)),
    profiles: newestByName(newestById(all)),
    simulated: topics.simulated || profiles.simulated,
  };
}

type Listed = Pick<CommandOutput, 'gap' | 'incomplete' | 'raw'> & { readonly records: readonly unknown[] };

/** Returns the records as the service sent them. @throws ResponseError if some may be missing */
function responsesOf({ gap, incomplete, raw, records }: Listed, kind: Kind): readonly unknown[] {
  const noun = NOUNS[kind];
  const responses: readonly unknown[] = Array.isArray(raw) ? raw : [];
  const cut = incomplete === true ? `It is cut after ${plural(records.length, 'record')}.` : undefined;
  const [listed, sent] = [records.length, responses.length];
  const differs = `It has ${plural(listed, 'record')}, and the response ${sent}.`;
  const reason = gap ?? cut ?? (listed === sent ? undefined : differs);
  if (reason === undefined) return responses;
  throw new ResponseError(`The list of ${noun}s is incomplete. ${reason}`, {
    hint: `A plan needs all of them: try again later. If the tenant has no ${noun} yet, create the first with aisec runtime-${kind}s-create.`,
  });
}

/**
 * Reads one topic by its id, or a topic or a profile by its name. A profile id may belong to an old revision.
 * @returns undefined if the tenant has no such record
 */
export async function findRecord(
  { kind, name, id }: Pick<TenantRecord, 'kind' | 'name'> & { readonly id: string | undefined },
  run: RunCommand,
): Promise<TenantRecord | undefined> {
  try {
    if (kind === 'profile') {
      return profileRecord((await runCommand(run, 'aisec-runtime-profiles-get', { profile_name: name })).record);
    }
    const wanted = id === undefined ? { topic_name: name } : { topic_id: id };
    return topicRecord((await runCommand(run, 'aisec-runtime-topics-get', wanted)).record);
  } catch (thrown) {
    if (thrown instanceof NotFoundError) return undefined;
    throw thrown;
  }
}

/** Reads a topic. @param record of `AiSec.Topic` or `AiSec.TopicGet` */
export function topicRecord(record: unknown): TenantRecord {
  const { topic_id: id, topic_name: name, revision, ...members } = readTopic(record);
  return recordOf('topic', { id, name, revision }, members);
}

/** Reads a profile. @param record of `AiSec.SecurityProfileGet` */
export function profileRecord(record: unknown): TenantRecord {
  const { id, name, revision, ...members } = readProfile(record);
  return recordOf('profile', { id, name, revision }, members);
}

/** @throws ResponseError if a member that identifies it is missing: such a record cannot be compared or found again */
function recordOf(
  kind: Kind,
  { id, name, revision }: Readonly<Record<'id' | 'name' | 'revision', string>>,
  members: Members,
): TenantRecord {
  const number = /^[0-9]+$/.test(revision) ? Number(revision) : Number.NaN;
  const lacks = [...(id === '' ? ['id'] : []), ...(name === '' ? ['name'] : [])];
  if (!Number.isSafeInteger(number)) lacks.push('revision');
  if (lacks.length === 0) return { kind, id, name, revision: number, members, older: [] };
  const label = name === '' ? id : name;
  const subject = label === '' ? `a ${NOUNS[kind]}` : `the ${NOUNS[kind]} ${label}`;
  throw new ResponseError(`The service sent ${subject} without its ${lacks.join(' and ')}.`, {
    hint: 'It cannot be compared or changed: try again later.',
  });
}

/** Returns a string or a number as a string, and an empty string for anything else. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/**
 * Keeps the highest revision of each id, in the order of the list.
 * @throws ResponseError for a revision that is listed twice: the active revision is then unknown, and a record may be
 * missing
 */
function newestById(records: readonly TenantRecord[]): TenantRecord[] {
  const newest = new Map<string, TenantRecord>();
  const seen = new Set<string>();
  for (const record of records) {
    const { kind, id, name, revision } = record;
    const key = `${revision} ${id}`;
    if (seen.has(key)) {
      throw new ResponseError(`The service listed revision ${revision} of the ${nounOf(kind)} ${name} twice.`, {
        hint: 'A plan needs each revision once: try again later.',
      });
    }
    seen.add(key);
    if (revision >= (newest.get(id)?.revision ?? 0)) newest.set(id, record);
  }
  return [...newest.values()];
}

/** Keeps the highest revision of each name. Two records with the same name and revision are two profiles. */
function newestByName(profiles: readonly TenantRecord[]): TenantRecord[] {
  const groups = new Map<string, TenantRecord[]>();
  for (const record of profiles) groups.set(record.name, [...(groups.get(record.name) ?? []), record]);
  return [...groups.values()].flatMap((group) => {
    const sorted = group.toSorted((one, other) => other.revision - one.revision);
    const newest = sorted.filter(({ revision }) => revision === sorted[0]?.revision);
    const older = sorted.slice(newest.length).map(({ id }) => id);
    return newest.map((record) => ({ ...record, older }));
  });
}

/** Finds the record of this name. @throws ConflictError if there are several */
export function named<R extends TenantRecord>(records: readonly R[], name: string): R | undefined {
  const found = records.filter((record) => record.name === name);
  const [record] = found;
  if (record === undefined || found.length === 1) return record;
  throw new ConflictError(`The tenant has ${found.length} ${record.kind}s with the name ${name}.`, {
    hint: 'Rename or delete all but one, and run it again.',
    rows: found.map(({ id, revision }) => ({ id, name, revision })),
  });
}

/** `unlisted`: not in the file, stays unchanged. `skipped`: in the file, but no command can make the change. */
export type Verb = 'create' | 'update' | 'delete' | 'unchanged' | 'unlisted' | 'skipped';

export interface Change {
  readonly kind: AnyKind;
  readonly name: string;
  readonly verb: Verb;
  /** Members that a create or an update changes. */
  readonly members: readonly MemberChange[];
  /** Members in the file; undefined for a resource that is not in the file. */
  readonly stated?: Members;
  /** All members after a create or an update. */
  readonly after?: Members;
  /** Why the resource is skipped. */
  readonly reason?: string;
  /** The service's record; undefined for a create. */
  readonly record?: TenantRecord;
}

/** Creates the error for a resource that has changed since the plan. @param how it differs, if known */
export function outdated({ kind, name }: Pick<TenantRecord, 'kind' | 'name'>, how?: string): ConflictError {
  const more = how === undefined ? '' : `: ${how}`;
  return new ConflictError(`The ${kind} ${name} changed after it was compared with the file${more}.`, {
    hint: 'It was not overwritten. Look at the new difference with --dry-run, then apply the file again.',
  });
}
