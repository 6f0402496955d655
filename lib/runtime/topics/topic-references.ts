/** Topics that policies refer to: by name in a file, by id and revision in the service. */

import { isObject, type JsonObject, objectOf } from '../../core/json.ts';
import type { Path } from '../../core/places.ts';

export interface KnownTopic {
  /** Undefined until the topic is created. */
  readonly id: string | undefined;
  readonly revision: number;
}

export type KnownTopics = ReadonlyMap<string, KnownTopic>;

/** A reference as it was written or sent. */
interface Reference extends JsonObject {
  readonly topic_id?: unknown;
  readonly topic_name?: unknown;
  readonly revision?: unknown;
}

/** Applies a change to every reference of a policy. */
function mapReferences(value: unknown, change: (topic: Reference, path: Path) => Reference, path: Path = []): unknown {
  if (Array.isArray(value)) {
    const isReferences = path[path.length - 1] === 'topic' && path.includes('topic-list');
    return value.map((item: unknown, at) =>
      isReferences && isObject(item) ? change(item, [...path, at]) : mapReferences(item, change, [...path, at]),
    );
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, mapReferences(member, change, [...path, name])]);
  return Object.fromEntries(members) as JsonObject;
}

/** Adds ids and revisions to the references of a file. @param each is called for every reference */
export function resolveTopics(
  policy: JsonObject,
  topics: KnownTopics,
  each: (reference: Reference, path: Path) => void = () => undefined,
): JsonObject {
  const resolved = mapReferences(policy, (reference, path) => {
    each(reference, path);
    const { topic_name, revision } = reference;
    const topic = topics.get(String(topic_name));
    const id = topic?.id === undefined ? {} : { topic_id: topic.id };
    return { topic_name, revision: revision ?? topic?.revision, ...id };
  });
  return objectOf(resolved);
}

interface NamedTopic {
  readonly id: string;
  readonly name: string;
}

/** Puts the topics' current names into the references of a tenant's policy. */
export function renameTopics(policy: JsonObject, topics: readonly NamedTopic[]): JsonObject {
  const names = new Map(topics.map(({ id, name }) => [id, name] as const));
  const renamed = mapReferences(policy, (reference) => {
    const name = names.get(String(reference.topic_id)) ?? reference.topic_name;
    return { ...reference, topic_name: name };
  });
  return objectOf(renamed);
}

/** Lists the references of a policy, as they were written or sent. */
export function referencesIn(policy: unknown): readonly Reference[] {
  const found: Reference[] = [];
  mapReferences(policy, (reference) => {
    found.push(reference);
    return reference;
  });
  return found;
}

/** Lists the topics that a policy refers to, as revisions by id. */
export function topicsIn(policy: unknown): ReadonlyMap<string, number> {
  // Without a revision, the service uses the topic's first content.
  return new Map(referencesIn(policy).map(({ topic_id, revision }) => [String(topic_id), Number(revision ?? 0)]));
}
