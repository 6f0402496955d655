/** Writes the topics and the security profiles of a tenant as entries of a guardrails file. */
import { ResponseError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json.ts';
import { comparable, requirePolicy } from '../plan.ts';
import { byText, portablePolicy, sortedTexts } from '../portable.ts';
import { named, type Tenant, type TenantRecord } from '../tenant.ts';
import { referencesIn } from '../topic-references.ts';
import type { Part } from './part.ts';

const byName = (one: TenantRecord, other: TenantRecord) => byText(one.name, other.name);

/**
 * Writes the topics.
 * @throws ResponseError for a topic without its content; ConflictError if two topics have one name
 */
export function topicsPart({ topics }: Tenant): Part {
  const entries = topics.toSorted(byName).map((record) => {
    const { name, members } = record;
    named(topics, name);
    const { description, examples } = members;
    if (typeof description !== 'string' || description === '' || !Array.isArray(examples) || examples.length === 0) {
      throw lacking(record, 'description and examples');
    }
    return { name, description, examples: sortedTexts(examples) };
  });
  return { entries, notes: [] };
}

/**
 * Writes the security profiles.
 * @throws ResponseError for a profile without its policy; ConflictError if two profiles have one name
 */
export function profilesPart(tenant: Tenant): Part {
  const { topics, profiles } = tenant;
  const notes: string[] = [];
  const entries = profiles.toSorted(byName).map((record): JsonObject => {
    const { name, members } = record;
    named(profiles, name);
    requirePolicy(record);
    if (typeof members['active'] !== 'boolean') throw lacking(record, 'state');
    const { policy = {} } = comparable(members, topics);
    for (const note of notesOn(policy, tenant)) notes.push(`profile ${name} ${note}`);
    return { name, active: members['active'], policy: portablePolicy(policy) };
  });
  return { entries, notes };
}

/** Says what the file cannot have of the topics of a policy: revisions, and topics that no list has. */
function notesOn(policy: JsonObject, { topics }: Tenant): string[] {
  return referencesIn(policy).flatMap(({ topic_id, topic_name, revision }) => {
    const topic = topics.find(({ id }) => id === topic_id);
    if (topic === undefined) return [`refers to the topic ${String(topic_name)}, which the tenant does not list.`];
    if (Number(revision ?? 0) === topic.revision) return [];
    return [`stays at revision ${Number(revision ?? 0)} of topic ${topic.name}; by the file it has the newest one.`];
  });
}

function lacking({ kind, name }: TenantRecord, what: string): ResponseError {
  return new ResponseError(`The service listed the ${kind} ${name} without its ${what}.`, {
    hint: 'Nothing was written, because the file would lose it: try again later.',
  });
}
