import { SEED_IDS } from '../../../fixtures/service/tenant.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { type Answer, type Exchange, MANAGEMENT, scripted, TENANT } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { idOf } from '../goldens.ts';

const ID = idOf('topic');
const PROFILE_ID = idOf('profile');

const { investmentAdvice, insuranceClaims, competitorPricing } = SEED_IDS.topics;

const APPLY = '!aisec-runtime-topics-apply';
const LINE = `${APPLY} profile_name=prod topic_name=pets`;
const PRICES = `${APPLY} topic_name=competitor-pricing`;
const GET_PROFILE = '!aisec-runtime-profiles-get profile_name';

const topicsAt = (offset: number) => `GET ${MANAGEMENT}/topics/tsg/${TENANT}?offset=${offset}&limit=100`;
const profilesAt = (offset: number) => `GET ${MANAGEMENT}/profiles/tsg/${TENANT}?offset=${offset}&limit=100`;
const put = `PUT ${MANAGEMENT}/profile/uuid/${PROFILE_ID}`;

type Fields = Readonly<Record<string, unknown>>;

const PETS = { topic_id: ID, topic_name: 'pets', revision: 7 };
const PINNED = { ...PETS };
const CARS = { topic_id: 'cars-id', topic_name: 'cars', revision: 0 };

/** A policy whose guardrail has these groups. */
function policyWith(groups: unknown, action = 'allow'): Fields {
  const guardrail = { name: 'topic-guardrails', action, options: [], 'topic-list': groups };
  return policyOf([guardrail]);
}

function policyOf(protections: unknown) {
  return {
    'ai-security-profiles': [{ 'model-type': 'default', 'model-configuration': { 'model-protection': protections } }],
    'dlp-data-profiles': [],
  };
}

const protectionsIn = (policy: Fields): Fields[] =>
  JSON.parse(JSON.stringify(policy))['ai-security-profiles'][0]['model-configuration']['model-protection'];

const profileWith = (policy: unknown, more: Fields = {}) => ({
  profile_id: PROFILE_ID,
  profile_name: 'prod',
  revision: 4,
  active: true,
  policy,
  ...more,
});

/** Both reads, the second read of the profile, and the write; `more` holds extra members of the profile. */
function writing(policy: unknown, written: unknown, answer: Answer = { answer: {} }, more: Fields = {}): Exchange[] {
  const profiles = { request: profilesAt(0), answer: { ai_profiles: [profileWith(policy, more)] } };
  const { active = true } = more;
  return [
    { request: topicsAt(0), answer: { custom_topics: [PETS] } },
    profiles,
    profiles,
    { request: put, body: { profile_name: 'prod', active, policy: written }, ...answer },
  ];
}

/** The whole exchange: the profile is read again at the end, and everything was kept. */
function applying(policy: unknown, written: unknown, answer?: Answer, more: Fields = {}): Exchange[] {
  const kept = profileWith(written, { ...more, revision: 5 });
  return [...writing(policy, written, answer, more), { request: profilesAt(0), answer: { ai_profiles: [kept] } }];
}

const wrote = ({ requests }: Pick<WarRoom, 'requests'>) => requests.filter(({ method }) => method === 'PUT');

/** The topic guardrail in a profile's context value. */
function guardrailOf(profile: Fields): Fields {
  const policy = JSON.parse(JSON.stringify(profile.policy));
  const protections: Fields[] = policy['ai-security-profiles'][0]['model-configuration']['model-protection'];
  return protections.find(({ name }) => name === 'topic-guardrails') ?? {};
}

const actionOf = async (room: WarRoom, profile: string, prompt: string) =>
  (await room.value(`!aisec-runtime-scan profile_name=${profile} prompt="${prompt}"`)).action;

describe('the request of an apply', () => {
  requirement('topic-apply-pins-revision', 'adds the topic at its current revision, and pins it', async () => {
    const room = warRoom();
    const topic = `!aisec-runtime-topics-update topic_id=${competitorPricing} topic_name=competitor-pricing`;
    await room.run(`${topic} examples="Compare the tariffs of rivals,Cheaper tariffs elsewhere"`);
    const applied = await room.value(`${PRICES} profile_name=monitor-only guardrail_action=allow`);
    expect(applied).toMatchObject({ topic_id: competitorPricing, topic_revision: 2, applied: true });
    const pinned = { topic_id: competitorPricing, topic_name: 'competitor-pricing', revision: 2 };
    expect(guardrailOf(await room.value(`${GET_PROFILE}=monitor-only`))).toEqual({
      name: 'topic-guardrails',
      action: 'allow',
      options: [],
      'topic-list': [{ action: 'block', topic: [pinned] }],
    });
    await room.run(`${topic} examples="Something else,Another matter"`);
    expect(await actionOf(room, 'monitor-only', 'Compare the tariffs of rivals')).toBe('block');
    expect(await actionOf(room, 'monitor-only', 'Something else')).toBe('allow');
  });

  requirement(
    'topic-apply-keeps-other-topics',
    'keeps other topics and all other settings of the profile',
    async () => {
      const room = warRoom();
      const before = await room.value(`${GET_PROFILE}=prod`);
      await room.run(`${PRICES} profile_name=prod guardrail_action=allow`);
      const after = await room.value(`${GET_PROFILE}=prod`);
      const ids = (profile: Fields) => JSON.stringify(guardrailOf(profile)).match(/"topic_id":"[^"]+"/g);
      expect(ids(before)).toEqual([`"topic_id":"${investmentAdvice}"`]);
      expect(ids(after)).toEqual([`"topic_id":"${investmentAdvice}"`, `"topic_id":"${competitorPricing}"`]);
      expect(after).toMatchObject({ name: 'prod', active: true, revision: 4 });
      const withoutGuardrail = (name: string, value: unknown) =>
        name === 'model-protection' && Array.isArray(value)
          ? value.filter((protection) => protection.name !== 'topic-guardrails')
          : value;
      const rest = (profile: Fields) => JSON.parse(JSON.stringify(profile.policy, withoutGuardrail));
      expect(rest(after)).toEqual(rest(before));
      expect(await actionOf(room, 'prod', 'Should I buy shares of this company, or wait until autumn?')).toBe('block');
    },
  );

  const others = [
    { action: 'allow', topic: [CARS], id: 'kept' },
    { action: 'block', topic: [{ ...CARS, topic_id: 'vans-id', topic_name: 'vans' }] },
  ];
  const [allowed = {}, blocked = {}] = others;
  requirement.each([
    {
      what: "a group with the topic's action",
      groups: others,
      written: [allowed, { ...blocked, topic: [...(others[1]?.topic ?? []), PINNED] }],
    },
    {
      what: "no group with the topic's action",
      groups: [allowed],
      written: [allowed, { action: 'block', topic: [PINNED] }],
    },
    {
      what: 'an older revision of the topic',
      groups: [{ action: 'block', topic: [{ ...PETS, revision: 1 }, CARS] }],
      written: [{ action: 'block', topic: [CARS, PINNED] }],
    },
    {
      what: 'the topic in the group with the other action',
      groups: [{ action: 'allow', topic: [{ ...PETS, revision: 1 }] }, blocked],
      written: [{ ...blocked, topic: [...(others[1]?.topic ?? []), PINNED] }],
    },
    {
      what: 'a deleted topic with the same name',
      groups: [{ action: 'block', topic: [{ ...PETS, topic_id: 'older' }] }],
      written: [{ action: 'block', topic: [PINNED] }],
    },
  ])(
    'topic-apply-keeps-other-topics',
    'keeps the other topics of a guardrail that has $what',
    async ({ groups, written }) => {
      await scripted(applying(policyWith(groups), policyWith(written, 'block')), async (room) => {
        await room.run(LINE);
      });
    },
  );

  const added = [{ action: 'block', topic: [PINNED] }];
  test.each([
    { what: 'a topic-list that is null', policy: policyWith(null) },
    { what: 'a group whose topic is null', policy: policyWith([{ action: 'block', topic: null }]) },
    { what: 'a group with a null among its topics', policy: policyWith([{ action: 'block', topic: [null] }]) },
    { what: 'an empty group', policy: policyWith([{ action: 'allow', topic: [] }]) },
    { what: 'no guardrail', policy: policyOf([]) },
    { what: 'model-protection that is null', policy: policyOf(null) },
    { what: 'no models', policy: { 'ai-security-profiles': [], 'dlp-data-profiles': [] } },
  ])('a profile with $what gets a guardrail with the topic, and no empty group', async ({ policy }) => {
    await scripted(applying(policy, policyWith(added, 'block')), async (room) => {
      expect(await room.value(LINE)).toMatchObject({ applied: true, topic_revision: 7 });
    });
  });

  test.each([
    { what: 'false stays false', active: false, sent: false },
    { what: 'an unknown value counts as true', active: undefined, sent: true },
  ])('keeps whether the profile is active: $what', async ({ active, sent }) => {
    const script = applying(policyWith([]), policyWith(added, 'block'), { answer: {} }, { active });
    expect(script.at(-2)?.body).toMatchObject({ active: sent });
    await scripted(script, async (room) => {
      await room.run(LINE);
    });
  });
});

describe('a profile or topic that was not read in full', () => {
  const configured = (configuration: unknown) => ({
    'ai-security-profiles': [{ 'model-type': 'default', 'model-configuration': configuration }],
  });
  const topicRead = { request: topicsAt(0), answer: { custom_topics: [PETS] } };

  scenario.each([
    { lacks: 'policy', policy: undefined },
    { lacks: 'policy', policy: null },
    { lacks: 'ai-security-profiles', policy: {} },
    { lacks: 'ai-security-profiles', policy: { 'dlp-data-profiles': [] } },
    { lacks: 'model-configuration', policy: { 'ai-security-profiles': [{ 'model-type': 'default' }] } },
    { lacks: 'model-protection', policy: configured({ 'app-protection': {} }) },
    {
      lacks: 'model-protection',
      policy: {
        'ai-security-profiles': [...policyOf([])['ai-security-profiles'], ...configured({})['ai-security-profiles']],
      },
    },
  ])('apply-kept', 'is not written if it lacks $lacks: $policy', async ({ lacks, policy }) => {
    const profileRead = { request: profilesAt(0), answer: { ai_profiles: [profileWith(policy)] } };
    await scripted([topicRead, profileRead], async (room) => {
      const error = await room.fail(LINE);
      expect(error).toMatchObject({ code: 'response', exitCode: 8 });
      expect(error.message).toBe(
        `The service answered without ${lacks} of the security profile, which an update must send back.`,
      );
      expect(error.hint).toContain('Nothing was changed');
      expect(error.hint).toContain('aisec-runtime-profiles-update policy=`{"ai-security-profiles":[]');
    });
  });

  scenario(
    'apply-kept',
    'is not written without the revision of the topic, so that no old content is pinned',
    async () => {
      const { revision: _, ...without } = PETS;
      const script = [
        { request: topicsAt(0), answer: { custom_topics: [without] } },
        { request: profilesAt(0), answer: { ai_profiles: [profileWith(policyWith([]))] } },
      ];
      await scripted(script, async (room) => {
        expect((await room.fail(LINE)).message).toContain('without revision of the topic');
      });
    },
  );
});

describe('what the service kept', () => {
  const INJECTION = { name: 'prompt-injection', action: 'block' };
  const guarded = (groups: unknown, action: string) => [INJECTION, ...protectionsIn(policyWith(groups, action))];
  const current = policyOf(guarded([{ action: 'block', topic: [CARS] }], 'allow'));
  const wanted = [{ action: 'block', topic: [CARS, PINNED] }];
  const written = policyOf(guarded(wanted, 'block'));
  const DETECTORS = 'policy.ai-security-profiles.default.model-configuration.model-protection';
  const TOPICS = `${DETECTORS}.topic-guardrails.topic-list`;
  const readAgain = (answer: Answer): Exchange[] => [
    ...writing(current, written, { answer: profileWith(written, { revision: 5 }) }),
    { request: profilesAt(0), ...answer },
  ];
  const kept = (policy: unknown, more: Fields = {}) =>
    readAgain({ answer: { ai_profiles: [profileWith(policy, { revision: 5, ...more })] } });

  scenario.each([
    { what: 'nothing', policy: current, lost: [`${TOPICS}.block.topic.pets`, `${DETECTORS}.topic-guardrails.action`] },
    {
      what: 'the topic at another revision',
      policy: policyOf(guarded([{ action: 'block', topic: [CARS, { ...PETS, revision: 6 }] }], 'block')),
      lost: [`${TOPICS}.block.topic.pets.revision`],
    },
    {
      what: 'the topic in a group of the other action',
      policy: policyOf(
        guarded(
          [
            { action: 'block', topic: [CARS] },
            { action: 'allow', topic: [PETS] },
          ],
          'block',
        ),
      ),
      lost: [`${TOPICS}.block.topic.pets`, `${TOPICS}.allow`],
    },
    {
      what: 'another action for prompts that match no topic',
      policy: policyOf(guarded(wanted, 'allow')),
      lost: [`${DETECTORS}.topic-guardrails.action`],
    },
    {
      what: 'an action in another case',
      policy: policyOf(guarded([{ action: 'BLOCK', topic: [CARS, PINNED] }], 'block')),
      lost: [`${TOPICS}.block`, `${TOPICS}.BLOCK`],
    },
    {
      what: 'no other topic',
      policy: policyOf(guarded([{ action: 'block', topic: [PINNED] }], 'block')),
      lost: [`${TOPICS}.block.topic.cars`],
    },
    { what: 'no guardrail', policy: policyOf([INJECTION]), lost: [`${DETECTORS}.topic-guardrails`] },
    {
      what: 'no other detector',
      policy: policyWith(wanted, 'block'),
      lost: [`${DETECTORS}.prompt-injection`],
    },
    { what: 'no policy', policy: undefined, lost: ['policy.ai-security-profiles.default'] },
    { what: 'an inactive profile', policy: written, more: { active: false }, lost: ['active'] },
  ])('apply-kept', 'ends with exit code 10 if the guardrail is $what', async ({ policy, more, lost }) => {
    await scripted(kept(policy, more), async (room) => {
      const { failure, writes } = await room.run(LINE);
      expect(failure).toMatchObject({ code: 'partial', exitCode: 10 });
      expect(failure?.message).toBe(
        'The service accepted the update, but the security profile lacks some of the change.',
      );
      expect(failure?.rows.map(({ member }) => member).sort()).toEqual([...lost].sort());
      expect(failure?.hint).toContain('aisec-runtime-profiles-get profile_name=prod');
      expect(writes[0]?.value).toMatchObject({ profile_name: 'prod', topic_name: 'pets', applied: false });
    });
  });

  scenario('apply-kept', 'ends with exit code 10 if no profile has the name', async () => {
    await scripted(readAgain({ answer: { ai_profiles: [] } }), async (room) => {
      const { failure, writes } = await room.run(LINE);
      expect(failure).toMatchObject({ exitCode: 10, rows: [{ member: 'profile_name' }] });
      expect(writes[0]?.value).toMatchObject({ applied: false, guardrail_action: null });
    });
  });

  scenario.each([
    { what: 'is not answered', answer: { status: 403 }, exit: 4 },
    { what: 'is not JSON', answer: { text: 'no JSON' }, exit: 8 },
  ])(
    'apply-kept',
    'reports an unconfirmed change if the profile cannot be read again: $what',
    async ({ answer, exit }) => {
      const script = readAgain(answer);
      const last = script.at(-1) as Exchange;
      await scripted(answer.status === 403 ? [...script, last] : script, async (room) => {
        const error = await room.fail(LINE);
        expect(error.exitCode).toBe(exit);
        expect(error.hint).toContain('The service accepted the update, but it is not confirmed');
      });
    },
  );

  scenario.each([
    { what: 'lists in another order', policy: policyOf([...guarded(wanted, 'block')].reverse()) },
    {
      what: 'topics in another order',
      policy: policyOf(guarded([{ action: 'block', topic: [PINNED, CARS] }], 'block')),
    },
    { what: 'null for an empty list', policy: { ...written, 'dlp-data-profiles': null } },
    { what: 'more members', policy: { ...written, 'created-by': 'service' } },
    {
      what: 'a detector that is off',
      policy: policyOf([...guarded(wanted, 'block'), { name: 'agent-security', action: '' }]),
    },
  ])('apply-kept', 'counts as equal with $what', async ({ policy }) => {
    await scripted(kept(policy), async (room) => {
      expect(await room.value(LINE)).toMatchObject({ applied: true, guardrail_action: 'block' });
    });
  });

  scenario('apply-kept', 'counts as equal if a topic has a new name, or two groups have the same action', async () => {
    const topics = { custom_topics: [PETS, { topic_id: 'cars-id', topic_name: 'vehicles', revision: 3 }] };
    const groups = (cars: string) => [
      { action: 'allow', topic: [{ ...CARS, topic_name: cars }] },
      { action: 'allow', topic: [{ topic_id: 'x', topic_name: 'x', revision: 1 }] },
      { action: 'block', topic: [PINNED] },
    ];
    const before = policyWith(groups('cars').slice(0, 2), 'block');
    const [, ...rest] = applying(before, policyWith(groups('cars'), 'block'));
    const answer = { ai_profiles: [profileWith(policyWith(groups('vehicles'), 'block'), { revision: 5 })] };
    const script = [{ request: topicsAt(0), answer: topics }, ...rest.slice(0, -1), { request: profilesAt(0), answer }];
    await scripted(script, async (room) => {
      expect(await room.value(LINE)).toMatchObject({ applied: true });
    });
  });
});

describe('a required resource', () => {
  requirement.each([
    { line: `${APPLY} profile_name=nobody topic_name=insurance-claims`, names: 'profile_name=nobody' },
    { line: `${APPLY} profile_name=prod topic_name=nothing`, names: 'topic_name=nothing' },
    { line: `${APPLY} profile_name=Prod topic_name=insurance-claims`, names: 'profile_name=Prod' },
  ])('topic-apply-both-exist', '$line is not found, and nothing is written', async ({ line, names }) => {
    const room = warRoom();
    const error = await room.fail(line);
    expect(error).toMatchObject({ code: 'not-found', exitCode: 5 });
    expect(error.message).toContain(names);
    expectNone(wrote(room), 'changes');
    expect(room.context).toEqual({});
  });

  test('edits the newest of many revisions with separate ids, and records the new id', async () => {
    const room = warRoom({ quirks: ['new-profile-id'] });
    const update = `!aisec-runtime-profiles-update profile_id=${SEED_IDS.profiles.prod} profile_name=prod`;
    for (let round = 0; round < 105; round += 1) await room.run(update);
    const newest = await room.value(`${GET_PROFILE}=prod`);
    const { profile_id } = await room.value(`${PRICES} profile_name=prod`);
    expect(wrote(room).at(-1)?.url).toContain(String(newest.id));
    const after = await room.value(`${GET_PROFILE}=prod`);
    expect(after).toMatchObject({ id: profile_id, revision: 109 });
    expect(profile_id).not.toBe(newest.id);
    expect(JSON.stringify(guardrailOf(after))).toMatch(new RegExp(`${investmentAdvice}.*${competitorPricing}`));
  });

  test.each([
    { what: 'its revision', now: { revision: 5 } },
    { what: 'its policy under the same revision', now: { policy: policyWith([{ action: 'allow', topic: [CARS] }]) } },
    { what: 'its id', now: { profile_id: 'another-id' } },
    { what: 'whether it is active', now: { active: false } },
  ])('a profile that changed in between is not written: $what', async ({ now }) => {
    const script = [
      { request: topicsAt(0), answer: { custom_topics: [PETS] } },
      { request: profilesAt(0), answer: { ai_profiles: [profileWith(policyWith([]))] } },
      { request: profilesAt(0), answer: { ai_profiles: [profileWith(policyWith([]), now)] } },
    ];
    await scripted(script, async (room) => {
      const error = await room.fail(LINE);
      expect(error).toMatchObject({ code: 'conflict', exitCode: 5, retryable: true });
      expect(error.hint).toContain('Nothing was written');
    });
  });

  test('a profile that was deleted in between is not written', async () => {
    const script = [
      { request: topicsAt(0), answer: { custom_topics: [PETS] } },
      { request: profilesAt(0), answer: { ai_profiles: [profileWith(policyWith([]))] } },
      { request: profilesAt(0), answer: { ai_profiles: [] } },
    ];
    await scripted(script, async (room) => {
      expect(await room.fail(LINE)).toMatchObject({ code: 'not-found', exitCode: 5 });
    });
  });

  test('a write with an unknown outcome is not sent again', async () => {
    const script = writing(policyWith([]), policyWith([{ action: 'block', topic: [PINNED] }], 'block'), {
      status: 503,
    });
    await scripted(script, async (room) => {
      const error = await room.fail(LINE);
      expect(error).toMatchObject({ status: 503, retryable: false });
      expect(error.hint).toContain('outcome is unknown');
    });
  });
});

describe('the actions', () => {
  const rows = ['allow', 'block'].flatMap((action) =>
    ['allow', 'block'].map((guardrail) => ({
      args: `action=${action} guardrail_action=${guardrail}`,
      action,
      guardrail,
    })),
  );

  requirement.each([
    ...rows,
    { args: '', action: 'block', guardrail: 'block' },
    { args: 'action=', action: 'block', guardrail: 'block' },
    { args: 'action=allow', action: 'allow', guardrail: 'block' },
    { args: 'guardrail_action=allow', action: 'block', guardrail: 'allow' },
  ])('topic-apply-actions', '"$args": the topic is $action, the guardrail $guardrail', async (row) => {
    const { args, action, guardrail } = row;
    const written = policyWith([{ action, topic: [PINNED] }], guardrail);
    await scripted(applying(policyWith([]), written), async (room) => {
      expect(await room.value(`${LINE} ${args}`)).toMatchObject({ action, guardrail_action: guardrail });
    });
  });

  const QUESTION = 'How do I report water damage in my kitchen?';

  requirement('topic-guardrail-block', 'a blocking guardrail allows only texts that match an allow topic', async () => {
    const room = warRoom();
    await room.run('!aisec-runtime-profiles-create profile_name=desk');
    expect(await actionOf(room, 'desk', 'Tell me a joke')).toBe('allow');
    await room.run(`${APPLY} profile_name=desk topic_name=insurance-claims action=allow`);
    expect(guardrailOf(await room.value(`${GET_PROFILE}=desk`))).toMatchObject({
      action: 'block',
      'topic-list': [{ action: 'allow', topic: [{ topic_id: insuranceClaims }] }],
    });
    expect(await actionOf(room, 'desk', QUESTION)).toBe('allow');
    expect(await actionOf(room, 'desk', 'Tell me a joke')).toBe('block');
  });

  requirement('topic-guardrail-allow', 'an allowing guardrail blocks only texts that match a block topic', async () => {
    const room = warRoom();
    await room.run('!aisec-runtime-profiles-create profile_name=desk');
    expect(await actionOf(room, 'desk', QUESTION)).toBe('allow');
    await room.run(`${APPLY} profile_name=desk topic_name=insurance-claims guardrail_action=allow`);
    expect(guardrailOf(await room.value(`${GET_PROFILE}=desk`))).toMatchObject({
      action: 'allow',
      'topic-list': [{ action: 'block', topic: [{ topic_id: insuranceClaims }] }],
    });
    expect(await actionOf(room, 'desk', QUESTION)).toBe('block');
    expect(await actionOf(room, 'desk', 'Tell me a joke')).toBe('allow');
  });
});

describe('the extension keep_guardrail_action', () => {
  test.each([
    { was: 'allow', args: 'keep_guardrail_action=true', after: 'allow' },
    { was: 'block', args: 'keep_guardrail_action=true', after: 'block' },
    { was: 'allow', args: 'keep_guardrail_action=true guardrail_action=block', after: 'allow' },
    { was: 'allow', args: 'keep_guardrail_action=false', after: 'block' },
    { was: 'allow', args: '', after: 'block' },
    { was: 'block', args: 'keep_guardrail_action=no guardrail_action=allow', after: 'allow' },
  ])('"$args" changes the guardrail from $was to $after', async ({ was, args, after }) => {
    const written = policyWith([{ action: 'block', topic: [PINNED] }], after);
    await scripted(applying(policyWith([], was), written), async (room) => {
      expect(await room.value(`${LINE} ${args}`)).toMatchObject({ guardrail_action: after });
    });
  });
});

describe('the guardrail before and after', () => {
  const table = {
    title: 'Guardrail',
    columns: ['', 'Before', 'After'],
    rows: [
      ['Prompts that match no topic', 'allow', 'block'],
      ['Topics', 'block: investment-advice', 'block: investment-advice\nallow: competitor-pricing'],
    ],
  };
  const line = `${PRICES} profile_name=prod action=allow`;
  const warning = /now blocks every prompt that matches no allow topic/;

  test('the result shows both states, and warns about what the guardrail now blocks', async () => {
    const { readable } = await warRoom().run(line);
    expect(readable.tables[1]).toEqual(table);
    expect(readable.notes.join()).toMatch(warning);
  });

  test('a dry run reads, shows the same states and writes nothing', async () => {
    const room = warRoom();
    const { readable, planned, writes } = await room.run(line, { dryRun: true });
    expect({ planned, writes }).toEqual({ planned: true, writes: [] });
    expect(readable.tables[1]).toEqual(table);
    expect(readable.notes.join()).toMatch(warning);
    expect(room.requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([
      'POST /oauth2/access_token',
      'GET /aisec/v1/mgmt/topics/tsg/1000000001',
      'GET /aisec/v1/mgmt/profiles/tsg/1000000001',
      'GET /aisec/v1/mgmt/profiles/tsg/1000000001',
    ]);
    expect(await room.value(`${GET_PROFILE}=prod`)).toMatchObject({ revision: 3 });
  });
});
