import { boolean, date, record, string, timestamp } from '../../lib/runtime/output/record.ts';
import { deleted, message } from '../deletion.ts';

const created_at = date('When the key was created.', { from: ['creation_ts', 'created_at'] });

const id = string('Identifier of the key.', { from: 'api_key_id' });
const name = string('Name of the key.', { from: 'api_key_name' });
const last8 = string('Last eight characters of the key.', { from: 'api_key_last8' });
const expires_at = date('When the key expires.', { from: 'expiration' });
const revoked = boolean('Whether the key is revoked.');

/** Fields after creating or regenerating a key, the only responses with the key itself. */
const issued = {
  id,
  name,
  api_key: string('The key itself; the service returns it only once.', { secret: true, once: true, required: true }),
  last8,
  auth_code: string('Authorization code of the deployment profile.', { secret: true }),
  expires_at,
  revoked,
  cust_app: string('Customer application that uses the key.'),
};

export const ApiKey = record(
  'AiSec.ApiKey',
  'Runtime API Keys',
  'id',
  {
    id,
    name,
    last8,
    created_at,
    expires_at,
    revoked,
  },
  { firstColumns: ['name', 'id', 'last8', 'revoked', 'expires_at', 'created_at'] },
);

export const ApiKeyCreate = record('AiSec.ApiKeyCreate', 'Runtime API Key Created', 'id', {
  ...issued,
  created_at,
  created_by: string('Email address of the person who created the key.'),
});

export const ApiKeyRegenerate = record('AiSec.ApiKeyRegenerate', 'Runtime API Key Regenerated', 'id', {
  ...issued,
  updated_at: timestamp('When the key was regenerated.', { from: ['last_modified_ts', 'updated_at'] }),
  updated_by: string('Email address of the person who regenerated the key.'),
});

export const ApiKeyDeleted = record('AiSec.ApiKeyDeleted', 'Runtime API Key Deleted', 'api_key_name', {
  api_key_name: string('Name of the key.', { argument: 'api_key_name' }),
  deleted_by: string('Email address of the person who deleted the key.', { argument: 'updated_by' }),
  message,
  deleted,
});
