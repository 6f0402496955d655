import { paging } from './red-team-arguments.ts';
import * as fields from './red-team-tenant-fields.ts';
import type { ContractArgument, ContractCommand } from './types.ts';

const instanceDetails: readonly ContractArgument[] = [
  { name: 'tenant_instance_name' },
  { name: 'support_account_id' },
  { name: 'support_account_name' },
  { name: 'created_by' },
  { name: 'internal', kind: 'boolean' },
  { name: 'iam_controlled', kind: 'boolean' },
  { name: 'platform_region' },
  { name: 'csp_tenant_id' },
  { name: 'extra', kind: 'json' },
];
const devices: readonly ContractArgument[] = [
  { name: 'tenant_id', required: true },
  { name: 'serial_number' },
  { name: 'device_name' },
  { name: 'model' },
  { name: 'sku' },
  { name: 'device_type' },
  { name: 'asset_type' },
  { name: 'support_account_id' },
  { name: 'devices', kind: 'json' },
  { name: 'created_by' },
  { name: 'app_id' },
  { name: 'region' },
  { name: 'tsg_id' },
];

const dashboards: readonly ContractCommand[] = [
  {
    command: 'aisec-redteam-dashboard-scan-statistics',
    arguments: [{ name: 'date_range' }, { name: 'target_id' }],
    context: 'AiSec.RedTeamScanStatistics',
    outputs: fields.scanStatistics,
  },
  {
    command: 'aisec-redteam-dashboard-score-trend',
    arguments: [{ name: 'target_id', required: true }],
    context: 'AiSec.RedTeamScoreTrend',
    outputs: fields.scoreTrend,
  },
  {
    command: 'aisec-redteam-metering-quota',
    arguments: [],
    context: 'AiSec.RedTeamQuota',
    outputs: fields.quota,
  },
  {
    command: 'aisec-redteam-dashboard-overview',
    arguments: [],
    context: 'AiSec.RedTeamDashboardOverview',
    outputs: fields.overview,
  },
];

const instances: readonly ContractCommand[] = [
  {
    command: 'aisec-redteam-instances-create',
    arguments: [
      { name: 'tsg_id', required: true },
      { name: 'tenant_id', required: true },
      { name: 'app_id', required: true },
      { name: 'region', required: true },
      ...instanceDetails,
    ],
    context: 'AiSec.RedTeamInstanceCreate',
    outputs: fields.instanceChange,
  },
  {
    command: 'aisec-redteam-instances-get',
    arguments: [{ name: 'tenant_id', required: true }],
    context: 'AiSec.RedTeamInstanceGet',
    outputs: fields.instanceGet,
  },
  {
    command: 'aisec-redteam-instances-update',
    arguments: [
      { name: 'tenant_id', required: true },
      { name: 'tsg_id' },
      { name: 'app_id' },
      { name: 'region' },
      ...instanceDetails,
    ],
    context: 'AiSec.RedTeamInstanceUpdate',
    outputs: fields.instanceChange,
  },
  {
    command: 'aisec-redteam-instances-delete',
    arguments: [{ name: 'tenant_id', required: true }],
    context: 'AiSec.RedTeamInstanceDelete',
    outputs: fields.instanceChange,
  },
  {
    command: 'aisec-redteam-devices-create',
    arguments: devices,
    context: 'AiSec.RedTeamDeviceCreate',
    outputs: fields.device,
  },
  {
    command: 'aisec-redteam-devices-update',
    arguments: devices,
    context: 'AiSec.RedTeamDeviceUpdate',
    outputs: fields.device,
  },
  {
    command: 'aisec-redteam-devices-delete',
    arguments: [
      { name: 'tenant_id', required: true },
      { name: 'serial_numbers', required: true, kind: 'list' },
    ],
    context: 'AiSec.RedTeamDeviceDelete',
    outputs: fields.device,
  },
];

const channels: readonly ContractCommand[] = [
  {
    command: 'aisec-redteam-network-channels-list',
    arguments: [
      ...paging,
      { name: 'status', choices: ['ONLINE', 'OFFLINE', 'DRAFT'], kind: 'list' },
      { name: 'include_all_if_empty', kind: 'boolean' },
    ],
    context: 'AiSec.RedTeamNetworkChannel',
    outputs: fields.channel,
  },
  {
    command: 'aisec-redteam-network-channels-create',
    arguments: [{ name: 'name', required: true }, { name: 'description' }],
    context: 'AiSec.RedTeamNetworkChannelCreate',
    outputs: fields.channelCreate,
  },
  {
    command: 'aisec-redteam-network-channels-stats',
    arguments: [],
    context: 'AiSec.RedTeamNetworkChannelStats',
    outputs: fields.channelStats,
  },
  {
    command: 'aisec-redteam-network-channels-get',
    arguments: [{ name: 'channel_id', required: true }],
    context: 'AiSec.RedTeamNetworkChannel',
    outputs: fields.channel,
  },
  {
    command: 'aisec-redteam-network-channels-update',
    arguments: [{ name: 'channel_id', required: true }, { name: 'name' }, { name: 'description' }],
    context: 'AiSec.RedTeamNetworkChannelUpdate',
    outputs: fields.channelUpdate,
  },
];

const service: readonly ContractCommand[] = [
  {
    command: 'aisec-redteam-languages-list',
    arguments: [{ name: 'use_management', default: 'false', kind: 'boolean' }],
    context: 'AiSec.RedTeamLanguages',
    outputs: fields.languages,
  },
  {
    command: 'aisec-redteam-eula-status',
    arguments: [],
    context: 'AiSec.RedTeamEula',
    outputs: fields.licence,
  },
  {
    command: 'aisec-redteam-eula-content',
    arguments: [],
    context: 'AiSec.RedTeamEulaContent',
    outputs: fields.licenceContent,
  },
  {
    command: 'aisec-redteam-eula-accept',
    arguments: [{ name: 'accepted_at' }],
    context: 'AiSec.RedTeamEula',
    outputs: fields.licence,
  },
  {
    command: 'aisec-redteam-registry-credentials-get',
    arguments: [],
    context: 'AiSec.RedTeamRegistryCredentials',
    outputs: fields.registryCredentials,
  },
];

/** Dashboards, quota, instances and devices, network channels, languages, licence and registry: 21 commands. */
export const tenantCommands: readonly ContractCommand[] = [...dashboards, ...instances, ...channels, ...service];
