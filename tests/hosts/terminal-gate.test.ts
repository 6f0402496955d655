import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { withoutRunnerCommands } from '../../lib/hosts/terminal/ui/sanitize.ts';
import { temporaryFolder } from '../support/folder.ts';
import { workflowCommands } from '../system/pipelines/github.ts';
import { scenario } from '../system/scenarios/claims.ts';
import { MODEL_SCANS } from '../unit/gate/support.ts';
import { type Given, run } from '../unit/report/support.ts';

const PLAIN = { environment: { NO_COLOR: '1' } };
const { blocked, allowed, failed } = MODEL_SCANS;
const onTerminal = (words: readonly string[], columns = 80) =>
  run(words, { ...PLAIN, terminal: { columns, rows: 50 } });
const inPipe = (words: readonly string[]) => run(words, PLAIN);
const NOTE = 'answered by the simulated service';

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
});

describe('the verdict on a model', () => {
  test("does not repeat the model's address, and has the scan's id for later use", async () => {
    const { stdout } = await onTerminal(['gate', 'model', blocked]);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[1]).toBe('  The model has 4 violations that block. The scan skipped 1 file.');
    expect(lines.at(-1)).toBe(`  scan ${blocked}  exit 1`);
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

  test('names the rule if the service does not explain it', async () => {
    const more = { description: null, threat_description: null, threat: null };
    const { stderr } = await run(['gate', 'model', blocked], described(more));
    expect(hintOf(stderr)).toBe(`hint: The rule that is broken: No code on load. ${POLICY}\n`);
  });
});

const EVIL =
  '\n::notice title=x::pwned\n ::set-output name=passed::true\n##[add-mask]a\r::error::pwned\u2028::warning::w';
const folder = temporaryFolder('annotations');
const file = join(folder, 'run.jsonl');
const row = {
  row: 1,
  action: 'block',
  scan_id: `s${EVIL}`,
  prompt: `p${EVIL}`,
  prompt_detected: { [`d${EVIL}`]: true },
};
writeFileSync(file, `${JSON.stringify(row)}\n`);
const policy = join(folder, 'policy.yml');
writeFileSync(policy, 'version: 1\n"a\\n::error::pwned ##[error]x": 1\n');

const GATE = ['gate', 'bulk', file, '--annotations'];

scenario.each([
  { argv: GATE, ours: 2 },
  { argv: [...GATE, '--explain'], ours: 2 },
  { argv: [...GATE, '--output', 'json'], ours: 2 },
  { argv: [...GATE, '--policy', policy], ours: 0 },
  { argv: ['gate', 'bulk', `${file}\n::error::pwned`, '--annotations'], ours: 0 },
])('annotation-injection', 'the runner obeys only annotations of the gate: $argv', async ({ argv, ours }) => {
  const { stdout, stderr } = await run(argv);
  const commands = [...workflowCommands(stdout), ...workflowCommands(stderr.replace(/\r/g, '\n'))];
  expect(commands.map(({ name }) => name)).toEqual(Array.from({ length: ours }, () => 'error'));
  for (const { message } of commands) expect(message).not.toMatch(/^pwned/);
  if (argv.includes('json'))
    expect(JSON.parse(stdout)).toMatchObject({ findings: [{ fingerprint: expect.any(String) }] });
});

scenario('annotation-injection', 'output contains no runner command, and JSON keeps its meaning', () => {
  const piece = fc.constantFrom(
    '::',
    ':',
    '##[',
    '#',
    '[',
    ' ',
    '\t',
    '\n',
    '\r',
    '\u0085',
    '\u2028',
    '\u00a0',
    'error',
    '{',
    '"',
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, (each) => {
      const safe = withoutRunnerCommands(each);
      for (const line of safe.split(/[\r\n\u0085\u2028\u2029]/)) expect(line.trimStart().startsWith('::')).toBe(false);
      expect(safe).not.toContain('##[');
      const json = JSON.stringify({ each });
      expect(JSON.parse(withoutRunnerCommands(json))).toEqual({ each });
      expect(withoutRunnerCommands(json)).not.toContain('##[');
    }),
  );
});

const { jobs } = RED_TEAM_IDS;
const gate = (more: readonly string[] = [], columns = 80, given: Given = {}) =>
  run(['gate', 'redteam', jobs.static, '--max-asr', '90', ...more], {
    terminal: { columns, rows: 24 },
    environment: { NO_COLOR: '1' },
    ...given,
  });

describe('aisec gate redteam', () => {
  test('shows the success rate with its interval in the first line', async () => {
    const { stdout } = await gate();
    expect(stdout.split('\n')[0]).toBe(
      '✓ redteam support-chatbot monthly  ASR 27.08 % (16.6–41 % at 95 %)     SIMULATED',
    );
  });

  test('gives programs the rate with its bounds', async () => {
    const { stdout } = await gate(['--output', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      rate: { asr: 27.08, interval: { low: 16.57, high: 41 } },
    });
  });
});
