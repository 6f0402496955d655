import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { temporaryFolder } from '../support/folder.ts';
import { altering, type Given, run } from '../unit/report/support.ts';

const { jobs } = RED_TEAM_IDS;
const SCREEN = { columns: 80, rows: 24 };
const PLAIN = { environment: { NO_COLOR: '1' } };

/** Watches a scan in a log, unless the circumstances say otherwise. */
const watch = (words: readonly string[], given: Given = {}) => run(['watch', ...words], { ...PLAIN, ...given });

/** Lets the first polls of a scan find it running. @param states counts of attacks that are done */
function running(id: string, states: readonly number[], more: object = {}): Required<Given>['alter'] {
  let at = 0;
  const isPoll = altering(`/v1/scan/${id}`, (body) => {
    const completed = states[at];
    at += 1;
    return completed === undefined ? body : { ...(body as object), status: 'RUNNING', asr: null, completed, ...more };
  });
  return (path, response, url) => (path.endsWith(id) ? isPoll(path, response, url) : response);
}

describe('aisec watch on a scan that has ended', () => {
  test('shows outcome, rates by category and successful attacks, without an escape sequence in a log', async () => {
    const { code, stdout, stderr } = await watch([jobs.static]);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      '✓ done  support-chatbot monthly  support-chatbot  STATIC',
      expect.stringMatching(/^ {2}48 of 48 attacks, ASR 27\.08 % \(16\.6–41 % at 95 %\), risk score 36\.2$/),
      ...Array(3).fill(expect.stringMatching(/^ {2}\w+ +\d+\/\d+ +\d+\.\d % {2}[\d.]+–[\d.]+ %(?: +█+)?$/)),
      'newest successful attacks',
      ...Array(5).fill(expect.stringMatching(/^ {2}(?:█ critical|▆ high|▄ medium|▂ low) .{10,}$/)),
      `report: aisec report ${jobs.static} --html report.html --simulate`,
      '',
    ]);
    expect(stdout + stderr).not.toContain('\u001b');
    expect(stderr).toContain('simulated service');
  });

  test.each([
    { what: 'completed', words: [jobs.static], code: 0, says: '' },
    {
      what: 'failed',
      words: [jobs.failed],
      code: 8,
      says: 'legacy-kiosk monthly ended as FAILED, at 12 of 48 attacks.',
    },
    { what: 'partial', words: [jobs.partial], code: 8, says: 'aisec redteam-report-generate-partial job_id=6e4d1a7c' },
    { what: 'within its limit', words: [jobs.static, '--max-asr', '90'], code: 0, says: '' },
    { what: 'above its limit', words: [jobs.static, '--max-asr', '5'], code: 1, says: 'The gate failed: ' },
    {
      what: 'partial, with a limit that holds',
      words: [jobs.partial, '--max-asr', '100'],
      code: 8,
      says: 'not a pass',
    },
    { what: 'of a baseline', words: [jobs.static, '--baseline', jobs.earlierStatic], code: 1, says: 'The gate failed' },
  ])('ends with $code when it is $what', async ({ words, code, says }) => {
    const result = await watch(words);
    expect({ code: result.code, says: result.stderr.includes(says) }).toEqual({ code, says: true });
  });

  test('writes the files of the gate', async () => {
    const file = join(temporaryFolder('watch'), 'w.sarif');
    expect((await watch([jobs.static, '--max-asr', '5', '--sarif', file])).code).toBe(1);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: '2.1.0' });
  });

  test('is one JSON document for programs, without texts of attacks', async () => {
    const { code, stdout } = await watch([jobs.static, '--output', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ watch: jobs.static, status: 'COMPLETED', completed: 48, total: 48, asr: 27.08, simulated: true },
      categories: expect.arrayContaining([expect.objectContaining({ judged: expect.any(Number) })]),
    });
    expect(stdout).not.toContain('prompt"');
  });
});

describe('the word after aisec watch', () => {
  test.each([
    { what: 'the name of a scan', word: 'hr-assistant own prompts', says: 'hr-assistant own prompts' },
    { what: 'a prefix of its id', word: jobs.custom.slice(0, 8).toUpperCase(), says: 'hr-assistant own prompts' },
    { what: 'a target, for its newest scan', word: 'support-chatbot', says: 'support-chatbot monthly' },
    { what: 'a prefix of the id of a target', word: 'b4e2a1d7', says: 'support-chatbot monthly' },
  ])('may be $what, in a script as well', async ({ word, says }) => {
    const { code, stdout } = await watch([word]);
    expect({ code, says: stdout.split('\n')[0]?.includes(says) }).toEqual({ code: 0, says: true });
  });

  test.each([
    { what: 'no scan or target', words: ['nothing'], code: 5, says: 'No red-team scan has the id or name "nothing"' },
    { what: 'too short a prefix', words: ['2c'], code: 5, says: 'No red-team scan' },
    { what: 'nothing', words: [], code: 2, says: 'aisec watch needs the id or name' },
    { what: 'an unknown id', words: ['00000000-0000-4000-8000-000000000000'], code: 5, says: 'error' },
    { what: 'too much', words: ['a', 'b'], code: 2, says: 'Too many arguments' },
  ])('is refused if it is $what', async ({ words, code, says }) => {
    const result = await watch(words);
    expect({ code: result.code, says: result.stderr.includes(says) }).toEqual({ code, says: true });
  });

  test('is refused with the candidates if it names several', async () => {
    const alter = altering('/v1/scan', (body) => {
      const { data } = body as { data?: { name: string }[] };
      return data === undefined ? body : { ...(body as object), data: data.map((each) => ({ ...each, name: 'same' })) };
    });
    const { code, stderr } = await watch(['same'], { alter });
    expect(code).toBe(5);
    expect(stderr).toMatch(/"same" names several: scan same [0-9a-f-]{36}; .*; and 1 more\./s);
  });
});

describe('a line that could only fail at the end', () => {
  test.each([
    { what: 'a file of a verdict without a limit', words: [jobs.static, '--sarif', 'x.sarif'], says: 'needs a limit' },
    { what: 'annotations without a limit', words: [jobs.static, '--annotations'], says: 'needs a limit' },
    { what: 'severities that the type lacks', words: [jobs.custom, '--fail-on', 'high'], says: 'no severities' },
    { what: 'a baseline that is the scan', words: [jobs.static, '--baseline', jobs.static], says: 'its own baseline' },
    { what: 'a policy that is missing', words: [jobs.static, '--policy', 'gone.yml'], says: 'gone.yml' },
  ])('is refused before the wait: $what', async ({ words, says }) => {
    const alter = running(words[0] ?? '', Array(100).fill(1));
    const result = await watch(words, { alter });
    expect({ code: result.code, says: result.stderr.includes(says) }).toEqual({ code: 2, says: true });
  });
});

describe('aisec watch on a scan that runs', () => {
  test('prints a line at each change in a log, with the rate so far', async () => {
    const { code, stdout } = await watch([jobs.static], { alter: running(jobs.static, [12, 12, 24]) });
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      expect.stringMatching(
        /^support-chatbot monthly: RUNNING, 12 of 48 attacks; \d+ of \d+ succeeded \([\d.]+ %, [\d.]+–[\d.]+ % at 95 %\)$/,
      ),
      expect.stringMatching(/^support-chatbot monthly: RUNNING, 24 of 48 attacks, \d+\/s, \d+ s left; /),
      expect.stringMatching(/^✓ done/),
    ]);
  });

  test('keeps standard output for the document of a program', async () => {
    const given = { alter: running(jobs.static, [12, 12]) };
    const { stdout, stderr } = await watch([jobs.static, '--max-asr', '90', '--output', 'json'], given);
    expect(JSON.parse(stdout)).toMatchObject({ gate: 'redteam support-chatbot monthly', passed: true });
    expect(stderr).toContain('RUNNING, 12 of 48 attacks');
  });

  test('says nothing on the way with --quiet', async () => {
    const given = { alter: running(jobs.static, [12]) };
    const { stdout, stderr } = await watch([jobs.static, '--quiet'], given);
    expect(stdout + stderr).not.toContain('RUNNING');
  });

  test('draws a block on a terminal, and erases it before the outcome', async () => {
    const given = { terminal: SCREEN, alter: running(jobs.static, [12]) };
    const { code, stdout, stderr } = await watch([jobs.static], given);
    expect(code).toBe(0);
    const lines = stripVTControlCharacters(stderr).split('\n');
    expect(lines[0]).toMatch(/◔ running {2}support-chatbot monthly {2}support-chatbot {2}STATIC$/);
    expect(lines[1]).toMatch(/^█+░+ {2}25 % {2}12 of 48 attacks/);
    expect(stderr).toContain('Ctrl-C stops watching; the scan goes on.');
    expect(stderr).toContain('A\u001b[J');
    expect(stdout).toMatch(/^✓ done/);
  });

  test('leaves the scan running after Ctrl-C, and says how to watch it again', async () => {
    const alter = running(jobs.static, Array(1000).fill(12));
    const sent: string[] = [];
    const stopping: Required<Given>['alter'] = (path, response, url) => {
      sent.push(path);
      if (path.endsWith(jobs.static)) setImmediate(() => process.emit('SIGINT'));
      return alter(path, response, url);
    };
    const { code, stderr } = await watch([jobs.static, '--max-asr', '5'], { alter: stopping });
    expect(code).toBe(130);
    expect(stderr).toContain('Stopped watching. The red-team scan support-chatbot monthly goes on, RUNNING at 12 of');
    expect(stderr).toContain(`aisec watch ${jobs.static} --max-asr 5 --simulate`);
    expect(sent.filter((path) => path.includes('abort'))).toEqual([]);
  });

  /** Presses Ctrl-C at the request whose path ends so. */
  const stopAt =
    (end: string): Required<Given>['alter'] =>
    (path, response) => {
      if (path.endsWith(end)) process.emit('SIGINT');
      return response;
    };

  test.each([
    { what: 'was just found', at: '/v1/scan' },
    { what: 'has ended', at: `/v1/scan/${jobs.static}` },
  ])('does not say that a scan goes on that $what at Ctrl-C', async ({ at }) => {
    const { code, stderr } = await watch(['support-chatbot', '--max-asr', '5', '--sarif', 'a b.sarif'], {
      alter: stopAt(at),
    });
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: `cancelled: Stopped watching. Watch it again with: aisec watch ${jobs.static} --max-asr 5 --sarif 'a b.sarif' --simulate\n`,
    });
  });

  test('is watched again in the war room by a line of the room', async () => {
    const given = { terminal: SCREEN, alter: running(jobs.static, Array(1000).fill(12)) };
    const { stderr } = await run([], { ...PLAIN, ...given, typed: `watch ${jobs.static} --timeout 1\rexit\r` });
    expect(stderr.replace(/\s+/g, ' ')).toContain(`follow it with watch ${jobs.static}`);
  });

  test('says on a terminal from the start what is looked for', async () => {
    const { stderr } = await watch(['support-chatbot'], { terminal: SCREEN });
    const [first = ''] = stripVTControlCharacters(stderr)
      .split(/[\r\n]+/)
      .filter((line) => line.trim() !== '');
    expect(first).toMatch(/^Looking for the latest scan of support-chatbot/);
  });

  test.each([
    ['sequences of a terminal', '\u001b[2J\u001b]0;x\u0007evil\nline'],
    ['commands of a CI runner', '::error::evil'],
  ])('shows no %s in a name', async (_what, name) => {
    const given = { alter: running(jobs.static, [12, 12], { name }) };
    const { stdout, stderr } = await watch([jobs.static, '--max-asr', '90', '--annotations'], given);
    const all = stdout + stderr;
    expect(all).toContain('evil');
    expect(all).not.toContain('\u001b');
    expect(all).not.toMatch(/^::error::evil/m);
  });

  test('ends with the error of the time limit when it is over first', async () => {
    const given = { alter: running(jobs.static, Array(1000).fill(12)) };
    const { code, stderr } = await watch([jobs.static, '--timeout', '1'], given);
    expect(code).toBe(9);
    expect(stderr).toContain(`aisec watch ${jobs.static}`);
  });
});
