import { SEED_IDS } from '../../../fixtures/service/tenant.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, asked, MANAGEMENT, scripted, TENANT } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { describeDeleteBodies, describeTypeChanges, describeWrongRoots } from './answers.ts';
import { describeGoldens } from './golden.ts';
import { goldens, ID, keys } from './goldens/topics.ts';
import { describePages } from './lists.ts';
import { replay } from './replay.ts';

const { investmentAdvice, insuranceClaims, competitorPricing } = SEED_IDS.topics;
const UNKNOWN = '11111111-2222-4333-8444-555555555555';

const LIST = '!aisec-runtime-topics-list';
const GET = '!aisec-runtime-topics-get';
const CREATE = '!aisec-runtime-topics-create';
const UPDATE = '!aisec-runtime-topics-update';
const DELETE = '!aisec-runtime-topics-delete';

const WEATHER = `${CREATE} topic_name=weather description="Talk about the weather." examples="Will it rain?,Is it hot?"`;

/** As a list has it. */
const STORED = { topic_id: ID, description: 'd', examples: ['c', 'd'] };

const pageAt = (offset: number) => `GET ${MANAGEMENT}/topics/tsg/${TENANT}?offset=${offset}&limit=100`;
const createRequest = `POST ${MANAGEMENT}/topic`;
const updateRequest = `PUT ${MANAGEMENT}/topic/uuid/${ID}`;

describe('requests and context', () => {
  describeGoldens({ prefix: 'aisec-runtime-topics', keys, goldens });

  describePages({
    command: 'aisec-runtime-topics-list',
    path: 'topics',
    items: 'custom_topics',
    wireId: 'topic_id',
    id: 'topic_id',
    standard: 100,
    standardClaim: 'topics-limit-defaults-to-100',
  });

  const line = `${CREATE} topic_name=t description=d examples=a,b`;
  const body = { topic_name: 't', description: 'd', examples: ['a', 'b'], active: true };
  describeTypeChanges([
    { line: LIST, script: [{ request: pageAt(0), answer: { custom_topics: 'x' } }], path: '"custom_topics"' },
    {
      line: LIST,
      script: [{ request: pageAt(0), answer: { custom_topics: [{ last_modified_ts: [] }] } }],
      path: 'AiSec.Topic.last_modified_ts',
    },
    {
      line: `${GET} topic_id=${ID}`,
      script: [{ request: pageAt(0), answer: { custom_topics: [{ topic_id: ID, revision: 'two' }] } }],
      path: 'AiSec.TopicGet.revision',
    },
    { line, script: [{ request: createRequest, body, answer: { active: 'maybe' } }], path: 'AiSec.TopicCreate.active' },
  ]);

  describeWrongRoots([
    { line: LIST, script: [{ request: pageAt(0) }] },
    { line: `${GET} topic_name=t`, script: [{ request: pageAt(0) }] },
    { line, script: [{ request: createRequest, body }] },
  ]);

  describeDeleteBodies([
    {
      line: `${DELETE} topic_id=${ID}`,
      request: `DELETE ${MANAGEMENT}/topic/${ID}`,
      echo: { topic_id: ID, force: false },
    },
    {
      line: `${DELETE} topic_id=${ID} force=true`,
      request: `DELETE ${MANAGEMENT}/topic/force/${ID}`,
      echo: { topic_id: ID, force: true },
    },
  ]);

  requirement('topics-limit-defaults-to-100', 'the list begins at offset 0 and takes an offset', async () => {
    const room = warRoom();
    const ids = async (args: string) => (await room.values(`${LIST} ${args}`)).map(({ topic_id }) => topic_id);
    const every = [investmentAdvice, insuranceClaims, competitorPricing];
    expect(await ids('')).toEqual(every);
    expect(await ids('offset=0')).toEqual(every);
    expect(await ids('offset=1 limit=1')).toEqual([insuranceClaims]);
  });

  requirement('date-shape', 'the time of the last change is ISO 8601 in UTC', async () => {
    const times = ['2026-05-19T18:05:00+02:00', '2026-05-19 16:05:00 +0000 UTC', '2026-05-19T16:05:00.9Z'];
    const answer = { custom_topics: times.map((time) => ({ last_modified_ts: time })) };
    expect(await answering(() => ({ answer })).value(LIST)).toMatchObject(
      times.map(() => ({ last_modified_ts: '2026-05-19T16:05:00Z' })),
    );
  });
});

describe('creating a topic', () => {
  requirement('topic-create-first-revision', 'a new topic has revision 1 and is active by default', async () => {
    const room = warRoom();
    expect(await room.value(WEATHER)).toMatchObject({ topic_name: 'weather', revision: 1, active: true });
    const second = WEATHER.replace('=weather', '=climate');
    expect(await room.value(`${second} active=false`)).toMatchObject({ revision: 1, active: false });
    expect(await room.value(`${GET} topic_name=climate`)).toMatchObject({ topic_name: 'climate', revision: 1 });
  });

  requirement('topic-create-name-unique', 'a duplicate name is a conflict', async () => {
    const room = warRoom();
    const error = await room.fail(WEATHER.replace('=weather', '=insurance-claims'));
    expect(error).toMatchObject({ code: 'conflict', exitCode: 5, status: 409 });
    expect(room.context).toEqual({});
    expect(await room.values(LIST)).toHaveLength(3);
  });

  requirement.each([
    { typed: 'examples="Will it rain?,Is it hot?"', sent: ['Will it rain?', 'Is it hot?'] },
    { typed: 'examples=" one ,  two,,three , "', sent: ['one', 'two', 'three'] },
    { typed: 'examples=one examples=two', sent: ['one', 'two'] },
    { typed: 'examples=`["Hot, or cold?", "2"]`', sent: ['Hot, or cold?', '2'] },
    { typed: 'examples=`["a", 7]`', sent: ['a', '7'] },
  ])('topic-examples-comma-separated', 'create and update send $typed as $sent', async ({ typed, sent }) => {
    const room = answering(({ method }) => ({ answer: method === 'GET' ? { custom_topics: [STORED] } : {} }));
    await room.run(`${CREATE} topic_name=t description=d ${typed}`);
    await room.run(`${UPDATE} topic_id=${ID} topic_name=t ${typed}`);
    const bodies = room.requests.filter(({ body }) => body !== undefined).map(({ body }) => JSON.parse(body ?? ''));
    expect(bodies.map(({ examples }) => examples)).toEqual([sent, sent]);
  });
});

describe('booleans', () => {
  requirement.each([
    { text: 'false', value: false },
    { text: 'No', value: false },
    { text: 'TRUE', value: true },
    { text: 'yes', value: true },
  ])('boolean-arguments', 'active=$text is $value for a create and an update', async ({ text, value }) => {
    const room = answering(({ method }) => ({ answer: method === 'GET' ? { custom_topics: [STORED] } : {} }));
    await room.run(`${CREATE} topic_name=t description=d examples=a,b active=${text}`);
    await room.run(`${UPDATE} topic_id=${ID} topic_name=t active=${text}`);
    const bodies = room.requests.filter(({ body }) => body !== undefined).map(({ body }) => JSON.parse(body ?? ''));
    expect(bodies.map(({ active }) => active)).toEqual([value, value]);
  });

  requirement.each([
    { line: `${CREATE} topic_name=t description=d examples=a,b active=1`, argument: 'active' },
    { line: `${UPDATE} topic_id=${ID} topic_name=t active=maybe`, argument: 'active' },
    { line: `${DELETE} topic_id=${ID} force=1`, argument: 'force' },
    { line: `${DELETE} topic_id=${ID} force=null`, argument: 'force' },
  ])('boolean-arguments', '$line is refused', async ({ line, argument }) => {
    const room = answering(() => ({ answer: {} }));
    expect(await room.fail(line)).toMatchObject({ exitCode: 2, argument });
    expectNone(room.requests, 'requests');
  });
});

describe('limits of a topic, in bytes', () => {
  const bytes = (count: number) => 'ü'.repeat(Math.floor(count / 2)) + 'x'.repeat(count % 2);
  const line = (topic: { name?: string; description?: string; examples?: string[] }) => {
    const { name = 't', description = 'd', examples = ['a', 'b'] } = topic;
    return `${CREATE} topic_name=${name} description=${description} examples=\`${JSON.stringify(examples)}\``;
  };

  test.each([
    { what: 'a name of 100 bytes', topic: { name: bytes(100) } },
    { what: 'a description of 250 bytes', topic: { description: bytes(250) } },
    { what: 'an example of 250 bytes', topic: { examples: ['a', bytes(250)] } },
    { what: 'five examples', topic: { examples: ['a', 'b', 'c', 'd', 'e'] } },
    {
      what: '1000 bytes together',
      topic: { name: 't', description: bytes(249), examples: [bytes(250), bytes(250), bytes(250)] },
    },
    { what: 'a name of 25 characters of four bytes', topic: { name: '\u{1f600}'.repeat(25) } },
  ])('client and service accept $what', async ({ topic }) => {
    expect(await warRoom().value(line(topic))).toMatchObject({ revision: 1 });
  });

  const together = 'topic_name, description, examples may have at most 1000 bytes together.';
  test.each([
    {
      what: 'a name of 101 bytes in 51 characters',
      topic: { name: bytes(101) },
      message: 'topic_name must have at most 100 bytes; it has 101.',
    },
    {
      what: 'a name of 26 characters of four bytes',
      topic: { name: '\u{1f600}'.repeat(26) },
      message: 'topic_name must have at most 100 bytes; it has 104.',
    },
    {
      what: 'a description of 251 bytes',
      topic: { description: bytes(251) },
      message: 'description must have at most 250 bytes; it has 251.',
    },
    {
      what: 'an example of 251 bytes',
      topic: { examples: ['a', bytes(251)] },
      message: 'examples (at 1) must have at most 250 bytes; it has 251.',
    },
    { what: 'one example', topic: { examples: ['a'] }, message: 'examples must have at least 2 entries.' },
    {
      what: 'six examples',
      topic: { examples: ['a', 'b', 'c', 'd', 'e', 'f'] },
      message: 'examples must have at most 5 entries.',
    },
    {
      what: 'an empty example',
      topic: { examples: ['a', ''] },
      message: 'examples (at 1) must have at least 1 characters.',
    },
    {
      what: '1001 bytes together',
      topic: { name: 't', description: bytes(250), examples: [bytes(250), bytes(250), bytes(250)] },
      message: `${together} They have 1001.`,
    },
  ])('$what is refused: $message', async ({ topic, message }) => {
    const room = warRoom();
    const error = await room.fail(line(topic));
    expect(error).toMatchObject({ code: 'arguments', exitCode: 2 });
    expect(error.message).toBe(message);
    expectNone(room.requests, 'requests');
  });

  test.each([
    { args: 'examples="a"', message: 'examples must have at least 2 entries.' },
    { args: 'examples=[]', message: 'examples must have at least 2 entries.' },
    { args: 'examples=a,b,c,d,e,f', message: 'examples must have at most 5 entries.' },
    { args: `description=${bytes(251)}`, message: 'description must have at most 250 bytes; it has 251.' },
  ])('refuses an update with $args before a request: $message', async ({ args, message }) => {
    const room = warRoom();
    const error = await room.fail(`${UPDATE} topic_id=${ID} topic_name=t ${args}`);
    expect(error).toMatchObject({ code: 'arguments', exitCode: 2, message });
    expectNone(room.requests, 'requests');
  });

  test('an update reports all exceeded limits', async () => {
    const room = warRoom();
    const error = await room.fail(`${UPDATE} topic_id=${ID} topic_name=${bytes(102)} examples=a`);
    expect(error.message).toContain('topic_name must have at most 100 bytes; it has 102.');
    expect(error.message).toContain('examples must have at least 2 entries.');
    expectNone(room.requests, 'requests');
  });
});

describe('reading one topic', () => {
  requirement('topic-get-one-identifier', 'an id or a name suffices', async () => {
    const room = warRoom();
    const found = { topic_id: insuranceClaims, topic_name: 'insurance-claims', revision: 1 };
    expect(await room.value(`${GET} topic_id=${insuranceClaims}`)).toMatchObject(found);
    expect(await room.value(`${GET} topic_name=insurance-claims`)).toMatchObject(found);
    expect(await room.value(`${GET} insurance-claims`)).toMatchObject(found);
  });

  requirement.each(['', 'topic_id=', 'topic_name=""'].map((args) => ({ args })))(
    'topic-get-one-identifier',
    'sends nothing without an id or a name: "$args"',
    async ({ args }) => {
      const room = warRoom();
      const error = await room.fail(`${GET} ${args}`);
      expect(error).toMatchObject({ exitCode: 2, message: 'Give topic_id or topic_name.' });
      expectNone(room.requests, 'requests');
    },
  );

  requirement('topic-get-highest-revision', 'a name selects the highest revision, on any page', async () => {
    const topic = (topic_id: string, revision: unknown) => ({ topic_id, topic_name: 'pets', revision });
    const others = Array.from({ length: 99 }, (_, n) => ({ topic_id: `o${n}`, topic_name: 'Pets', revision: 99 }));
    const script = [
      { request: pageAt(0), answer: { custom_topics: [topic('a', 9), ...others], next_offset: 100 } },
      { request: pageAt(100), answer: { custom_topics: [topic('b', '10'), topic('c', 2)] } },
    ];
    await scripted(script, async (room) => {
      expect(await room.value(`${GET} topic_name=pets`)).toMatchObject({ topic_id: 'b', revision: 10 });
    });
  });

  requirement('topic-get-highest-revision', 'a name selects the result of the last update', async () => {
    const room = warRoom();
    for (let n = 0; n < 110; n += 1) await room.run(WEATHER.replace('=weather', `=weather-${n}`));
    const { topic_id } = await room.value(WEATHER);
    for (const word of ['first', 'second']) {
      await room.run(`${UPDATE} topic_id=${String(topic_id)} topic_name=weather description=${word}`);
    }
    expect(await room.value(`${GET} topic_name=weather`)).toMatchObject({
      topic_id,
      revision: 3,
      description: 'second',
    });
  });

  test.each(['topic_name=Insurance-claims', 'topic_name=claims', `topic_id=${UNKNOWN}`])(
    '%s finds nothing',
    async (args) => {
      const error = await warRoom().fail(`${GET} ${args}`);
      expect(error).toMatchObject({ code: 'not-found', exitCode: 5 });
      expect(error.message).toContain(args);
    },
  );
});

describe('a topic that was not read in full', () => {
  const update = `${UPDATE} topic_id=${ID} topic_name=t`;

  scenario.each([
    { lacks: 'examples', stored: { description: 'd' }, args: '' },
    { lacks: 'examples', stored: { description: 'd', examples: null }, args: 'description=e' },
    { lacks: 'description', stored: { examples: ['c', 'd'] }, args: '' },
    { lacks: 'description', stored: { description: null, examples: ['c', 'd'] }, args: 'examples=a,b' },
  ])('apply-kept', 'is not written if it lacks $lacks: $stored "$args"', async (row) => {
    const { lacks, stored, args } = row;
    const script = [{ request: pageAt(0), answer: { custom_topics: [{ topic_id: ID, ...stored }] } }];
    await scripted(script, async (room) => {
      const error = await room.fail(`${update} ${args}`);
      expect(error).toMatchObject({ code: 'response', exitCode: 8 });
      expect(error.message).toBe(`The service answered without ${lacks} of the topic, which an update must send back.`);
      expect(error.hint).toBe(
        `Nothing was changed, because the update would wipe it. Try again, or give ${lacks} in the same command.`,
      );
    });
  });

  scenario('apply-kept', 'is updated if the missing members are given', async () => {
    const body = { topic_name: 't', description: 'd', examples: ['a', 'b'] };
    const script = [
      { request: pageAt(0), answer: { custom_topics: [{ topic_id: ID }] } },
      { request: updateRequest, body, answer: {} },
    ];
    await scripted(script, async (room) => {
      await room.run(`${update} description=d examples=a,b`);
    });
  });
});

describe('updating a topic', () => {
  const update = `${UPDATE} topic_id=${investmentAdvice} topic_name=investment-advice`;

  requirement('topic-update-next-revision', 'increments the revision', async () => {
    const room = warRoom();
    for (const revision of [3, 4]) {
      const updated = await room.value(`${update} description="Take ${revision}"`);
      expect(updated).toMatchObject({ topic_id: investmentAdvice, revision });
    }
    expect(await room.value(`${GET} topic_id=${investmentAdvice}`)).toMatchObject({
      revision: 4,
      description: 'Take 4',
    });
  });

  requirement('topic-update-unknown', 'a topic that does not exist is not updated', async () => {
    const room = warRoom();
    const error = await room.fail(`${UPDATE} topic_id=${UNKNOWN} topic_name=x description=d`);
    expect(error).toMatchObject({ code: 'not-found', exitCode: 5 });
    expect(room.requests.map(({ method }) => method)).not.toContain('PUT');
  });

  requirement.each([
    { omitted: 'description', args: 'examples="Which fund?,Which share?"' },
    { omitted: 'examples', args: 'description="Advice on funds."' },
    { omitted: 'description and examples', args: '' },
  ])('topic-update-keeps-omitted', 'an omitted $omitted is kept, although the service would reset it', async (row) => {
    const room = warRoom();
    const before = await room.value(`${GET} topic_id=${investmentAdvice}`);
    const after = await room.value(`${update} ${row.args}`);
    if (!row.args.includes('description')) expect(after.description).toBe(before.description);
    if (!row.args.includes('examples')) expect(after.examples).toEqual(before.examples);
    expect(after.active).toBe(true);
    const { answer } = await replay(room, ({ topic_name }) => ({ topic_name }));
    expect(answer).toMatchObject({ description: '', examples: [] });
  });

  test('an inactive topic stays inactive', async () => {
    const room = warRoom();
    await room.run(`${update} active=false`);
    expect(await room.value(update)).toMatchObject({ active: false });
  });

  test('a topic on a later page is found and kept', async () => {
    const others = Array.from({ length: 100 }, (_, n) => ({ topic_id: `o${n}` }));
    const kept = { description: 'Pets.', examples: ['cat', 'dog, wolf'] };
    const script = [
      { request: pageAt(0), answer: { custom_topics: others, next_offset: 100 } },
      { request: pageAt(100), answer: { custom_topics: [{ topic_id: ID, topic_name: 'pets', ...kept }] } },
      { request: updateRequest, body: { topic_name: 'animals', ...kept }, answer: {} },
    ];
    await scripted(script, async (room) => {
      await room.run(`${UPDATE} topic_id=${ID} topic_name=animals`);
    });
  });

  requirement('topic-update-same-name', 'may repeat its own name, but not the name of another topic', async () => {
    const room = warRoom();
    expect(await room.value(update)).toMatchObject({ topic_name: 'investment-advice' });
    const taken = `${UPDATE} topic_id=${investmentAdvice} topic_name=insurance-claims`;
    expect(await room.fail(taken)).toMatchObject({ code: 'conflict', status: 409 });
  });
});

describe('deleting a topic', () => {
  requirement('topic-delete-unreferenced', 'deletes an unreferenced topic without force', async () => {
    const room = warRoom();
    expect(await room.value(`${DELETE} topic_id=${competitorPricing}`)).toEqual({
      topic_id: competitorPricing,
      message: `successfully deleted topicId: ${competitorPricing}`,
      deleted: true,
      force: false,
    });
    expect((await room.values(LIST)).map(({ topic_id }) => topic_id)).toEqual([investmentAdvice, insuranceClaims]);
  });

  requirement(
    'topic-delete-referenced',
    'a referenced topic is not deleted, and the error names the profile',
    async () => {
      const room = warRoom();
      const error = await room.fail(`${DELETE} topic_id=${investmentAdvice}`);
      expect(error).toMatchObject({ code: 'conflict', exitCode: 5, status: 409 });
      expect(error.rows).toEqual([{ profile_id: SEED_IDS.profiles.prod, profile_name: 'prod', revision: 3 }]);
      expect(error.hint).toContain('force=true');
      expect(await room.values(LIST)).toHaveLength(3);
    },
  );

  requirement(
    'topic-delete-forced',
    'force deletes a topic and removes it from the profiles that refer to it',
    async () => {
      const room = warRoom();
      const profile = () => room.value('!aisec-runtime-profiles-get profile_name=prod');
      expect(JSON.stringify((await profile()).policy)).toContain(investmentAdvice);
      expect(await room.value(`${DELETE} topic_id=${investmentAdvice} force=true`)).toMatchObject({ force: true });
      expect(JSON.stringify((await profile()).policy)).not.toContain(investmentAdvice);
      expect(await profile()).toMatchObject({ revision: 4 });
      expect(await room.fail(`${GET} topic_id=${investmentAdvice}`)).toMatchObject({ code: 'not-found' });
    },
  );

  requirement.each(['', 'force=false', 'force=no', 'updated_by=ana@example.com'].map((args) => ({ args })))(
    'topic-delete-forced',
    'force defaults to false: "$args" sends a plain delete',
    async ({ args }) => {
      await scripted([{ request: `DELETE ${MANAGEMENT}/topic/${ID}`, status: 204 }], async (room) => {
        expect(await room.value(`${DELETE} topic_id=${ID} ${args}`)).toMatchObject({ force: false });
      });
    },
  );

  requirement.each([
    { args: '', query: '' },
    { args: 'updated_by=ana@example.com', query: '?updated_by=ana%40example.com' },
  ])(
    ['topic-delete-forced-path', 'topic-force-without-updated-by'],
    'a forced delete with "$args" uses a path with force before the id',
    async ({ args, query }) => {
      await scripted([{ request: `DELETE ${MANAGEMENT}/topic/force/${ID}${query}` }], async (room) => {
        expect(await room.value(`${DELETE} topic_id=${ID} force=true ${args}`)).toMatchObject({ deleted: true });
      });
      const room = warRoom();
      await room.run(`${DELETE} topic_id=${investmentAdvice} force=true ${args}`);
      const { writes } = await room.run('!aisec-runtime-profiles-get profile_name=prod');
      const updated_by = args === '' ? 'none' : 'ana@example.com';
      expect(writes[0]?.value).toMatchObject({ revision: 4, updated_by });
    },
  );

  requirement(
    'topic-force-permission',
    'a forced delete without permission ends with 403 and deletes nothing',
    async () => {
      const room = warRoom({ denyForce: true });
      const error = await room.fail(`${DELETE} topic_id=${investmentAdvice} force=true`);
      expect(error).toMatchObject({ code: 'permission', exitCode: 4, status: 403 });
      expect(error.message).toContain('Access denied');
      expect(error.hint).toContain('permission');
      expect(room.requests.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
      expect(await room.values(LIST)).toHaveLength(3);
      expect(await room.value(`${DELETE} topic_id=${competitorPricing}`)).toMatchObject({ deleted: true });
    },
  );

  requirement('topic-force-permission', 'renews a cached token once after a 403, and repeats the request', async () => {
    const room = warRoom({ denyForce: true });
    await room.run(LIST);
    const before = room.requests.length;
    await room.fail(`${DELETE} topic_id=${investmentAdvice} force=true`);
    const made = room.requests
      .slice(before)
      .map(({ method, url }) => `${method} ${url.replace(/^.*\/(?=[\w-]+$)/, '')}`);
    expect(made).toEqual([`DELETE ${investmentAdvice}`, 'POST access_token', `DELETE ${investmentAdvice}`]);
  });
});

describe('paths', () => {
  const words = ['force', 'uuid', 'tsg', '..', '.', '%2e%2e', `force/${ID}`, `${ID}/force`, `${ID}?x=1`, `${ID}#x`];

  scenario.each(
    words.flatMap((word) => [
      { line: `${GET} topic_id=${word}` },
      { line: `${UPDATE} topic_id=${word} topic_name=t` },
      { line: `${DELETE} topic_id=${word}` },
      { line: `${DELETE} topic_id=${word} force=true` },
    ]),
  )('path-words', '$line is refused without a UUID, and nothing is sent', async ({ line }) => {
    const room = answering(() => ({ answer: {} }));
    expect(await room.fail(line)).toMatchObject({ code: 'arguments', exitCode: 2, argument: 'topic_id' });
    expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
  });

  test('a topic named like a route is found by its name', async () => {
    const room = answering(() => ({ answer: { custom_topics: [{ topic_id: ID, topic_name: '../force' }] } }));
    expect(await room.value(`${GET} topic_name=../force`)).toMatchObject({ topic_id: ID });
    expect(room.requests.map(asked)).toEqual([{ request: pageAt(0), body: undefined }]);
  });
});
