import { asText, isObject } from '../../lib/core/json.ts';
import { neutralKeys } from '../../lib/core/wire.ts';
import {
  boolean,
  type Fields,
  number,
  record,
  string,
  timestamp,
  unknown,
  type Wire,
  whole,
} from '../../lib/runtime/output/record.ts';
import { errorLogEntry } from './error-logs.ts';

const uuid = string('Identifier of the target.');
const name = string('Name of the target.');
const status = string('Status of the target, such as ACTIVE, READY, VALIDATING or FAILED.');
const active = boolean('Whether the target can be scanned.');
const validated = boolean('Whether the service has reached the target.');
const tsg_id = string('Tenant services group of the target.');
const target_type = string('Type of the target: APPLICATION, AGENT or MODEL.');
const connection_type = string('Connection type of the target, such as REST, STREAMING, WEBSOCKET or CUSTOM.', {
  tokens: 'vendor',
});
const created_at = timestamp('When the target was created.');
const updated_at = timestamp('When the target was last changed.');
const profiling_status = string('Status of the profiling.');
const target_metadata = unknown('Results of the probes, and the connection of the target.');
const target_background = unknown('Background: industry, use case, competitors.');
const additional_context = unknown('Technical context: model, architecture, languages, tools.');

const hidden = true;

export const Target = record(
  'AiSec.RedTeamTarget',
  'Red-Team Targets',
  'uuid',
  {
    uuid,
    name,
    status,
    active,
    validated,
    target_type,
    connection_type,
    created_at,
    updated_at,
    tsg_id: { ...tsg_id, hidden },
    description: string('Description of the target.', { hidden }),
    auth_type: string('How the service signs in to the target.', { hidden }),
    api_endpoint_type: string('Where the target can be reached from: PUBLIC, PRIVATE or NETWORK_BROKER.', { hidden }),
    response_mode: string('Response mode of the target, such as REST or STREAMING.', { hidden }),
    session_supported: boolean('Whether the target keeps a session over several turns.', { hidden }),
    created_by_user_id: string('Identifier of the user who created the target.', { hidden }),
    updated_by_user_id: string('Identifier of the user who changed the target last.', { hidden }),
  },
  { firstColumns: ['uuid', 'name', 'target_type', 'status', 'validated', 'created_at'] },
);

export const TargetCreate = record('AiSec.RedTeamTargetCreate', 'Red-Team Target Created', 'uuid', {
  uuid,
  name,
  status,
  active,
  validated,
  created_at,
});

export const TargetGet = record(
  'AiSec.RedTeamTargetGet',
  'Red-Team Target',
  'uuid',
  {
    uuid,
    name,
    status,
    active,
    validated,
    target_type,
    connection_type,
    profiling_status,
    target_metadata,
    target_background,
    additional_context,
    tsg_id,
  },
  { headline: ['status', 'name'] },
);

export const TargetUpdate = record('AiSec.RedTeamTargetUpdate', 'Red-Team Target Updated', 'uuid', {
  uuid,
  name,
  status,
  updated_at,
});

export const TargetDelete = record('AiSec.RedTeamTargetDelete', 'Red-Team Target Deleted', 'uuid', {
  uuid: { ...uuid, argument: 'uuid' },
  message: string('Message of the service.', { derive: ({ message }) => message ?? 'The target is deleted.' }),
  status: number('HTTP status of the response.', { httpStatus: true }),
});

const metadata = (member: string) => ({ from: `target_metadata.${member}` });

export const TargetProbe = record(
  'AiSec.RedTeamTargetProbe',
  'Red-Team Target Probed',
  'uuid',
  {
    uuid,
    name,
    status,
    validated,
    profiling_status,
    multi_turn_supported: boolean('Whether the target supports several turns.', metadata('multi_turn')),
    rate_limit_enabled: boolean('Whether the target limits its rate.', metadata('rate_limit_enabled')),
    content_filter_enabled: boolean('Whether the target filters content.', metadata('content_filter_enabled')),
    target_metadata,
  },
  { headline: ['status', 'name'] },
);

export const TargetProfile = record('AiSec.RedTeamTargetProfile', 'Red-Team Target Profile', 'target_id', {
  target_id: uuid,
  target_version: number('Version of the target that was profiled.'),
  status,
  profiling_status,
  target_background,
  additional_context,
  ai_generated_fields: unknown('Names of the members that profiling has filled in.'),
  other_details: unknown('Other results of the profiling.'),
});

export const TargetUpdateProfile = record(
  'AiSec.RedTeamTargetUpdateProfile',
  'Red-Team Target Profile Updated',
  'uuid',
  { uuid, name, status, active, validated, updated_at, target_background, additional_context },
);

export const TargetMetadata = whole(
  'AiSec.RedTeamTargetMetadata',
  'Fields of Red-Team Targets',
  unknown('Definitions of all configuration fields of targets, by name.', {
    heading: 'Fields',
    derive: (wire) => wire,
  }),
);

const bare = {
  id: string('Identifier of the template.'),
  name: string('Name of the template.'),
  is_custom: boolean('Whether the target is custom.'),
};
const answering = {
  ...bare,
  url: string('Address of the target.'),
  request_json: unknown('Body of a request.'),
  response_json: unknown('Body of an answer.'),
};
const takingFiles = { ...answering, file_request_json: unknown('Body of a request with a file.') };

function template(provider: string, members: Fields) {
  return unknown(`Connection fields of ${provider}.`, { members });
}

export const TargetTemplate = whole(
  'AiSec.RedTeamTargetTemplate',
  'Templates of Red-Team Targets',
  unknown('Connection fields by provider: VENDOR_A to VENDOR_E, REST, STREAMING, WEBSOCKET, CUSTOM_TARGET_ADAPTER.', {
    heading: 'Providers',
    derive: (wire) => neutralKeys('vendor', wire),
    show: fieldNames,
    members: {
      VENDOR_A: template('VENDOR_A', takingFiles),
      VENDOR_B: template('VENDOR_B', answering),
      VENDOR_C: template('VENDOR_C', answering),
      VENDOR_D: template('VENDOR_D', takingFiles),
      VENDOR_E: template('VENDOR_E', bare),
      REST: template('REST', takingFiles),
      STREAMING: template('STREAMING', takingFiles),
      WEBSOCKET: template('WEBSOCKET', {
        ...takingFiles,
        streaming_request_json: unknown('Body of a streaming request.'),
        streaming_response_json: unknown('Body of a streaming answer.'),
      }),
      CUSTOM_TARGET_ADAPTER: template('CUSTOM_TARGET_ADAPTER', bare),
    },
  }),
);

/** Formats one line per provider, with the names of its fields. */
function fieldNames(templates: unknown): unknown {
  if (!isObject(templates)) return templates;
  return Object.entries(templates).map(
    ([provider, fields]) => `${provider}: ${isObject(fields) ? Object.keys(fields).join(', ') : asText(fields)}`,
  );
}

export const TargetAuthValidation = record('AiSec.RedTeamTargetAuthValidation', 'Authentication Validation', [], {
  validated: boolean('Whether the service could sign in, or found the settings complete.'),
  token_preview: string('Beginning of the token that was fetched; the rest is masked.', { derive: preview }),
  expires_in: number('How long the token is valid, in seconds.'),
});

const SHOWN = 4;

/** Shortens the preview, which may show most of a short token. */
function preview({ token_preview: sent }: Wire): unknown {
  if (typeof sent !== 'string' || sent === '' || /\*|\.\.\.$|\u2026$/.test(sent)) return sent;
  return `${sent.slice(0, SHOWN)}***`;
}

export const TargetErrorLog = record(
  'AiSec.RedTeamTargetErrorLog',
  'Errors of the Red-Team Target',
  ['created_at', 'target_id', 'error_message'],
  errorLogEntry,
  { firstColumns: ['created_at', 'error_type', 'error_source', 'error_message'] },
);
