import { DLP_IDS } from '../../../fixtures/service/dlp/seed-profiles.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, scripted } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { answerOf, exchangeOf, goldenFor, PLANES } from '../goldens.ts';

describe('profiles', () => {
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

    requirement('dlp-profile-name-too-long', 'refuses a name of 33 characters before a request', async () => {
      for (const line of whole) {
        const room = warRoom();
        const error = await room.fail(`${line} name=${face.repeat(33)} ${rules}`);
        expect(error).toMatchObject({ exitCode: 2, argument: 'name' });
        expect(error.message).toBe('name must have at most 32 characters; it has 33.');
        expectNone(room.requests, 'requests');
      }
    });

    requirement.each([
      { given: '`{"rule_type": "expression_tree"}`', problem: /detection_rules must be an array/ },
      { given: '`[{"expression_tree": {}}]`', problem: /at 0\) lacks "rule_type"/ },
      { given: '`[{"rule_type": "expression-tree"}]`', problem: /at 0\/rule_type\) does not take "expression-tree"/ },
    ])('dlp-profile-rule-types', 'refuses the rules $given before a request', async ({ given, problem }) => {
      for (const line of whole) {
        const room = warRoom();
        const error = await room.fail(`${line} name=n detection_rules=${given}`);
        expect(error).toMatchObject({ exitCode: 2, argument: 'detection_rules' });
        expect(error.message).toMatch(problem);
        expectNone(room.requests, 'requests');
      }
    });
  });

  describe('patching', () => {
    const line = (args: string) => `${PATCH} profile_id=${customerRecords} ${args}`;

    requirement.each([
      { args: 'name=null profile_type=basic', argument: 'name' },
      { args: 'name=n profile_type=null', argument: 'profile_type' },
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
  });

  describe('times of the DLP service', () => {
    const lists = ['profiles', 'dictionaries', 'patterns', 'filtering-profiles'];
    const times = [
      { sent: 1_777_000_000_123, kept: 1_777_000_000_123 },
      { sent: '1777000000123', kept: 1_777_000_000_123 },
      { sent: 0, kept: 0 },
      { sent: null, kept: null },
    ];

    requirement.each(lists.flatMap((list) => times.map((time) => ({ list, ...time }))))(
      'dlp-timestamps-milliseconds',
      'the time $sent in the list of $list is recorded as $kept',
      async ({ list, sent, kept }) => {
        const content = [{ id: 'a', audit_metadata: { created_at: sent, updated_at: sent } }];
        const room = answering(() => ({ answer: { content } }));
        expect(await room.value(`!aisec-runtime-dlp-${list}-list`)).toMatchObject([
          { created_at: kept, updated_at: kept },
        ]);
      },
    );

    test.each(lists)('the list of %s reports an invalid time, and a valid time is shown as a date', async (list) => {
      const room = (created_at: unknown) =>
        answering(() => ({
          answer: { content: [{ id: 'a', audit_metadata: { created_at, updated_at: 1_777_000_000_123 } }] },
        }));
      const line = `!aisec-runtime-dlp-${list}-list`;
      expect(await room('yesterday').fail(line)).toMatchObject({ message: expect.stringContaining('.created_at') });
      expect((await room(0).run(line)).readable.tables[0]?.rows.flat()).toContain('2026-04-24T03:06:40Z');
    });
  });
});

describe('filtering profiles', () => {
  const ALL = `${PLANES.dlp}/data-filtering-profiles`;
  const response = answerOf('runtime-dlp-filtering-profiles-get');

  const { sensitiveContent, customerRecords } = DLP_IDS.filteringProfiles;

  const LIST = '!aisec-runtime-dlp-filtering-profiles-list';
  const GET = '!aisec-runtime-dlp-filtering-profiles-get profile_id=';
  const REPLACE = '!aisec-runtime-dlp-filtering-profiles-replace';
  const required = 'file_based=true non_file_based=true';
  const line = (args: string) => `${REPLACE} profile_id=${customerRecords} ${args}`;

  const planeRequests = ({ requests }: WarRoom) => requests.filter(({ url }) => url.includes('/v2/api/'));

  requirement(
    'dlp-filtering-list-carries-audit',
    'a list has the author and editor of a filtering profile',
    async () => {
      expect(await warRoom().values(LIST)).toMatchObject([
        { id: sensitiveContent, type: 'predefined', default_action: null, created_by: 'system', updated_by: 'system' },
        {
          id: customerRecords,
          created_by: 'dana@example.com',
          updated_by: 'dana@example.com',
          is_parent_managed: false,
        },
      ]);
    },
  );

  describe('replacing', () => {
    test('fields without an argument are read first, and sent unchanged', async () => {
      const room = warRoom();
      const rest = ['criteria_details', 'exception_rules', 'exclusions', 'rule1', 'rule2'];
      const before = (await room.run(GET + customerRecords)).raw;
      await room.run(line(required));
      const after = (await room.run(GET + customerRecords)).raw;
      for (const name of rest) {
        expect(before).toHaveProperty(name);
        expect(after).toHaveProperty(name, Object(before)[name]);
      }
      expect(planeRequests(room).map(({ method }) => method)).toEqual(['GET', 'GET', 'PUT', 'GET']);
    });

    const shown = [
      ['File Based', 'true', 'false'],
      ['Description', 'Uploads of cards.', 'dropped'],
      ['Direction', 'UPLOAD', 'BOTH'],
      ['Log Severity', 'HIGH', 'dropped'],
      ['Scan Type', 'include', 'dropped'],
      ['Data Profile ID', '11995001', 'dropped'],
      ['Euc Template ID', 't1', 't2'],
      ['Is End User Coaching Enabled', 'true', 'dropped'],
      ['File Type', 'csv\nxlsx', 'csv'],
    ];
    const args =
      'file_based=false non_file_based=false direction=BOTH euc_template_id=t2 is_granular_profile=true file_type=csv';
    const { file_based, non_file_based, ...kept } = exchangeOf(
      goldenFor('runtime-dlp-filtering-profiles-replace'),
      1,
    ).body;
    const body = {
      ...kept,
      file_based: false,
      non_file_based: false,
      direction: 'BOTH',
      euc_template_id: 't2',
      is_granular_profile: true,
      file_type: ['csv'],
    };
    const notes = [
      'Dropped, because the line does not give them: description, log_severity, scan_type, data_profile_id, is_end_user_coaching_enabled.',
      'Kept, because no argument can express them: criteria_details, exception_rules, exclusions, rule1, rule2.',
    ];

    requirement.each([{ dryRun: true }, { dryRun: false }])(
      'dlp-filtering-replace-whole',
      'shows changes and losses (dry run: $dryRun)',
      async ({ dryRun }) => {
        const script = [
          { request: `GET ${ALL}/1`, answer: response },
          { request: `PUT ${ALL}/1`, body, answer: response },
        ];
        await scripted(dryRun ? script.slice(0, 1) : script, async (room) => {
          const { readable, raw } = await room.run(`${REPLACE} profile_id=1 ${args}`, { dryRun });
          const table = readable.tables.find(({ title }) => title === 'What the replacement changes');
          expect(table).toEqual({
            title: 'What the replacement changes',
            columns: ['', 'Before', 'After'],
            rows: shown,
          });
          expect(readable.notes).toEqual(dryRun ? ['Nothing was changed.', ...notes] : notes);
          if (dryRun) expect(raw).toMatchObject({ method: 'PUT', body });
        });
      },
    );

    test('a profile without other fields has no note of losses, and lists the fields set for the first time', async () => {
      const answer = { id: '1', file_based: true, non_file_based: true };
      const script = [
        { request: `GET ${ALL}/1`, answer },
        { request: `PUT ${ALL}/1`, body: { file_based: true, non_file_based: true, direction: 'BOTH' }, answer },
      ];
      await scripted(script, async (room) => {
        const { readable } = await room.run(`${REPLACE} profile_id=1 ${required} direction=BOTH`);
        expectNone(readable.notes, 'notes below the table');
        expect(readable.tables[1]?.rows).toEqual([['Direction', 'not set', 'BOTH']]);
      });
    });
  });

  describe('arguments', () => {
    requirement.each([
      { args: 'direction=null', argument: 'direction' },
      { args: 'data_profile_id=cards', argument: 'data_profile_id' },
    ])('dlp-filtering-values', '$args is refused before anything is sent', async ({ args, argument }) => {
      const room = warRoom();
      expect(await room.fail(line(`${required} ${args}`))).toMatchObject({ exitCode: 2, argument });
      expectNone(room.requests, 'requests');
    });

    test.each([
      { args: 'file_based= non_file_based=true', argument: 'file_based' },
      { args: 'file_base=true non_file_based=true', argument: 'file_base' },
    ])('$args is refused instead of turning inspection off', async ({ args, argument }) => {
      const room = warRoom();
      expect(await room.fail(line(args))).toMatchObject({ exitCode: 2, argument });
      expectNone(room.requests, 'requests');
    });

    requirement.each([
      { given: 'csv', types: ['csv'] },
      { given: '"csv, docx ,pdf"', types: ['csv', 'docx', 'pdf'] },
      { given: '`["csv", "tar.gz"]`', types: ['csv', 'tar.gz'] },
    ])('dlp-filtering-file-types', 'accepts file types written as $given', async ({ given, types }) => {
      const room = warRoom();
      await room.run(line(`${required} file_type=${given}`));
      expect(await room.value(GET + customerRecords)).toMatchObject({ file_type: types });
    });
  });
});
