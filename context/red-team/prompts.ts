import { boolean, record, string, timestamp, unknown } from '../../lib/runtime/output/record.ts';
import { message, statusText } from '../deletion.ts';

const prompt_set_id = string('Identifier of the prompt set.', { from: 'prompt_set_id', argument: 'prompt_set_uuid' });

const hidden = true;

const prompt = {
  uuid: string('Identifier of the prompt.'),
  prompt: string('Text of the prompt.'),
  goal: string('Goal of the prompt.'),
  status: string('READY, or PENDING while the prompt is validated.'),
  active: boolean('Whether scans use the prompt.'),
  properties: unknown('Properties of the prompt: names and values.'),
  user_defined_goal: boolean('Whether a user wrote the goal.'),
  updated_at: timestamp('When the prompt was last changed.'),
  created_at: timestamp('When the prompt was created.'),
  prompt_set_id,
};

export const Prompt = record(
  'AiSec.RedTeamPrompts',
  'Prompts',
  'uuid',
  {
    ...prompt,
    user_defined_goal: { ...prompt.user_defined_goal, hidden },
    created_at: { ...prompt.created_at, hidden },
    prompt_set_id: { ...prompt_set_id, hidden },
  },
  { firstColumns: ['uuid', 'status', 'active', 'prompt', 'goal'] },
);

export const PromptGet = record('AiSec.RedTeamPromptGet', 'Prompt', 'uuid', {
  ...prompt,
  // Hidden, because it repeats the properties.
  property_assignments: unknown('The properties as a list of names and values.', { hidden }),
  detector_category: string('Category in which answers to the prompt are judged.'),
  severity: string('Severity if the attack succeeds.'),
  extra_info: unknown('Further details.'),
});

export const PromptCreate = record('AiSec.RedTeamPromptCreate', 'Prompt Created', 'uuid', prompt);

export const PromptUpdate = record('AiSec.RedTeamPromptUpdate', 'Prompt Updated', 'uuid', prompt);

export const PromptDeleted = record('AiSec.RedTeamPromptDeleted', 'Prompt Deleted', 'prompt_uuid', {
  prompt_uuid: string('Identifier of the prompt.', { argument: 'prompt_uuid' }),
  prompt_set_uuid: string('Identifier of the prompt set.', { argument: 'prompt_set_uuid' }),
  status: statusText('deleted'),
  message,
});
