import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { markdown } from '../../../lib/output/markdown.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, answeringWith, scripted, tableOf } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { DATA, describeGoldens } from './golden.ts';
import { ATTACK, GOAL, goldens, keys, prefixes, STREAM, staticReport, turn, turns, typed } from './goldens/reports.ts';
import { JOB, scan } from './goldens/scans.ts';
import { describePages } from './lists.ts';

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
const PARTIAL = '!aisec-redteam-report-generate-partial';
const SENTIMENT = '!aisec-redteam-sentiment-get';
const VOTE = '!aisec-redteam-sentiment-update';

describe('requests and context', () => {
  describeGoldens({ prefixes, keys, goldens });
  describePages({
    command: 'aisec-redteam-report-attacks-list',
    args: `job_id=${JOB}`,
    address: `${DATA}/report/static/${JOB}/list-attacks`,
    id: 'uuid',
    searches: true,
  });
  describePages({
    command: 'aisec-redteam-report-goals-list',
    args: `job_id=${JOB}`,
    address: `${DATA}/report/dynamic/${JOB}/list-goals`,
    id: 'uuid',
    searches: true,
  });

  const lines = [
    `${REPORT} job_id=`,
    `${REMEDIATION} job_id=`,
    `${POLICY} job_id=`,
    `${ATTACKS} job_id=`,
    `${ATTACK_GET} job_id=${JOB} attack_id=`,
    `${MULTI_TURN} job_id=${JOB} attack_id=`,
    `${GOALS} job_id=`,
    `${STREAMS} job_id=${JOB} goal_id=`,
    `${STREAM_GET} stream_id=`,
    `${DOWNLOAD} job_id=`,
    `${PARTIAL} job_id=`,
    `${SENTIMENT} job_id=`,
    `${VOTE} vote=up job_id=`,
  ];
  scenario.each(
    ['report', '..', '%2e%2e', 'a/b', `${JOB}?x`].flatMap((word) => lines.map((line) => ({ line: line + word }))),
  )('path-words', '$line is refused without a UUID, and nothing is sent', async ({ line }) => {
    const room = answeringWith();
    expect(await room.fail(line)).toMatchObject({ code: 'arguments', exitCode: 2 });
    expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
  });

  scenario.each([
    { line: `${REPORT} ${JOB}`, answer: { score: 'high' }, path: 'AiSec.RedTeamReport.score' },
    { line: `${REMEDIATION} ${JOB}`, answer: { remediations: 'none' }, path: 'AiSec.RedTeamRemediation.remediations' },
    { line: `${ATTACKS} ${JOB}`, answer: { data: [{ threat: 'maybe' }] }, path: 'AiSec.RedTeamAttack.threat' },
    { line: `${GOALS} ${JOB}`, answer: { data: ['goal'] }, path: '"data"' },
    { line: `${STREAM_GET} ${STREAM}`, answer: { stream_idx: 'x' }, path: 'AiSec.RedTeamStream.stream_idx' },
    { line: `${SENTIMENT} ${JOB}`, answer: { up_vote: 3 }, path: 'AiSec.RedTeamSentiment.up_vote' },
  ])('unknown-response-field', '$line rejects a response of another type and names $path', async (row) => {
    const error = await answeringWith(row.answer).fail(row.line);
    expect(error).toMatchObject({ code: 'response', exitCode: 8 });
    expect(error.message).toContain(row.path);
  });
});

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
    '$command $args of a scan that is $own reads $family, with a note where they differ',
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
  )('report-static-by-default', '$command $args of a scan without a type reads $type', async (row) => {
    const script = [typed(undefined), { request: `GET ${DATA}/report/${row.family}/${JOB}/${row.part}`, answer: {} }];
    await scripted(script, async (room) => {
      const { writes, readable } = await room.run(`${row.command} ${JOB} ${row.args}`);
      expect(writes[0]?.value).toMatchObject({ job_type: row.type });
      expectNone(readable.notes, 'notes below the table');
    });
  });

  test.each([REMEDIATION, POLICY])('%s of a CUSTOM scan says that the service publishes none', async (command) => {
    const room = answering(({ url }) => ({ answer: url.includes('/scan/') ? { ...scan, job_type: 'CUSTOM' } : {} }));
    const { readable } = await room.run(`${command} ${JOB}`);
    expect(readable.notes.join(' ')).toMatch(/has none for CUSTOM scans/);
    const error = await warRoom().fail(`${command} ${jobs.custom}`);
    expect(error).toMatchObject({ code: 'not-found', exitCode: 5 });
    expect(error.hint).toContain('CUSTOM');
  });
});

describe('a report', () => {
  requirement(['report-counts', 'report-static-by-default'], 'the counts of a static report add up', async () => {
    const report = await warRoom().value(`${REPORT} ${jobs.static}`);
    expect(report).toMatchObject({
      job_type: 'STATIC',
      score: 36.2,
      asr: 27.08,
      total_attacks: 48,
      successful_attacks: 13,
      failed_attacks: 35,
      total_goals: null,
      goals_achieved: null,
      total_threats: null,
    });
  });

  requirement(
    'report-breakdowns-as-sent',
    'keeps severities, sub-categories and techniques as they were sent',
    async () => {
      const room = warRoom();
      const { severity_breakdown, category_reports } = await room.value(`${REPORT} ${jobs.static}`);
      const sent = JSON.parse(room.responses.at(-1)?.body ?? '{}');
      const frameworks: readonly object[] = sent.compliance_report;
      expect(severity_breakdown).toEqual(sent.severity_report.stats);
      expect(category_reports).toEqual([
        { category: 'SECURITY', ...sent.security_report },
        { category: 'SAFETY', ...sent.safety_report },
        { category: 'BRAND', ...sent.brand_report },
        ...frameworks.map((framework) => ({ category: 'COMPLIANCE', ...framework })),
      ]);
      expect(JSON.stringify(category_reports)).toContain('"techniques"');
      expect(JSON.stringify(category_reports)).toContain('"sub_categories"');
    },
  );

  requirement('report-dynamic-counts', 'counts goals and threats for dynamic scans only', async () => {
    const room = warRoom();
    expect(await room.value(`${REPORT} ${jobs.dynamic}`)).toMatchObject({
      job_type: 'DYNAMIC',
      total_goals: 4,
      goals_achieved: 3,
      total_threats: 7,
      total_attacks: null,
    });
    for (const id of [jobs.static, jobs.custom]) {
      const { total_goals, goals_achieved, total_threats } = await room.value(`${REPORT} ${id}`);
      expect([total_goals, goals_achieved, total_threats]).toEqual([null, null, null]);
    }
  });

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

  test('a dynamic report has no empty tables', async () => {
    const { readable } = await warRoom().run(`${REPORT} ${jobs.dynamic}`);
    expect(readable.tables).toHaveLength(1);
  });

  test('a custom report points to the report of its prompt sets', async () => {
    const { readable } = await warRoom().run(`${REPORT} ${jobs.custom} job_type=CUSTOM`);
    expect(readable.notes.join()).toContain(`!aisec-redteam-custom-attack-report-get job_id=${jobs.custom}`);
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

  test.each([REPORT, DOWNLOAD])('%s of a scan without a report is not found, with a hint', async (command) => {
    const error = await warRoom().fail(`${command} ${jobs.failed}`);
    expect(error).toMatchObject({ code: 'not-found', exitCode: 5, status: 404 });
    expect(error.hint).toContain('!aisec-redteam-scan-get');
  });

  requirement('report-remediations', 'has measures with three levels, a description and links', async () => {
    const { remediations } = await warRoom().value(`${REMEDIATION} ${jobs.static}`);
    const level = expect.stringMatching(/^(LOW|MEDIUM|HIGH)$/);
    expect(remediations).toHaveLength(5);
    for (const measure of Array.isArray(remediations) ? remediations : []) {
      expect(measure).toEqual({
        remediation: expect.any(String),
        description: expect.any(String),
        priority_level: level,
        effectiveness_level: level,
        ease_of_implementation_level: level,
        resource_links: [expect.stringMatching(/^https:/)],
      });
    }
  });

  requirement('report-runtime-policies', 'has policies with id, name and settings', async () => {
    const { runtime_security_profile: policies } = await warRoom().value(`${POLICY} ${jobs.dynamic}`);
    expect(policies).toEqual([
      { policy_id: 'PROMPT_INJECTION', display_name: expect.any(String), config: { action: 'BLOCK' } },
      {
        policy_id: 'SENSITIVE_DATA_PROTECTION',
        display_name: expect.any(String),
        config: { action: 'BLOCK', masking_sensitive_data: true },
      },
    ]);
  });
});

describe('attacks', () => {
  const rowsOf = (room: WarRoom, args: string) => room.values(`${ATTACKS} ${jobs.static} limit=100 ${args}`);

  requirement.each([
    { args: 'status=SUCCESSFUL', field: 'threat', value: true },
    { args: 'status=FAILED', field: 'threat', value: false },
    { args: 'threat=true', field: 'threat', value: true },
    { args: 'threat=no', field: 'threat', value: false },
    { args: 'severity=CRITICAL', field: 'severity', value: 'CRITICAL' },
    { args: 'category=BRAND', field: 'category', value: 'BRAND' },
    { args: 'sub_category=JAILBREAK', field: 'sub_category', value: 'JAILBREAK' },
    { args: 'attack_type=NORMAL', field: 'attack_type', value: 'NORMAL' },
  ])('report-attack-filters', '$args lists only the matching attacks', async ({ args, field, value }) => {
    const room = warRoom();
    const [some, all] = [await rowsOf(room, args), await rowsOf(room, '')];
    expect(all).toHaveLength(48);
    expect(some.length).toBeGreaterThan(0);
    expect(some).toEqual(all.filter((row) => row[field] === value));
  });

  requirement('report-attack-filters', 'lists no attack of a type that the scan did not run', async () => {
    expectNone(await rowsOf(warRoom(), 'attack_type=CUSTOM'), 'attacks with attack_type=CUSTOM');
  });

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

  test('an unknown filter value is refused, with the known values', async () => {
    const error = await warRoom().fail(`${ATTACKS} ${jobs.static} severity=high`);
    expect(error).toMatchObject({ code: 'refused', status: 422 });
    expect(error.hint).toContain('CRITICAL');
  });

  test('the table has severity, category, threat, rate and status', async () => {
    const { readable } = await warRoom().run(`${ATTACKS} ${jobs.static} limit=1`);
    expect(readable.tables[0]?.columns).toEqual([
      'UUID',
      'Severity',
      'Category',
      'Sub-Category',
      'Threat',
      'ASR',
      'Multi Turn',
      'Prompt',
      'Status',
    ]);
  });

  requirement('report-attack-get-adds-outputs', 'a single attack adds its goal, frameworks and outputs', async () => {
    const room = warRoom();
    const [row] = await rowsOf(room, 'threat=true');
    const result = await room.run(`${ATTACK_GET} ${jobs.static} attack_id=${String(row?.uuid)}`);
    expect(result.writes[0]?.value).toMatchObject({
      ...row,
      goal: expect.any(String),
      compliance_frameworks: [
        { id: 'OWASP', techniques: [expect.objectContaining({ display_name: expect.any(String) })] },
        {},
        {},
        {},
      ],
      outputs: [{ threat: true, output: expect.any(String) }, {}, {}],
    });
    expect(tableOf(result, 'Outputs')?.rows).toHaveLength(3);
    expect(room.context.AiSec).toMatchObject({ RedTeamAttack: expect.any(Array) });
  });

  requirement('report-attack-multi-turn', 'a multi-turn attack has its responses turn by turn', async () => {
    const room = warRoom();
    const [row] = await rowsOf(room, 'sub_category=MULTI_TURN');
    const { outputs } = await room.value(`${MULTI_TURN} ${jobs.static} attack_id=${String(row?.uuid)}`);
    expect(outputs).toMatchObject([[{ turn: 1 }, { turn: 2 }, { turn: 3 }], expect.any(Array), expect.any(Array)]);
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
    { args: 'goal_type=HUMAN_AUGMENTED', count: 2, is: { custom_goal: true } },
    { args: 'goal_type=AGENT', count: 2, is: { custom_goal: false } },
    { args: 'status=SUCCESSFUL', count: 3, is: { threat: true } },
    { args: 'status=FAILED', count: 1, is: { threat: false } },
  ])('report-goal-filters', '$args lists $count goals', async ({ args, count, is }) => {
    const goals = await warRoom().values(`${GOALS} ${jobs.dynamic} ${args}`);
    expect(goals).toHaveLength(count);
    for (const goal of goals) expect(goal).toMatchObject(is);
  });

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

  requirement('report-goal-version-number', 'a goal has a numeric version', async () => {
    const goals = await warRoom().values(`${GOALS} ${jobs.dynamic}`);
    expect(goals.map(({ version }) => version)).toEqual([1, 1, 1, 1]);
  });

  requirement('red-team-search-filters-text', 'the service searches goals', async () => {
    const goals = await warRoom().values(`${GOALS} ${jobs.dynamic} search=CLAIM`);
    expect(goals).toHaveLength(2);
  });

  requirement('report-goal-streams', 'streams belong to one goal of one job', async () => {
    const room = warRoom();
    const [first, second] = await room.values(`${GOALS} ${jobs.dynamic}`);
    for (const goal of [first, second]) {
      const streams = await room.values(`${STREAMS} ${jobs.dynamic} goal_id=${String(goal?.uuid)}`);
      expect(streams.map(({ stream_idx }) => stream_idx)).toEqual([0, 1, 2, 3]);
      for (const stream of streams) expect(stream).toMatchObject({ goal_id: goal?.uuid, job_id: jobs.dynamic });
    }
    expect(await room.fail(`${STREAMS} ${jobs.static} goal_id=${String(first?.uuid)}`)).toMatchObject({ status: 404 });
  });

  const all = Array.from({ length: 120 }, (_, index) => ({
    uuid: `s-${index}`,
    stream_idx: index,
    goal: index % 2 === 0 ? 'Pay twice.' : { goal: 'Leak it.' },
  }));
  const services = [
    {
      what: 'keeps to the position',
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

  requirement('red-team-search-filters-text', 'the client searches streams, because the service does not', async () => {
    const room = answeringWith({ pagination: { total_items: 120 }, data: all });
    const line = `${STREAMS} ${JOB} goal_id=${GOAL} search=LEAK`;
    const { writes, readable } = await room.run(line);
    expect(writes[0]?.value).toHaveLength(50);
    expect(writes[0]?.value).toMatchObject([{ uuid: 's-1' }, { uuid: 's-3' }, ...all.slice(0, 48).map(() => ({}))]);
    expect(readable.notes.join()).toContain('50 shown, there are 60: continue with skip=50');
  });

  requirement(
    'report-stream-get-adds-iterations',
    'a single stream adds its first threat and all its turns',
    async () => {
      const room = warRoom();
      const [, goal] = await room.values(`${GOALS} ${jobs.dynamic}`);
      const streams = await room.values(`${STREAMS} ${jobs.dynamic} goal_id=${String(goal?.uuid)}`);
      const broken = streams.find(({ threat }) => threat === true);
      const result = await room.run(`${STREAM_GET} ${String(broken?.uuid)}`);
      const { first_threat_iteration, iterations } = Object(result.writes[0]?.value);
      expect(result.writes[0]?.value).toMatchObject(broken ?? {});
      expect(first_threat_iteration).toMatchObject({ threat: true, score: 10 });
      expect(iterations).toHaveLength(Number(broken?.iteration));
      expect(tableOf(result, 'Turns')?.rows).toHaveLength(Number(broken?.iteration));
      expect(markdown(result.readable)).toContain(`turn ${first_threat_iteration.iteration}`);
    },
  );

  test('a first threat that is not an object is shown unchanged', async () => {
    const { readable } = await answeringWith({ uuid: STREAM, first_threat_iteration: 3, iterations: [turn] }).run(
      `${STREAM_GET} ${STREAM}`,
    );
    expect(readable.tables[0]?.rows).toContainEqual(['First Threat Iteration', '3']);
  });
});
