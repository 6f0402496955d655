import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { ALLOWED } from '../support/answers.ts';
import { temporaryFolder } from '../support/folder.ts';
import { finished, MODEL_SCANS } from '../unit/gate/support.ts';
import { type Given, run } from '../unit/report/support.ts';

const PLAIN = { environment: { NO_COLOR: '1' } };
const { blocked, allowed, failed } = MODEL_SCANS;
const onTerminal = (words: readonly string[], columns = 80) =>
  run(words, { ...PLAIN, terminal: { columns, rows: 50 } });
const inPipe = (words: readonly string[]) => run(words, PLAIN);
const NOTE = 'answered by the simulated service';

function bulkFile(): string {
  const file = join(temporaryFolder('gate'), 'run.jsonl');
  writeFileSync(
    file,
    finished([{ row: 1, ...ALLOWED, prompt: 'hello' }]).replace('"simulated":false', '"simulated":true'),
  );
  return file;
}

describe('the first line of a gate', () => {
  test.each([
    {
      scan: blocked,
      columns: 80,
      starts: '✗ model …',
      has: ' …unknown-org/chat-pickle-unlicensed  4 blocking, 1 warning',
    },
    {
      scan: blocked,
      columns: 120,
      starts: '✗ model https://hub.example.com/',
      has: 'unlicensed  4 blocking, 1 warning',
    },
    { scan: blocked, columns: 60, starts: '✗ model …', has: '-unlicensed  4 blocking, 1 warning' },
    { scan: blocked, columns: 40, starts: '✗ model …', has: '-unlicensed' },
    { scan: allowed, columns: 80, starts: '✓ model ', has: '  no violations' },
    { scan: failed, columns: 80, starts: '? model ', has: '' },
  ])('names the model $scan at $columns columns, and its counts', async ({ scan, columns, starts, has }) => {
    const [first = ''] = (await onTerminal(['gate', 'model', scan], columns)).stdout.split('\n');
    expect(first.startsWith(starts)).toBe(true);
    expect(first).toContain(has);
    expect(first).toMatch(/ {2}SIMULATED$/);
    expect(first).toHaveLength(columns);
  });

  test.each([
    { what: 'red-team scan', words: () => ['redteam', RED_TEAM_IDS.jobs.static, '--max-asr', '90'] },
    { what: 'bulk scan', words: () => ['bulk', bulkFile()] },
  ])('has the mark of the simulated service at its right end for a $what', async ({ words }) => {
    const { stdout } = await onTerminal(['gate', ...words()], 120);
    expect(stdout.split('\n')[0]).toMatch(/^✓ .{107} {2}SIMULATED$/);
  });
});

describe('the verdict on a model', () => {
  test('does not repeat its address, and has the id of the scan for later', async () => {
    const { stdout } = await onTerminal(['gate', 'model', blocked]);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[1]).toBe('  The model has 4 violations that block. The scan skipped 1 file.');
    expect(lines.at(-1)).toBe(`  scan ${blocked}  exit 1`);
  });

  test('has its address in full with --explain', async () => {
    const { stdout } = await onTerminal(['gate', 'model', blocked, '--explain']);
    expect(stdout).toContain('  https://hub.example.com/unknown-org/chat-pickle-unlicensed has 4 violations\n');
  });

  test('is one short line on standard error', async () => {
    const { stderr } = await inPipe(['gate', 'model', blocked]);
    expect(stderr).toContain(
      'error: The gate failed: the model has 4 violations that block. The scan skipped 1 file.\n',
    );
  });

  test('names the model in full for programs', async () => {
    const { stdout, stderr } = await inPipe(['gate', 'model', blocked, '--output', 'json']);
    const summary =
      'https://hub.example.com/unknown-org/chat-pickle-unlicensed has 4 violations that block. The scan skipped 1 file.';
    expect(JSON.parse(stdout)).toMatchObject({ gate: `model ${blocked}`, summary });
    expect(stderr).toContain(`"message":"The gate failed: ${summary}"`);
  });
});

describe('the note on the simulated service', () => {
  test.each([
    {
      where: 'on a terminal, where the mark is seen',
      ended: () => onTerminal(['gate', 'model', allowed]),
      isThere: false,
    },
    { where: 'in a pipe', ended: () => inPipe(['gate', 'model', allowed]), isThere: true },
    {
      where: 'on a terminal beside JSON',
      ended: () => onTerminal(['gate', 'model', allowed, '--output', 'json']),
      isThere: true,
    },
  ])('is $isThere $where', async ({ ended, isThere }) => {
    expect((await ended()).stderr.includes(NOTE)).toBe(isThere);
  });
});

describe('the hint of a failed gate on a model', () => {
  const hintOf = (stderr: string) => stderr.slice(stderr.indexOf('hint: '));
  const POLICY = 'A policy (--policy FILE) can accept finding 71655d718b7155bf until a date.';
  const WHY = 'In /weights/model.pkl, the file runs a command of the system as soon as it is loaded.';
  const described = (more: object): Given => ({
    ...PLAIN,
    alter: (path, response) => {
      if (!path.includes('violations')) return response;
      const body = JSON.parse(response.body) as { violations: object[] };
      const [first, ...others] = body.violations;
      return { ...response, body: JSON.stringify({ ...body, violations: [{ ...first, ...more }, ...others] }) };
    },
  });

  test('says each sentence once, and names the check', async () => {
    const { stderr } = await inPipe(['gate', 'model', blocked]);
    expect(hintOf(stderr)).toBe(`hint: ${WHY} See PAIT-PKL-100. ${POLICY}\n`);
  });

  test('ends each sentence with a full stop', async () => {
    const more = { description: 'It runs\ncode', threat_description: 'Code is bad! it runs code.', threat: 'X1' };
    const { stderr } = await run(['gate', 'model', blocked], described(more));
    expect(hintOf(stderr)).toBe(`hint: It runs code. Code is bad! See X1. ${POLICY}\n`);
  });

  test('names the rule where the service does not explain it', async () => {
    const more = { description: null, threat_description: null, threat: null };
    const { stderr } = await run(['gate', 'model', blocked], described(more));
    expect(hintOf(stderr)).toBe(`hint: The rule that is broken: No code on load. ${POLICY}\n`);
  });

  test.each([
    { what: 'as the service sends it', more: {} },
    {
      what: 'of many sentences',
      more: { description: Array.from({ length: 20 }, (_, at) => `Reason ${at}.`).join(' ') },
    },
    { what: 'of one long sentence', more: { description: 'word '.repeat(200) } },
    { what: 'with a long name of a check', more: { threat: 'X'.repeat(500) } },
  ])('takes at most three lines with a text $what', async ({ more }) => {
    const { stderr } = await run(['gate', 'model', blocked], {
      ...described(more),
      terminal: { columns: 80, rows: 50 },
    });
    expect(hintOf(stderr).trimEnd().split('\n').length).toBeLessThanOrEqual(3);
    expect(hintOf(stderr).replace(/\s+/g, ' ')).toContain(POLICY);
  });
});

describe('severities beside the findings of a red-team scan', () => {
  const { jobs } = RED_TEAM_IDS;
  const ROW = /^(?: {2}| {2}[✗!·] )(?:█ critical|▆ high {4}|▄ medium {2}|▂ low {5}) {2}\S+(?: \S+)* {2,}(?=\S)/;

  test.each([
    { what: 'a gate', words: ['gate', 'redteam', jobs.static, '--fail-on', 'critical'], rows: 6 },
    { what: 'the end of a watch', words: ['watch', jobs.static], rows: 5 },
  ])('have the marks of lists in $what, in one column at each width', async ({ words, rows }) => {
    for (const columns of [60, 80, 120]) {
      const { stdout } = await onTerminal(words, columns);
      const found = stdout.split('\n').filter((line) => ROW.test(line));
      expect(found).toHaveLength(rows);
      expect(new Set(found.map((line) => ROW.exec(line)?.[0].length)).size).toBe(1);
      expect(Math.max(...found.map(({ length }) => length))).toBeLessThanOrEqual(columns);
    }
  });

  test('leave the texts of attacks whole where they fit', async () => {
    const { stdout } = await onTerminal(['watch', jobs.static], 120);
    expect(stdout).not.toContain('…');
    expect((await onTerminal(['watch', jobs.static], 60)).stdout).toMatch(/^✓ done .* STATIC$/m);
  });

  test.each([
    {
      what: 'a gate',
      words: ['gate', 'redteam', jobs.static, '--max-asr', '5'],
      row: '  ! \u001b[31m█\u001b[39m critical',
    },
    { what: 'the end of a watch', words: ['watch', jobs.static], row: '  \u001b[33m▄\u001b[39m medium' },
  ])('colour the mark alone in $what', async ({ words, row }) => {
    const { stdout } = await run(words, { terminal: { columns: 80, rows: 50 } });
    expect(stdout).toContain(`\n${row} `);
  });
});

describe('the next step after a watch', () => {
  const { jobs } = RED_TEAM_IDS;
  const next = (options: string) => `aisec report ${jobs.static} --html report.html${options}`;

  test('is a command for the same tenant', async () => {
    const { stdout } = await inPipe(['watch', jobs.static]);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`report: ${next(' --simulate')}`);
  });

  test('stands on a line of its own on a terminal, where it would be broken otherwise', async () => {
    const { stdout } = await onTerminal(['watch', jobs.static]);
    expect(stdout).toContain(`\nreport:\n${next(' --simulate')}\n`);
  });

  test('is a line of the war room in the war room', async () => {
    const { stdout } = await run([], {
      ...PLAIN,
      terminal: { columns: 80, rows: 50 },
      typed: `watch ${jobs.static}\nexit\n`,
    });
    expect(stdout).toContain(`report: report ${jobs.static} --html report.html\n`);
  });
});
