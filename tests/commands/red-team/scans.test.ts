import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { mergeContext } from '../../../lib/runtime/output/merge.ts';
import { requirement } from '../../contract/claims.ts';
import { expectNone } from '../../support/expect-none.ts';
import { answering, asked, type Exchange, scripted } from '../../support/scripted.ts';
import { type WarRoom, warRoom } from '../../support/simulated.ts';
import { answerOf, idOf, PLANES, recordOf } from '../goldens.ts';

const DATA = PLANES['redteam/data'];
const JOB = idOf('job');
const TARGET = idOf('target');
const scan = recordOf(answerOf('redteam-scans-list')['data']);

const { jobs, targets, promptSets } = RED_TEAM_IDS;

const CREATE = '!aisec-redteam-scan-create';
const LIST = '!aisec-redteam-scans-list';
const GET = '!aisec-redteam-scan-get';
const ERROR_LOGS = '!aisec-redteam-scan-error-logs';

const createLine = (more = '', target: string = targets.supportChatbot) =>
  `${CREATE} name=monthly target_uuid=${target} ${more}`;

/** A service that answers every request. */
const anything = (answer: unknown = scan) => answering(() => ({ answer }));
const refusing = (status: number, answer: unknown) => answering(() => ({ status, answer }));

/** The bodies of the requests that create scans. */
const sentBy = ({ requests }: Pick<WarRoom, 'requests'>) =>
  requests.filter(({ method, url }) => method === 'POST' && url.endsWith('/v1/scan'));

describe('creating a scan', () => {
  requirement(
    [
      'red-team-scan-starts-queued',
      'red-team-scan-scores-null',
      'red-team-scan-version',
      'red-team-scan-returns-at-once',
    ],
    'writes a QUEUED record without scores, and does not wait',
    async () => {
      const room = warRoom();
      const { writes, readable } = await room.run(createLine());
      expect(writes).toHaveLength(1);
      expect(writes[0]).toMatchObject({
        path: 'AiSec.RedTeamScanCreate',
        value: {
          status: 'QUEUED',
          completed: 0,
          total: expect.any(Number),
          score: null,
          asr: null,
          version: 1,
          job_type: 'STATIC',
          target_type: 'APPLICATION',
        },
      });
      expectNone(room.clock.waits, 'waits');
      expect(sentBy(room)).toHaveLength(1);
      expect(readable.notes.join()).toMatch(/!aisec-redteam-scan-get job_id=[0-9a-f-]{36}/);
    },
  );

  requirement(
    'red-team-scan-licence-accepted',
    'is refused before the licence is accepted, and the hint says how to accept it',
    async () => {
      const room = warRoom({ quirks: ['licence-not-accepted'] });
      const error = await room.fail(createLine());
      expect(error).toMatchObject({ code: 'permission', exitCode: 4, status: 403 });
      expect(error.hint).toContain('!aisec-redteam-eula-status');
      expect(await room.values(LIST)).toHaveLength(6);
      await room.run('!aisec-redteam-eula-accept');
      await room.run(createLine());
      expect(await room.values(LIST)).toHaveLength(7);
    },
  );

  requirement.each([
    { args: '', type: 'STATIC', metadata: { categories: {} } },
    { args: 'job_type=', type: 'STATIC', metadata: { categories: {} } },
    { args: 'job_type=STATIC categories=`{}`', type: 'STATIC', metadata: { categories: {} } },
    { args: 'job_type=DYNAMIC', type: 'DYNAMIC', metadata: { stream_breadth: 6, stream_depth: 10 } },
    {
      args: `job_type=CUSTOM custom_prompt_sets=${promptSets.brandVoice}`,
      type: 'CUSTOM',
      metadata: { custom_prompt_sets: [promptSets.brandVoice] },
    },
  ])(
    [
      'red-team-scan-job-types',
      'red-team-scan-all-categories',
      'red-team-scan-dynamic-defaults',
      'red-team-scan-custom-prompt-sets',
    ],
    '"$args" starts a $type scan',
    async ({ args, type, metadata }) => {
      const room = warRoom();
      const created = await room.value(createLine(args));
      expect(created).toMatchObject({ job_type: type, job_metadata: metadata });
      expect(JSON.parse(sentBy(room)[0]?.body ?? '')).toEqual({
        name: 'monthly',
        target: { uuid: targets.supportChatbot },
        job_type: type,
        job_metadata: metadata,
      });
    },
  );
});

describe('arguments that do not match', () => {
  const cases: readonly { args: string; argument: string; says: RegExp; claim?: string }[] = [
    {
      args: 'job_type=DYNAMIC categories=`{}`',
      argument: 'categories',
      says: /categories applies only to job_type=STATIC/,
    },
    { args: 'attack_goals=`["x"]`', argument: 'attack_goals', says: /attack_goals applies only to job_type=DYNAMIC/ },
    {
      args: `custom_prompt_sets=${promptSets.brandVoice}`,
      argument: 'custom_prompt_sets',
      says: /custom_prompt_sets applies only to job_type=CUSTOM/,
    },
    { args: 'job_type=CUSTOM', argument: 'custom_prompt_sets', says: /job_type=CUSTOM requires custom_prompt_sets/ },
    { args: 'job_type=CUSTOM custom_prompt_sets=[]', argument: 'custom_prompt_sets', says: /at least 1/ },
    { args: 'job_type=CUSTOM custom_prompt_sets=a,b', argument: 'custom_prompt_sets', says: /at 0\) must be a UUID/ },
    { args: 'job_type=DYNAMIC stream_breadth=21', argument: 'stream_breadth', says: /at most 20/ },
    { args: 'job_type=DYNAMIC attack_goals=`[]`', argument: 'attack_goals', says: /at least 1/ },
    { args: 'categories=`{"SECURITY": true}`', argument: 'categories', says: /at SECURITY\) must be an object/ },
    { args: 'wait=true interval=0', argument: 'interval', says: /at least 1/ },
  ];

  requirement.each(cases)(
    ['red-team-scan-categories-static', 'red-team-scan-custom-prompt-sets', 'red-team-scan-dynamic-goals'],
    '$args is refused, and nothing is sent',
    async ({ args, argument, says }) => {
      const room = anything();
      const error = await room.fail(createLine(args));
      expect(error).toMatchObject({ code: 'arguments', exitCode: 2, argument });
      expect(error.message).toMatch(says);
      expectNone([...room.requests, ...room.tokenRequests], 'requests, those for a token included');
    },
  );

  test('a name of two characters is refused', async () => {
    const room = anything();
    expect((await room.fail(`${CREATE} name=ab target_uuid=${TARGET}`)).message).toContain('at least 3 characters');
    expectNone(room.requests, 'requests');
  });

  test('defaults filled in by a platform do not count as given', async () => {
    const room = warRoom();
    await room.run(createLine('job_type=STATIC stream_breadth=6 stream_depth=10 wait=false'));
    expect(JSON.parse(sentBy(room)[0]?.body ?? '')).toMatchObject({ job_metadata: { categories: {} } });
  });
});

describe('quota and dry run', () => {
  test.each([
    { args: '', type: 'STATIC', row: ['STATIC', '50', '12', '13'] },
    { args: 'job_type=DYNAMIC', type: 'DYNAMIC', row: ['DYNAMIC', '5', '2', '3'] },
    {
      args: `job_type=CUSTOM custom_prompt_sets=${promptSets.brandVoice}`,
      type: 'CUSTOM',
      row: ['CUSTOM', 'unlimited', '5', '6'],
    },
  ])('a dry run shows what a $type scan would cost, and creates none', async ({ args, row }) => {
    const room = warRoom();
    const { planned, readable, writes } = await room.run(createLine(args), { dryRun: true });
    expect({ planned, writes }).toEqual({ planned: true, writes: [] });
    expect(readable.tables[1]).toEqual({
      title: 'Quota',
      columns: ['Type', 'Allocated', 'Consumed', 'After This'],
      rows: [row],
    });
    expect(readable.notes).toContain('Nothing was changed.');
    expectNone(sentBy(room), 'requests');
  });

  test('a dry run shows the request; the scan itself reads no quota', async () => {
    const room = anything({});
    const { raw } = await room.run(createLine('', TARGET), { dryRun: true });
    expect(raw).toEqual({
      dry_run: true,
      method: 'POST',
      url: `${DATA}/scan`,
      body: { name: 'monthly', target: { uuid: TARGET }, job_type: 'STATIC', job_metadata: { categories: {} } },
    });
    expect(room.requests.map(asked).map(({ request }) => request)).toEqual([`POST ${DATA}/metering/quota`]);
    await scripted([{ ...creation, answer: scan }], async (scriptedRoom) => {
      await scriptedRoom.run(createLine('', TARGET));
    });
  });

  const creation: Exchange = {
    request: `POST ${DATA}/scan`,
    body: { name: 'monthly', target: { uuid: TARGET }, job_type: 'STATIC', job_metadata: { categories: {} } },
  };

  test('retries the quota if the service is busy; sends the scan once', async () => {
    const room = answering(({ url }) => (url.endsWith('/quota') ? { status: 503 } : { answer: scan }));
    await room.fail(createLine(), { dryRun: true });
    expect(room.requests.length).toBeGreaterThan(1);
    const busy = answering(() => ({ status: 503 }));
    const error = await busy.fail(createLine());
    expect(busy.requests).toHaveLength(1);
    expect(error.hint).toContain('outcome is unknown');
  });

  const MESSAGE = 'the quota of DYNAMIC scans is used up: 5 of 5';
  test.each([
    { where: 'in error', body: { error: { code: 'QUOTA_EXCEEDED', message: MESSAGE } } },
    { where: 'as error_code', body: { error_code: 'QUOTA_EXCEEDED', error_message: MESSAGE } },
  ])('recognizes an exhausted quota by its code, $where', async ({ body }) => {
    const error = await refusing(400, body).fail(createLine());
    expect(error).toMatchObject({ code: 'quota', exitCode: 6, status: 400 });
    expect(error.message).toContain(MESSAGE);
    expect(error.hint).toContain('!aisec-redteam-metering-quota');
  });

  test.each([
    { body: { error: { code: 'INVALID', message: 'no' } }, code: 'refused', exitCode: 2 },
    { body: 'QUOTA_EXCEEDED', code: 'refused', exitCode: 2 },
  ])('a 400 with $body is not a quota error', async ({ body, code, exitCode }) => {
    expect(await refusing(400, body).fail(createLine())).toMatchObject({ code, exitCode });
  });
});

describe('reading scans', () => {
  requirement(
    ['red-team-scan-list-counts', 'red-team-scan-statuses'],
    'rows have target, times and counts in either form of the response',
    async () => {
      const rows = await warRoom().values(LIST);
      expect(rows.map(({ status }) => status)).toEqual([
        'PARTIALLY_COMPLETE',
        'COMPLETED',
        'COMPLETED',
        'COMPLETED',
        'FAILED',
        'COMPLETED',
      ]);
      for (const row of rows) {
        const absent = Object.keys(row).filter((name) => row[name] === null);
        // The service omits both from a list.
        expect(absent.sort()).toEqual(['error_message', 'failed_prompts']);
      }
      expect(rows[0]).toMatchObject({ target_name: 'underwriting-model', total_prompts: 48, completed_prompts: 28 });
    },
  );

  requirement.each([
    { total: 3, completed: 1, text: '1/3', percent: 33.33 },
    { total: 3, completed: 2, text: '2/3', percent: 66.67 },
    { total: 7, completed: 0, text: '0/7', percent: 0 },
    { total: null, completed: null, text: '0/0', percent: 0 },
    { total: 0, completed: 0, text: '0/0', percent: 0 },
  ])('red-team-scan-progress', '$completed of $total is $text and $percent %', async (row) => {
    const { total, completed, text, percent } = row;
    const answer = { ...scan, total, completed };
    expect(await anything(answer).value(`${GET} ${JOB}`)).toMatchObject({
      progress: text,
      progress_percentage: percent,
    });
    expect(await anything({ data: [answer] }).value(LIST)).toMatchObject([{ progress: percent }]);
  });

  requirement(
    ['red-team-scan-score-range', 'red-team-scan-scores-null', 'red-team-scan-statuses'],
    'scores come with the end of a scan, between 0 and 100',
    async () => {
      const room = warRoom();
      for (const id of [jobs.static, jobs.dynamic, jobs.custom]) {
        const { score, asr, status } = await room.value(`${GET} ${id}`);
        expect(status).toBe('COMPLETED');
        for (const number of [Number(score), Number(asr)]) {
          expect(number).toBeGreaterThanOrEqual(0);
          expect(number).toBeLessThanOrEqual(100);
        }
      }
      const { uuid } = await room.value(createLine());
      room.clock.advance(2000);
      const running = await room.value(`${GET} ${String(uuid)}`);
      expect(running).toMatchObject({ status: 'RUNNING', score: null, asr: null });
    },
  );

  test.each([
    { id: jobs.static, next: `!aisec-redteam-report-get job_id=${jobs.static}` },
    { id: jobs.partial, next: `!aisec-redteam-report-generate-partial job_id=${jobs.partial}` },
    { id: jobs.failed, next: `!aisec-redteam-scan-error-logs job_id=${jobs.failed}` },
  ])('suggests the next command: $next', async ({ id, next }) => {
    const { readable } = await warRoom().run(`${GET} ${id}`);
    expect(readable.notes.join()).toContain(next);
  });
});

test.each([
  { line: `${ERROR_LOGS} job_id=${JOB}`, path: 'RedTeamScanErrorLog' },
  { line: `!aisec-redteam-targets-error-logs target_id=${JOB}`, path: 'RedTeamTargetErrorLog' },
])('repeated reads add an error without identifiers to the context once: $path', async ({ line, path }) => {
  const entry = { created_at: '2026-01-11T20:05:00Z', error_message: 'timeout' };
  const data = [{ ...entry, job_id: null, target_id: null, attack_id: null }];
  const room = anything({ data, pagination: { total_items: 1 } });
  const results = [await room.run(line), await room.run(line)];
  const context = results.reduce((merged, { writes }) => mergeContext(merged, writes), {});
  expect(context).toMatchObject({ AiSec: { [path]: [entry] } });
});
