import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, MANAGEMENT, scripted } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';

const LIST = '!aisec-runtime-deployment-profiles-list';
const request = `GET ${MANAGEMENT}/deploymentprofiles`;

/** A service that answers everything at once, whatever it is asked. */
const all = Array.from({ length: 120 }, (_, n) => ({ dp_name: `dp-${n}` }));
const whole = () => answering(() => ({ answer: { deployment_profiles: all } }));

describe('filter', () => {
  requirement(
    'deployment-profiles-unactivated',
    'unactivated=true lists unactivated profiles; otherwise all are listed',
    async () => {
      const room = warRoom();
      const listed = async (args: string) =>
        (await room.values(`${LIST} ${args}`)).map(({ name, status }) => [name, status]);
      const sandbox = ['sandbox', 'unactivated'];
      const every = [['support-production', 'activated'], ['claims-staging', 'activated'], sandbox];
      expect(await listed('unactivated=true')).toEqual([sandbox]);
      expect(await listed('unactivated=false')).toEqual(every);
      expect(await listed('')).toEqual(every);
    },
  );

  requirement.each([
    { text: 'true', query: '?unactivated=true' },
    { text: 'YES', query: '?unactivated=true' },
    { text: 'false', query: '' },
    { text: 'No', query: '' },
    { text: '', query: '' },
  ])('boolean-arguments', 'unactivated=$text sends "$query"', async ({ text, query }) => {
    await scripted([{ request: request + query, answer: { deployment_profiles: [] } }], async (room) => {
      await room.run(`${LIST} unactivated=${text}`);
    });
  });

  requirement.each(['1', 'maybe', 'null'].map((text) => ({ text })))(
    'boolean-arguments',
    'unactivated=$text is refused',
    async ({ text }) => {
      const room = whole();
      expect(await room.fail(`${LIST} unactivated=${text}`)).toMatchObject({ exitCode: 2, argument: 'unactivated' });
      expectNone(room.requests, 'requests');
    },
  );
});

describe('fields', () => {
  requirement('deployment-profile-expiration-text', 'the expiration date is kept as sent', async () => {
    const dates = (await warRoom().values(LIST)).map(({ expiration_date }) => expiration_date);
    expect(dates).toEqual([
      '2027-09-29 23:59:59 +0000 UTC',
      '2027-03-31 23:59:59 +0000 UTC',
      '2027-12-31 23:59:59 +0000 UTC',
    ]);
  });

  requirement(
    'deployment-profile-text-records-null',
    'text records are null if the service sends no count',
    async () => {
      const counts = (await warRoom().values(LIST)).map(({ ave_text_records }) => ave_text_records);
      expect(counts).toEqual([1_200_000, null, 50_000]);
    },
  );

  test('the auth code appears only in the context, not in the table or the raw response', async () => {
    const { writes, readable, raw } = await warRoom().run(LIST);
    expect(writes[0]?.value).toMatchObject([{ auth_code: 'D1000001' }, {}, {}]);
    expect(JSON.stringify([readable, raw])).not.toMatch(/D100000\d/);
    expect(readable.notes.join()).toContain('AiSec.DeploymentProfile.auth_code');
  });
});
