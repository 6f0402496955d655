import { limit, paging, skip, uuid } from './red-team-arguments.ts';
import * as fields from './red-team-targets-fields.ts';
import type { ContractCommand } from './types.ts';

const targets: readonly ContractCommand[] = [
  {
    command: 'aisec-redteam-targets-list',
    arguments: [limit, { name: 'target_type' }, { name: 'status' }],
    extensions: [skip],
    context: 'AiSec.RedTeamTarget',
    outputs: fields.target,
  },
  {
    command: 'aisec-redteam-targets-create',
    arguments: [
      { name: 'name', required: true },
      { name: 'description' },
      { name: 'target_type' },
      { name: 'connection_type' },
      { name: 'api_endpoint_type' },
      { name: 'response_mode' },
      { name: 'session_supported', kind: 'boolean' },
      { name: 'connection_params', kind: 'json' },
      { name: 'validate', default: 'false', kind: 'boolean' },
    ],
    context: 'AiSec.RedTeamTargetCreate',
    outputs: fields.targetCreate,
  },
  {
    command: 'aisec-redteam-targets-get',
    arguments: [uuid],
    context: 'AiSec.RedTeamTargetGet',
    outputs: fields.targetGet,
  },
  {
    command: 'aisec-redteam-targets-update',
    arguments: [
      uuid,
      { name: 'name' },
      { name: 'description' },
      { name: 'target_type' },
      { name: 'connection_type' },
      { name: 'connection_params', kind: 'json' },
      { name: 'validate', kind: 'boolean' },
    ],
    context: 'AiSec.RedTeamTargetUpdate',
    outputs: fields.targetUpdate,
  },
  {
    command: 'aisec-redteam-targets-delete',
    arguments: [uuid],
    context: 'AiSec.RedTeamTargetDelete',
    outputs: fields.targetDelete,
  },
  {
    command: 'aisec-redteam-targets-probe',
    arguments: [
      { name: 'name', required: true },
      { name: 'uuid' },
      { name: 'description' },
      { name: 'target_type' },
      { name: 'connection_type' },
      { name: 'connection_params', kind: 'json' },
      { name: 'probe_fields', kind: 'list' },
    ],
    context: 'AiSec.RedTeamTargetProbe',
    outputs: fields.targetProbe,
  },
  {
    command: 'aisec-redteam-targets-profile',
    arguments: [{ name: 'target_uuid', required: true }],
    context: 'AiSec.RedTeamTargetProfile',
    outputs: fields.targetProfile,
  },
  {
    command: 'aisec-redteam-targets-update-profile',
    arguments: [
      { name: 'target_uuid', required: true },
      { name: 'target_background', kind: 'json' },
      { name: 'additional_context', kind: 'json' },
    ],
    context: 'AiSec.RedTeamTargetUpdateProfile',
    outputs: fields.targetUpdateProfile,
  },
  {
    command: 'aisec-redteam-targets-metadata',
    arguments: [],
    context: 'AiSec.RedTeamTargetMetadata',
    outputs: fields.dictionary,
  },
  {
    command: 'aisec-redteam-targets-validate-auth',
    arguments: [
      { name: 'auth_type', required: true },
      { name: 'auth_config', required: true, kind: 'json' },
      { name: 'target_id' },
      { name: 'network_broker_channel_uuid' },
    ],
    context: 'AiSec.RedTeamTargetAuthValidation',
    outputs: fields.targetAuthValidation,
  },
  {
    command: 'aisec-redteam-targets-templates',
    arguments: [],
    context: 'AiSec.RedTeamTargetTemplate',
    outputs: fields.targetTemplate,
  },
  {
    command: 'aisec-redteam-targets-error-logs',
    arguments: [{ name: 'target_id', required: true }, ...paging],
    context: 'AiSec.RedTeamTargetErrorLog',
    outputs: fields.errorLog,
  },
];

const adapters: readonly ContractCommand[] = [
  {
    command: 'aisec-redteam-adapters-list',
    arguments: [...paging, { name: 'include_target_count', kind: 'boolean' }],
    context: 'AiSec.RedTeamAdapter',
    outputs: fields.adapter,
  },
  {
    command: 'aisec-redteam-adapters-get',
    arguments: [uuid],
    context: 'AiSec.RedTeamAdapter',
    outputs: fields.adapterGet,
  },
  {
    command: 'aisec-redteam-adapters-create',
    arguments: [
      { name: 'name', required: true },
      { name: 'prompt', required: true },
      { name: 'script' },
      { name: 'script_b64' },
      { name: 'description' },
      { name: 'network_broker_channel_uuid' },
      { name: 'variables', kind: 'json' },
      { name: 'validate', default: 'true', kind: 'boolean' },
    ],
    context: 'AiSec.RedTeamAdapter',
    outputs: fields.adapterCreate,
  },
  {
    command: 'aisec-redteam-adapters-update',
    arguments: [
      uuid,
      { name: 'prompt', required: true },
      { name: 'name' },
      { name: 'script' },
      { name: 'script_b64' },
      { name: 'description' },
      { name: 'network_broker_channel_uuid' },
      { name: 'variables', kind: 'json' },
      { name: 'validate', default: 'true', kind: 'boolean' },
    ],
    context: 'AiSec.RedTeamAdapter',
    outputs: fields.adapterUpdate,
  },
  {
    command: 'aisec-redteam-adapters-delete',
    arguments: [uuid],
    context: 'AiSec.RedTeamAdapterDelete',
    outputs: fields.adapterDelete,
  },
  {
    command: 'aisec-redteam-adapters-validate',
    arguments: [
      { name: 'network_broker_channel_uuid', required: true },
      { name: 'prompt', required: true },
      { name: 'script' },
      { name: 'script_b64' },
      { name: 'variables', kind: 'json' },
      { name: 'adapter_uuid' },
    ],
    context: 'AiSec.RedTeamAdapterValidation',
    outputs: fields.adapterValidation,
  },
];

/** Targets and adapters: 12 and 6 commands. */
export const targetCommands: readonly ContractCommand[] = [...targets, ...adapters];
