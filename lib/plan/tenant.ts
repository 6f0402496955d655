/** Reads the topics and security profiles of a tenant. */
import { ConflictError, NotFoundError, ResponseError } from '../errors.ts';
import { asText, type JsonObject, objectOf } from '../json.ts';
import type { CommandOutput, RunCommand } from '../run-command.ts';

export interface TopicRecord {
  readonly kind: 'topic';
  readonly id: string;
  readonly name: string;
  readonly revision: number;
  readonly members: JsonObject;
}

export interface ProfileRecord {
  readonly kind: 'profile';
  readonly id: string;
  readonly name: string;
  readonly revision: number;
  /** `active` and `policy`. */
  readonly members: JsonObject;
  /** Identifiers of older revisions, the newest first, where each has its own. */
  readonly older: readonly string[];
}

export type TenantRecord = TopicRecord | ProfileRecord;

/** The topics and profiles of a tenant at one moment. */
export interface Tenant {
  readonly topics: readonly TopicRecord[];
  readonly profiles: readonly ProfileRecord[];
  readonly simulated: boolean;
}

/** No tenant has as many. */
const MOST = '100000000';

/** @throws ResponseError if a list is incomplete */
export async function readTenant(run: RunCommand): Promise<Tenant> {
  const topics = await run('aisec-runtime-topics-list', { limit: MOST });
  const profiles = await run('aisec-runtime-profiles-list', { limit: MOST });
  refuseIncomplete(topics, 'topics');
  refuseIncomplete(profiles, 'security profiles');
  const policies = Array.isArray(profiles.raw) ? profiles.raw.map(objectOf) : [];
  const all = profiles.records.map((record, at) => profileRecord({ ...record, policy: policies[at]?.['policy'] }));
  return {
    topics: latest(topics.records.map(topicRecord), ({ id }) => id),
    profiles: latest(all, ({ name }) => name),
    simulated: topics.simulated || profiles.simulated,
  };
}

function refuseIncomplete({ incomplete }: CommandOutput, what: string): void {
  if (incomplete !== true) return;
  throw new ResponseError(`The list of ${what} is incomplete: the service sent a page twice.`, {
    hint: 'A plan needs all of them: try again later.',
  });
}

/**
 * Reads one topic by its id, or a topic or a profile by its name. The id of a profile may be that of an old revision.
 * @returns undefined if there is none
 */
export async function recordOf(
  { kind, name, id }: { readonly kind: TenantRecord['kind']; readonly name: string; readonly id: string | undefined },
  run: RunCommand,
): Promise<TenantRecord | undefined> {
  try {
    if (kind === 'profile') {
      return profileRecord((await run('aisec-runtime-profiles-get', { profile_name: name })).record);
    }
    const wanted = id === undefined ? { topic_name: name } : { topic_id: id };
    return topicRecord((await run('aisec-runtime-topics-get', wanted)).record);
  } catch (thrown) {
    if (thrown instanceof NotFoundError) return undefined;
    throw thrown;
  }
}

/** Reads a topic. @param record of `AiSec.Topic` or `AiSec.TopicGet` */
export function topicRecord(record: JsonObject): TopicRecord {
  const { topic_id, topic_name, revision, description, examples } = record;
  return {
    kind: 'topic',
    id: textOf(topic_id),
    name: textOf(topic_name),
    revision: Number(revision ?? 0),
    members: { description, examples },
  };
}

/** Reads a profile. @param record of `AiSec.SecurityProfileGet` */
export function profileRecord({ id, name, revision, active, policy }: JsonObject): ProfileRecord {
  return {
    kind: 'profile',
    id: textOf(id),
    name: textOf(name),
    revision: Number(revision ?? 0),
    members: { active, policy: objectOf(policy) },
    older: [],
  };
}

function textOf(value: unknown): string {
  return asText(value ?? '');
}

/** Keeps the highest revision of each, in the order of the list. */
function latest<R extends TenantRecord>(records: readonly R[], identify: (record: R) => string): R[] {
  const groups = new Map<string, R[]>();
  for (const record of records) {
    const group = groups.get(identify(record)) ?? [];
    group.push(record);
    groups.set(identify(record), group);
  }
  return [...groups.values()].flatMap((group) => newestOf(group));
}

/** Two records with one name and one revision are two resources. */
function newestOf<R extends TenantRecord>(group: readonly R[]): R[] {
  const sorted = group.toSorted((one, other) => other.revision - one.revision);
  const newest = sorted.filter(
    ({ revision, id }, at) => revision === sorted[0]?.revision && sorted.findIndex((each) => each.id === id) === at,
  );
  const older = [...new Set(sorted.map(({ id }) => id))].filter((id) => newest.every((each) => each.id !== id));
  return newest.map((record) => (record.kind === 'profile' ? { ...record, older } : record));
}

/** Finds the record of this name. @throws ConflictError if there are several */
export function named<R extends TenantRecord>(records: readonly R[], name: string): R | undefined {
  const found = records.filter((record) => record.name === name);
  if (found.length < 2) return found[0];
  const [{ kind } = { kind: '' }] = found;
  throw new ConflictError(`The tenant has ${found.length} ${kind}s with the name ${name}.`, {
    hint: 'Rename or delete all but one, and run it again.',
    rows: found.map(({ id, revision }) => ({ id, name, revision })),
  });
}
