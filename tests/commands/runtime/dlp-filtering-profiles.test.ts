import { DLP_IDS } from '../../../fixtures/service/dlp/ids.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { scripted } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { answerOf, exchangeOf, goldenFor, PLANES } from '../goldens.ts';

const ALL = `${PLANES.dlp}/data-filtering-profiles`;
const response = answerOf('runtime-dlp-filtering-profiles-get');

const { sensitiveContent, customerRecords } = DLP_IDS.filteringProfiles;

const LIST = '!aisec-runtime-dlp-filtering-profiles-list';
const GET = '!aisec-runtime-dlp-filtering-profiles-get profile_id=';
const REPLACE = '!aisec-runtime-dlp-filtering-profiles-replace';
const required = 'file_based=true non_file_based=true';
const line = (args: string) => `${REPLACE} profile_id=${customerRecords} ${args}`;

const planeRequests = ({ requests }: WarRoom) => requests.filter(({ url }) => url.includes('/v2/api/'));

requirement('dlp-filtering-list-carries-audit', 'a list has the author and editor of a filtering profile', async () => {
  expect(await warRoom().values(LIST)).toMatchObject([
    { id: sensitiveContent, type: 'predefined', default_action: null, created_by: 'system', updated_by: 'system' },
    { id: customerRecords, created_by: 'dana@example.com', updated_by: 'dana@example.com', is_parent_managed: false },
  ]);
});

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
        expect(table).toEqual({ title: 'What the replacement changes', columns: ['', 'Before', 'After'], rows: shown });
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
    { args: 'direction=either', argument: 'direction' },
    { args: 'direction=null', argument: 'direction' },
    { args: 'log_severity=INFO', argument: 'log_severity' },
    { args: 'scan_type=INCLUDED', argument: 'scan_type' },
    { args: 'data_profile_id=cards', argument: 'data_profile_id' },
    { args: 'is_granular_profile=1', argument: 'is_granular_profile' },
  ])('dlp-filtering-values', '$args is refused before anything is sent', async ({ args, argument }) => {
    const room = warRoom();
    expect(await room.fail(line(`${required} ${args}`))).toMatchObject({ exitCode: 2, argument });
    expectNone(room.requests, 'requests');
  });

  test.each([
    { args: 'non_file_based=true', argument: 'file_based' },
    { args: 'file_based= non_file_based=true', argument: 'file_based' },
    { args: 'file_based=true', argument: 'non_file_based' },
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
