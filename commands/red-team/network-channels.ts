import {
  NetworkChannel,
  NetworkChannelCreate,
  NetworkChannelGet,
  NetworkChannelStats,
  NetworkChannelUpdate,
} from '../../context/red-team/network-channels.ts';
import { oneOf } from '../../lib/runtime/arguments/rules.ts';
import {
  command,
  flag,
  limit,
  many,
  networkBroker,
  one,
  path,
  skip,
  text,
  list as texts,
  uuid,
} from '../../lib/runtime/engine/declare.ts';
import { NETWORK_CHANNELS } from '../lookups.ts';
import { channel } from './channel-state.ts';

const all = path`/v1/channels`;
const NAME = { minLength: 1, maxLength: 64 };
const name = 'Name of the network channel, 1 to 64 characters.';
const channel_id = uuid('Identifier of the network channel.', {
  lookup: NETWORK_CHANNELS,
  required: true,
  positional: true,
});

export const list = command('aisec-redteam-network-channels-list', 'List the network channels.', {
  effect: 'read',
  args: {
    limit: limit(50),
    skip: skip(),
    search: text('Return only network channels whose name contains this text.'),
    status: texts('Return only network channels in one of these states.', { choices: ['ONLINE', 'OFFLINE', 'DRAFT'] }),
    include_all_if_empty: flag('Return all network channels if the filters match none.'),
  },
  output: many(NetworkChannel),
  example: 'status=ONLINE,OFFLINE',
  call: ({ limit, skip, ...query }) => networkBroker.list(all, { items: 'data', limit, offset: skip, query }),
});

export const create = command('aisec-redteam-network-channels-create', 'Create a network channel, as a DRAFT.', {
  effect: 'create',
  args: {
    name: text(name, { required: true, positional: true, schema: NAME }),
    description: text('Description of the network channel.'),
  },
  output: one(NetworkChannelCreate),
  example: 'name="Data centre"',
  call: (args) => networkBroker.post(all, args),
});

export const stats = command(
  'aisec-redteam-network-channels-stats',
  'Get the number of network channels, and where their client is available.',
  {
    effect: 'read',
    args: {},
    output: one(NetworkChannelStats),
    call: () => networkBroker.get(path`/v1/channels/stats`),
  },
);

export const get = command('aisec-redteam-network-channels-get', 'Get a network channel.', {
  effect: 'read',
  args: { channel_id },
  output: one(NetworkChannelGet),
  call: ({ channel_id }) => networkBroker.get(channel(channel_id)),
});

export const update = command(
  'aisec-redteam-network-channels-update',
  'Change the name or the description of a network channel; omitted fields keep their values.',
  {
    effect: 'update',
    args: {
      channel_id,
      name: text(name, { schema: NAME }),
      description: text('Description of the network channel.', { clearable: true }),
    },
    rules: [oneOf('name', 'description')],
    output: one(NetworkChannelUpdate),
    example: 'channel_id=<channel_id> name="Data centre 2"',
    // The service accepts an empty description, but not null.
    call: ({ channel_id, name, description }) =>
      networkBroker.patch(channel(channel_id), { name, description: description === null ? '' : description }),
  },
);
