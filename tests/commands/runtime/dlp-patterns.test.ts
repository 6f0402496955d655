import { DLP_IDS } from '../../../fixtures/service/dlp/ids.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { scripted } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { describeTypeChanges, describeWrongRoots } from './answers.ts';
import { describeDlpIds, describeDlpPages } from './dlp-lists.ts';
import { describeGoldens } from './golden.ts';
import { ALL, goldens, ID, keys } from './goldens/dlp-patterns.ts';

const { creditCard, customerNumber, payrollNumber, confidentialProperty, archived } = DLP_IDS.patterns;

const LIST = '!aisec-runtime-dlp-patterns-list';
const GET = '!aisec-runtime-dlp-patterns-get pattern_id=';
const CREATE = '!aisec-runtime-dlp-patterns-create';
const PATCH = `!aisec-runtime-dlp-patterns-patch pattern_id=${customerNumber}`;
const REPLACE = `!aisec-runtime-dlp-patterns-replace pattern_id=${customerNumber}`;
const DELETE = '!aisec-runtime-dlp-patterns-delete pattern_id=';

const TECHNIQUES =
  'edm,document_fingerprint,trainable_classifier,ml_document,regex,weighted_regex,ml,titus_tag,wildfire,file_property,dictionary,pab,document_classifier';

const required = 'name=n type=custom detection_technique=regex';
const writing = [CREATE, PATCH, REPLACE];
const whole = [CREATE, REPLACE];
const planeRequests = ({ requests }: WarRoom) => requests.filter(({ url }) => url.includes('/v2/api/'));
const sentBy = (room: WarRoom) => JSON.parse(planeRequests(room).at(-1)?.body ?? '');
const json = (value: unknown) => `\`${JSON.stringify(value)}\``;

describe('requests and context', () => {
  describeGoldens({ prefix: 'aisec-runtime-dlp-patterns', keys, goldens });
  describeDlpPages({ command: 'aisec-runtime-dlp-patterns-list', path: 'data-patterns' });
  describeDlpIds([
    GET,
    DELETE,
    `!aisec-runtime-dlp-patterns-patch ${required} pattern_id=`,
    `!aisec-runtime-dlp-patterns-replace ${required} pattern_id=`,
  ]);

  const get = { request: `GET ${ALL}/${ID}` };
  describeTypeChanges([
    { line: GET + ID, script: [{ ...get, answer: { version: 'one' } }], path: 'AiSec.DlpPatternGet.version' },
    { line: GET + ID, script: [{ ...get, answer: { status: [] } }], path: 'AiSec.DlpPatternGet.status' },
  ]);
  describeWrongRoots([{ line: GET + ID, script: [get] }]);
});

describe('reading', () => {
  requirement(
    ['dlp-pattern-values', 'dlp-version-number'],
    'type, status and licence are documented values',
    async () => {
      const room = warRoom();
      expect(await room.value(GET + creditCard)).toMatchObject({
        type: 'predefined',
        status: 'active',
        license_type: 'enterprise',
        version: 1,
        created_by: 'system',
      });
      expect(await room.value(GET + confidentialProperty)).toMatchObject({
        type: 'file_property',
        license_type: 'standard',
        version: 1,
      });
      expect(await room.value(GET + archived)).toMatchObject({ type: 'custom', status: 'deleted' });
    },
  );

  requirement(
    'dlp-pattern-custom-nulls',
    'a listed custom pattern has no category, region and sub-technique, but technique, status and audit',
    async () => {
      const rows = await warRoom().values(LIST);
      expect(rows.find(({ id }) => id === customerNumber)).toEqual({
        id: customerNumber,
        name: 'Customer Number',
        description: 'A C, a dash and eight digits.',
        type: 'custom',
        category: null,
        region_name: null,
        detection_technique: 'weighted_regex',
        detection_sub_technique: null,
        pattern_status: 'active',
        is_parent_managed: false,
        created_at: Date.UTC(2026, 4, 4, 8, 50),
        updated_at: Date.UTC(2026, 4, 4, 8, 50),
        created_by: 'dana@example.com',
        updated_by: 'dana@example.com',
      });
    },
  );
});

describe('arguments', () => {
  requirement.each(TECHNIQUES.split(',').map((technique) => ({ technique })))(
    'dlp-pattern-techniques',
    'accepts the technique $technique',
    async ({ technique }) => {
      for (const line of writing) {
        const value = await warRoom().value(`${line} name=n type=custom detection_technique=${technique}`);
        expect(value).toMatchObject({ detection_config: { technique } });
      }
    },
  );

  requirement.each(['regexp', 'REGEXP', 'null', ''].map((technique) => ({ technique })))(
    'dlp-pattern-techniques',
    'refuses the technique "$technique" before a request',
    async ({ technique }) => {
      for (const line of writing) {
        const room = warRoom();
        const error = await room.fail(`${line} name=n type=custom detection_technique="${technique}"`);
        expect(error).toMatchObject({ exitCode: 2, argument: 'detection_technique' });
        expectNone(room.requests, 'requests');
      }
    },
  );

  requirement.each([
    { given: 'low', levels: ['low'] },
    { given: '"high, medium,low"', levels: ['high', 'medium', 'low'] },
    { given: '`["low", "high"]`', levels: ['low', 'high'] },
  ])('dlp-pattern-confidence-forms', 'accepts confidence levels written as $given', async ({ given, levels }) => {
    for (const line of writing) {
      const room = warRoom();
      const value = await room.value(`${line} ${required} supported_confidence_levels=${given}`);
      expect(sentBy(room).detection_config).toEqual({ technique: 'regex', supported_confidence_levels: levels });
      expect(value).toMatchObject({ detection_config: { supported_confidence_levels: levels } });
    }
  });

  requirement.each(['none', 'null', 'low,highest', '`["low", 1]`'].map((given) => ({ given })))(
    'dlp-pattern-confidence-forms',
    'refuses the confidence levels $given before a request',
    async ({ given }) => {
      for (const line of writing) {
        const room = warRoom();
        const error = await room.fail(`${line} ${required} supported_confidence_levels=${given}`);
        expect(error).toMatchObject({ exitCode: 2, argument: 'supported_confidence_levels' });
        expectNone(room.requests, 'requests');
      }
    },
  );

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

  test('sends unknown types', async () => {
    const room = warRoom();
    const error = await room.fail(`${CREATE} name=n type=shared detection_technique=regex`);
    expect(error).toMatchObject({ code: 'refused', status: 400 });
    expect(sentBy(room)).toMatchObject({ type: 'shared' });
  });
});

describe('creating', () => {
  requirement('dlp-pattern-create-defaults', 'omitted fields get the defaults of the service', async () => {
    const room = warRoom();
    const { id, ...made } = await room.value(`${CREATE} ${required}`);
    expect(made).toMatchObject({
      status: 'active',
      detection_config: { technique: 'regex', supported_confidence_levels: ['high', 'low'] },
      matching_rules: { proximity_distance: 200 },
      tags: { classification: ['pab', 'endpoint'] },
    });
    expect(await room.value(`${GET}${String(id)}`)).toMatchObject({ license_type: 'standard', version: 1, ...made });
  });

  test('a duplicate name is refused', async () => {
    const line = `${CREATE} name="Customer Number" type=custom detection_technique=regex`;
    expect(await warRoom().fail(line)).toMatchObject({ code: 'conflict', status: 409 });
  });
});

describe('patching', () => {
  test('omitted fields are kept', async () => {
    const room = warRoom();
    const before = await room.value(GET + customerNumber);
    await room.run(`${PATCH} name="C number" type=custom detection_technique=regex`);
    expect(await room.value(GET + customerNumber)).toEqual({
      ...before,
      name: 'C number',
      detection_config: { technique: 'regex', supported_confidence_levels: ['high', 'low'] },
      updated_at: room.clock.now(),
      updated_by: 'aisec-client@1000000001.iam.example.com',
    });
  });

  requirement(
    'dlp-pattern-patch-null-clears',
    'the text null clears description, matching rules and tags',
    async () => {
      const room = warRoom();
      await room.run(`${PATCH} ${required} description=null matching_rules=null tags=null`);
      const cleared = { description: null, matching_rules: null, tags: null };
      expect(sentBy(room)).toMatchObject(cleared);
      expect(await room.value(GET + customerNumber)).toMatchObject(cleared);
    },
  );

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

requirement('dlp-pattern-replace-whole', 'a replace removes omitted fields', async () => {
  const room = warRoom();
  await room.run(`${REPLACE} ${required} supported_confidence_levels=medium`);
  expect(await room.value(GET + customerNumber)).toMatchObject({
    name: 'n',
    description: null,
    detection_config: { technique: 'regex', supported_confidence_levels: ['medium'] },
    matching_rules: { proximity_distance: 200 },
    version: 1,
  });
  expect(JSON.stringify(await room.value(GET + customerNumber))).not.toContain('C-[0-9]');
});

describe('deleting', () => {
  requirement(
    'dlp-pattern-delete-archives',
    'a delete archives the pattern (HTTP 204), which stays readable',
    async () => {
      const room = warRoom();
      expect(await room.value(DELETE + payrollNumber)).toEqual({
        id: payrollNumber,
        deleted: true,
        status: 'Successfully archived',
      });
      expect(room.responses.at(-1)?.status).toBe(204);
      expect(await room.value(GET + payrollNumber)).toMatchObject({
        status: 'deleted',
        name: expect.stringMatching(/^Payroll Number_archived_\d{14}$/),
      });
      expect(await room.fail(DELETE + payrollNumber)).toMatchObject({ code: 'not-found' });
    },
  );

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
