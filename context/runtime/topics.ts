import { boolean, date, number, record, string, timestamp, unknown } from '../../lib/runtime/output/record.ts';
import { deleted, message } from '../deletion.ts';

const topic_id = string('Identifier of the topic.');
const topic_name = string('Name of the topic.');
const revision = number('Revision; it starts at 1 and increases with each update.');
const description = string('Subject of the topic.');
const examples = unknown('Example prompts.');
const last_modified_ts = date('When the topic was last changed.', { heading: 'Last Modified' });
const created_by = string('Who created the topic.');
const updated_by = string('Who updated the topic last.');

const detail = {
  topic_id,
  topic_name,
  revision,
  active: boolean('Whether the topic is active.'),
  description,
  examples,
  created_by,
  updated_by,
  last_modified_ts,
  created_ts: timestamp('When the topic was created.', { heading: 'Created' }),
};

export const Topic = record(
  'AiSec.Topic',
  'Custom Topics',
  'topic_id',
  {
    topic_id,
    topic_name,
    revision,
    description,
    examples,
    last_modified_ts,
    created_by: { ...created_by, hidden: true },
    updated_by: { ...updated_by, hidden: true },
    csp_id: string('Customer support portal account of the tenant.', { hidden: true }),
    tsg_id: string('Tenant services group of the topic.', { hidden: true }),
  },
  { firstColumns: ['topic_id', 'topic_name', 'revision', 'description', 'last_modified_ts'] },
);

export const TopicGet = record('AiSec.TopicGet', 'Custom Topic', 'topic_id', detail);

export const TopicCreate = record('AiSec.TopicCreate', 'Custom Topic Created', 'topic_id', detail);

export const TopicUpdate = record('AiSec.TopicUpdate', 'Custom Topic Updated', 'topic_id', detail);

export const TopicDeleted = record('AiSec.TopicDeleted', 'Custom Topic Deleted', 'topic_id', {
  topic_id: { ...topic_id, argument: 'topic_id' },
  message,
  deleted,
  force: boolean('Whether the deletion was forced.', { argument: 'force' }),
});

export const TopicApplied = record('AiSec.TopicApplied', 'Custom Topic Applied', ['profile_name', 'topic_name'], {
  profile_name: string('Name of the security profile.', { argument: 'profile_name' }),
  profile_id: string('Identifier of the security profile, as the service returned it.'),
  topic_name: { ...topic_name, argument: 'topic_name' },
  topic_id,
  topic_revision: number('Revision of the topic that is pinned into the profile.'),
  action: string('Action for prompts that match the topic.', { argument: 'action' }),
  guardrail_action: string('Action for prompts that match no topic.'),
  applied: boolean('Whether the profile has the change when it is read again.', { required: true }),
});
