import { type AisecError, NetworkError, NotFoundError, toAisecError } from '../../../lib/core/errors.ts';
import { endLines, liveLines, logLine } from '../../../lib/features/watch/terminal/watch-view.ts';
import { type LiveScan, watchScan } from '../../../lib/features/watch/until-ended.ts';
import { PLAIN } from '../../../lib/hosts/terminal/ui/style.ts';
import type { CommandOutput, RunCommand } from '../../../lib/runtime/engine/command-port.ts';
import { machineClock } from '../../support/machine.ts';
import { testClock } from '../../support/simulated.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const output = (more: Partial<CommandOutput>): CommandOutput => ({
  record: {},
  records: [],
  simulated: false,
  ...more,
});

/** Watches a scan whose polls return these answers, and whose list of attacks is `attacks`. */
async function watched(polls: readonly (object | Error)[], attacks: (done: number) => object[] | Error, timeout = 600) {
  const clock = testClock();
  const [states, lines, warnings, lists]: [LiveScan[], string[], string[], number[]] = [[], [], [], []];
  let at = 0;
  let done = 0;
  const ask: RunCommand = async (name) => {
    if (name === 'aisec-redteam-scan-get') {
      const answer = polls[Math.min(at, polls.length - 1)] ?? {};
      at += 1;
      if (answer instanceof Error) throw answer;
      done = (answer as { completed?: number }).completed ?? 0;
      return output({ record: { uuid: ID, name: 'nightly', job_type: 'STATIC', total: 4, ...answer } });
    }
    lists.push(done);
    const found = attacks(done);
    if (found instanceof Error) throw found;
    return output({ raw: found });
  };
  const end = watchScan({
    ...{ jobId: ID, ask, runtime: { clock }, again: 'aisec watch x', limits: { timeout, interval: 15 } },
    onState: (state) => states.push(state),
    onProgress: (line) => lines.push(line),
    warn: (line) => warnings.push(line),
  });
  const result: { last?: LiveScan; error?: AisecError } = await end.then(
    (last) => ({ last }),
    (error: unknown) => ({ error: toAisecError(error) }),
  );
  return { ...result, clock, states, lines, warnings, lists };
}

const attack = (id: number, threat: boolean, category = 'SECURITY') => ({
  ...{ uuid: `a${id}`, prompt: `p${id}`, threat, category, severity: 'HIGH' },
});
const running = (completed: number) => ({ status: 'RUNNING', completed });

describe('watching a scan', () => {
  test('polls after one second, then at the interval, and reads the attacks when more have finished', async () => {
    const polls = [running(0), running(2), running(2), running(3), { status: 'COMPLETED', completed: 4, asr: 50 }];
    const all = [attack(1, true), attack(2, false), attack(3, true, 'SAFETY'), attack(4, false, 'SAFETY')];
    const { last, clock, lines, lists } = await watched(polls, (done) => all.slice(0, done));
    expect(clock.waits).toEqual([1000, 15_000, 15_000, 15_000]);
    expect(lines[0]).toBe('0 of 4 attacks');
    expect(lists).toEqual([2, 3, 4]);
    expect(last?.successes.map(({ id }) => id)).toEqual(['a3', 'a1']);
    expect(last?.categories).toEqual([
      { name: 'Security', judged: 2, successful: 1 },
      { name: 'Safety', judged: 2, successful: 1 },
    ]);
  });

  test('survives an outage of the polls, and warns once', async () => {
    const lost = new NetworkError('The connection was lost.');
    const { last, warnings, lines } = await watched([running(1), lost, lost, { status: 'COMPLETED' }], () => []);
    expect(last?.job.status).toBe('COMPLETED');
    expect(warnings).toHaveLength(1);
    expect(lines).toContainEqual(expect.stringContaining('Polls of the red-team scan nightly'));
  });

  test.each([
    ['an outage until the time limit', [running(1), new NetworkError('lost')], 'timeout'],
    ['a scan that never ends', [running(1)], 'timeout'],
    ['a deleted scan', [running(1), new NotFoundError('gone')], 'not-found'],
  ])('ends with an error after %s', async (_what, polls, code) => {
    const { error } = await watched(polls, () => []);
    expect(error?.code).toBe(code);
    expect(error?.hint).toContain('aisec watch x');
  });

  test('continues if the attacks cannot be read, with a note', async () => {
    const refused = new NotFoundError('No report yet.');
    const { last, states } = await watched([running(1), { status: 'COMPLETED' }], () => refused);
    expect([states[0]?.unread, last?.unread]).toEqual(['No report yet.', 'No report yet.']);
  });

  test('treats an unknown status as a running scan', async () => {
    const { lines } = await watched([{ status: 'PAUSED' }, { status: 'COMPLETED' }], () => []);
    expect(lines).toEqual(['0 of 4 attacks']);
  });
});

describe('the block of a watched scan', () => {
  const success = { id: 'a', text: '漢字 '.repeat(60), severity: 'HIGH', where: ['Security', 'Jailbreak'] };
  const scan = {
    job: { name: 'n'.repeat(200), status: 'RUNNING' },
    categories: Array.from({ length: 30 }, (_, at) => ({ name: `Category ${at}`, judged: 10, successful: at % 11 })),
    successes: Array.from({ length: 30 }, () => success),
  } as never as LiveScan;

  test.each([
    [80, 23],
    [40, 8],
    [120, 60],
    [20, 3],
  ])('fits a screen of %d columns and %d lines', (width, height) => {
    const lines = liveLines(
      { scan, line: '1 of 2 attacks', amount: { done: 1, total: 2 }, since: machineClock.elapsed() },
      { width, height },
      PLAIN,
    );
    expect(lines.length).toBeLessThanOrEqual(height);
    const tooWide = lines.filter(
      (line) => Array.from(line).reduce((sum, each) => sum + (each > '\u3000' ? 2 : 1), 0) > width,
    );
    expect(width < 40 ? [] : tooWide).toEqual([]);
  });

  test('shows each rate with its interval, which is dropped on a narrow screen', () => {
    const few = { ...scan, categories: [{ name: 'Security', judged: 48, successful: 13 }] };
    const rates = (width: number) =>
      liveLines({ scan: few, line: 'x', amount: undefined, since: 0 }, { width, height: 10 }, PLAIN)[2];
    expect(rates(79)).toMatch(/^ {2}Security {2}13\/48 {3}27\.1 % {2}16\.6–41 % {2}█+$/);
    expect(rates(30)).toMatch(/^ {2}Security {2}13\/48 {3}27\.1 % {2}█$/);
  });
});

test('the end of a watched scan and its log show the interval of the total rate', () => {
  const scan = {
    job: { name: 'nightly', status: 'COMPLETED', completed: 48, total: 48, asr: 27.08, score: 36.2 },
    categories: [
      { name: 'Security', judged: 24, successful: 13 },
      { name: 'Safety', judged: 24, successful: 0 },
    ],
    successes: [],
  } as never as LiveScan;
  expect(
    endLines(scan, { width: 80, style: PLAIN, terminal: false, shell: { dialect: 'posix', options: [] } })[1],
  ).toBe('  48 of 48 attacks, ASR 27.08 % (16.6–41 % at 95 %), risk score 36.2 of 100');
  expect(logLine(scan, 'x')).toBe('nightly: COMPLETED, x; 13 of 48 succeeded (27.1 %, 16.6–41 % at 95 %)');
});
