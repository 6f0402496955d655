import { DLP_IDS } from '../../../fixtures/service/dlp/ids.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, scripted } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { answerOf, PLANES } from '../goldens.ts';

const ALL = `${PLANES.dlp}/data-profiles`;
const response = answerOf('runtime-dlp-profiles-get');
const RULES = answerOf('runtime-dlp-profiles-get')['detection_rules'];

const { customerRecords, oldPayroll, pilotRules } = DLP_IDS.profiles;

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

describe('reading', () => {
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
