import { SEED_IDS } from '../../../fixtures/service/tenant.ts';
import type { HttpRequest } from '../../../lib/core/ports.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, asked, MANAGEMENT, scripted, TENANT } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { describeDeleteBodies, describeTypeChanges, describeWrongRoots } from './answers.ts';
import { describeGoldens } from './golden.ts';
import { EMPTY_POLICY, goldens, ID, keys, POLICY } from './goldens/security-profiles.ts';
import { describePages } from './lists.ts';
import { replay } from './replay.ts';

const { prod, claims, monitorOnly } = SEED_IDS.profiles;
const UNKNOWN = '11111111-2222-4333-8444-555555555555';
const NEW_IDS = { quirks: ['new-profile-id'] };

const LIST = '!aisec-runtime-profiles-list';
const GET = '!aisec-runtime-profiles-get';
const CREATE = '!aisec-runtime-profiles-create';
const UPDATE = '!aisec-runtime-profiles-update';
const DELETE = '!aisec-runtime-profiles-delete';

const pageAt = (offset: number) => `GET ${MANAGEMENT}/profiles/tsg/${TENANT}?offset=${offset}&limit=100`;
const bodyOf = (request: HttpRequest | undefined) => JSON.parse(request?.body ?? '');
const changesOf = ({ requests }: Pick<WarRoom, 'requests'>) =>
  requests.filter(({ method, url }) => method !== 'GET' && !url.includes('oauth2'));

describe('requests and context', () => {
  describeGoldens({ prefix: 'aisec-runtime-profiles', keys, goldens });

  describePages({
    command: 'aisec-runtime-profiles-list',
    path: 'profiles',
    items: 'ai_profiles',
    wireId: 'profile_id',
    id: 'id',
    standard: 50,
    standardClaim: 'limit-defaults-to-50',
  });

  const listRequest = `GET ${MANAGEMENT}/profiles/tsg/${TENANT}?offset=0&limit=50`;
  const create = {
    request: `POST ${MANAGEMENT}/profile`,
    body: { profile_name: 'p', active: true, policy: EMPTY_POLICY },
  };
  describeTypeChanges([
    { line: LIST, script: [{ request: listRequest, answer: { ai_profiles: 'none' } }], path: '"ai_profiles"' },
    {
      line: LIST,
      script: [{ request: listRequest, answer: { ai_profiles: [{ revision: 'third' }] } }],
      path: 'AiSec.SecurityProfile.revision',
    },
    {
      line: `${GET} profile_id=${ID}`,
      script: [{ request: pageAt(0), answer: { ai_profiles: [{ profile_id: ID, active: 'sometimes' }] } }],
      path: 'AiSec.SecurityProfileGet.active',
    },
    {
      line: `${CREATE} profile_name=p`,
      script: [{ ...create, answer: { profile_name: {} } }],
      path: 'AiSec.SecurityProfileCreate.name',
    },
    {
      line: `${DELETE} profile_id=${ID}`,
      script: [{ request: `DELETE ${MANAGEMENT}/profile/${ID}`, answer: { message: ['gone'] } }],
      path: 'AiSec.SecurityProfileDeleted.message',
    },
  ]);

  describeWrongRoots([
    { line: LIST, script: [{ request: listRequest }] },
    { line: `${GET} profile_name=p`, script: [{ request: pageAt(0) }] },
    { line: `${CREATE} profile_name=p`, script: [create] },
  ]);

  describeDeleteBodies([
    {
      line: `${DELETE} profile_id=${ID}`,
      request: `DELETE ${MANAGEMENT}/profile/${ID}`,
      echo: { profile_id: ID, force: false },
    },
    {
      line: `${DELETE} profile_id=${ID} force=true updated_by=ana@example.com`,
      request: `DELETE ${MANAGEMENT}/profile/${ID}/force?updated_by=ana%40example.com`,
      echo: { profile_id: ID, force: true },
    },
  ]);

  requirement('date-shape', 'the time of the last change is ISO 8601 in UTC', async () => {
    const times = ['2026-09-14T12:22:00.5+02:00', '2026-09-14 10:22:00 UTC', '2026-09-14T10:22:00Z'];
    const answer = { ai_profiles: times.map((time) => ({ last_modified_ts: time })) };
    expect(await answering(() => ({ answer })).value(LIST)).toMatchObject(
      times.map(() => ({ last_modified_ts: '2026-09-14T10:22:00Z' })),
    );
  });
});

describe('creating a profile', () => {
  requirement('profile-create-first-revision', 'a new profile has revision 1 and is active by default', async () => {
    const room = warRoom();
    expect(await room.value(`${CREATE} profile_name=one`)).toMatchObject({ name: 'one', revision: 1, active: true });
    expect(await room.value(`${CREATE} profile_name=two active=false`)).toMatchObject({ revision: 1, active: false });
    expect(await room.value(`${GET} profile_name=two`)).toMatchObject({ name: 'two', revision: 1, active: false });
  });

  requirement('profile-create-empty-policy', 'a new profile without a policy has the empty policy', async () => {
    const room = warRoom();
    expect(await room.value(`${CREATE} profile_name=one`)).toMatchObject({ policy: EMPTY_POLICY });
    expect((await room.value(`${GET} profile_name=one`)).policy).toEqual(EMPTY_POLICY);
  });

  requirement.each([false, true].map((newIds) => ({ newIds })))(
    'profile-create-name-unique',
    'a duplicate name is a conflict (a new id for each revision: $newIds)',
    async ({ newIds }) => {
      const room = warRoom(newIds ? NEW_IDS : {});
      const error = await room.fail(`${CREATE} profile_name=prod`);
      expect(error).toMatchObject({ code: 'conflict', exitCode: 5, status: 409 });
      expect(room.context).toEqual({});
      expect(await room.values(LIST)).toHaveLength(4);
    },
  );

  requirement('profile-policy-round-trip', 'a policy is returned unchanged by create, get and update', async () => {
    const room = warRoom();
    const given = `policy=\`${JSON.stringify(POLICY)}\``;
    const created = await room.value(`${CREATE} profile_name=one ${given}`);
    const again = await room.value(`${UPDATE} profile_id=${String(created.id)} profile_name=one ${given}`);
    const got = await room.value(`${GET} profile_name=one`);
    expect([created.policy, again.policy, got.policy]).toStrictEqual([POLICY, POLICY, POLICY]);
  });

  const withPolicy = (text: string) => `${CREATE} profile_name=p policy=\`${text}\``;

  requirement('json-arguments-are-text', 'accepts a policy as JSON text, with white space and escapes', async () => {
    const room = answering(() => ({ answer: {} }));
    await room.run(withPolicy('{\n "dlp-data-profiles": [{"name": "Caf\\u00e9 \\"1\\""}] }\n'));
    expect(bodyOf(room.requests[0]).policy).toEqual({ 'dlp-data-profiles': [{ name: 'Café "1"' }] });
  });

  requirement.each([
    { text: '{"a": 1,}', says: /line 1, column 9/ },
    { text: '{"a": 1', says: /line 1, column 8/ },
    { text: "{'a': 1}", says: /line 1, column 2/ },
    { text: '{\n"a": NaN}', says: /line 2, column 6/ },
    { text: 'policy.json', says: /not valid JSON/ },
    { text: '[]', says: /policy must be an object/ },
    { text: '"text"', says: /policy must be an object/ },
    { text: '{"ai-security-profiles": {}}', says: /ai-security-profiles.* must be an array/ },
    { text: '{"dlp-data-profiles": ["Cards"]}', says: /dlp-data-profiles\/0.* must be an object/ },
  ])('json-arguments-are-text', 'refuses a policy that is not a JSON object, with the position: $text', async (row) => {
    const room = answering(() => ({ answer: {} }));
    const error = await room.fail(withPolicy(row.text));
    expect(error).toMatchObject({ exitCode: 2, argument: 'policy' });
    expect(error.message).toMatch(row.says);
    expectNone(room.requests, 'requests');
  });
});

describe('booleans', () => {
  const FALSE = ['false', 'False', 'FALSE', 'no', 'No'];
  const TRUE = ['true', 'True', 'TRUE', 'yes', 'YES'];
  const both = [...FALSE.map((text) => ({ text, value: false })), ...TRUE.map((text) => ({ text, value: true }))];

  requirement.each(both)('boolean-arguments', 'active=$text is $value for a create and an update', async (row) => {
    const room = answering(() => ({
      answer: { ai_profiles: [{ profile_id: ID, profile_name: 'p', active: !row.value, policy: EMPTY_POLICY }] },
    }));
    await room.run(`${CREATE} profile_name=p active=${row.text}`);
    await room.run(`${UPDATE} profile_id=${ID} profile_name=p active=${row.text}`);
    const sent = room.requests.filter(({ body }) => body !== undefined).map((request) => bodyOf(request).active);
    expect(sent).toEqual([row.value, row.value]);
  });

  requirement.each(both)('boolean-arguments', 'force=$text is $value for a delete', async ({ text, value }) => {
    const room = answering(() => ({ status: 204 }));
    const line = `${DELETE} profile_id=${ID} force=${text} updated_by=ana@example.com`;
    expect(await room.value(line)).toMatchObject({ force: value });
    expect(room.requests.map(({ url }) => url.includes('/force?'))).toEqual([value]);
  });

  requirement.each(
    ['1', '0', 'maybe', 'on', 'null', 'truee'].flatMap((text) => [
      { text, argument: 'active', line: `${CREATE} profile_name=p active=${text}` },
      { text, argument: 'active', line: `${UPDATE} profile_id=${ID} profile_name=p active=${text}` },
      { text, argument: 'force', line: `${DELETE} profile_id=${ID} updated_by=ana@example.com force=${text}` },
    ]),
  )('boolean-arguments', '$line is refused', async ({ line, argument }) => {
    const room = answering(() => ({ answer: {} }));
    const error = await room.fail(line);
    expect(error).toMatchObject({ exitCode: 2, argument, message: `${argument} must be true or false.` });
    expectNone(room.requests, 'requests');
  });
});

describe('reading one profile', () => {
  requirement('profile-get-one-identifier', 'an id or a name suffices', async () => {
    const room = warRoom();
    expect(await room.value(`${GET} profile_id=${claims}`)).toMatchObject({ id: claims, name: 'claims', revision: 2 });
    expect(await room.value(`${GET} profile_name=claims`)).toMatchObject({ id: claims, name: 'claims', revision: 2 });
    expect(await room.value(`${GET} claims`)).toMatchObject({ id: claims });
  });

  requirement.each(['', 'profile_id=', 'profile_name="" profile_id=" "'].map((args) => ({ args })))(
    'profile-get-one-identifier',
    'sends nothing without an id or a name: "$args"',
    async ({ args }) => {
      const room = warRoom();
      const error = await room.fail(`${GET} ${args}`);
      expect(error).toMatchObject({ exitCode: 2, message: 'Give profile_id or profile_name.' });
      expectNone(room.requests, 'requests');
    },
  );

  requirement('profile-get-one-identifier', 'returns no profile if id and name contradict each other', async () => {
    const room = warRoom();
    expect(await room.value(`${GET} profile_id=${claims} profile_name=claims`)).toMatchObject({ id: claims });
    const error = await room.fail(`${GET} profile_id=${claims} profile_name=prod`);
    expect(error).toMatchObject({ code: 'not-found', exitCode: 5 });
  });

  test.each(['profile_name=Prod', 'profile_name=pro', `profile_id=${UNKNOWN}`])('%s finds nothing', async (args) => {
    const room = warRoom();
    const error = await room.fail(`${GET} ${args}`);
    expect(error).toMatchObject({ code: 'not-found', exitCode: 5 });
    expect(error.message).toContain(args);
    expect(room.context).toEqual({});
  });

  requirement('profile-get-highest-revision', 'a name selects the highest revision, on any page', async () => {
    const profile = (id: string, revision: number) => ({ profile_id: id, profile_name: 'prod', revision });
    const others = (count: number) => Array.from({ length: count }, (_, n) => ({ profile_id: `o${n}`, revision: 99 }));
    const script = [
      { request: pageAt(0), answer: { ai_profiles: [profile('a', 9), ...others(99)], next_offset: 100 } },
      { request: pageAt(100), answer: { ai_profiles: [...others(40), profile('b', 10)], next_offset: 150 } },
      {
        request: pageAt(150),
        answer: { ai_profiles: [profile('c', 2), { ...profile('d', 11), profile_name: 'Prod' }] },
      },
    ];
    await scripted(script, async (room) => {
      expect(await room.value(`${GET} profile_name=prod`)).toMatchObject({ id: 'b', revision: 10 });
    });
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

  scenario('apply-kept', 'is updated if the missing members are given', async () => {
    const script = [
      { request: pageAt(0), answer: { ai_profiles: [{ profile_id: ID, profile_name: 'p', revision: 1 }] } },
      {
        request: `PUT ${MANAGEMENT}/profile/uuid/${ID}`,
        body: { profile_name: 'p', active: false, policy: POLICY },
        answer: {},
      },
    ];
    await scripted(script, async (room) => {
      await room.run(`${line} active=false policy=\`${JSON.stringify(POLICY)}\``);
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
  requirement('profile-update-next-revision', 'keeps the id and increments the revision', async () => {
    const room = warRoom();
    for (const revision of [4, 5]) {
      const updated = await room.value(`${UPDATE} profile_id=${prod} profile_name=prod active=true`);
      expect(updated).toMatchObject({ id: prod, revision });
    }
    expect(await room.value(`${GET} profile_id=${prod}`)).toMatchObject({ revision: 5 });
  });

  requirement('profile-update-next-revision', 'records a new id that the service returned', async () => {
    const room = warRoom(NEW_IDS);
    const { id, revision } = await room.value(`${UPDATE} profile_id=${prod} profile_name=prod`);
    expect({ id, revision }).toEqual({ id: expect.not.stringMatching(prod), revision: 4 });
    expect(await room.value(`${GET} profile_name=prod`)).toMatchObject({ id, revision: 4 });
  });

  requirement('profile-update-unknown', 'a profile that does not exist is not updated', async () => {
    const room = warRoom();
    const error = await room.fail(`${UPDATE} profile_id=${UNKNOWN} profile_name=prod`);
    expect(error).toMatchObject({ code: 'not-found', exitCode: 5 });
    expectNone(changesOf(room), 'changes');
  });

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

  test('an inactive profile stays inactive', async () => {
    const room = warRoom();
    await room.run(`${UPDATE} profile_id=${prod} profile_name=prod active=false`);
    expect(await room.value(`${UPDATE} profile_id=${prod} profile_name=prod`)).toMatchObject({ active: false });
  });

  test("an older revision's id keeps the newest policy, with a note", async () => {
    const room = warRoom(NEW_IDS);
    await room.run(`${UPDATE} profile_id=${prod} profile_name=prod policy=\`${JSON.stringify(POLICY)}\``);
    const { writes, readable } = await room.run(`${UPDATE} profile_id=${prod} profile_name=prod active=false`);
    expect(writes[0]?.value).toMatchObject({ revision: 5, active: false, policy: POLICY });
    expect(readable.notes.join()).toMatch(/older revision.*taken from revision 4/);
  });

  test('a profile on the third page is found and kept', async () => {
    const others = Array.from({ length: 100 }, (_, n) => ({ profile_id: `o${n}`, profile_name: `other ${n}` }));
    const last = { profile_id: ID, profile_name: 'last', revision: 2, active: false, policy: POLICY };
    const script = [
      { request: pageAt(0), answer: { ai_profiles: others, next_offset: 100 } },
      { request: pageAt(100), answer: { ai_profiles: others.slice(1), next_offset: 199 } },
      { request: pageAt(199), answer: { ai_profiles: [last] } },
      {
        request: `PUT ${MANAGEMENT}/profile/uuid/${ID}`,
        body: { profile_name: 'new name', active: false, policy: POLICY },
        answer: { ...last, revision: 3 },
      },
    ];
    await scripted(script, async (room) => {
      await room.run(`${UPDATE} profile_id=${ID} profile_name="new name"`);
    });
  });

  requirement('profile-update-same-name', 'may repeat its own name, but not the name of another profile', async () => {
    const room = warRoom();
    expect(await room.value(`${UPDATE} profile_id=${prod} profile_name=prod`)).toMatchObject({ name: 'prod' });
    const error = await room.fail(`${UPDATE} profile_id=${prod} profile_name=claims`);
    expect(error).toMatchObject({ code: 'conflict', status: 409 });
  });

  requirement('profile-update-updated-by-none', 'updated_by defaults to the text "none"', async () => {
    expect(await warRoom().value(`${UPDATE} profile_id=${prod} profile_name=prod`)).toMatchObject({
      updated_by: 'none',
    });
  });
});

describe('deleting a profile', () => {
  const forced = (id: string) => `${DELETE} profile_id=${id} force=true updated_by=ana@example.com`;

  requirement('profile-delete-in-use', 'a profile in use is not deleted, and the error names its users', async () => {
    const room = warRoom();
    const error = await room.fail(`${DELETE} profile_id=${claims}`);
    expect(error).toMatchObject({ code: 'conflict', exitCode: 5, status: 409 });
    expect(error.rows).toEqual([
      { policy_id: expect.stringMatching(/^[0-9a-f-]{36}$/), policy_name: 'claims-gateway', priority: 10 },
    ]);
    expect(error.hint).toContain('force=true updated_by=');
    expect(await room.value(`${GET} profile_id=${claims}`)).toMatchObject({ id: claims });
  });

  requirement('profile-delete-forced', 'force=true with updated_by deletes a profile in use', async () => {
    const room = warRoom();
    expect(await room.value(forced(claims))).toMatchObject({ profile_id: claims, deleted: true, force: true });
    expect(await room.fail(`${GET} profile_id=${claims}`)).toMatchObject({ code: 'not-found' });
  });

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

  requirement.each(['', 'force=false', 'force=', 'updated_by=ana@example.com'].map((args) => ({ args })))(
    'profile-force-needs-updated-by',
    'force defaults to false: "$args" sends a plain delete',
    async ({ args }) => {
      await scripted([{ request: `DELETE ${MANAGEMENT}/profile/${ID}`, status: 204 }], async (room) => {
        expect(await room.value(`${DELETE} profile_id=${ID} ${args}`)).toMatchObject({ force: false });
      });
    },
  );

  requirement('profile-delete-message', 'the message names the id', async () => {
    const { message } = await warRoom().value(`${DELETE} profile_id=${monitorOnly}`);
    expect(message).toBe(`successfully deleted profileId: ${monitorOnly}`);
  });

  requirement('profile-delete-forced-message', 'the message of a forced delete says that it was forced', async () => {
    const { message } = await warRoom().value(forced(monitorOnly));
    expect(message).toBe(`successfully force deleted profileId: ${monitorOnly}`);
  });

  requirement('profile-delete-irreversible', 'a deleted profile cannot be read, updated or deleted again', async () => {
    const room = warRoom();
    await room.run(`${DELETE} profile_id=${monitorOnly}`);
    const lines = [
      `${GET} profile_id=${monitorOnly}`,
      `${GET} profile_name=monitor-only`,
      `${UPDATE} profile_id=${monitorOnly} profile_name=monitor-only`,
      `${DELETE} profile_id=${monitorOnly}`,
      forced(monitorOnly),
    ];
    for (const line of lines) expect(await room.fail(line)).toMatchObject({ code: 'not-found', exitCode: 5 });
    expect((await room.values(LIST)).map(({ id }) => id)).not.toContain(monitorOnly);
  });
});

describe('paths', () => {
  const words = ['force', 'uuid', '..', '.', '%2e%2e', `${ID}/force`, `${ID}?force=1`, `${ID}#x`, `${ID}%2Fforce`];

  scenario.each(
    words.flatMap((word) => [
      { line: `${GET} profile_id=${word}` },
      { line: `${UPDATE} profile_id=${word} profile_name=p` },
      { line: `${DELETE} profile_id=${word}` },
      { line: `${DELETE} profile_id=${word} force=true updated_by=ana@example.com` },
    ]),
  )('path-words', '$line is refused without a UUID, and nothing is sent', async ({ line }) => {
    const room = answering(() => ({ answer: {} }));
    expect(await room.fail(line)).toMatchObject({ code: 'arguments', exitCode: 2, argument: 'profile_id' });
    expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
  });

  test('a UUID in capital letters is sent as typed', async () => {
    const room = answering(() => ({ status: 204 }));
    await room.run(`${DELETE} profile_id=${ID.toUpperCase()}`);
    expect(room.requests.map(asked)).toEqual([
      { request: `DELETE ${MANAGEMENT}/profile/${ID.toUpperCase()}`, body: undefined },
    ]);
  });
});
