import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { NetworkError, TimeoutError } from '../../../lib/core/errors.ts';
import type { Runtime } from '../../../lib/core/runtime.ts';
import { requirement } from '../../contract/claims.ts';
import { answering, asked } from '../../support/scripted.ts';
import { testClock, type WarRoom, warRoom } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { answerOf, idOf, PLANES, recordOf } from '../goldens.ts';

const DATA = PLANES['redteam/data'];
const JOB = idOf('job');
const TARGET = idOf('target');
const scan = recordOf(answerOf('redteam-scans-list')['data']);

const { jobs, targets } = RED_TEAM_IDS;

const CREATE = '!aisec-redteam-scan-create';
const GET = '!aisec-redteam-scan-get';
const ABORT = '!aisec-redteam-scan-abort';
const ERROR_LOGS = '!aisec-redteam-scan-error-logs';

const createLine = (more = '', target: string = targets.supportChatbot) =>
  `${CREATE} name=monthly target_uuid=${target} ${more}`;

/** A service that answers every request. */
const anything = (answer: unknown = scan) => answering(() => ({ answer }));

/** The bodies of the requests that create scans. */
const sentBy = ({ requests }: Pick<WarRoom, 'requests'>) =>
  requests.filter(({ method, url }) => method === 'POST' && url.endsWith('/v1/scan'));

describe('waiting for a scan', () => {
  /** Creates a service whose scan has these states, one per poll; the last state stays. */
  const serviceWith = (...states: readonly object[]) => {
    let at = -1;
    return answering(({ method }) => {
      if (method !== 'POST') at += 1;
      return {
        answer: { ...scan, status: 'QUEUED', ...(method === 'POST' ? {} : states[Math.min(at, states.length - 1)]) },
      };
    });
  };

  scenario('job-record', 'writes the created scan, then its result; both records are current', async () => {
    const lines: string[] = [];
    const clock = testClock();
    const room = serviceWith(
      { status: 'QUEUED', completed: 0 },
      { completed: 20, status: 'RUNNING' },
      { status: 'COMPLETED', completed: 48, score: 10 },
    );
    const overrides: Partial<Runtime> = { clock, progress: (line) => lines.push(line) };
    const { writes, failure, readable } = await room.run(createLine('wait=true', TARGET), overrides);
    expect(failure).toBeUndefined();
    expect(writes.map(({ path }) => path)).toEqual(['AiSec.RedTeamScanCreate', 'AiSec.RedTeamScanGet']);
    expect(writes.map(({ value }) => value)).toMatchObject([
      { uuid: JOB, status: 'COMPLETED', completed: 48, score: 10 },
      { uuid: JOB, status: 'COMPLETED', progress: '48/48', progress_percentage: 100, score: 10 },
    ]);
    expect(lines).toEqual([
      'Red-team scan monthly: QUEUED, 0/48',
      'Red-team scan monthly: RUNNING, 20/48, 20/s, 1 s left',
    ]);
    expect(clock.waits).toEqual([1000, 15_000]);
    expect(readable.notes).toEqual([`Read its report with !aisec-redteam-report-get job_id=${JOB}.`]);
  });

  scenario.each([
    { status: 'COMPLETED', exitCode: undefined, says: undefined, next: '!aisec-redteam-report-get' },
    { status: 'PARTIALLY_COMPLETE', exitCode: 10, says: 'stayed partial, at 17/48', next: 'generate-partial job_id=' },
    { status: 'FAILED', exitCode: 8, says: 'failed, at 17/48', next: '!aisec-redteam-scan-error-logs job_id=' },
    { status: 'ABORTED', exitCode: 8, says: 'was aborted, at 17/48', next: 'create another one' },
  ])('terminal-states', '$status ends a wait at once', async ({ status, exitCode, says, next }) => {
    const room = serviceWith({ status });
    const { writes, failure, readable } = await room.run(createLine('wait=true', TARGET));
    expect(writes[1]).toMatchObject({ path: 'AiSec.RedTeamScanGet', value: { status } });
    expect(failure?.exitCode).toBe(exitCode);
    if (says !== undefined) expect(failure?.message).toBe(`The red-team scan ${JOB} ${says}.`);
    expect(`${readable.notes.join()} ${failure?.hint ?? readable.notes.join()}`).toContain(next);
    expect(room.requests.map(asked).map(({ request }) => request)).toEqual([
      `POST ${DATA}/scan`,
      `GET ${DATA}/scan/${JOB}`,
    ]);
  });

  scenario.each([{ status: 'INIT' }, { status: 'HIBERNATING' }, { status: 'constructor' }, { status: null }])(
    'terminal-states',
    'the status $status is polled until the timeout, whose error names scan and status',
    async ({ status }) => {
      const room = serviceWith({ status });
      const { failure } = await room.run(createLine('wait=true timeout=60', TARGET), { clock: testClock() });
      expect(failure).toMatchObject({ code: 'timeout', exitCode: 9 });
      expect(failure?.message).toContain(`red-team scan ${JOB}, whose status is ${status ?? 'unknown'},`);
      expect(failure?.message).toContain('60 seconds');
      expect(room.requests).toHaveLength(7);
    },
  );

  scenario.each([
    { what: 'runs out of time at once', args: 'timeout=1', answers: [{ status: 'RUNNING', completed: 3 }], polls: 2 },
    {
      what: 'runs out of time later',
      args: 'timeout=20',
      answers: [{ status: 'QUEUED' }, { status: 'RUNNING', completed: 3 }],
      polls: 4,
    },
  ])('job-record', 'the record of a job that $what keeps the last polled state', async ({ args, answers, polls }) => {
    const room = serviceWith(...answers);
    const { writes, failure } = await room.run(createLine(`wait=true ${args}`, TARGET), { clock: testClock() });
    expect(writes).toMatchObject([
      { path: 'AiSec.RedTeamScanCreate', value: { uuid: JOB, status: 'RUNNING', completed: 3 } },
    ]);
    expect(failure).toMatchObject({ code: 'timeout', exitCode: 9, command: 'aisec-redteam-scan-create' });
    expect(failure?.message).toContain(`red-team scan ${JOB}, whose status is RUNNING, did not end within`);
    expect(room.requests).toHaveLength(1 + polls);
  });

  scenario('job-record', 'a failed poll keeps the created record, and is not retried', async () => {
    const room = answering(({ method }) =>
      method === 'POST' ? { answer: { ...scan, status: 'QUEUED' } } : { status: 403 },
    );
    const { writes, failure } = await room.run(createLine('wait=true retry-count=2', TARGET), { clock: testClock() });
    expect(writes).toMatchObject([{ path: 'AiSec.RedTeamScanCreate', value: { uuid: JOB, status: 'QUEUED' } }]);
    expect(failure).toMatchObject({ code: 'permission', retryable: false });
    expect(sentBy(room)).toHaveLength(1);
  });

  scenario.each([{ ms: 3_600_000 }, { ms: -3_600_000 }])(
    'clock-jump',
    'a wall clock that jumps by $ms ms does not change the length of a wait',
    async ({ ms }) => {
      const clock = testClock();
      const room = serviceWith(
        ...Array.from({ length: 3 }, () => ({ status: 'RUNNING' })),
        ...[{ status: 'COMPLETED', completed: 48 }],
      );
      const progress = () => {
        if (clock.waits.length === 1) clock.jump(ms);
      };
      const { writes } = await room.run(createLine('wait=true timeout=120', TARGET), { clock, progress });
      expect(writes[1]?.value).toMatchObject({ status: 'COMPLETED' });
      const stuck = serviceWith({ status: 'RUNNING' });
      const late = testClock();
      const jump = () => late.jump(late.waits.length < 3 ? ms : 0);
      const { failure } = await stuck.run(createLine('wait=true timeout=60', TARGET), { clock: late, progress: jump });
      expect(failure).toMatchObject({ code: 'timeout', message: expect.stringContaining('60 seconds') });
      expect(late.waits).toHaveLength(5);
    },
  );

  test('is suspended when the host ends its run, and resumes from its checkpoint', async () => {
    const room = warRoom({ jobSeconds: 90 });
    const deadline = room.clock.elapsed() + 60_000;
    const { suspension, writes, failure } = await room.run(createLine('wait=true'), { timeSlice: { deadline } });
    expect(writes.map(({ path }) => path)).toEqual(['AiSec.RedTeamScanCreate']);
    expect([suspension?.waitMs, failure]).toEqual([15_000, undefined]);
    room.clock.advance(100_000);
    if (suspension === undefined) throw new Error('the run did not pause');
    const timeSlice = { deadline: room.clock.elapsed() + 60_000, checkpoint: suspension.checkpoint };
    const last = await room.run(createLine('wait=true'), { timeSlice });
    expect(last.writes).toMatchObject([
      { path: 'AiSec.RedTeamScanCreate', value: { status: 'COMPLETED' } },
      { path: 'AiSec.RedTeamScanGet', value: { status: 'COMPLETED' } },
    ]);
    expect(sentBy(room)).toHaveLength(1);
  });
});

describe('a wait during an outage', () => {
  /** A service whose polls are answered by their number; an Error is a lost connection. */
  const serviceWithPolls = (poll: (at: number) => object | Error | number) => {
    let at = -1;
    return answering(({ method, url }) => {
      if (method === 'POST' || !url.includes('/v1/scan/')) return { answer: { ...scan, status: 'QUEUED' } };
      at += 1;
      const state = poll(at);
      if (state instanceof Error) throw state;
      if (typeof state === 'number') return { status: state };
      return { answer: { ...scan, ...state } };
    });
  };
  const lost = () => new NetworkError('The connection was lost.', { retryable: true });
  const WAIT = 'wait=true timeout=600 interval=15';

  scenario.each([
    { what: 'HTTP 503', fails: () => 503, text: 'HTTP 503' },
    { what: 'HTTP 429', fails: () => 429, text: 'limits the request rate' },
    { what: 'a lost connection', fails: lost, text: 'The connection was lost.' },
    {
      what: 'a host name that is not found',
      fails: () => new NetworkError('The host name is unknown.'),
      text: 'The host name is unknown.',
    },
    { what: 'an attempt that times out', fails: () => new TimeoutError('Timed out.'), text: 'Timed out.' },
  ])(
    'wait-outage',
    '$what during several polls does not end the wait, and is reported once',
    async ({ fails, text }) => {
      const lines: string[] = [];
      const room = serviceWithPolls((at) => (at < 12 ? fails() : { status: at < 14 ? 'RUNNING' : 'COMPLETED' }));
      const clock = testClock();
      const overrides = { clock, progress: (line: string) => lines.push(line) };
      const { writes, failure, warnings } = await room.run(createLine(WAIT, TARGET), overrides);
      expect(failure).toBeUndefined();
      expect(writes[1]?.value).toMatchObject({ status: 'COMPLETED' });
      expect(warnings).toEqual([expect.stringContaining(text)]);
      expect(warnings[0]).toContain(JOB);
      expect(new Set(lines)).toHaveProperty('size', 2);
      expect(lines[0]).toContain('polling continues until the timeout');
    },
  );

  scenario(
    'wait-outage',
    'an outage until the timeout ends the wait, and the error says how to follow the scan',
    async () => {
      const clock = testClock();
      const room = serviceWithPolls((at) => (at === 0 ? { status: 'RUNNING' } : lost()));
      const { writes, failure } = await room.run(createLine(WAIT, TARGET), { clock });
      expect(failure).toMatchObject({ code: 'timeout', exitCode: 9 });
      expect(failure?.message).toBe(
        `The red-team scan ${JOB}, whose status is RUNNING, did not end within 600 seconds. The last poll failed: The connection was lost.`,
      );
      expect(failure?.hint).toContain(`!aisec-redteam-scan-get job_id=${JOB}`);
      expect(clock.elapsed()).toBeGreaterThanOrEqual(600_000);
      expect(writes).toMatchObject([{ path: 'AiSec.RedTeamScanCreate', value: { uuid: JOB, status: 'RUNNING' } }]);
    },
  );

  scenario.each([{ status: 400 }, { status: 401 }, { status: 403 }, { status: 404 }])(
    'wait-outage',
    'HTTP $status ends the wait at once, and the error says how to follow the scan',
    async ({ status }) => {
      const clock = testClock();
      const room = serviceWithPolls((at) => (at === 0 ? { status: 'RUNNING' } : status));
      const { failure } = await room.run(createLine(WAIT, TARGET), { clock });
      expect(failure).toMatchObject({ status, exitCode: { 400: 2, 401: 4, 403: 4, 404: 5 }[status] });
      expect(failure?.hint).toContain(`the red-team scan ${JOB}, whose status is RUNNING`);
      expect(failure?.hint).toContain(`!aisec-redteam-scan-get job_id=${JOB}`);
      expect(clock.waits).toEqual([1000]);
    },
  );

  scenario.each([
    { limits: 'timeout=20 interval=10', times: [0, 1000, 11_000, 20_000] },
    { limits: 'timeout=100 interval=3601', times: [0, 1000, 100_000] },
    { limits: 'timeout=1 interval=10', times: [0, 1000] },
  ])('wait-outage', 'polls once more at the deadline: $limits', async ({ limits, times }) => {
    const clock = testClock();
    const polls: number[] = [];
    const room = serviceWithPolls(() => {
      polls.push(clock.elapsed());
      return { status: 'RUNNING' };
    });
    const { failure } = await room.run(createLine(`wait=true ${limits}`, TARGET), { clock });
    expect(polls).toEqual(times);
    expect(failure).toMatchObject({ code: 'timeout' });
  });
});

describe('stopping a scan', () => {
  requirement(
    ['red-team-scan-abort-answer', 'red-team-scan-statuses'],
    'a stop returns id and message, and the scan becomes ABORTED',
    async () => {
      const room = warRoom();
      const { uuid } = await room.value(createLine());
      room.clock.advance(2000);
      const { readable, writes } = await room.run(`${ABORT} ${String(uuid)}`);
      expect(writes[0]?.value).toEqual({ job_id: uuid, message: expect.stringContaining('abort') });
      expect(readable.notes.join()).toContain(`!aisec-redteam-scan-get job_id=${String(uuid)}`);
      room.clock.advance(2000);
      expect(await room.value(`${GET} ${String(uuid)}`)).toMatchObject({ status: 'ABORTED' });
    },
  );

  test('a stop with an unknown outcome is not sent again', async () => {
    const room = answering(() => ({ status: 503 }));
    await room.fail(`${ABORT} ${JOB}`);
    expect(room.requests).toHaveLength(1);
  });
});

describe('the error log of a scan', () => {
  requirement(
    ['red-team-scan-failures-logged', 'red-team-error-log-entry', 'target-version-number'],
    'has an entry with type, source, message and target for each attack without a response',
    async () => {
      const entries = await warRoom().values(`${ERROR_LOGS} ${jobs.failed} limit=100`);
      expect(entries.length).toBeGreaterThan(5);
      for (const entry of entries) {
        expect(entry).toMatchObject({
          job_id: jobs.failed,
          target_id: targets.legacyKiosk,
          target_version: 1,
          attack_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          error_type: expect.stringMatching(/^[A-Z_]+$/),
          error_source: 'TARGET',
          error_message: expect.any(String),
          target_object: { name: 'legacy-kiosk' },
        });
      }
      expect(entries.map(({ error_message }) => error_message)).toEqual(
        expect.arrayContaining(['no answer within 110 seconds', 'the answer of the target is empty']),
      );
    },
  );

  requirement.each([{ search: 'NO ANSWER' }, { search: 'authentication' }])(
    'red-team-search-filters-text',
    'a search for $search matches type and message, even if the service ignores it',
    async ({ search }) => {
      const entries = await warRoom().values(`${ERROR_LOGS} ${jobs.failed} search="${search}"`);
      expect(entries.length).toBeGreaterThan(0);
      const data = [
        ...entries,
        { job_id: jobs.failed, error_type: 'OTHER', error_message: 'no', target_object: { name: search } },
      ];
      const ignoring = anything({ pagination: { total_items: data.length }, data });
      expect(await ignoring.value(`${ERROR_LOGS} ${jobs.failed} search="${search}"`)).toEqual(entries);
    },
  );
});
