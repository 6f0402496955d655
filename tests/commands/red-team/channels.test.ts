import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { BROKER, describeGoldens } from './golden.ts';
import { goldens, ID, keys } from './goldens/channels.ts';
import { describePages } from './lists.ts';

const { dataCentre, branchOffice, laboratory } = RED_TEAM_IDS.channels;

const LIST = '!aisec-redteam-network-channels-list';
const GET = '!aisec-redteam-network-channels-get';
const CREATE = '!aisec-redteam-network-channels-create';
const UPDATE = '!aisec-redteam-network-channels-update';

const anything = () => answering(() => ({ answer: { uuid: ID } }));

describe('requests and context', () => {
  describeGoldens({ prefixes: ['aisec-redteam-network-channels'], keys, goldens });
  describePages({
    command: 'aisec-redteam-network-channels-list',
    address: `${BROKER}/channels`,
    id: 'uuid',
    searches: true,
  });

  scenario.each(['stats', '..', 'a/b', 'a?x'].flatMap((id) => [GET, `${UPDATE} name=n`].map((line) => ({ line, id }))))(
    'path-words',
    '$line channel_id=$id is refused before anything is sent',
    async ({ line, id }) => {
      const room = anything();
      expect(await room.fail(`${line} channel_id=${id}`)).toMatchObject({ exitCode: 2, argument: 'channel_id' });
      expectNone(room.requests, 'requests');
    },
  );
});

describe('listing and reading', () => {
  test('the table shows the creation time of each channel', async () => {
    const [table] = (await warRoom().run(LIST)).readable.tables;
    const at = table?.columns.indexOf('Created At') ?? -1;
    expect(at).toBeGreaterThan(0);
    expectNone(
      (table?.rows ?? []).filter((row) => !/^\d{4}-\d{2}-\d{2}/.test(row[at] ?? '')),
      'channels without a date',
    );
  });

  const ids = async (args: string) => (await warRoom().values(`${LIST} ${args}`)).map(({ uuid }) => uuid);

  requirement('channel-statuses', 'lists an ONLINE channel, an OFFLINE channel and a DRAFT', async () => {
    const room = warRoom();
    const listed = await room.values(LIST);
    expect(listed.map(({ status }) => status)).toEqual(['ONLINE', 'OFFLINE', 'DRAFT']);
    expect(await room.value(`${GET} channel_id=${branchOffice}`)).toMatchObject({ status: 'OFFLINE' });
  });

  requirement.each([
    { args: 'status=ONLINE', found: [dataCentre] },
    { args: 'status="OFFLINE, DRAFT"', found: [branchOffice, laboratory] },
    { args: 'status=`["ONLINE", "DRAFT"]`', found: [dataCentre, laboratory] },
    { args: 'status=ONLINE search=branch', found: [] },
  ])('channel-status-filter', '$args returns the matching channels', async ({ args, found }) => {
    expect(await ids(args)).toEqual(found);
  });

  requirement.each(['on', 'BROKEN', 'ONLINE,BROKEN'].map((status) => ({ status })))(
    'channel-status-filter',
    'the status $status is refused with the choices',
    async ({ status }) => {
      const room = anything();
      const error = await room.fail(`${LIST} status=${status}`);
      expect(error).toMatchObject({ exitCode: 2, argument: 'status' });
      expect(error.hint).toContain('ONLINE, OFFLINE, DRAFT');
      expectNone(room.requests, 'requests');
    },
  );

  requirement(
    'channel-include-all-if-empty',
    'include_all_if_empty returns all channels if the filters match none',
    async () => {
      expectNone(await ids('search=nowhere'), 'channels for search=nowhere');
      expectNone(await ids('search=nowhere include_all_if_empty=false'), 'channels with include_all_if_empty=false');
      expect(await ids('search=nowhere include_all_if_empty=true')).toEqual([dataCentre, branchOffice, laboratory]);
      expect(await ids('search=data include_all_if_empty=true')).toEqual([dataCentre]);
    },
  );

  requirement('channel-clients', 'a channel has its clients and features, listed or read by id', async () => {
    const room = warRoom();
    const clients = {
      connected_clients_count: 2,
      outdated_clients_count: 1,
      oldest_client_version: '2.3.0',
      features: expect.any(Object),
    };
    expect((await room.values(LIST))[0]).toMatchObject(clients);
    expect(await room.value(`${GET} channel_id=${dataCentre}`)).toMatchObject(clients);
    const { readable } = await room.run(LIST);
    expect(readable.tables[0]?.rows[0]).toEqual(expect.arrayContaining(['2', '1', '2.3.0']));
  });

  requirement(
    ['channel-stats-neutral-words', 'channel-stats-counts'],
    'statistics count channels, and use neutral names for registry, image and chart',
    async () => {
      const { writes } = await warRoom().run('!aisec-redteam-network-channels-stats');
      expect(writes[0]?.value).toMatchObject({
        online_channels: 1,
        total_channels: 3,
        container_registry: expect.any(String),
        container_image: expect.any(String),
        chart: expect.any(String),
      });
    },
  );
});

describe('creating and updating', () => {
  requirement('channel-starts-as-draft', 'a new channel is a DRAFT', async () => {
    const room = warRoom();
    const { uuid, status } = await room.value(`${CREATE} name="New place"`);
    expect(status).toBe('DRAFT');
    expect(await room.value(`${GET} channel_id=${uuid}`)).toMatchObject({ name: 'New place', status: 'DRAFT' });
  });

  const both = [{ line: CREATE }, { line: `${UPDATE} channel_id=${ID}` }];
  const sixtyFour = ['a', 'n'.repeat(64), '\ud83d\ude00'.repeat(64)];
  requirement.each(both.flatMap((one) => sixtyFour.map((name) => ({ ...one, name }))))(
    'channel-name-length',
    '$line name="$name" is sent',
    async ({ line, name }) => {
      const room = anything();
      await room.run(`${line} name="${name}"`);
      expect(JSON.parse(room.requests[0]?.body ?? '')).toEqual({ name });
    },
  );

  requirement.each(both.flatMap((one) => ['', ' ', 'n'.repeat(65)].map((name) => ({ ...one, name }))))(
    'channel-name-length',
    '$line name="$name" is refused before anything is sent',
    async ({ line, name }) => {
      const room = anything();
      const error = await room.fail(`${line} name="${name}"`);
      expect(error).toMatchObject({ exitCode: 2, argument: 'name' });
      if (name.length > 64) expect(error.message).toBe('name must have at most 64 characters; it has 65.');
      expectNone(room.requests, 'requests');
    },
  );

  requirement('channel-update-needs-a-change', 'an update needs a name or a description', async () => {
    const room = warRoom();
    const line = `${UPDATE} channel_id=${laboratory}`;
    const error = await room.fail(line);
    expect(error).toMatchObject({ exitCode: 2, code: 'arguments' });
    expect(error.message).toContain('Give name or description.');
    expectNone(room.requests, 'requests');
    await room.run(`${line} description="Ours."`);
    await room.run(`${line} name=lab`);
    expect(await room.value(`${GET} channel_id=${laboratory}`)).toMatchObject({ name: 'lab', description: 'Ours.' });
    await room.run(`${line} description=null`);
    expect(await room.value(`${GET} channel_id=${laboratory}`)).toMatchObject({ name: 'lab', description: '' });
  });

  test('a channel that does not exist cannot be read or updated', async () => {
    const room = warRoom();
    for (const line of [`${GET} channel_id=${ID}`, `${UPDATE} channel_id=${ID} name=n`]) {
      expect(await room.fail(line)).toMatchObject({ code: 'not-found', exitCode: 5 });
    }
  });
});
