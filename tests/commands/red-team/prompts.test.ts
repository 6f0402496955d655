import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering } from '../../support/scripted.ts';
import { warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { idOf as goldenId } from '../goldens.ts';

const ID = goldenId('set_prompt');
const SET = goldenId('prompt_set');
const BOTH = `prompt_set_uuid=${SET} prompt_uuid=${ID}`;

const { refundAbuse, brandVoice } = RED_TEAM_IDS.promptSets;

const CREATE = '!aisec-redteam-prompts-create';
const LIST = '!aisec-redteam-prompts-list';
const UPDATE = '!aisec-redteam-prompts-update';

const anything = () => answering(() => ({ answer: { uuid: ID } }));

describe('reading', () => {
  const list = (args: string, set: string = refundAbuse) => warRoom().values(`${LIST} ${set} ${args}`);

  test('every listed prompt names its prompt set, which the service omits', async () => {
    const rows = await list('limit=3', brandVoice);
    expect(rows.map(({ prompt_set_id }) => prompt_set_id)).toEqual([brandVoice, brandVoice, brandVoice]);
    expect(rows.map(({ user_defined_goal, goal }) => user_defined_goal === (goal !== null))).toEqual([
      true,
      true,
      true,
    ]);
  });
});

describe('creating', () => {
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
  requirement('prompt-update-optional', 'an update that changes nothing is refused', async () => {
    const room = anything();
    const error = await room.fail(`${UPDATE} ${BOTH}`);
    expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining('prompt or goal or properties') });
    expectNone(room.requests, 'requests');
  });
});
