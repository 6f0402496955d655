import type { ContractFields } from './types.ts';
import { within } from './within.ts';

const tally: ContractFields = { name: 'String', count: 'Number' }; // types not stated

export const scanStatistics: ContractFields = {
  total_scans: 'Number',
  targets_scanned: 'Number',
  ...within('targets_scanned_by_type', tally),
  ...within('scan_status', tally),
  ...within('risk_profile', { risk_rating: 'String', total: 'Number' }), // types not stated
};

export const scoreTrend: ContractFields = {
  target_id: 'String', // type not stated
  labels: 'Unknown',
  ...within('series', { label: 'String', data: 'Unknown' }),
};

export const quota: ContractFields = {
  'static.allocated': 'Number',
  'static.consumed': 'Number',
  'static.unlimited': 'Boolean',
  'dynamic.allocated': 'Number',
  'dynamic.consumed': 'Number',
  'dynamic.unlimited': 'Boolean',
  'custom.allocated': 'Number',
  'custom.consumed': 'Number',
  'custom.unlimited': 'Boolean',
};

export const overview: ContractFields = {
  total_targets: 'Number',
  ...within('targets_by_type', tally),
};

export const instanceChange: ContractFields = {
  tenant_id: 'String', // type not stated
  tsg_id: 'String', // type not stated
  app_id: 'String', // type not stated
  is_success: 'Boolean',
};

export const instanceGet: ContractFields = {
  tenant_id: 'String', // type not stated
  tsg_id: 'String', // type not stated
  app_id: 'String', // type not stated
  region: 'String', // type not stated
  tenant_instance_name: 'String', // type not stated
  support_account_id: 'String', // type not stated
  support_account_name: 'String', // type not stated
  created_by: 'String', // type not stated
  internal: 'Boolean',
  deployment_profiles: 'Unknown',
};

export const device: ContractFields = {
  serial_number: 'String', // type not stated
  status: 'String', // type not stated
  error: 'String', // type not stated
};

export const channel: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  status: 'String', // type not stated
  added_by: 'String', // type not stated
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
  last_online_at: 'Date', // type not stated
  connected_clients_count: 'Number',
  outdated_clients_count: 'Number',
  oldest_client_version: 'String',
  features: 'Unknown',
};

export const channelCreate: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  status: 'String', // type not stated
  added_by: 'String', // type not stated
  created_at: 'Date', // type not stated
  updated_at: 'Date', // type not stated
};

export const channelUpdate: ContractFields = {
  uuid: 'String', // type not stated
  name: 'String', // type not stated
  description: 'String', // type not stated
  status: 'String', // type not stated
  updated_at: 'Date', // type not stated
};

export const channelStats: ContractFields = {
  network_channels_server_domain: 'String', // type not stated
  container_registry: 'String', // type not stated
  chart: 'String', // type not stated
  container_image: 'String', // type not stated
  online_channels: 'Number',
  total_channels: 'Number',
  client_version: 'String',
};

export const languages: ContractFields = {
  multilingual_enabled: 'Boolean',
  supported_job_types: 'Unknown',
  plane: 'String',
  ...within('languages', { code: 'String', name: 'String' }), // types not stated
};

export const licence: ContractFields = {
  uuid: 'String', // type not stated
  is_accepted: 'Boolean',
  accepted_at: 'Date',
  accepted_by_user_id: 'String', // type not stated
};

export const licenceContent: ContractFields = {
  content: 'String',
  content_length: 'Number',
};

export const registryCredentials: ContractFields = {
  token: 'String',
  expiry: 'Date',
};
