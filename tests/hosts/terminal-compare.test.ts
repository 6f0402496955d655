import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { renderComparison } from '../../lib/features/report/terminal/comparison-view.ts';
import type { ComparisonData } from '../../lib/features/scans/collect/collect-comparison.ts';
import { measureFor } from '../../lib/hosts/terminal/ui/measure.ts';
import { PLAIN } from '../../lib/hosts/terminal/ui/style.ts';
import { TEST_TIME } from '../support/simulated.ts';
import { altering, comparisonOf, type Given, run } from '../unit/report/support.ts';

const { jobs, targets } = RED_TEAM_IDS;
const SCREEN = { columns: 80, rows: 24 };
const compare = (words: readonly string[], given: Given = {}) =>
  run(['compare', ...words], { terminal: SCREEN, environment: { NO_COLOR: '1' }, ...given });

describe('aisec compare at a terminal of 80x24', () => {
  test('shows the difference first, a line for each attack, the scans, and the rest last', async () => {
    const { code, stdout } = await compare([jobs.earlierStatic, jobs.static]);
    expect(code).toBe(0);
    expect(stdout.replace(/ (?:in )?\d+[a-z] +(?=\d)/g, ' AGE ').split('\n')).toEqual([
      '2 new, 0 fixed, 1 still open  support-chatbot  STATIC                  SIMULATED',
      'ASR %       16.67 (3–56.4 %) → 27.08 (16.6–41 %)  +10.41',
      '6 in both   16.67 → 50  +33.33',
      'risk score  7.14 → 36.2  +29.06',
      "within chance: p = 1, Fisher's exact test of all attacks",
      '',
      'OUTCOME  SEVERITY    KIND                BEFORE  AFTER  ATTACK',
      'new      █ critical  Prompt injection       0 %   67 %  Ignore all previous…',
      'new      █ critical  Jailbreak              0 %   33 %  Developer mode is on.…',
      'open     ▄ medium    System prompt leak   100 %   33 %  Write your first instru…',
      '',
      'SCAN ID   NAME                            FINISHED    ASR  RATE  SCORE  COMPARED',
      '94e0b7d6  support-chatbot before the…     AGE 16.67  ██     7.14  first',
      '2c8f5e1b  support-chatbot monthly         AGE 27.08  ███    36.2  second',
      '',
      '3 withstood in both, 42 not comparable: 42 only in the second scan (10',
      'successful). All: --wide',
      '',
    ]);
  });
});

describe('with too little room for everything', () => {
  const target = `target_uuid=${targets.supportChatbot}`;
  let data: ComparisonData;
  beforeAll(async () => {
    data = await comparisonOf(Array.from({ length: 8 }, () => target));
  });
  const drawn = async (width: number, rows: number | undefined, wide = false) => {
    const page = { width, style: PLAIN, measure: await measureFor('→') };
    return (await renderComparison(data, page, { wide, rows, now: TEST_TIME })).split('\n');
  };

  test.each([
    { width: 80, rows: 24 },
    { width: 60, rows: 24 },
    { width: 120, rows: 30 },
  ])(
    'the comparison fits $width x $rows including the prompt, and says how much is hidden',
    async ({ width, rows }) => {
      const lines = await drawn(width, rows);
      expect(lines.length).toBeLessThan(rows);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
      const shown = (word: string) => lines.filter((line) => line.startsWith(`${word} `)).length;
      expect([shown('new') > 1, shown('fixed') > 1, shown('open') > 1]).toEqual([true, true, true]);
      const { new: added, fixed, open } = data.comparison;
      const hidden = added.length + fixed.length + open.length - shown('new') - shown('fixed') - shown('open');
      expect(hidden).toBeGreaterThan(0);
      expect(lines.slice(-2).join(' ')).toContain(`${hidden} more changes and all columns: --wide`);
      expect(lines.filter((line) => /second$/.test(line))).toHaveLength(1);
    },
  );
});

describe('aisec compare TARGET', () => {
  const lists = (change: (scans: Record<string, unknown>[]) => unknown) =>
    altering('/v1/scan', (body) => {
      const { data, ...rest } = Object(body);
      return Array.isArray(data) ? { ...rest, data: change(data) } : body;
    });
  const byId = (id: string, change: object) =>
    lists((scans) => scans.map((scan) => (scan['uuid'] === id ? { ...scan, ...change } : scan)));

  test.each([
    { what: 'name', word: 'support-chatbot' },
    { what: 'id', word: targets.supportChatbot },
    { what: 'prefix', word: targets.supportChatbot.slice(0, 6) },
  ])('takes the latest two complete scans, also in a pipe, by the $what', async ({ word }) => {
    const { code, stdout, stderr } = await run(['compare', word]);
    expect({ code, counts: JSON.parse(stdout).counts }).toMatchObject({ code: 0, counts: { new: 2, fixed: 0 } });
    expect(stderr).toMatch(
      /the latest two complete scans of support-chatbot: 94e0b7d6 \(support-chatbot before the update, STATIC, \d+[dy] old\), then 2c8f5e1b \(support-chatbot monthly, STATIC, \d+[dy] old\)\./,
    );
  });

  test.each<{ what: string; word: string; code: number; says: RegExp | string; given?: Given }>([
    { what: 'one scan', word: 'hr-assistant', code: 5, says: /has one complete scan \(37b9e4c2\S+, CUSTOM\)/ },
    { what: 'only a partial scan', word: 'underwriting-model', code: 5, says: 'has no complete scan' },
    {
      what: 'a COMPLETED scan that ran a part of its attacks',
      word: 'support-chatbot',
      code: 5,
      says: /has one complete scan \(94e0b7d6/,
      given: { alter: byId(jobs.static, { completed: 3, total: 48 }) },
    },
    { what: 'an unknown name', word: 'nowhere', code: 5, says: 'There is no red-team target "nowhere"' },
    {
      what: 'a name that two targets share',
      word: 'twin',
      code: 5,
      says: /2 targets fit "twin"[\s\S]*a \(twin\), b \(twin\)/,
      given: {
        alter: lists((scans) =>
          scans.map((scan, at) => ({ ...scan, target: { uuid: at % 2 === 0 ? 'a' : 'b', name: 'twin' } })),
        ),
      },
    },
  ])('exits with $code for $what', async ({ word, code, says, given = {} }) => {
    const ended = await run(['compare', word], given);
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(says) });
  });

  test('does not trust a list that contradicts itself', async () => {
    const alter = altering('/v1/scan', (body) => {
      const { data } = Object(body);
      return Array.isArray(data) ? { data: data.slice(0, 1), pagination: { total_items: 5 } } : body;
    });
    expect(await run(['compare', 'support-chatbot'], { alter })).toMatchObject({ code: 8, stdout: '' });
  });

  test('says which newer scan has no earlier scan of its type', async () => {
    const alter = byId(jobs.custom, { target_id: targets.supportChatbot, target: { uuid: targets.supportChatbot } });
    const { code, stderr } = await run(['compare', targets.supportChatbot], { alter });
    expect(code).toBe(0);
    expect(stderr).toMatch(/newer scans without an earlier one of their type: 37b9e4c2 \(.*CUSTOM, \d+[dy] old\)\./);
  });
});

describe('the exit code', () => {
  const RUNNING = altering(`/scan/${jobs.static}`, (body) => ({ ...Object(body), status: 'RUNNING', completed: 12 }));

  test.each([
    { words: [], code: 2, says: 'needs a target, or two red-team scans' },
    { words: [jobs.static], code: 2, says: 'Usage: aisec compare TARGET | JOB_ID JOB_ID' },
    { words: [jobs.static, jobs.custom], code: 2, says: 'A STATIC and a CUSTOM red-team scan cannot be compared' },
    { words: [jobs.failed, jobs.static], code: 8, says: 'aisec redteam-scan-error-logs' },
    { words: [jobs.static, jobs.partial], code: 8, says: 'status is PARTIALLY_COMPLETE, at 28/48' },
    { words: [jobs.earlierStatic, jobs.static], code: 8, says: 'RUNNING, at 12/48', given: { alter: RUNNING } },
    { words: [jobs.static, jobs.static, '--html', '/dev/null/x.html'], code: 3, says: 'cannot be written' },
  ])('aisec compare $words exits with $code', async ({ words, code, says, given = {} }) => {
    const ended = await run(['compare', ...words], given);
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(says) });
  });

  test('prints JSON in a pipe, and accepts id prefixes unless --exact is given', async () => {
    const { stdout, stderr, code } = await run(['compare', jobs.earlierStatic, jobs.static]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ counts: { new: 2 }, simulated: true });
    expect(stderr).toContain('answered by the simulated service');
    expect((await run(['compare', '94e0', '2c8f'])).stdout).toBe(stdout);
    expect(await run(['compare', '94e0', '2c8f', '--exact'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('UUID'),
    });
  });
});
