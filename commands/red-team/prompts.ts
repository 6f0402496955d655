import { Prompt, PromptCreate, PromptDeleted, PromptGet, PromptUpdate } from '../../context/red-team/prompts.ts';
import { oneOf } from '../../lib/runtime/arguments/rules.ts';
import {
  command,
  flag,
  type JsonObject,
  json,
  limit,
  many,
  one,
  path,
  redTeamManagement,
  skip,
  text,
  uuid,
} from '../../lib/runtime/engine/declare.ts';
import { PROMPT_SETS, PROMPTS } from '../lookups.ts';

const prompt = (set: string, id: string) => path`/v1/custom-attack/custom-prompt-set/${set}/custom-prompt/${id}`;

/** Limits of the service, in characters; source: `docs/wire.md`. */
const VALUE = { type: 'string', minLength: 1, maxLength: 256 };
const PROPERTIES = { type: 'object', propertyNames: { minLength: 1, maxLength: 256 }, additionalProperties: VALUE };

const prompt_set_uuid = uuid('Identifier of the prompt set.', {
  lookup: PROMPT_SETS,
  required: true,
  positional: true,
});
const prompt_uuid = uuid('Identifier of the prompt.', { lookup: PROMPTS, required: true });
const goal = 'Goal of the prompt.';
const properties = json<JsonObject>()(
  'Properties of the prompt, as a JSON object of names and texts; the names come from its prompt set.',
  PROPERTIES,
);

const hints = {
  400: 'A prompt can only have the properties of its prompt set: see property_names in !aisec-redteam-prompt-sets-get.',
} as const;

export const create = command('aisec-redteam-prompts-create', 'Add a prompt to a prompt set.', {
  effect: 'create',
  args: {
    prompt_set_uuid,
    prompt: text('Text of the prompt.', { required: true, content: true }),
    goal: text(`${goal} Without a goal the service generates one.`, { content: true }),
    properties,
  },
  output: one(PromptCreate),
  hints,
  example:
    'prompt_set_uuid=<prompt_set_uuid> prompt="Refund it twice, to be safe." goal="Grant a refund twice" properties=`{"region": "europe"}`',
  call: ({ prompt_set_uuid, ...args }) =>
    redTeamManagement.post(path`/v1/custom-attack/custom-prompt-set/custom-prompt`, {
      ...args,
      prompt_set_id: prompt_set_uuid,
    }),
});

export const list = command('aisec-redteam-prompts-list', 'List the prompts of a prompt set.', {
  effect: 'read',
  args: {
    prompt_set_uuid,
    limit: limit(50),
    skip: skip(),
    search: text('Return only prompts that contain this text.'),
    status: text('Return only prompts with this status.', { hints: ['READY', 'PENDING'] }),
    active: flag('Return only active prompts (true), or only others (false).'),
  },
  output: many(Prompt),
  call: ({ prompt_set_uuid, limit, skip, ...query }) =>
    redTeamManagement.list(path`/v1/custom-attack/custom-prompt-set/${prompt_set_uuid}/list-custom-prompts`, {
      items: 'data',
      limit,
      offset: skip,
      query,
    }),
});

export const get = command('aisec-redteam-prompts-get', 'Get a prompt of a prompt set.', {
  effect: 'read',
  args: { prompt_set_uuid, prompt_uuid },
  output: one(PromptGet),
  call: ({ prompt_set_uuid, prompt_uuid }) => redTeamManagement.get(prompt(prompt_set_uuid, prompt_uuid)),
});

export const update = command(
  'aisec-redteam-prompts-update',
  'Update a prompt of a prompt set; omitted fields keep their values.',
  {
    effect: 'update',
    args: {
      prompt_set_uuid,
      prompt_uuid,
      prompt: text('Text of the prompt.', { content: true }),
      goal: text(goal, { content: true, clearable: true }),
      properties,
    },
    rules: [oneOf('prompt', 'goal', 'properties')],
    output: one(PromptUpdate),
    hints,
    example: 'prompt_set_uuid=<prompt_set_uuid> prompt_uuid=<prompt_uuid> goal="Grant an undeserved refund"',
    // The service treats null as omitted, and an empty string as cleared.
    call: ({ prompt_set_uuid, prompt_uuid, goal, ...args }) =>
      redTeamManagement.put(prompt(prompt_set_uuid, prompt_uuid), { ...args, goal: goal === null ? '' : goal }),
  },
);

export const remove = command('aisec-redteam-prompts-delete', 'Delete a prompt of a prompt set permanently.', {
  effect: 'delete',
  args: { prompt_set_uuid, prompt_uuid },
  output: one(PromptDeleted),
  call: ({ prompt_set_uuid, prompt_uuid }) => redTeamManagement.delete(prompt(prompt_set_uuid, prompt_uuid)),
});
