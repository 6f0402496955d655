/**
 * The topic guardrails of a security profile's policy. Shapes: `docs/wire.md`.
 * The service returns null for empty lists, and rejects empty groups.
 */
import { asText, type JsonObject, objectOf, objectsOf } from '../../lib/runtime/engine/declare.ts';

const NAME = 'topic-guardrails';

/** A topic reference in a policy; without a revision, the service uses the first revision. */
export interface PinnedTopic {
  readonly topic_id: string;
  readonly topic_name: string;
  readonly revision: number;
}

export interface TopicChange {
  readonly topic: PinnedTopic;
  /** Action for prompts that match the topic. */
  readonly action: string;
  /** Action for prompts that match no topic; undefined keeps the current action. */
  readonly guardrail_action: string | undefined;
}

/** Adds the topic to a policy; other topics stay. */
export function withTopic(policy: unknown, change: TopicChange): JsonObject {
  const whole = objectOf(policy);
  const models = objectsOf(whole['ai-security-profiles']);
  const present = models.length > 0 ? models : [{ 'model-type': 'default', 'model-configuration': {} }];
  return {
    'dlp-data-profiles': [],
    ...whole,
    'ai-security-profiles': present.map((model) => withGuardrail(model, change)),
  };
}

/** Returns the action of the guardrail, if there is one. */
export function guardrailAction(policy: unknown): string | undefined {
  const models = objectsOf(objectOf(policy)['ai-security-profiles']);
  const actions = models.map((model) => guardrailOf(protectionsOf(model))?.['action']);
  return actions.filter((action): action is string => typeof action === 'string' && action !== '')[0];
}

/** Formats topics by action: `block: pets, weapons`. */
export function topicsByAction(policy: unknown): string {
  const models = objectsOf(objectOf(policy)['ai-security-profiles']);
  const lines = models.map((model) =>
    groupsOf(guardrailOf(protectionsOf(model)))
      .map(groupLine)
      .join('\n'),
  );
  return lines.filter((line) => line !== '').join('\n');
}

function groupLine(group: JsonObject): string {
  const names = objectsOf(group['topic']).map((topic) => asText(topic['topic_name']));
  return `${asText(group['action'])}: ${names.join(', ')}`;
}

function withGuardrail(model: JsonObject, change: TopicChange): JsonObject {
  const configuration = objectOf(model['model-configuration']);
  const protections = protectionsOf(model);
  const old = guardrailOf(protections);
  const action = change.guardrail_action ?? old?.['action'] ?? 'block';
  const guardrail = { options: [], ...old, name: NAME, action, 'topic-list': groupsWith(groupsOf(old), change) };
  const others = protections.filter((protection) => protection !== old);
  return { ...model, 'model-configuration': { ...configuration, 'model-protection': [...others, guardrail] } };
}

function groupsWith(groups: readonly JsonObject[], { topic, action }: TopicChange): JsonObject[] {
  const isSame = (other: JsonObject) =>
    other['topic_id'] === topic.topic_id || other['topic_name'] === topic.topic_name;
  const cleaned = groups.map((group) => ({
    ...group,
    topic: objectsOf(group['topic']).filter((other) => !isSame(other)),
  }));
  const target = cleaned.filter((group: JsonObject) => group['action'] === action)[0];
  const added = target === undefined ? [...cleaned, { action, topic: [topic] }] : cleaned;
  const placed = added.map((group) => (group === target ? { ...group, topic: [...group.topic, topic] } : group));
  return placed.filter((group) => group.topic.length > 0);
}

function protectionsOf(model: JsonObject): readonly JsonObject[] {
  return objectsOf(objectOf(model['model-configuration'])['model-protection']);
}

function guardrailOf(protections: readonly JsonObject[]): JsonObject | undefined {
  return protections.filter((protection) => protection['name'] === NAME)[0];
}

function groupsOf(guardrail: JsonObject | undefined): readonly JsonObject[] {
  return objectsOf(guardrail?.['topic-list']);
}
