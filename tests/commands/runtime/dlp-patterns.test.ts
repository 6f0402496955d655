import { DLP_IDS } from '../../../fixtures/service/dlp/ids.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { scripted } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';

import { PLANES } from '../goldens.ts';

const ALL = `${PLANES.dlp}/data-patterns`;
const ID = '66b1f0c27d3e9a4851c0b7d1';

const { customerNumber } = DLP_IDS.patterns;

const GET = '!aisec-runtime-dlp-patterns-get pattern_id=';
const CREATE = '!aisec-runtime-dlp-patterns-create';
const PATCH = `!aisec-runtime-dlp-patterns-patch pattern_id=${customerNumber}`;
const REPLACE = `!aisec-runtime-dlp-patterns-replace pattern_id=${customerNumber}`;
const DELETE = '!aisec-runtime-dlp-patterns-delete pattern_id=';

const required = 'name=n type=custom detection_technique=regex';
const writing = [CREATE, PATCH, REPLACE];
const whole = [CREATE, REPLACE];
const planeRequests = ({ requests }: WarRoom) => requests.filter(({ url }) => url.includes('/v2/api/'));
const sentBy = (room: WarRoom) => JSON.parse(planeRequests(room).at(-1)?.body ?? '');
const json = (value: unknown) => `\`${JSON.stringify(value)}\``;

describe('arguments', () => {
  const face = '\u{1f600}';
  requirement.each(['n', 'n'.repeat(64), 'ß'.repeat(64), face.repeat(64)].map((name) => ({ name })))(
    'dlp-pattern-name-length',
    'accepts a name of 1 to 64 characters, counted in characters: $name',
    async ({ name }) => {
      for (const line of whole) {
        const value = await warRoom().value(`${line} name=${name} type=custom detection_technique=ml`);
        expect(value).toMatchObject({ name });
      }
    },
  );

  requirement.each(['n'.repeat(65), face.repeat(65), ''].map((name) => ({ name })))(
    'dlp-pattern-name-length',
    'a name of "$name" is refused before anything is sent',
    async ({ name }) => {
      for (const line of whole) {
        const room = warRoom();
        const error = await room.fail(`${line} name="${name}" type=custom detection_technique=ml`);
        expect(error).toMatchObject({ exitCode: 2, argument: 'name' });
        expectNone(room.requests, 'requests');
      }
    },
  );

  test.each([
    { given: 'matching_rules=`[]`', problem: 'matching_rules must be an object.' },
    { given: 'matching_rules=`{"proximity_distance": 1}`', problem: 'must be at least 2, not "1".' },
    { given: 'matching_rules=`{"proximity_distance": 1001}`', problem: 'must be at most 1000, not "1001".' },
    { given: 'matching_rules=`{"proximity_distance": 2.5}`', problem: '(at proximity_distance) must be an integer.' },
    { given: 'matching_rules=`{"proximity_distance": "9"}`', problem: '(at proximity_distance) must be an integer.' },
    { given: 'matching_rules=`{"regexes": [{"regex": ""}]}`', problem: '(at regexes/0/regex) must have at least 1' },
    { given: 'matching_rules=`{"regexes": [{"weight": 1}]}`', problem: '(at regexes/0) lacks "regex".' },
    { given: 'matching_rules=`{"regexes": [{"regex": "a", "weight": "1"}]}`', problem: '/weight) must be a number.' },
    { given: 'matching_rules=`{"regexes": "a"}`', problem: '(at regexes) must be an array.' },
    { given: 'tags=`{"geography": "Europe"}`', problem: 'tags (at geography) must be an array.' },
    { given: 'tags=Europe', problem: 'tags is not valid JSON' },
  ])('refuses $given before a request', async ({ given, problem }) => {
    for (const line of writing) {
      const room = warRoom();
      const error = await room.fail(`${line} ${required} ${given}`);
      expect(error).toMatchObject({ exitCode: 2, argument: given.split('=')[0] });
      expect(error.message).toContain(problem);
      expectNone(room.requests, 'requests');
    }
  });

  test.each([2, 1000])('accepts a proximity distance of %i, and sends unknown members', async (distance) => {
    const rules = { proximity_distance: distance, regexes: [{ regex: 'a', weight: 0.5 }], later: true };
    for (const line of writing) {
      const room = warRoom();
      await room.run(`${line} ${required} matching_rules=${json(rules)}`);
      expect(sentBy(room).matching_rules).toEqual(rules);
    }
  });
});

describe('patching', () => {
  requirement.each([
    { args: 'type=custom detection_technique=ml', argument: 'name' },
    { args: 'name=null type=custom detection_technique=ml', argument: 'name' },
    { args: 'name=n detection_technique=ml', argument: 'type' },
    { args: 'name=n type=null detection_technique=ml', argument: 'type' },
    { args: 'name=n type=custom', argument: 'detection_technique' },
  ])('dlp-pattern-patch-never-cleared', '$args is refused before it is sent', async ({ args, argument }) => {
    const room = warRoom();
    expect(await room.fail(`${PATCH} ${args}`)).toMatchObject({ exitCode: 2, argument });
    expectNone(room.requests, 'requests');
  });
});

describe('deleting', () => {
  requirement(
    'dlp-pattern-delete-referenced',
    'a pattern in use by an active data profile is not deleted, and the error says what to do',
    async () => {
      const room = warRoom();
      const error = await room.fail(DELETE + customerNumber);
      expect(error).toMatchObject({
        code: 'refused',
        status: 400,
        message: expect.stringContaining('Customer Records'),
      });
      expect(error.hint).toMatch(/active data profile may refer.*aisec-runtime-dlp-profiles-list/);
      expect(await room.value(GET + customerNumber)).toMatchObject({ status: 'active', name: 'Customer Number' });
      await room.run(`!aisec-runtime-dlp-profiles-delete profile_id=${DLP_IDS.profiles.customerRecords}`);
      expect(await room.value(DELETE + customerNumber)).toMatchObject({ deleted: true });
    },
  );

  scenario.each([
    { answer: { status: 204 }, deleted: true, status: 'Successfully archived' },
    { answer: {}, deleted: true, status: 'Successfully archived' },
    { answer: { answer: 'archived' }, deleted: true, status: 'Successfully archived' },
    { answer: { answer: { message: 'cannot be archived' } }, deleted: false, status: 'cannot be archived' },
  ])('delete-bodies', 'the response $answer is recorded as "$status"', async ({ answer, deleted, status }) => {
    await scripted([{ request: `DELETE ${ALL}/${ID}`, ...answer }], async (room) => {
      expect(await room.value(DELETE + ID)).toEqual({ id: ID, deleted, status });
    });
  });
});
