import { Topic, TopicApplied, TopicCreate, TopicDeleted, TopicGet, TopicUpdate } from '../../context/runtime/topics.ts';
import { findLatest, idIn, latestOf, listAll, readMember } from '../../lib/runtime/api/find.ts';
import { combinedBytes, oneOf } from '../../lib/runtime/arguments/rules.ts';
import {
  asText,
  ConflictError,
  command,
  email,
  flag,
  limit,
  management,
  many,
  offset,
  one,
  path,
  tenant,
  text,
  list as texts,
  uuid,
  type Window,
} from '../../lib/runtime/engine/declare.ts';
import { byName, SECURITY_PROFILES, TOPICS } from '../lookups.ts';
import { readGuardedPolicy } from './policy-base.ts';
import { profiles } from './security-profiles.ts';
import { guardrailAction, topicsByAction, withTopic } from './topic-guardrails.ts';
import { lossOf, readAfter } from './topic-kept.ts';

const topics = (window: Window = {}) =>
  management.list(path`/v1/mgmt/topics/tsg/${tenant}`, { items: 'custom_topics', ...window });

/** Limits of the service, in bytes; source: `docs/wire.md`. */
const NAME = { maxBytes: 100 };
const DESCRIPTION = { maxBytes: 250 };
const EXAMPLES = { minItems: 2, maxItems: 5, items: { type: 'string', minLength: 1, maxBytes: 250 } };
const together = combinedBytes(['topic_name', 'description', 'examples'], 1000);

const topic_id = uuid('Identifier of the topic.', { lookup: TOPICS, required: true, positional: true });

export const list = command('aisec-runtime-topics-list', 'List the custom topics.', {
  effect: 'read',
  args: { limit: limit(100), offset: offset() },
  output: many(Topic),
  call: (args) => topics(args),
});

export const get = command('aisec-runtime-topics-get', 'Get a custom topic by id or by name.', {
  effect: 'read',
  args: {
    topic_id: uuid('Identifier of the topic.', { lookup: TOPICS }),
    topic_name: text('Name of the topic; its highest revision is returned.', {
      lookup: byName(TOPICS),
      positional: true,
    }),
  },
  rules: [oneOf('topic_id', 'topic_name')],
  output: one(TopicGet),
  example: 'topic_name="Stock tips"',
  run: (wanted, { api }) => findLatest(api, topics(), 'topic', wanted),
});

export const create = command('aisec-runtime-topics-create', 'Create a custom topic.', {
  effect: 'create',
  args: {
    topic_name: text('Name of the topic; it must be unique.', { required: true, positional: true, schema: NAME }),
    description: text('Subject of the topic.', { required: true, schema: DESCRIPTION }),
    examples: texts('Example prompts, two to five; a JSON array if a prompt contains a comma.', {
      required: true,
      schema: EXAMPLES,
    }),
    active: flag('Active state of the topic.', { default: 'true' }),
  },
  rules: [together],
  output: one(TopicCreate),
  example:
    'topic_name="Stock tips" description="Advice to buy or sell shares." examples=`["Which share should I buy?", "Sell now, or wait?"]`',
  call: (args) => management.post(path`/v1/mgmt/topic`, args),
});

export const update = command(
  'aisec-runtime-topics-update',
  'Update a custom topic: its revision increases, and omitted fields keep their values.',
  {
    effect: 'update',
    args: {
      topic_id,
      topic_name: text('Name of the topic; it may stay the same.', { required: true, schema: NAME }),
      description: text('Subject of the topic.', { schema: DESCRIPTION }),
      examples: texts('Example prompts, two to five; a JSON array if a prompt contains a comma.', {
        schema: EXAMPLES,
      }),
      active: flag('Active state of the topic.'),
    },
    rules: [together],
    output: one(TopicUpdate),
    example: 'topic_id=9c5b94b1-35ad-49bb-b118-8e8fc24abf80 topic_name="Stock tips" description="Advice on shares."',
    run: async ({ topic_id, ...args }, { api }) => {
      // An update clears omitted members, so read the topic first.
      const current = await findLatest(api, topics(), 'topic', { topic_id });
      const read = (member: string) =>
        readMember(current, member, 'topic', `Try again, or give ${member} in the same command.`);
      const kept = {
        description: args.description ?? read('description'),
        examples: args.examples ?? read('examples'),
        active: args.active ?? current['active'],
      };
      return api.fetch(management.put(path`/v1/mgmt/topic/uuid/${topic_id}`, { topic_name: args.topic_name, ...kept }));
    },
  },
);

export const remove = command('aisec-runtime-topics-delete', 'Delete a custom topic.', {
  effect: 'delete',
  args: {
    topic_id,
    force: flag('Delete the topic even if security profiles refer to it, and remove it from them.', {
      default: 'false',
    }),
    updated_by: email('Email address of the person who deletes the topic; used by a forced deletion.'),
  },
  output: one(TopicDeleted),
  hints: {
    403: 'A forced deletion needs a separate permission: ask the tenant to grant it to the API client.',
    409: 'Remove it from the profiles above, or repeat with force=true.',
  },
  example: 'topic_id=9c5b94b1-35ad-49bb-b118-8e8fc24abf80',
  call: ({ topic_id, force, updated_by }) =>
    force
      ? management.delete(path`/v1/mgmt/topic/force/${topic_id}`, { updated_by })
      : management.delete(path`/v1/mgmt/topic/${topic_id}`),
});

const ACTIONS = { choices: ['allow', 'block'], default: 'block' } as const;

export const apply = command(
  'aisec-runtime-topics-apply',
  'Add a custom topic to a security profile, pinned at its current revision; other topics stay.',
  {
    effect: 'update',
    args: {
      profile_name: text('Name of the security profile.', { lookup: byName(SECURITY_PROFILES), required: true }),
      topic_name: text('Name of the topic; it must exist.', {
        lookup: byName(TOPICS),
        required: true,
        positional: true,
      }),
      action: text('Action for prompts that match the topic.', ACTIONS),
      guardrail_action: text(
        'Action for prompts that match no topic: block needs allow topics, allow needs only block topics.',
        ACTIONS,
      ),
      keep_guardrail_action: flag('Keep the current guardrail action, and ignore guardrail_action.', {
        default: 'false',
        extension: true,
      }),
    },
    output: one(TopicApplied),
    example: 'profile_name=prod topic_name="Stock tips" guardrail_action=allow',
    run: async ({ profile_name, topic_name, action, ...args }, { api, note, show, partialFailure }) => {
      const known = await listAll(api, topics(), 'topic');
      const topic = latestOf(known, 'topic', { topic_name });
      const read = () => findLatest(api, profiles(), 'security profile', { profile_name });
      const profile = await read();
      const newest = readMember(topic, 'revision', 'topic', 'Try again later.');
      const pinned = { topic_id: idIn(topic, 'topic_id'), topic_name, revision: Number(asText(newest)) };
      const current = readGuardedPolicy(profile);
      const guardrail_action = args.keep_guardrail_action ? undefined : args.guardrail_action;
      const policy = withTopic(current, { topic: pinned, action, guardrail_action });

      const before = guardrailAction(current);
      const after = guardrailAction(policy);
      show({
        title: 'Guardrail',
        columns: ['', 'Before', 'After'],
        rows: [
          ['Prompts that match no topic', before ?? 'not set', after ?? ''],
          ['Topics', topicsByAction(current), topicsByAction(policy)],
        ],
      });
      if (after === 'block' && before !== 'block') {
        note('The profile now blocks every prompt that matches no allow topic.');
      }
      await refuseIfChanged(profile, read);
      const profile_id = idIn(profile, 'profile_id');
      const { active = true } = profile;
      const sent = { profile_name, active, policy };
      const updated = await api.fetch(management.put(path`/v1/mgmt/profile/uuid/${profile_id}`, sent));
      const kept = await readAfter(read);
      const loss = lossOf(sent, kept, known);
      if (loss !== undefined) partialFailure(loss);
      return {
        profile_id: updated['profile_id'] ?? profile_id,
        topic_id: pinned.topic_id,
        topic_revision: pinned.revision,
        guardrail_action: guardrailAction(kept?.['policy']),
        applied: loss === undefined,
      };
    },
  },
);

type Profile = Readonly<Record<string, unknown>>;

/** Reads the profile again just before the write, because the service has no conditional writes. */
async function refuseIfChanged(profile: Profile, read: () => Promise<Profile>): Promise<void> {
  const now = await read();
  if (JSON.stringify(now) === JSON.stringify(profile)) return;
  const revisions = `revision ${asText(profile['revision'])} became ${asText(now['revision'])}`;
  throw new ConflictError(`The security profile changed while the topic was being applied (${revisions}).`, {
    hint: 'Nothing was written. Run the command again to apply the topic to the profile as it is now.',
    retryable: true,
  });
}
