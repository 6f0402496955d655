import { SEED_IDS } from '../../../fixtures/service/tenant.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, MANAGEMENT, scripted, TENANT } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { answerOf, idOf, recordOf } from '../goldens.ts';
import { replay } from './replay.ts';

const ID = idOf('profile');
const EMPTY_POLICY = answerOf('runtime-profiles-create')['policy'];
const POLICY = recordOf(answerOf('runtime-profiles-list')['ai_profiles'])['policy'];

const { prod, claims } = SEED_IDS.profiles;
const NEW_IDS = { quirks: ['new-profile-id'] };

const LIST = '!aisec-runtime-profiles-list';
const GET = '!aisec-runtime-profiles-get';
const CREATE = '!aisec-runtime-profiles-create';
const UPDATE = '!aisec-runtime-profiles-update';
const DELETE = '!aisec-runtime-profiles-delete';

const pageAt = (offset: number) => `GET ${MANAGEMENT}/profiles/tsg/${TENANT}?offset=${offset}&limit=100`;
const changesOf = ({ requests }: Pick<WarRoom, 'requests'>) =>
  requests.filter(({ method, url }) => method !== 'GET' && !url.includes('oauth2'));

describe('creating a profile', () => {
  const withPolicy = (text: string) => `${CREATE} profile_name=p policy=\`${text}\``;

  requirement.each([
    { text: '{"a": 1,}', says: /line 1, column 9/ },
    { text: '"text"', says: /policy must be an object/ },
    { text: '{"dlp-data-profiles": ["Cards"]}', says: /dlp-data-profiles\/0.* must be an object/ },
  ])('json-arguments-are-text', 'refuses a policy that is not a JSON object, with the position: $text', async (row) => {
    const room = answering(() => ({ answer: {} }));
    const error = await room.fail(withPolicy(row.text));
    expect(error).toMatchObject({ exitCode: 2, argument: 'policy' });
    expect(error.message).toMatch(row.says);
    expectNone(room.requests, 'requests');
  });
});

describe('reading one profile', () => {
  requirement('profile-get-one-identifier', 'returns no profile if id and name contradict each other', async () => {
    const room = warRoom();
    expect(await room.value(`${GET} profile_id=${claims} profile_name=claims`)).toMatchObject({ id: claims });
    const error = await room.fail(`${GET} profile_id=${claims} profile_name=prod`);
    expect(error).toMatchObject({ code: 'not-found', exitCode: 5 });
  });

  requirement(
    'profile-get-highest-revision',
    'a name selects the highest of 120 revisions with separate ids',
    async () => {
      const room = warRoom(NEW_IDS);
      let last: Record<string, unknown> = {};
      for (let round = 0; round < 117; round += 1) {
        last = await room.value(`${UPDATE} profile_id=${prod} profile_name=prod active=${round % 2 === 0}`);
      }
      expect(last.revision).toBe(120);
      expect(last.id).not.toBe(prod);
      expect(await room.value(`${GET} profile_name=prod`)).toEqual(last);
      expect(await room.value(`${GET} profile_id=${prod}`)).toMatchObject({ id: prod, revision: 3 });
      const listed = await room.values(`${LIST} limit=1000`);
      expect(listed.filter(({ name }) => name === 'prod')).toHaveLength(118);
    },
  );
});

describe('a profile that was not read in full', () => {
  const line = `${UPDATE} profile_id=${ID} profile_name=p`;
  const stored = { profile_id: ID, profile_name: 'p', revision: 1, active: true, policy: POLICY };

  scenario.each([
    { lacks: 'policy', record: { ...stored, policy: undefined }, args: 'active=false' },
    { lacks: 'policy', record: { ...stored, policy: null }, args: '' },
    { lacks: 'ai-security-profiles', record: { ...stored, policy: {} }, args: 'active=false' },
    { lacks: 'active', record: { ...stored, active: undefined }, args: '' },
    { lacks: 'active', record: { ...stored, active: null }, args: `policy=\`${JSON.stringify(POLICY)}\`` },
  ])('apply-kept', 'is not written if it lacks $lacks and $args does not set it', async ({ lacks, record, args }) => {
    await scripted([{ request: pageAt(0), answer: { ai_profiles: [record] } }], async (room) => {
      const error = await room.fail(`${line} ${args}`);
      expect(error).toMatchObject({ code: 'response', exitCode: 8 });
      expect(error.message).toBe(
        `The service answered without ${lacks} of the security profile, which an update must send back.`,
      );
      expect(error.hint).toContain('Nothing was changed, because the update would wipe it. Try again, or give ');
    });
  });

  scenario(
    'apply-kept',
    'is not updated from a list that repeats a page, because a newer revision may be missing',
    async () => {
      const page = [stored, ...Array.from({ length: 99 }, (_, n) => ({ profile_id: `o${n}`, profile_name: `${n}` }))];
      const room = answering(({ method }) => ({
        answer: method === 'GET' ? { ai_profiles: page, next_offset: 100 } : {},
      }));
      const error = await room.fail(`${line} active=false`);
      expect(error).toMatchObject({ code: 'response' });
      expect(error.message).toContain('The list of security profiles is incomplete');
      expectNone(changesOf(room), 'changes');
    },
  );
});

describe('updating a profile', () => {
  requirement.each([false, true].map((newIds) => ({ newIds })))(
    'profile-update-keeps-policy',
    'omitted fields are kept, although the service resets them (a new id for each revision: $newIds)',
    async ({ newIds }) => {
      const room = warRoom(newIds ? NEW_IDS : {});
      const before = await room.value(`${GET} profile_name=prod`);
      const renamed = await room.value(`${UPDATE} profile_id=${prod} profile_name=production`);
      expect(renamed).toMatchObject({ name: 'production', active: true });
      expect(renamed.policy).toStrictEqual(before.policy);
      const { answer } = await replay(room, ({ profile_name }) => ({ profile_name }));
      expect(answer).toMatchObject({ active: false, policy: EMPTY_POLICY });
    },
  );

  test("an older revision's id keeps the newest policy, with a note", async () => {
    const room = warRoom(NEW_IDS);
    await room.run(`${UPDATE} profile_id=${prod} profile_name=prod policy=\`${JSON.stringify(POLICY)}\``);
    const { writes, readable } = await room.run(`${UPDATE} profile_id=${prod} profile_name=prod active=false`);
    expect(writes[0]?.value).toMatchObject({ revision: 5, active: false, policy: POLICY });
    expect(readable.notes.join()).toMatch(/older revision.*taken from revision 4/);
  });
});

describe('deleting a profile', () => {
  requirement(
    'profile-force-needs-updated-by',
    'force=true without updated_by is refused before a request',
    async () => {
      const room = warRoom();
      const error = await room.fail(`${DELETE} profile_id=${claims} force=true`);
      expect(error).toMatchObject({ exitCode: 2, argument: 'updated_by', message: 'force=true requires updated_by.' });
      expectNone(room.requests, 'requests');
    },
  );
});
