import { number, record, string, timestamp, unknown } from '../../lib/runtime/output/record.ts';

const uuid = string('Identifier of the network channel.');
const name = string('Name of the network channel.');
const description = string('Purpose of the network channel.');
const status = string('ONLINE, OFFLINE, or DRAFT while no client has ever connected.');
const added_by = string('Identifier of the user who created the network channel.');
const created_at = timestamp('When the network channel was created.');
const updated_at = timestamp('When the network channel was last changed.');

const hidden = true;

const channel = {
  uuid,
  name,
  status,
  description,
  connected_clients_count: number('Number of clients that are connected.', { heading: 'Clients' }),
  outdated_clients_count: number('Number of connected clients that are outdated.', { heading: 'Outdated Clients' }),
  oldest_client_version: string('Oldest version of a connected client.'),
  last_online_at: timestamp('When the network channel was last online.'),
  added_by,
  created_at,
  updated_at,
  features: unknown('Feature flags, by name.'),
};

const PATH = 'AiSec.RedTeamNetworkChannel';

export const NetworkChannel = record(
  PATH,
  'Network Channels',
  'uuid',
  {
    ...channel,
    added_by: { ...added_by, hidden },
    updated_at: { ...updated_at, hidden },
    features: { ...channel.features, hidden },
  },
  { firstColumns: ['uuid', 'name', 'status', 'connected_clients_count', 'outdated_clients_count', 'last_online_at'] },
);

export const NetworkChannelGet = record(PATH, 'Network Channel', 'uuid', channel);

export const NetworkChannelCreate = record('AiSec.RedTeamNetworkChannelCreate', 'Network Channel Created', 'uuid', {
  uuid,
  name,
  description,
  status,
  added_by,
  created_at,
  updated_at,
});

export const NetworkChannelUpdate = record('AiSec.RedTeamNetworkChannelUpdate', 'Network Channel Updated', 'uuid', {
  uuid,
  name,
  description,
  status,
  updated_at,
});

export const NetworkChannelStats = record('AiSec.RedTeamNetworkChannelStats', 'Network Channel Statistics', [], {
  online_channels: number('Number of network channels that are online.'),
  total_channels: number('Number of network channels.'),
  network_channels_server_domain: string('Address that clients connect to.'),
  container_registry: string('Registry of the client image.', { from: 'docker_registry' }),
  container_image: string('Path of the client image in the registry.', { from: 'docker_image' }),
  chart: string('Path of the deployment chart of the client in the registry.', { from: 'helm_chart' }),
  client_version: string('Current version of the client.'),
});
