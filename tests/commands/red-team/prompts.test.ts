import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { idOf } from '../../../fixtures/service/red-team/seeded-random.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, scripted } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { describeGoldens, MGMT } from './golden.ts';
import { BOTH, goldens, ID, keys, PROMPT, SET } from './goldens/prompts.ts';
import { describePages } from './lists.ts';

const { refundAbuse, brandVoice, ideas } = RED_TEAM_IDS.promptSets;
const first = idOf(refundAbuse, 'prompt', 0);
const inactive = idOf(refundAbuse, 'prompt', 5);

const CREATE = '!aisec-redteam-prompts-create';
const LIST = '!aisec-redteam-prompts-list';
const GET = '!aisec-redteam-prompts-get';
const UPDATE = '!aisec-redteam-prompts-update';
const DELETE = '!aisec-redteam-prompts-delete';
const FIRST = `prompt_set_uuid=${refundAbuse} prompt_uuid=${first}`;

const anything = () => answering(() => ({ answer: { uuid: ID } }));

describe('requests and context', () => {
  describeGoldens({ prefixes: ['aisec-redteam-prompts'], keys, goldens });
  describePages({
    command: 'aisec-redteam-prompts-list',
    args: `prompt_set_uuid=${SET}`,
    address: `${MGMT}/custom-attack/custom-prompt-set/${SET}/list-custom-prompts`,
    id: 'uuid',
    searches: true,
  });

  const naming = [GET, DELETE, `${UPDATE} goal=g`];
  scenario.each(
    ['list-custom-prompts', '..', 'a/b', 'a?x', ''].flatMap((wrong) => [
      ...naming.map((line) => ({ line: `${line} prompt_set_uuid=${SET}`, argument: 'prompt_uuid', wrong })),
      ...naming.map((line) => ({ line: `${line} prompt_uuid=${ID}`, argument: 'prompt_set_uuid', wrong })),
      { line: LIST, argument: 'prompt_set_uuid', wrong },
      { line: `${CREATE} prompt=p`, argument: 'prompt_set_uuid', wrong },
    ]),
  )('path-words', '$line $argument=$wrong is refused before anything is sent', async ({ line, argument, wrong }) => {
    const room = anything();
    expect(await room.fail(`${line} ${argument}=${wrong}`)).toMatchObject({ exitCode: 2, argument });
    expectNone(room.requests, 'requests');
  });

  scenario.each([
    { body: '204', answer: { status: 204 } },
    { body: '200 without a body', answer: {} },
    { body: 'a JSON text', answer: { answer: 'deleted' } },
    { body: 'plain text', answer: { text: 'Prompt deleted' } },
  ])('delete-bodies', 'a delete answered with $body succeeds', async ({ answer }) => {
    await scripted([{ request: `DELETE ${PROMPT}`, ...answer }], async (room) => {
      expect(await room.value(`${DELETE} ${BOTH}`)).toMatchObject({ prompt_uuid: ID, status: 'deleted' });
    });
  });

  test('a delete that a 200 response refuses in its message is an error', async () => {
    await scripted([{ request: `DELETE ${PROMPT}`, answer: { message: 'it was not deleted' } }], async (room) => {
      expect(await room.value(`${DELETE} ${BOTH}`)).toMatchObject({ status: 'it was not deleted' });
    });
  });

  scenario('unknown-response-field', 'names a member of the wrong type', async () => {
    const room = answering(() => ({ answer: { uuid: ID, prompt: { text: 'x' } } }));
    const error = await room.fail(`${GET} ${BOTH}`);
    expect(error).toMatchObject({ exitCode: 8, message: expect.stringContaining('AiSec.RedTeamPromptGet.prompt') });
  });
});

describe('reading', () => {
  const list = (args: string, set: string = refundAbuse) => warRoom().values(`${LIST} ${set} ${args}`);

  requirement.each([
    { args: '', count: 6 },
    { args: 'active=true', count: 5 },
    { args: 'active=no', count: 1 },
    { args: 'status=READY', count: 6 },
    { args: 'status=PENDING', count: 0 },
    { args: 'status=READY active=true search=SHIPPING', count: 0 },
    { args: 'search=SHIPPING', count: 1 },
  ])('prompt-list-filters', '"$args" returns $count of the six prompts', async ({ args, count }) => {
    expect(await list(args)).toHaveLength(count);
  });

  requirement('prompt-list-filters', 'an unknown status is sent', async () => {
    const room = answering(() => ({ answer: { data: [] } }));
    await room.run(`${LIST} ${SET} status=Odd`);
    expect(room.requests[0]?.url).toContain('status=Odd&');
  });

  test.each(['active=maybe', 'active=1'])('%s is refused rather than ignored', async (args) => {
    const room = anything();
    expect(await room.fail(`${LIST} ${SET} ${args}`)).toMatchObject({ exitCode: 2, argument: 'active' });
    expectNone(room.requests, 'requests');
  });

  test('every listed prompt names its prompt set, which the service omits', async () => {
    const rows = await list('limit=3', brandVoice);
    expect(rows.map(({ prompt_set_id }) => prompt_set_id)).toEqual([brandVoice, brandVoice, brandVoice]);
    expect(rows.map(({ user_defined_goal, goal }) => user_defined_goal === (goal !== null))).toEqual([
      true,
      true,
      true,
    ]);
  });

  requirement(
    ['prompt-get-adds-details', 'prompt-named-by-both-ids'],
    'a single prompt also lists its properties one by one',
    async () => {
      const value = await warRoom().value(`${GET} ${FIRST}`);
      expect(value).toMatchObject({
        uuid: first,
        prompt_set_id: refundAbuse,
        properties: { region: 'europe', 'customer tier': 'basic' },
        property_assignments: [
          { property_name: 'region', property_value: 'europe' },
          { property_name: 'customer tier', property_value: 'basic' },
        ],
        detector_category: null,
        severity: null,
        extra_info: null,
      });
      expect(await list('limit=1')).toEqual([expect.not.objectContaining({ property_assignments: expect.anything() })]);
    },
  );

  requirement.each([GET, DELETE, `${UPDATE} goal=g`].map((line) => ({ line })))(
    'prompt-named-by-both-ids',
    '$line finds a prompt only in its own set',
    async ({ line }) => {
      const error = await warRoom().fail(`${line} prompt_set_uuid=${brandVoice} prompt_uuid=${first}`);
      expect(error).toMatchObject({ code: 'not-found', exitCode: 5, status: 404 });
    },
  );

  requirement('prompt-version-number', 'the version number is in the raw response, not in the context', async () => {
    const room = answering(() => ({ answer: { uuid: ID, version: 3 } }));
    const { raw, writes } = await room.run(`${GET} ${BOTH}`);
    expect(raw).toMatchObject({ version: 3 });
    expect(writes[0]?.value).not.toHaveProperty('version');
  });
});

describe('creating', () => {
  requirement('prompt-statuses', 'a new prompt is PENDING, then READY after validation', async () => {
    const room = warRoom({ jobSeconds: 5 });
    const created = await room.value(`${CREATE} prompt_set_uuid=${ideas} prompt="Say no."`);
    expect(created).toMatchObject({ status: 'PENDING', goal: null, user_defined_goal: false, prompt_set_id: ideas });
    const statuses = async () => (await room.values(`${LIST} ${ideas}`)).map(({ status }) => status);
    expect(await statuses()).toEqual(['PENDING']);
    room.clock.advance(5000);
    expect(await statuses()).toEqual(['READY']);
    expect(await room.value(`${GET} prompt_set_uuid=${ideas} prompt_uuid=${String(created['uuid'])}`)).toMatchObject({
      status: 'READY',
    });
  });

  requirement.each([CREATE, `${UPDATE} prompt_uuid=${ID}`].map((line) => ({ line })))(
    'prompt-properties-json',
    '$line sends properties of a JSON object unchanged',
    async ({ line }) => {
      const room = anything();
      const properties = { 'customer "tier"': 'é,1', region: '${x}' };
      await room.run(`${line} prompt_set_uuid=${SET} prompt=p properties=\`${JSON.stringify(properties)}\``, {
        context: { x: 'y' },
      });
      expect(JSON.parse(room.requests[0]?.body ?? '').properties).toEqual({ ...properties, region: 'y' });
    },
  );

  requirement.each([
    { properties: '{"region":', what: 'properties is not valid JSON' },
    { properties: '["region"]', what: 'properties must be an object' },
    { properties: '"region"', what: 'properties must be an object' },
    { properties: '{"region": 5}', what: 'properties (at region) must be a string' },
    { properties: '{"region": null}', what: 'properties (at region) must be a string' },
    { properties: '{"region": ""}', what: 'properties (at region) must have at least 1 characters' },
    { properties: `{"region": "${'v'.repeat(257)}"}`, what: 'properties (at region) must have at most 256 characters' },
    { properties: `{"${'n'.repeat(257)}": "v"}`, what: 'properties must have at most 256 characters' },
    { properties: '{"__proto__": "v"}', what: 'the key __proto__ is not allowed' },
  ])('prompt-properties-json', 'properties that are $properties are refused', async ({ properties, what }) => {
    for (const line of [CREATE, `${UPDATE} prompt_uuid=${ID}`]) {
      const room = anything();
      const error = await room.fail(`${line} prompt_set_uuid=${SET} prompt=p properties=\`${properties}\``);
      expect(error).toMatchObject({ exitCode: 2, argument: 'properties' });
      expect(error.message).toContain(what);
      expectNone(room.requests, 'requests');
    }
  });

  test('an unknown property is refused, with a hint where to find the known properties', async () => {
    const error = await warRoom().fail(`${CREATE} prompt_set_uuid=${ideas} prompt=p properties=\`{"region": "x"}\``);
    expect(error).toMatchObject({ code: 'refused', status: 400 });
    expect(error.hint).toContain('!aisec-redteam-prompt-sets-get');
  });

  test.each([' ', ''])('a prompt of "%s" is refused', async (prompt) => {
    const room = anything();
    const error = await room.fail(`${CREATE} prompt_set_uuid=${SET} prompt="${prompt}"`);
    expect(error).toMatchObject({ exitCode: 2, argument: 'prompt' });
    expectNone(room.requests, 'requests');
  });

  scenario('retry-post-never-blind', 'a create is sent once, even if the request fails', async () => {
    const room = answering(() => ({ status: 503, answer: {} }));
    expect((await room.fail(`${CREATE} prompt_set_uuid=${SET} prompt=p`)).hint).toContain('outcome is unknown');
    expect(room.requests).toHaveLength(1);
  });
});

describe('updating and deleting', () => {
  requirement.each([
    { args: 'prompt="Now!"', changed: { prompt: 'Now!' } },
    { args: 'goal="Another goal"', changed: { goal: 'Another goal' } },
    { args: 'goal=null', changed: { goal: '' } },
    { args: 'properties=`{"region": "asia"}`', changed: { properties: { region: 'asia' } } },
    { args: 'properties={}', changed: { properties: {} } },
  ])('prompt-update-optional', '$args changes nothing else', async ({ args, changed }) => {
    const room = warRoom();
    const before = await room.value(`${GET} ${FIRST}`);
    await room.run(`${UPDATE} ${FIRST} ${args}`);
    const { updated_at, status, property_assignments, ...after } = await room.value(`${GET} ${FIRST}`);
    expect(before).toMatchObject({ ...after, ...pick(before, Object.keys(changed)) });
    expect(after).toMatchObject(changed);
    expect(updated_at).not.toBe(before['updated_at']);
  });

  requirement('prompt-update-optional', 'an update that changes nothing is refused', async () => {
    const room = anything();
    const error = await room.fail(`${UPDATE} ${BOTH}`);
    expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining('prompt or goal or properties') });
    expectNone(room.requests, 'requests');
  });

  requirement('prompt-delete-result', 'the result names the prompt and its set, and the prompt is gone', async () => {
    const room = warRoom();
    const both = { prompt_uuid: inactive, prompt_set_uuid: refundAbuse };
    const line = `prompt_set_uuid=${refundAbuse} prompt_uuid=${inactive}`;
    expect(await room.value(`${DELETE} ${line}`)).toEqual({ ...both, status: 'deleted', message: null });
    expect(await room.fail(`${GET} ${line}`)).toMatchObject({ code: 'not-found' });
    expect(await room.fail(`${DELETE} ${line}`)).toMatchObject({ code: 'not-found' });
    expectNone(await room.values(`${LIST} ${refundAbuse} active=false`), 'inactive prompts');
  });
});

function pick(value: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, value[name]]));
}
