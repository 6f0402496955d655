import type { ContractFields } from './types.ts';
import { within } from './within.ts';

// As in the first document: a bare field has the type that another list of its resource states, else String.

export const target: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  tsg_id: 'String', // type not stated
  status: 'String', // type not stated
  active: 'Boolean',
  validated: 'Boolean',
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  description: 'String', // type not stated
  target_type: 'String', // type not stated
  connection_type: 'String', // type not stated
  auth_type: 'String', // type not stated
  api_endpoint_type: 'String', // type not stated
  response_mode: 'String', // type not stated
  session_supported: 'Boolean',
  created_by_user_id: 'String', // type not stated
  updated_by_user_id: 'String', // type not stated
};

export const targetCreate: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  status: 'String', // type not stated
  active: 'Boolean',
  validated: 'Boolean',
  created_at: 'Date', // type not stated
};

export const targetGet: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  tsg_id: 'String', // type not stated
  status: 'String', // type not stated
  active: 'Boolean',
  validated: 'Boolean',
  target_type: 'String', // type not stated
  connection_type: 'String', // type not stated
  profiling_status: 'String', // type not stated
  target_metadata: 'Unknown',
  target_background: 'Unknown',
  additional_context: 'Unknown',
};

export const targetUpdate: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  status: 'String', // type not stated
  updated_at: 'Date', // type not stated
};

export const targetDelete: ContractFields = {
  uuid: 'String', // type not stated
  message: 'String', // type not stated
  status: 'Number',
};

export const targetProbe: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  status: 'String', // type not stated
  validated: 'Boolean',
  profiling_status: 'String', // type not stated
  multi_turn_supported: 'Boolean',
  rate_limit_enabled: 'Boolean',
  content_filter_enabled: 'Boolean',
  target_metadata: 'Unknown',
};

export const targetProfile: ContractFields = {
  target_id: 'String', // type not stated
  target_version: 'Number',
  status: 'String', // type not stated
  profiling_status: 'String', // type not stated
  target_background: 'Unknown',
  additional_context: 'Unknown',
  ai_generated_fields: 'Unknown',
  other_details: 'Unknown',
};

export const targetUpdateProfile: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  status: 'String', // type not stated
  active: 'Boolean',
  validated: 'Boolean',
  updated_at: 'Date', // type not stated
  target_background: 'Unknown',
  additional_context: 'Unknown',
};

export const dictionary: ContractFields = {
  '': 'Unknown',
};

const bare: ContractFields = {
  id: 'String', // type not stated
  name: 'String', // type not stated
  is_custom: 'Boolean', // type not stated
};

const answering: ContractFields = {
  ...bare,
  url: 'String', // type not stated
  request_json: 'Unknown', // type not stated
  response_json: 'Unknown', // type not stated
};

const takingFiles: ContractFields = { ...answering, file_request_json: 'Unknown' }; // type not stated

export const targetTemplate: ContractFields = {
  '': 'Unknown',
  ...within('VENDOR_A', takingFiles),
  ...within('VENDOR_B', answering),
  ...within('VENDOR_C', answering),
  ...within('VENDOR_D', takingFiles),
  ...within('VENDOR_E', bare),
  ...within('REST', takingFiles),
  ...within('STREAMING', takingFiles),
  ...within('WEBSOCKET', {
    ...takingFiles,
    streaming_request_json: 'Unknown', // type not stated
    streaming_response_json: 'Unknown', // type not stated
  }),
  ...within('CUSTOM_TARGET_ADAPTER', bare),
};

export const targetAuthValidation: ContractFields = {
  validated: 'Boolean',
  token_preview: 'String',
  expires_in: 'Number',
};

export const errorLog: ContractFields = {
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  job_id: 'String', // type not stated
  target_id: 'String', // type not stated
  target_version: 'Number',
  attack_id: 'String', // type not stated
  error_type: 'String', // type not stated
  error_source: 'String', // type not stated
  error_message: 'String', // type not stated
  target_object: 'Unknown',
  extra_info: 'Unknown',
  version: 'Number',
};

export const adapter: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  status: 'String', // type not stated
  target_count: 'Number',
  created_at: 'String',
  updated_at: 'String',
};

export const adapterGet: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  status: 'String', // type not stated
  target_count: 'Number',
  created_at: 'String',
  updated_at: 'String',
  description: 'String', // type not stated
  tsg_id: 'String', // type not stated
  network_broker_channel_uuid: 'String', // type not stated
  script_b64: 'String', // type not stated
  ...within('variables', { key: 'String', value: 'String', type: 'String' }), // the type of type is not stated
};

export const adapterCreate: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  status: 'String', // type not stated
  network_broker_channel_uuid: 'String', // type not stated
  target_count: 'Number',
  created_at: 'String',
};

export const adapterUpdate: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  status: 'String', // type not stated
  network_broker_channel_uuid: 'String', // type not stated
  target_count: 'Number',
  created_at: 'String',
  updated_at: 'String',
};

export const adapterDelete: ContractFields = {
  uuid: 'String', // type not stated
  is_success: 'Boolean',
};

export const adapterValidation: ContractFields = {
  validated: 'Boolean',
  stdout: 'String',
  stderr: 'String',
  traceback: 'String',
};
