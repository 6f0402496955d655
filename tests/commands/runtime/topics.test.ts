import { SEED_IDS } from '../../../fixtures/service/tenant.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { MANAGEMENT, scripted, TENANT } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { idOf } from '../goldens.ts';
import { replay } from './replay.ts';

const ID = idOf('topic');

const { investmentAdvice, competitorPricing } = SEED_IDS.topics;

const LIST = '!aisec-runtime-topics-list';
const GET = '!aisec-runtime-topics-get';
const CREATE = '!aisec-runtime-topics-create';
const UPDATE = '!aisec-runtime-topics-update';
const DELETE = '!aisec-runtime-topics-delete';

const pageAt = (offset: number) => `GET ${MANAGEMENT}/topics/tsg/${TENANT}?offset=${offset}&limit=100`;

describe('limits of a topic, in bytes', () => {
  const bytes = (count: number) => 'ü'.repeat(Math.floor(count / 2)) + 'x'.repeat(count % 2);
  const line = (topic: { name?: string; description?: string; examples?: string[] }) => {
    const { name = 't', description = 'd', examples = ['a', 'b'] } = topic;
    return `${CREATE} topic_name=${name} description=${description} examples=\`${JSON.stringify(examples)}\``;
  };

  const together = 'topic_name, description, examples may have at most 1000 bytes together.';
  test.each([
    {
      what: 'a name of 101 bytes in 51 characters',
      topic: { name: bytes(101) },
      message: 'topic_name must have at most 100 bytes; it has 101.',
    },
    {
      what: 'an example of 251 bytes',
      topic: { examples: ['a', bytes(251)] },
      message: 'examples (at 1) must have at most 250 bytes; it has 251.',
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
});

describe('reading one topic', () => {
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
});

describe('updating a topic', () => {
  const update = `${UPDATE} topic_id=${investmentAdvice} topic_name=investment-advice`;

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
});

describe('deleting a topic', () => {
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
});
