import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { idOf } from '../goldens.ts';

const ID = idOf('network_channel');

const { laboratory } = RED_TEAM_IDS.channels;

const LIST = '!aisec-redteam-network-channels-list';
const GET = '!aisec-redteam-network-channels-get';
const CREATE = '!aisec-redteam-network-channels-create';
const UPDATE = '!aisec-redteam-network-channels-update';

const anything = () => answering(() => ({ answer: { uuid: ID } }));

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
});

describe('creating and updating', () => {
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
});
