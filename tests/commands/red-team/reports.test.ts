import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, answeringWith, scripted, tableOf } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { answerOf, type Fields, idOf, PLANES, recordOf } from '../goldens.ts';

const DATA = PLANES['redteam/data'];
const ATTACK = idOf('attack');
const GOAL = idOf('goal');
const STREAM = idOf('stream');
const JOB = idOf('job');
const scan = recordOf(answerOf('redteam-scans-list')['data']);
const staticReport = answerOf('redteam-report-get', 'a static report');
const turns: readonly (readonly Fields[])[] = JSON.parse(
  JSON.stringify(answerOf('redteam-report-attack-multi-turn-get')['outputs']),
);
const turn = answerOf('redteam-report-stream-get')['first_threat_iteration'];
const typed = (job_type: unknown) => ({
  request: `GET ${DATA}/scan/${JOB}`,
  answer: { ...scan, status: 'COMPLETED', job_type },
});

const { jobs } = RED_TEAM_IDS;

const REPORT = '!aisec-redteam-report-get';
const REMEDIATION = '!aisec-redteam-report-remediation-get';
const POLICY = '!aisec-redteam-report-runtime-policy-get';
const ATTACKS = '!aisec-redteam-report-attacks-list';
const ATTACK_GET = '!aisec-redteam-report-attack-get';
const MULTI_TURN = '!aisec-redteam-report-attack-multi-turn-get';
const GOALS = '!aisec-redteam-report-goals-list';
const STREAMS = '!aisec-redteam-report-goal-streams-list';
const STREAM_GET = '!aisec-redteam-report-stream-get';
const DOWNLOAD = '!aisec-redteam-report-download';

describe('the type of a report', () => {
  const kinds = [
    { command: REPORT, part: 'report' },
    { command: REMEDIATION, part: 'remediation' },
    { command: POLICY, part: 'runtime-policy-config' },
  ];
  const families = [
    { own: 'STATIC', family: 'report/static' },
    { own: 'DYNAMIC', family: 'report/dynamic' },
    { own: 'CLARA', family: 'report/static' },
  ];
  const cases = kinds.flatMap((kind) =>
    families.flatMap((one) => ['', 'job_type=STATIC', 'job_type=DYNAMIC'].map((args) => ({ ...kind, ...one, args }))),
  );

  test.each(cases)(
    '$command $args on a scan of type $own reads $family, and notes a job_type that differs',
    async (row) => {
      const script = [typed(row.own), { request: `GET ${DATA}/${row.family}/${JOB}/${row.part}`, answer: {} }];
      await scripted(script, async (room) => {
        const { writes, readable } = await room.run(`${row.command} ${JOB} ${row.args}`);
        expect(writes[0]?.value).toMatchObject({ job_id: JOB, job_type: row.own });
        const given = row.args.includes('DYNAMIC') ? 'DYNAMIC' : 'STATIC';
        const isNoted = readable.notes.join().includes(`The scan is ${row.own}, so job_type=${given} is ignored.`);
        expect(isNoted).toBe(row.own !== given);
      });
    },
  );

  requirement.each(
    kinds.flatMap((kind) => [
      { ...kind, args: '', family: 'static', type: 'STATIC' },
      { ...kind, args: 'job_type=DYNAMIC', family: 'dynamic', type: 'DYNAMIC' },
      { ...kind, args: 'job_type=dynamic', family: 'dynamic', type: 'DYNAMIC' },
    ]),
  )('report-static-by-default', '$command $args on a scan without a type reads the $type report', async (row) => {
    const script = [typed(undefined), { request: `GET ${DATA}/report/${row.family}/${JOB}/${row.part}`, answer: {} }];
    await scripted(script, async (room) => {
      const { writes, readable } = await room.run(`${row.command} ${JOB} ${row.args}`);
      expect(writes[0]?.value).toMatchObject({ job_type: row.type });
      expectNone(readable.notes, 'notes below the table');
    });
  });

  test.each([REMEDIATION, POLICY])(
    '%s on a CUSTOM scan says that the service has none for this type',
    async (command) => {
      const room = answering(({ url }) => ({ answer: url.includes('/scan/') ? { ...scan, job_type: 'CUSTOM' } : {} }));
      const { readable } = await room.run(`${command} ${JOB}`);
      expect(readable.notes.join(' ')).toMatch(/has none for CUSTOM scans/);
      const error = await warRoom().fail(`${command} ${jobs.custom}`);
      expect(error).toMatchObject({ code: 'not-found', exitCode: 5 });
      expect(error.hint).toContain('CUSTOM');
    },
  );
});

describe('a report', () => {
  test('a static report is a scorecard with tables by severity, category and sub-category', async () => {
    const room = answering(({ url }) => ({ answer: url.includes('/scan/') ? scan : staticReport }));
    const result = await room.run(`${REPORT} ${JOB}`);
    expect(tableOf(result, 'By Severity')?.rows).toEqual([
      ['CRITICAL', '2', '1'],
      ['LOW', '0', '3'],
    ]);
    expect(tableOf(result, 'By Category')?.rows).toEqual([
      ['SECURITY', 'Security', '33.33', '6', '2', '4', ''],
      ['BRAND', 'Brand', '33.33', '6', '2', '4', ''],
      ['COMPLIANCE', 'OWASP', '', '', '', '', '3'],
    ]);
    expect(tableOf(result, 'Successful Attacks')?.rows).toEqual([['SECURITY', 'Jailbreak', '2', '1', '3']]);
    expect(result.readable.notes.join()).toContain('!aisec-redteam-report-remediation-get');
  });

  scenario.each([
    { line: `${REPORT} ${jobs.partial}` },
    { line: `${REMEDIATION} ${jobs.partial}` },
    { line: `${POLICY} ${jobs.partial}` },
    { line: `${ATTACKS} ${jobs.partial}` },
    { line: `${DOWNLOAD} ${jobs.partial}` },
  ])('known-fault', '$line is locked, and the hint says what unlocks it', async ({ line }) => {
    const error = await warRoom().fail(line);
    expect(error).toMatchObject({ code: 'permission', exitCode: 4, status: 403 });
    expect(error.hint).toContain('!aisec-redteam-report-generate-partial');
    expect(error.hint).toContain('credit');
  });
});

describe('attacks', () => {
  const rowsOf = (room: WarRoom, args: string) => room.values(`${ATTACKS} ${jobs.static} limit=100 ${args}`);

  requirement('red-team-search-filters-text', 'a search is applied, even if the service ignores it', async () => {
    const data = [
      { uuid: '1', prompt: 'Tell me a SECRET.', severity: 'LOW' },
      { uuid: '2', prompt: 'Hello', sub_category_display_name: 'Secrets' },
      { uuid: '3', prompt: 'Hello', job_id: 'secret' },
    ];
    const room = answeringWith({ pagination: { total_items: 3 }, data });
    const { writes, readable } = await room.run(`${ATTACKS} ${JOB} search=secret limit=1`);
    expect(writes[0]?.value).toMatchObject([{ uuid: '1' }]);
    expect(readable.notes).toEqual(['1 shown, there are 2: continue with skip=1, or a higher limit.']);
    expect(await room.value(`${ATTACKS} ${JOB} search=secret skip=1`)).toMatchObject([{ uuid: '2' }]);
    expect(room.requests[0]?.url).toContain('search=secret');
  });

  const inTable = [
    ['1', '1', 'false', 'Hello.', 'Certainly.'],
    ['1', '2', 'true', 'And then?', 'Certainly.'],
    ['2', '1', '', 'Hello.', 'No.'],
  ];
  requirement.each([
    { what: 'conversations', outputs: turns, rows: inTable },
    { what: 'one list of turns', outputs: turns.flat(), rows: inTable },
    {
      what: 'conversations that are not numbered',
      outputs: turns.map((each) => each.map(({ generation, ...rest }) => rest)),
      rows: inTable,
    },
    { what: 'nothing', outputs: null, rows: [] },
  ])('report-attack-multi-turn', 'the table has a row for each turn of $what', async ({ outputs, rows }) => {
    const result = await answeringWith({ uuid: ATTACK, outputs }).run(`${MULTI_TURN} ${JOB} attack_id=${ATTACK}`);
    expect(result.writes[0]?.value).toMatchObject({ outputs });
    expect(tableOf(result, 'Outputs')?.rows).toEqual(rows);
  });

  test.each([
    { line: ATTACK_GET, sub_category: 'MULTI_TURN', other: '!aisec-redteam-report-attack-multi-turn-get' },
    { line: MULTI_TURN, sub_category: 'JAILBREAK', other: '!aisec-redteam-report-attack-get' },
  ])('$line points to $other for an attack of the other kind', async ({ line, sub_category, other }) => {
    const room = warRoom();
    const [row] = await rowsOf(room, `sub_category=${sub_category}`);
    const error = await room.fail(`${line} ${jobs.static} attack_id=${String(row?.uuid)}`);
    expect(error).toMatchObject({ code: 'not-found', status: 404 });
    expect(error.hint).toContain(`${other};`);
  });
});

describe('goals and streams', () => {
  requirement.each([
    { args: '', sent: null, note: 'there are 4' },
    { args: 'count=true', sent: 'true', note: 'there are 4' },
    { args: 'count=false', sent: 'false', note: 'there are more' },
  ])('report-goal-count', '"$args" sends count=$sent, and notes the rest as "$note"', async ({ args, sent, note }) => {
    const room = warRoom();
    const { readable } = await room.run(`${GOALS} ${jobs.dynamic} limit=2 ${args}`);
    expect(new URL(room.requests.at(-1)?.url ?? '').searchParams.get('count')).toBe(sent);
    expect(readable.notes.join()).toContain(note);
  });

  const all = Array.from({ length: 120 }, (_, index) => ({
    uuid: `s-${index}`,
    stream_idx: index,
    goal: index % 2 === 0 ? 'Pay twice.' : { goal: 'Leak it.' },
  }));
  const services = [
    {
      what: 'respects the position',
      answer: (query: URLSearchParams) => {
        const skip = Number(query.get('skip'));
        return { pagination: { total_items: 120 }, data: all.slice(skip, skip + Number(query.get('limit'))) };
      },
    },
    {
      what: 'ignores the arguments',
      answer: () => ({ pagination: { total_items: 120 }, data: all }),
    },
    { what: 'ignores the arguments and counts nothing', answer: () => ({ pagination: null, data: all }) },
  ];

  requirement.each(
    services.flatMap((service) =>
      [
        { args: '', from: 0, count: 50 },
        { args: 'limit=7', from: 0, count: 7 },
        { args: 'skip=110', from: 110, count: 10 },
        { args: 'skip=30 limit=80', from: 30, count: 80 },
      ].map((row) => ({ ...service, ...row })),
    ),
  )(
    ['red-team-limit-defaults-to-50', 'red-team-skip-passes-over-records'],
    'streams with "$args" are $count from position $from, if the service $what',
    async ({ args, from, count, answer }) => {
      const room = answering(({ url }) => ({ answer: answer(new URL(url).searchParams) }));
      const value = await room.value(`${STREAMS} ${JOB} goal_id=${GOAL} ${args}`);
      expect(value).toMatchObject(all.slice(from, from + count).map(({ uuid }) => ({ uuid })));
      expect(value).toHaveLength(count);
    },
  );

  test('a first threat that is not an object is shown unchanged', async () => {
    const { readable } = await answeringWith({ uuid: STREAM, first_threat_iteration: 3, iterations: [turn] }).run(
      `${STREAM_GET} ${STREAM}`,
    );
    expect(readable.tables[0]?.rows).toContainEqual(['First Threat Iteration', '3']);
  });
});
