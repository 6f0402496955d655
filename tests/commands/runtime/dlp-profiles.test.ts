import { DLP_IDS } from '../../../fixtures/service/dlp/ids.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, scripted } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { describeTypeChanges, describeWrongRoots } from './answers.ts';
import { describeDlpIds, describeDlpPages } from './dlp-lists.ts';
import { describeGoldens } from './golden.ts';
import { ALL, goldens, keys, RULES, response } from './goldens/dlp-profiles.ts';
import { replay } from './replay.ts';

const { sensitiveContent, customerRecords, financeExport, oldPayroll, pilotRules } = DLP_IDS.profiles;

const LIST = '!aisec-runtime-dlp-profiles-list';
const GET = '!aisec-runtime-dlp-profiles-get profile_id=';
const CREATE = '!aisec-runtime-dlp-profiles-create';
const PATCH = '!aisec-runtime-dlp-profiles-patch';
const REPLACE = '!aisec-runtime-dlp-profiles-replace';
const DELETE = '!aisec-runtime-dlp-profiles-delete profile_id=';

const json = (value: unknown) => `\`${JSON.stringify(value)}\``;
const rules = `detection_rules=${json(RULES)}`;
const planeRequests = ({ requests }: WarRoom) => requests.filter(({ url }) => url.includes('/v2/api/'));

/** Both commands that send the whole data profile. */
const whole = [CREATE, `${REPLACE} profile_id=${customerRecords}`];

describe('requests and context', () => {
  describeGoldens({ prefix: 'aisec-runtime-dlp-profiles', keys, goldens });
  describeDlpPages({ command: 'aisec-runtime-dlp-profiles-list', path: 'data-profiles' });
  describeDlpIds([
    GET,
    DELETE,
    `${PATCH} name=n profile_type=basic profile_id=`,
    `${REPLACE} name=n detection_rules=[] profile_id=`,
  ]);

  const get = { request: `GET ${ALL}/1` };
  describeTypeChanges([
    { line: `${GET}1`, script: [{ ...get, answer: { version: 'third' } }], path: 'AiSec.DlpProfileGet.version' },
    {
      line: `${DELETE}1`,
      script: [{ ...get, answer: { name: 'Cards' } }],
      path: 'profile_type',
    },
    { line: `${DELETE}1`, script: [{ ...get, answer: { profile_type: 'basic', name: 5 } }], path: 'name' },
  ]);
  describeWrongRoots([{ line: `${GET}1`, script: [get] }]);

  requirement(
    ['dlp-profile-second-generation', 'dlp-address'],
    'every request goes to the second generation at the DLP address',
    async () => {
      const room = warRoom({}, { dlp_base_url: 'http://127.0.0.1:9090' });
      await room.run(LIST);
      await room.run(`${CREATE} name=n ${rules}`);
      await room.run(`${REPLACE} profile_id=${customerRecords} name=n2 ${rules}`);
      await room.run(`${DELETE}${customerRecords}`);
      const addresses = planeRequests(room).map(({ url }) => url);
      expect(addresses).toHaveLength(5);
      for (const address of addresses) expect(address).toMatch(/^http:\/\/127\.0\.0\.1:9090\/v2\/api\/data-profiles/);
    },
  );
});

describe('reading', () => {
  requirement('dlp-profile-values', 'types, statuses and kinds are documented values', async () => {
    const rows = await warRoom().values(LIST);
    const seen = (name: string) => [...new Set(rows.map((row) => row[name]))].sort();
    expect(seen('type')).toEqual(['custom', 'predefined']);
    expect(seen('profile_status')).toEqual(['active', 'deleted', 'disabled']);
    expect(seen('profile_type')).toEqual(['advanced', 'basic']);
    expect(rows[0]).toMatchObject({ id: sensitiveContent, tenant_id: '1000000001', created_by: 'system' });
  });

  requirement(
    ['dlp-profile-rule-types', 'dlp-version-number'],
    'a profile has its rules, each with the structure of its type, and a numeric version',
    async () => {
      const room = warRoom();
      expect(await room.value(GET + customerRecords)).toMatchObject({
        version: 3,
        detection_rules: [{ rule_type: 'expression_tree', expression_tree: { operator_type: 'and' } }],
      });
      expect(await room.value(GET + financeExport)).toMatchObject({
        version: 1,
        detection_rules: [{ rule_type: 'multi_profile', multi_profile: { operator_type: 'or' } }],
      });
    },
  );

  test('the table has a line for each rule', async () => {
    const item = (name: string, match_type = 'include') => ({ rule_item: { name, match_type } });
    const nested = { operator_type: 'or_not', sub_expressions: [item('B'), item('C', 'exclude')] };
    const answer = {
      id: '1',
      detection_rules: [
        {
          rule_type: 'expression_tree',
          expression_tree: { operator_type: 'and', sub_expressions: [item('A'), nested] },
        },
        { rule_type: 'expression_tree', expression_tree: { operator_type: 'not', sub_expressions: [item('D')] } },
        { rule_type: 'multi_profile', multi_profile: { data_profile_ids: [1, 2], operator_type: 'and' } },
        { rule_type: 'expression_tree', expression_tree: { rule_item: { detection_technique: 'ml' } } },
        {},
      ],
    };
    const { readable } = await answering(() => ({ answer })).run(`${GET}1`);
    const row = readable.tables[0]?.rows.find(([name]) => name === 'Detection Rules');
    expect(row?.[1]?.split('\n')).toEqual([
      'expression_tree: A and (B or not no C)',
      'expression_tree: not D',
      'multi_profile: data profiles 1 and 2',
      'expression_tree: ml',
      'rule: ',
    ]);
  });

  test('a missing profile is a NotFoundError', async () => {
    expect(await warRoom().fail(`${GET}99`)).toMatchObject({ code: 'not-found', exitCode: 5, status: 404 });
  });
});

describe('names and rules', () => {
  const face = '\u{1f600}';

  requirement.each(['n', 'n'.repeat(32), 'ä'.repeat(32), face.repeat(32)].map((name) => ({ name })))(
    'dlp-profile-name-length',
    'accepts a name of 1 to 32 characters, counted in characters: $name',
    async ({ name }) => {
      for (const line of whole) {
        const room = warRoom();
        expect(await room.value(`${line} name=${name} ${rules}`)).toMatchObject({ name });
      }
    },
  );

  requirement.each(['n'.repeat(33), face.repeat(33)].map((name) => ({ name })))(
    ['dlp-profile-name-length', 'dlp-profile-name-too-long'],
    'refuses a name of 33 characters before a request: $name',
    async ({ name }) => {
      for (const line of whole) {
        const room = warRoom();
        const error = await room.fail(`${line} name=${name} ${rules}`);
        expect(error).toMatchObject({ exitCode: 2, argument: 'name' });
        expect(error.message).toBe('name must have at most 32 characters; it has 33.');
        expectNone(room.requests, 'requests');
      }
    },
  );

  requirement('dlp-profile-name-too-long', 'the service answers such a name with HTTP 400', async () => {
    for (const line of whole) {
      const room = warRoom();
      await room.run(`${line} name=n ${rules}`);
      const { status } = await replay(room, (body) => ({ ...body, name: 'n'.repeat(33) }));
      expect(status).toBe(400);
    }
  });

  requirement.each([
    { given: '`{"rule_type": "expression_tree"}`', problem: /detection_rules must be an array/ },
    { given: 'null', problem: /detection_rules must be an array/ },
    { given: '`["expression_tree"]`', problem: /at 0\) must be an object/ },
    { given: '`[{"expression_tree": {}}]`', problem: /at 0\) lacks "rule_type"/ },
    { given: '`[{"rule_type": "expression-tree"}]`', problem: /at 0\/rule_type\) does not take "expression-tree"/ },
    { given: '`[{"rule_type": "expression_tree"]`', problem: /not valid JSON/ },
  ])('dlp-profile-rule-types', 'refuses the rules $given before a request', async ({ given, problem }) => {
    for (const line of whole) {
      const room = warRoom();
      const error = await room.fail(`${line} name=n detection_rules=${given}`);
      expect(error).toMatchObject({ exitCode: 2, argument: 'detection_rules' });
      expect(error.message).toMatch(problem);
      expectNone(room.requests, 'requests');
    }
  });

  test('the error for a rule that the service refuses has a hint', async () => {
    const line = `${CREATE} name=n detection_rules=${json([{ rule_type: 'expression_tree' }])}`;
    const error = await warRoom().fail(line);
    expect(error).toMatchObject({ code: 'refused', status: 400 });
    expect(error.message).toContain('Invalid Request Body');
    expect(error.hint).toContain('structure that belongs to its rule_type');
  });
});

describe('patching', () => {
  const line = (args: string) => `${PATCH} profile_id=${customerRecords} ${args}`;

  requirement('dlp-profile-patch-merges', 'omitted fields are kept', async () => {
    const room = warRoom();
    const before = await room.value(GET + customerRecords);
    const { version } = await room.value(line('name="New name" profile_type=basic'));
    expect(version).toBe(4);
    const after = await room.value(GET + customerRecords);
    expect(after).toMatchObject({ name: 'New name', description: before.description });
    expect(after.detection_rules).toEqual(before.detection_rules);
    const sent = planeRequests(room).find(({ method }) => method === 'PATCH');
    expect(sent?.headers['content-type']).toBe('application/merge-patch+json');
    expect(JSON.parse(sent?.body ?? '')).toEqual({ name: 'New name', profile_type: 'basic' });
  });

  requirement('dlp-profile-patch-null-clears', 'the text null clears description and rules', async () => {
    const room = warRoom();
    await room.run(line('name=n profile_type=basic description=null detection_rules=null'));
    expect(await room.value(GET + customerRecords)).toMatchObject({ description: null, detection_rules: null });
  });

  requirement.each([
    { args: 'profile_type=basic', argument: 'name' },
    { args: 'name= profile_type=basic', argument: 'name' },
    { args: 'name=null profile_type=basic', argument: 'name' },
    { args: 'name=n', argument: 'profile_type' },
    { args: 'name=n profile_type=null', argument: 'profile_type' },
    { args: 'name=n profile_type=granular', argument: 'profile_type' },
  ])('dlp-profile-patch-never-cleared', '$args is refused before it is sent', async ({ args, argument }) => {
    const room = warRoom();
    expect(await room.fail(line(args))).toMatchObject({ exitCode: 2, argument });
    expectNone(room.requests, 'requests');
  });

  scenario('known-fault', 'the hint names the known failure of patches, and the patch is sent once', async () => {
    const room = warRoom({ faults: ['known'] });
    const error = await room.fail(line('name=n profile_type=basic'));
    expect(error).toMatchObject({ code: 'service', exitCode: 8, status: 500, retryable: false });
    expect(error.hint).toMatch(/known to fail.*aisec-runtime-dlp-profiles-replace/);
    expect(planeRequests(room)).toHaveLength(1);
  });
});

describe('replacing', () => {
  requirement('dlp-profile-replace-whole', 'omitted fields are reset', async () => {
    const room = warRoom();
    await room.run(`${REPLACE} profile_id=${financeExport} name=Tree ${rules} description=d`);
    expect(await room.value(GET + financeExport)).toMatchObject({
      name: 'Tree',
      description: 'd',
      detection_rules: RULES,
      is_granular_data_profile: false,
      profile_type: 'advanced',
    });
    await room.run(`${REPLACE} profile_id=${financeExport} name=Tree detection_rules=${json([RULES[0]])}`);
    expect(await room.value(GET + financeExport)).toMatchObject({
      description: null,
      profile_type: 'basic',
      version: 3,
    });
  });

  test('a duplicate name is a conflict, unless the other profile is deleted', async () => {
    const room = warRoom();
    const line = `${REPLACE} profile_id=${customerRecords} ${rules} name=`;
    expect(await room.fail(`${line}"Finance Export"`)).toMatchObject({ code: 'conflict', status: 409 });
    expect(await room.value(`${line}"Pilot Rules"`)).toMatchObject({ name: 'Pilot Rules' });
  });
});

describe('deleting', () => {
  requirement(
    ['dlp-profile-delete-soft', 'dlp-profile-delete-reads-first'],
    'a profile is read, then patched to deleted with its name and profile_type, and stays readable',
    async () => {
      const room = warRoom();
      expect(await room.value(DELETE + oldPayroll)).toEqual({
        id: oldPayroll,
        name: 'Old Payroll Check',
        profile_status: 'deleted',
        deleted: true,
        status: 'Successfully soft-deleted',
      });
      const [read, patch] = planeRequests(room);
      expect([read?.method, patch?.method]).toEqual(['GET', 'PATCH']);
      expect(patch?.headers['content-type']).toBe('application/merge-patch+json');
      expect(JSON.parse(patch?.body ?? '')).toEqual({
        name: 'Old Payroll Check',
        profile_type: 'basic',
        profile_status: 'deleted',
      });
      expect(await room.value(GET + oldPayroll)).toMatchObject({ profile_status: 'deleted' });
      expect(await room.value(GET + pilotRules)).toMatchObject({ profile_status: 'deleted' });
    },
  );

  requirement.each([
    { answer: { ...response, profile_status: 'active' }, profile_status: 'active' },
    { answer: { ...response, profile_status: null }, profile_status: null },
    { answer: {}, profile_status: null },
    { answer: undefined, profile_status: null },
  ])(
    'dlp-profile-delete-soft',
    'the status $profile_status in the response does not confirm the deletion',
    async ({ answer, profile_status }) => {
      const body = { name: 'Cards', profile_type: 'advanced', profile_status: 'deleted' };
      const script = [
        { request: `GET ${ALL}/1`, answer: response },
        { request: `PATCH ${ALL}/1`, body, answer },
      ];
      await scripted(script, async (room) => {
        const { writes, readable } = await room.run(`${DELETE}1`);
        expect(writes[0]?.value).toEqual({
          id: '1',
          name: 'Cards',
          profile_status,
          deleted: false,
          status: 'The service did not confirm the deletion',
        });
        expect(readable.notes.join()).toContain('does not report the data profile as deleted');
      });
    },
  );

  requirement('dlp-profile-delete-reads-first', 'changes nothing without a profile_type', async () => {
    await scripted([{ request: `GET ${ALL}/1`, answer: { id: '1', name: 'Cards' } }], async (room) => {
      expect(await room.fail(`${DELETE}1`)).toMatchObject({
        code: 'response',
        hint: expect.stringContaining('nothing'),
      });
    });
  });

  scenario('known-fault', 'the hint of a delete names the known failure of patches too', async () => {
    const error = await warRoom({ faults: ['known'] }).fail(DELETE + customerRecords);
    expect(error).toMatchObject({ status: 500, hint: expect.stringContaining('known to fail') });
  });
});
