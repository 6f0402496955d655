import { BROKER, type Golden } from '../golden.ts';

const list = 'aisec-redteam-network-channels-list';
const create = 'aisec-redteam-network-channels-create';
const stats = 'aisec-redteam-network-channels-stats';
const get = 'aisec-redteam-network-channels-get';
const update = 'aisec-redteam-network-channels-update';

export const keys = { [list]: ['uuid'], [create]: ['uuid'], [stats]: [], [get]: ['uuid'], [update]: ['uuid'] };

export const ID = '6e0b94d2-7a1f-4c58-93b6-f2d80c5e7a41';
const AT = '2026-11-20T10:15:30.670578Z';

const base = {
  uuid: ID,
  name: 'centre',
  description: 'Data centre.',
  status: 'ONLINE',
  added_by: 'u-1',
  created_at: AT,
  updated_at: AT,
};

const channel = {
  ...base,
  last_online_at: AT,
  connected_clients_count: 0,
  outdated_clients_count: 0,
  oldest_client_version: '2.3.0',
  features: { websocket: false },
};

const nothing = Object.fromEntries(Object.keys(channel).map((name) => [name, null]));

export const goldens: readonly Golden[] = [
  {
    command: list,
    what: 'every argument; a full record, and one that leaves out all it can',
    args: 'status=ONLINE,DRAFT search=cen include_all_if_empty=true skip=1 limit=2',
    script: [
      {
        request: `GET ${BROKER}/channels?search=cen&status=ONLINE&status=DRAFT&include_all_if_empty=true&skip=1&limit=2`,
        answer: { pagination: { total_items: 3 }, data: [channel, { uuid: 'c-2', description: '' }] },
      },
    ],
    value: [channel, { ...nothing, uuid: 'c-2', description: '' }],
  },
  {
    command: get,
    what: 'a full answer',
    args: `channel_id=${ID}`,
    script: [{ request: `GET ${BROKER}/channels/${ID}`, answer: channel }],
    value: channel,
  },
  {
    command: create,
    what: 'every argument',
    args: 'name=centre description="Data centre."',
    script: [
      { request: `POST ${BROKER}/channels`, body: { name: 'centre', description: 'Data centre.' }, answer: channel },
    ],
    value: base,
  },
  {
    command: create,
    what: 'an answer that leaves out all it can',
    args: 'name=c',
    script: [{ request: `POST ${BROKER}/channels`, body: { name: 'c' }, answer: { uuid: ID } }],
    value: { ...Object.fromEntries(Object.keys(base).map((name) => [name, null])), uuid: ID },
  },
  {
    command: update,
    what: 'a name',
    args: `channel_id=${ID} name=centre`,
    script: [{ request: `PATCH ${BROKER}/channels/${ID}`, body: { name: 'centre' }, answer: channel }],
    value: { uuid: ID, name: 'centre', description: 'Data centre.', status: 'ONLINE', updated_at: AT },
  },
  {
    command: update,
    what: 'both, the description emptied',
    args: `channel_id=${ID} name=centre description=null`,
    script: [
      { request: `PATCH ${BROKER}/channels/${ID}`, body: { name: 'centre', description: '' }, answer: { uuid: ID } },
    ],
    value: { uuid: ID, name: null, description: null, status: null, updated_at: null },
  },
  {
    command: stats,
    what: 'a full answer',
    args: '',
    script: [
      {
        request: `GET ${BROKER}/channels/stats`,
        answer: {
          network_channels_server_domain: 'broker.example.com/tunnels',
          docker_registry: 'registry.example.com',
          helm_chart: 'charts/client',
          docker_image: 'images/client',
          online_channels: 0,
          total_channels: 2,
          client_version: '2.4.1',
        },
      },
    ],
    value: {
      network_channels_server_domain: 'broker.example.com/tunnels',
      container_registry: 'registry.example.com',
      chart: 'charts/client',
      container_image: 'images/client',
      online_channels: 0,
      total_channels: 2,
      client_version: '2.4.1',
    },
  },
];
