import { ApiKey, ApiKeyCreate, ApiKeyDeleted, ApiKeyRegenerate } from '../../context/runtime/api-keys.ts';
import {
  command,
  email,
  limit,
  management,
  many,
  number,
  offset,
  one,
  path,
  tenant,
  text,
  uuid,
} from '../../lib/runtime/engine/declare.ts';
import { API_KEYS, byName } from '../lookups.ts';

const rotation = {
  rotation_time_interval: number('Validity of the key, in rotation_time_unit.', {
    required: true,
    schema: { minimum: 1 },
  }),
  rotation_time_unit: text('Unit of the rotation interval.', { required: true, choices: ['hours', 'days', 'months'] }),
};

const api_key_name = text('Name of the API key.', { required: true, positional: true });

export const list = command('aisec-runtime-api-keys-list', 'List the runtime API keys.', {
  effect: 'read',
  args: { limit: limit(50), offset: offset({ extension: true }) },
  output: many(ApiKey),
  call: (args) => management.list(path`/v1/mgmt/apikeys/tsg/${tenant}`, { items: 'api_keys', ...args }),
});

export const create = command('aisec-runtime-api-keys-create', 'Create a runtime API key.', {
  effect: 'create',
  args: {
    api_key_name,
    auth_code: text('Authorization code of a deployment profile.', { required: true, secret: true }),
    cust_app: text('Name of the application that will use the key.', { required: true }),
    ...rotation,
    created_by: email('Email address of the person who creates the key.', { required: true }),
    dp_name: text('Name of the deployment profile.'),
    cust_env: text('Environment of the application.', { required: true, hints: ['production', 'staging'] }),
    cust_cloud_provider: text('Cloud provider of the application.', {
      required: true,
      hints: ['cloud_a', 'cloud_b', 'cloud_c', 'other'],
      tokens: 'cloud',
    }),
    cust_ai_agent_framework: text('Agent framework of the application.'),
  },
  output: one(ApiKeyCreate),
  hints: {
    400: 'Check auth_code, cust_env and cust_cloud_provider: the service registers the application together with the key.',
  },
  example:
    'api_key_name=chat-prod auth_code=@env:AUTH_CODE cust_app=chat rotation_time_interval=3 rotation_time_unit=months created_by=ana@example.com cust_env=production cust_cloud_provider=cloud_a',
  call: (args) => management.post(path`/v1/mgmt/apikey`, { ...args, revoked: false }),
});

export const regenerate = command(
  'aisec-runtime-api-keys-regenerate',
  'Replace a runtime API key: the old key stops working at once.',
  {
    effect: 'replace',
    args: {
      api_key_id: uuid('Identifier of the API key.', { lookup: API_KEYS, required: true, positional: true }),
      ...rotation,
      updated_by: email('Email address of the person who regenerates the key.'),
    },
    output: one(ApiKeyRegenerate),
    example: 'api_key_id=6f1c1a52-0b4e-4b7e-9d53-0d6a7f1c2b3a rotation_time_interval=3 rotation_time_unit=months',
    call: ({ api_key_id, ...body }) => management.post(path`/v1/mgmt/apikey/regenerate/${api_key_id}`, body),
  },
);

export const remove = command(
  'aisec-runtime-api-keys-delete',
  'Delete a runtime API key: every application that uses it loses access at once.',
  {
    effect: 'delete',
    args: {
      api_key_name: { ...api_key_name, lookup: byName(API_KEYS) },
      updated_by: email('Email address of the person who deletes the key.', { required: true }),
    },
    output: one(ApiKeyDeleted),
    example: 'api_key_name=chat-prod updated_by=ana@example.com',
    call: ({ api_key_name, updated_by }) =>
      management.delete(path`/v1/mgmt/apikey/delete/${api_key_name}`, { updated_by }),
  },
);
