/** Finds a custom topic, and the security profile in which it is active. */

import { NotFoundError, PreconditionError, ServiceError, UsageError } from '../../core/errors.ts';
import { list, numberOf, object, textOf } from '../../core/received.ts';
import { didYouMean } from '../../runtime/arguments/suggest.ts';
import type { RunCommand } from '../../runtime/engine/command-port.ts';
import { runCommand } from '../scans/commands.ts';

export type TopicAction = 'block' | 'allow';

/** A topic in a profile. */
export interface TopicInForce {
  readonly topic: string;
  readonly profile: string;
  readonly revision: number | undefined;
  readonly action: TopicAction;
  /** The revision of the topic that the profile pins, and the newest one; undefined if unknown. */
  readonly pinned: number | undefined;
  readonly newest: number | undefined;
  /** Whether the profile has no other topic with this action. */
  readonly isOnly: boolean;
  /** Changes with the profile and with the topic, so that results of two states are never mixed. */
  readonly state: readonly string[];
}

const MAX_TOPICS = 1000;

const readTopics = list({ topic_id: textOf, topic_name: textOf, revision: numberOf });
const readProfiles = list({
  profile_id: textOf,
  profile_name: textOf,
  revision: numberOf,
  policy: object({
    'ai-security-profiles': list({
      'model-configuration': object({
        'model-protection': list({
          name: textOf,
          action: textOf,
          'topic-list': list({
            action: textOf,
            topic: list({ topic_id: textOf, topic_name: textOf, revision: numberOf }),
          }),
        }),
      }),
    }),
  }),
});

type Topic = ReturnType<typeof readTopics>[number];
type Profile = ReturnType<typeof readProfiles>[number];

/**
 * Finds the topic by its name, and the profile: the named profile, or the only profile with the topic.
 * @throws NotFoundError for an unknown topic or profile; PreconditionError if no profile has the topic; UsageError if
 * several do; ServiceError for an inconsistent list
 */
export async function topicInForce(
  name: string,
  profileName: string | undefined,
  run: RunCommand,
): Promise<TopicInForce> {
  const topics = await listed(run, 'aisec-runtime-topics-list');
  const topic = topicNamed(name, readTopics(topics));
  const profiles = newest(readProfiles(await listed(run, 'aisec-runtime-profiles-list')));
  const chosen = profileName === undefined ? onlyWith(topic, profiles) : profileNamed(profileName, profiles);
  const uses = usesOf(chosen);
  const use = uses.find((each) => isSame(each, topic));
  const profile = chosen.profile_name ?? '';
  const label = topic.topic_name ?? name;
  if (use === undefined) {
    throw new PreconditionError(`The security profile ${profile} does not have the topic ${label}.`, {
      hint: 'Name a profile that has it (--profile NAME), or add it: !aisec-runtime-topics-apply',
    });
  }
  if (use.action !== 'block' && use.action !== 'allow') {
    throw new PreconditionError(`The topic ${label} has neither the action block nor allow in ${profile}.`, {
      hint: 'Without an action it has no verdict to compare with the labels.',
    });
  }
  return {
    topic: label,
    profile,
    revision: chosen.revision,
    action: use.action,
    pinned: use.revision,
    newest: topic.revision,
    isOnly: uses.filter(({ action }) => action === use.action).length === 1,
    state: [chosen.profile_id, chosen.revision, topic.topic_id, topic.revision].map(String),
  };
}

async function listed(run: RunCommand, command: 'aisec-runtime-topics-list' | 'aisec-runtime-profiles-list') {
  const { raw, gap, incomplete } = await runCommand(run, command, { limit: MAX_TOPICS });
  if (gap === undefined && incomplete !== true) return raw;
  throw new ServiceError(`${command} is not complete${gap === undefined ? '' : `: ${gap}`}`, {
    hint: 'Nothing was scanned. Run it again.',
  });
}

/** Keeps the highest revision of each topic and profile, because the lists contain all revisions. */
function newest(profiles: readonly Profile[]): Profile[] {
  const found = new Map<string | undefined, Profile>();
  for (const profile of profiles) {
    const before = found.get(profile.profile_name);
    if (before === undefined || (profile.revision ?? 0) > (before.revision ?? 0))
      found.set(profile.profile_name, profile);
  }
  return [...found.values()];
}

function topicNamed(name: string, topics: readonly Topic[]): Topic {
  const found = topics
    .filter(({ topic_name, topic_id }) => topic_name === name || topic_id === name)
    .sort((one, other) => (other.revision ?? 0) - (one.revision ?? 0))[0];
  if (found !== undefined) return found;
  const names = topics.flatMap(({ topic_name }) => topic_name ?? []);
  throw new NotFoundError(`There is no custom topic "${name.slice(0, 60)}".`, {
    hint: didYouMean(name, names) ?? 'See the topics with: !aisec-runtime-topics-list',
  });
}

function profileNamed(name: string, profiles: readonly Profile[]): Profile {
  const found = profiles.find(({ profile_name }) => profile_name === name);
  if (found !== undefined) return found;
  const names = profiles.flatMap(({ profile_name }) => profile_name ?? []);
  throw new NotFoundError(`There is no security profile "${name.slice(0, 60)}".`, {
    hint: didYouMean(name, names) ?? 'See the profiles with: !aisec-runtime-profiles-list',
  });
}

function onlyWith(topic: Topic, profiles: readonly Profile[]): Profile {
  const found = profiles.filter((profile) => usesOf(profile).some((use) => isSame(use, topic)));
  const [first] = found;
  if (first === undefined) {
    throw new PreconditionError(`No security profile has the topic ${topic.topic_name}.`, {
      hint: 'Add it to a profile first: !aisec-runtime-topics-apply',
    });
  }
  if (found.length === 1) return first;
  const names = found.map(({ profile_name }) => profile_name).join(', ');
  throw new UsageError(`${found.length} security profiles have the topic ${topic.topic_name}: ${names}.`, {
    hint: 'Name the profile with --profile NAME.',
  });
}

function usesOf({ policy }: Profile) {
  return policy['ai-security-profiles']
    .flatMap((entry) => entry['model-configuration']['model-protection'])
    .filter(({ name, action = '' }) => name === 'topic-guardrails' && action !== '')
    .flatMap((guardrail) => guardrail['topic-list'])
    .flatMap(({ action, topic }) => topic.map((each) => ({ ...each, action: action?.toLowerCase() })));
}

/** A policy refers to a topic by id, or by name if it has no id. */
function isSame(use: Pick<Topic, 'topic_id' | 'topic_name'>, topic: Topic): boolean {
  return use.topic_id === undefined ? use.topic_name === topic.topic_name : use.topic_id === topic.topic_id;
}
