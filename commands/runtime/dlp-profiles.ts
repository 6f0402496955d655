import {
  DlpProfile,
  DlpProfileCreate,
  DlpProfileDelete,
  DlpProfileGet,
  DlpProfilePatch,
  DlpProfileReplace,
} from '../../context/runtime/dlp-profiles.ts';
import {
  command,
  dlp,
  flag,
  type JsonObject,
  json,
  MERGE_PATCH,
  many,
  notClearable,
  one,
  pages,
  path,
  ResponseError,
  text,
} from '../../lib/runtime/engine/declare.ts';
import { DLP_PROFILES } from '../lookups.ts';

/** Path of the data profiles. */
const all = path`/v2/api/data-profiles`;
const profile = (id: string) => path`/v2/api/data-profiles/${id}`;

const RULES = {
  type: 'array',
  items: {
    type: 'object',
    required: ['rule_type'],
    properties: { rule_type: { enum: ['expression_tree', 'multi_profile'] } },
  },
};
const rules = 'Detection rules: a JSON array of objects, each with rule_type and the structure of that type.';
const EXAMPLE =
  'name=Cards detection_rules=`[{"rule_type": "multi_profile", "multi_profile": {"data_profile_ids": [11000001], "operator_type": "or"}}]`';

const profile_id = text('Identifier of the data profile.', { lookup: DLP_PROFILES, required: true, positional: true });

const whole = {
  // The service documents 64 characters, but refuses more than 32.
  name: text('Name of the data profile, 1 to 32 characters.', {
    required: true,
    schema: { minLength: 1, maxLength: 32 },
  }),
  detection_rules: json<readonly JsonObject[]>()(rules, RULES, { required: true }),
  description: text('Description of the data profile.'),
  is_granular_data_profile: flag('Make the data profile granular.'),
};

const wholeHints = { 400: 'Check that every detection rule has the structure that belongs to its rule_type.' };

// A bug of the present service: docs/wire.md.
const patchHints = {
  500: 'The service is known to fail on patches of data profiles: check with !aisec-runtime-dlp-profiles-get whether the change was made; if not, use !aisec-runtime-dlp-profiles-replace.',
};

export const list = command('aisec-runtime-dlp-profiles-list', 'List one page of the DLP data profiles.', {
  effect: 'read',
  args: pages,
  output: many(DlpProfile),
  call: ({ page, size }) => dlp.list(all, { items: 'content', offset: page, limit: size }),
});

export const get = command('aisec-runtime-dlp-profiles-get', 'Get a DLP data profile with its detection rules.', {
  effect: 'read',
  args: { profile_id },
  output: one(DlpProfileGet),
  example: 'profile_id=11000001',
  call: ({ profile_id }) => dlp.get(profile(profile_id)),
});

export const create = command('aisec-runtime-dlp-profiles-create', 'Create a DLP data profile.', {
  effect: 'create',
  args: { ...whole, name: { ...whole.name, positional: true } },
  output: one(DlpProfileCreate),
  hints: wholeHints,
  example: EXAMPLE,
  call: (args) => dlp.post(all, args),
});

export const patch = command(
  'aisec-runtime-dlp-profiles-patch',
  'Patch a DLP data profile by a JSON merge patch; omitted fields keep their values.',
  {
    effect: 'update',
    args: {
      profile_id,
      name: notClearable('Name of the data profile.'),
      profile_type: text('Type of the data profile.', { required: true, choices: ['basic', 'advanced'] }),
      description: text('Description of the data profile.', { clearable: true }),
      detection_rules: json<readonly JsonObject[]>()(`${rules} They replace all existing rules.`, RULES, {
        clearable: true,
      }),
    },
    output: one(DlpProfilePatch),
    hints: patchHints,
    example: 'profile_id=11995001 name="Customer Records" profile_type=basic description=null',
    call: ({ profile_id, ...args }) => dlp.patch(profile(profile_id), args, MERGE_PATCH),
  },
);

export const replace = command(
  'aisec-runtime-dlp-profiles-replace',
  'Replace a DLP data profile; omitted fields are lost.',
  {
    effect: 'replace',
    args: { profile_id, ...whole },
    output: one(DlpProfileReplace),
    hints: wholeHints,
    example: `profile_id=11995001 ${EXAMPLE}`,
    call: ({ profile_id, ...args }) => dlp.put(profile(profile_id), args),
  },
);

export const remove = command(
  'aisec-runtime-dlp-profiles-delete',
  'Delete a DLP data profile. Marks it deleted; the API has no hard delete.',
  {
    effect: 'delete',
    args: { profile_id },
    output: one(DlpProfileDelete),
    hints: {
      500: 'The service is known to fail on patches of data profiles: check with !aisec-runtime-dlp-profiles-get whether profile_status is deleted, and repeat the command if not.',
    },
    example: 'profile_id=11995001',
    run: async ({ profile_id }, { api, note }) => {
      const { name, profile_type } = await api.fetch(dlp.get(profile(profile_id)));
      if (typeof name !== 'string' || typeof profile_type !== 'string') {
        throw new ResponseError(`The service returned no name or no profile_type of the data profile ${profile_id}.`, {
          hint: 'A deletion must send both, so nothing was changed.',
        });
      }
      const body = { name, profile_type, profile_status: 'deleted' };
      const { profile_status } = await api.fetch(dlp.patch(profile(profile_id), body, MERGE_PATCH));
      if (profile_status !== 'deleted') {
        note('The service accepted the change, but does not report the data profile as deleted: get it again.');
      }
      return { name, profile_status };
    },
  },
);
