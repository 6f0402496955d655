import {
  Target,
  TargetAuthValidation,
  TargetCreate,
  TargetDelete,
  TargetErrorLog,
  TargetGet,
  TargetMetadata,
  TargetProbe,
  TargetProfile,
  TargetTemplate,
  TargetUpdate,
  TargetUpdateProfile,
} from '../../context/red-team/targets.ts';
import { replacing } from '../../lib/runtime/api/body.ts';
import { oneOf } from '../../lib/runtime/arguments/rules.ts';
import {
  cell,
  command,
  flag,
  heading,
  type JsonObject,
  json,
  limit,
  many,
  objectOf,
  one,
  path,
  redTeamData,
  redTeamManagement,
  skip,
  text,
  list as texts,
  uuid,
} from '../../lib/runtime/engine/declare.ts';
import { NETWORK_CHANNELS, TARGETS } from '../lookups.ts';
import { AGREEMENT } from './agreement.ts';
import { asRequest, isMaskedContent, WRITABLE, withoutConnection } from './target-content.ts';

const all = path`/v1/target`;
const target = (id: string) => path`/v1/target/${id}`;
const profileOf = (id: string) => path`/v1/target/${id}/profile`;

const TYPES = ['APPLICATION', 'AGENT', 'MODEL'] as const;
const OBJECT = { type: 'object' };

const id = uuid('Identifier of the target.', { lookup: TARGETS, required: true, positional: true });
const name = 'Name of the target.';

const described = {
  description: text('Description of the target.'),
  target_type: text('Type of the target.', { hints: TYPES }),
  connection_type: text('Connection type of the target.', {
    hints: [
      'REST',
      'STREAMING',
      'WEBSOCKET',
      'CUSTOM',
      'CUSTOM_TARGET_ADAPTER',
      'VENDOR_A',
      'VENDOR_B',
      'VENDOR_C',
      'VENDOR_D',
      'VENDOR_E',
    ],
    tokens: 'vendor',
  }),
};

// Secret, because it may contain credentials for the target.
const connection_params = json<JsonObject>()(
  'Connection of the target, as a JSON object: its address, with {INPUT} in request_json and {RESPONSE} in response_json.',
  OBJECT,
  { secret: true },
);

const reached = {
  ...AGREEMENT,
  400: 'Check connection_params against !aisec-redteam-targets-templates; see the errors of an existing target with !aisec-redteam-targets-error-logs.',
};

export const list = command('aisec-redteam-targets-list', 'List the red-team targets.', {
  effect: 'read',
  args: {
    limit: limit(50),
    target_type: text('Return only targets of this type.', { hints: TYPES }),
    status: text('Return only targets with this status, or whose profiling has this status.', {
      hints: [
        'ACTIVE',
        'FAILED',
        'READY',
        'VALIDATING',
        'DRAFT',
        'QUEUED',
        'IN_PROGRESS',
        'COMPLETED',
        'PARTIALLY_COMPLETE',
      ],
    }),
    skip: skip({ extension: true }),
  },
  output: many(Target),
  hints: {
    422: 'The service expects the types APPLICATION, AGENT and MODEL; the statuses that it accepts may differ from those that it returns.',
  },
  call: ({ limit, skip, ...query }) => redTeamManagement.list(all, { items: 'data', limit, offset: skip, query }),
});

export const create = command('aisec-redteam-targets-create', 'Create a red-team target.', {
  effect: 'create',
  args: {
    name: text(name, { required: true, positional: true }),
    ...described,
    api_endpoint_type: text('Reachability of the endpoint.', {
      hints: ['PUBLIC', 'PRIVATE', 'NETWORK_BROKER'],
    }),
    response_mode: text('Response mode of the target.', { hints: ['REST', 'STREAMING'] }),
    session_supported: flag('Session support: true if the target keeps a session over several turns.'),
    connection_params,
    validate: flag('Create the target only if the service can reach it, which may take two minutes.', {
      default: 'false',
    }),
  },
  output: one(TargetCreate),
  hints: reached,
  example:
    'name="Support chat" target_type=APPLICATION connection_type=REST connection_params=`{"api_endpoint": "https://chat.example.com/ask", "request_json": {"question": "{INPUT}"}, "response_json": {"answer": "{RESPONSE}"}, "response_key": "answer"}`',
  call: ({ validate, ...body }) => redTeamManagement.post(all, body, { query: { validate } }),
});

export const get = command('aisec-redteam-targets-get', 'Get a target with its profile.', {
  effect: 'read',
  args: { uuid: id },
  output: one(TargetGet),
  call: ({ uuid }) => redTeamManagement.get(target(uuid)),
});

export const update = command('aisec-redteam-targets-update', 'Update a target; omitted fields keep their values.', {
  effect: 'update',
  args: {
    uuid: id,
    name: text(name),
    ...described,
    description: text('Description of the target.', { clearable: true }),
    connection_params,
    validate: flag('Update the target only if the service can reach it, which may take two minutes; true by default.'),
  },
  output: one(TargetUpdate),
  hints: reached,
  example: 'uuid=<uuid> description="Answers customers on the web site." validate=false',
  run: async ({ uuid, validate, ...args }, { api, note }) => {
    // A replacement clears omitted members, so read the target first.
    const current = await api.fetch(redTeamManagement.get(target(uuid)));
    const body = replacing(asRequest(current), WRITABLE, args);
    if (isMaskedContent(body)) note('Secrets of the connection were sent masked, which keeps them.');
    const answer = await api.fetch(redTeamManagement.put(target(uuid), body, { query: { validate } }));
    return withoutConnection(answer);
  },
});

export const remove = command('aisec-redteam-targets-delete', 'Delete a target and its credentials permanently.', {
  effect: 'delete',
  args: { uuid: id },
  output: one(TargetDelete),
  call: ({ uuid }) => redTeamManagement.delete(target(uuid)),
});

export const probe = command(
  'aisec-redteam-targets-probe',
  'Probe the properties of a target; nothing is stored, and it may take minutes.',
  {
    effect: 'run',
    outside: true,
    args: {
      name: text(name, { required: true, positional: true }),
      uuid: uuid('Identifier of an existing target; it supplies the omitted arguments.', { lookup: TARGETS }),
      ...described,
      connection_params,
      probe_fields: texts('Properties to probe; by default all of them.', {
        hints: [
          'multi_turn',
          'rate_limit',
          'content_filter',
          'industry',
          'use_case',
          'competitors',
          'base_model',
          'core_architecture',
          'languages_supported',
          'tools_accessible',
          'system_prompt',
          'banned_keywords',
        ],
      }),
    },
    output: one(TargetProbe),
    hints: reached,
    example: 'name="Support chat" uuid=<uuid> probe_fields=industry,use_case',
    run: async (args, { api, note, show }) => {
      const { uuid } = args;
      // The service probes the connection in the request, so read it first.
      const current = uuid === undefined ? undefined : await api.fetch(redTeamManagement.get(target(uuid)));
      const body = current === undefined ? args : replacing(asRequest(current), WRITABLE, args);
      if (isMaskedContent(body)) {
        note('The target was probed with masked secrets: give connection_params if access was denied.');
      }
      const answer = await api.fetch(redTeamManagement.post(path`/v1/target/probe`, body));
      const { target_background, additional_context } = answer;
      const found = Object.entries({ ...objectOf(target_background), ...objectOf(additional_context) });
      const rows = found.map(([member, value]) => [heading(member), cell(value)]);
      if (rows.length > 0) show({ title: 'Self-description of the target', columns: ['Field', 'Value'], rows });
      return answer;
    },
  },
);

export const profile = command('aisec-redteam-targets-profile', 'Get the profile of a target.', {
  effect: 'read',
  args: { target_uuid: id },
  output: one(TargetProfile),
  call: ({ target_uuid }) => redTeamManagement.get(profileOf(target_uuid)),
});

export const updateProfile = command(
  'aisec-redteam-targets-update-profile',
  'Update the profile of a target without connecting to it; an omitted part keeps its value.',
  {
    effect: 'update',
    args: {
      target_uuid: id,
      target_background: json<JsonObject>()(
        'Background of the target, as a JSON object: industry, use_case, competitors.',
        OBJECT,
      ),
      additional_context: json<JsonObject>()(
        'Technical context of the target, as a JSON object: base_model, core_architecture, system_prompt, languages_supported, banned_keywords, tools_accessible.',
        OBJECT,
      ),
    },
    rules: [oneOf('target_background', 'additional_context')],
    output: one(TargetUpdateProfile),
    example: 'target_uuid=<target_uuid> target_background=`{"industry": "Insurance", "use_case": "Customer support"}`',
    run: async ({ target_uuid, ...args }, { api }) =>
      withoutConnection(await api.fetch(redTeamManagement.put(profileOf(target_uuid), args))),
  },
);

export const metadata = command(
  'aisec-redteam-targets-metadata',
  'Get the definitions of all configuration fields of targets.',
  {
    effect: 'read',
    args: {},
    output: one(TargetMetadata),
    call: () => redTeamManagement.get(path`/v1/template/target-metadata`),
  },
);

export const validateAuth = command(
  'aisec-redteam-targets-validate-auth',
  'Check authentication settings for a target; nothing is created or changed.',
  {
    effect: 'read',
    outside: true,
    args: {
      auth_type: text('Authentication type of the target.', {
        required: true,
        positional: true,
        hints: ['HEADERS', 'BASIC_AUTH', 'OAUTH2'],
      }),
      auth_config: json<JsonObject>()(
        'Authentication settings, as a JSON object, with live credentials.',
        { type: 'object', minProperties: 1 },
        { required: true, secret: true },
      ),
      target_id: uuid('Identifier of a target whose stored values replace the masked ones.', { lookup: TARGETS }),
      network_broker_channel_uuid: uuid('Identifier of the network channel to go through.', {
        lookup: NETWORK_CHANNELS,
      }),
    },
    output: one(TargetAuthValidation),
    hints: {
      ...AGREEMENT,
      400: 'Pass live credentials, and usually the target_id of their target.',
      422: 'HEADERS takes auth_header; BASIC_AUTH takes basic_auth_location and basic_auth_header; OAUTH2 takes oauth2_token_url, oauth2_headers, oauth2_body_params and oauth2_inject_header.',
    },
    example: 'auth_type=HEADERS auth_config=@env:TARGET_AUTH target_id=<target_id>',
    call: (args) => redTeamManagement.post(path`/v1/target/validate-auth`, args),
    notes: ({ validated, token_preview }) => [
      validated === true && (token_preview ?? '') === ''
        ? 'No token was fetched: the service may have checked only that the settings are complete.'
        : undefined,
    ],
  },
);

export const templates = command(
  'aisec-redteam-targets-templates',
  'Get the connection fields that each provider expects.',
  {
    effect: 'read',
    args: {},
    output: one(TargetTemplate),
    call: () => redTeamManagement.get(path`/v1/template/target-templates`),
  },
);

export const errorLogs = command(
  'aisec-redteam-targets-error-logs',
  'List the validation, probing and profiling errors of a target, the newest first.',
  {
    effect: 'read',
    args: {
      target_id: id,
      limit: limit(50),
      skip: skip(),
      search: text('Return only entries that contain this text.'),
    },
    output: many(TargetErrorLog),
    call: ({ target_id, limit, skip, ...query }) =>
      redTeamData.list(path`/v1/error-log/target-profile/${target_id}`, { items: 'data', limit, offset: skip, query }),
  },
);
