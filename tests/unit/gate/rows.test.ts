/** Findings of a gate for the rows of a bulk scan, and their locations. */
import { textReader } from '../../../lib/bulk/lines.ts';
import { RowRanges } from '../../../lib/features/gate/bulk-file.ts';
import { gateBulk } from '../../../lib/features/gate/gates.ts';
import type { PolicyFile } from '../../../lib/features/gate/policy/policy.ts';
import { ALLOWED } from '../../support/answers.ts';
import { failing } from '../../support/exchange.ts';
import { finished, NOW, policyOf } from './support.ts';

const blocked = (row: number, more: object = {}) => ({ row, action: 'block', ...more });

const gate = (text: string, policy?: PolicyFile) =>
  gateBulk([{ reader: textReader(text), name: 'run.jsonl' }], { policy, now: NOW });

const found = async (row: object) => (await gate(finished([{ ...row }]))).findings[0];

describe('a blocked row', () => {
  test('is a finding with its detectors, its prompt on one line, and its place', async () => {
    const flags = { injection: true, toxic: false, dlp: true };
    expect(await found(blocked(1, { prompt: 'two\n  lines', scan_id: 's1', prompt_detected: flags }))).toMatchObject({
      rule: 'aisec/bulk/injection',
      title: 'injection, dlp',
      ruleText: 'A prompt is blocked by injection, dlp.',
      severity: 'high',
      message: 'Row 1, at run.jsonl:1, is blocked by injection, dlp.',
      excerpt: 'two lines',
      labels: ['injection', 'dlp'],
      place: { uri: 'run.jsonl', line: 1 },
    });
  });

  test.each([
    { row: { category: 'malicious' }, rule: 'aisec/bulk/malicious' },
    { row: {}, rule: 'aisec/bulk/blocked' },
  ])('without a detector has its category as its rule: $rule', async ({ row, rule }) => {
    expect(await found(blocked(1, row))).toMatchObject({
      ...{ rule, title: 'blocked', ruleText: 'A prompt is blocked.', message: 'Row 1, at run.jsonl:1, is blocked.' },
      labels: [],
    });
  });

  test('shows the first 200 characters of its prompt', async () => {
    expect((await found(blocked(1, { prompt: 'x'.repeat(201) })))?.excerpt).toBe('x'.repeat(200));
  });

  test('keeps the fingerprint of its prompt in another scan, and has that of its scan without a prompt', async () => {
    const print = async (more: object) => (await found(blocked(1, more)))?.fingerprint;
    expect(await print({ prompt: 'a b', scan_id: 's2' })).toBe(await print({ prompt: 'a\t b', scan_id: 's1' }));
    expect(await print({ prompt: 'other', scan_id: 's1' })).not.toBe(await print({ prompt: 'a b', scan_id: 's1' }));
    expect(await print({ scan_id: 's2' })).not.toBe(await print({ scan_id: 's1' }));
    expect(await print({ prompt: '', scan_id: 's1' })).toBe(await print({ scan_id: 's1' }));
    expect(await print({})).toBe(await print({ scan_id: 'unknown' }));
  });

  test('is blocked by the detectors of all texts that were scanned, each named once', async () => {
    const row = {
      prompt_detected: { dlp: true, injection: false },
      response_detected: { dlp: true, toxic_content: true },
      tool_detected: { verdict: 'malicious', summary: { detections: { agent: true, injection: false } } },
    };
    expect((await found(blocked(1, row)))?.labels).toEqual(['dlp', 'toxic_content', 'agent']);
  });

  test('is another finding with another response or call, so that accepting it spares no other', async () => {
    const print = async (more: object) => (await found(blocked(1, more)))?.fingerprint;
    const answered = (response: string, more = {}) =>
      print({ prompt: 'a', scanned: ['response'], columns: { response, id: '1', ...more } });
    const plain = await print({ prompt: 'a' });
    expect(await print({ prompt: 'a', columns: { response: 'b' } })).toBe(plain);
    expect(await answered('b', { id: '2' })).toBe(await answered('b'));
    const others = [
      ...[plain, await answered('b'), await answered('c')],
      await print({ prompt: '', scanned: ['response'], columns: { response: 'b' } }),
      await print({ prompt: '', scanned: ['tool_event'], columns: { tool_event: 'b' } }),
    ];
    expect(new Set(others).size).toBe(others.length);
  });

  test('without a number takes the number of its line', async () => {
    const verdict = await gate(`\n${JSON.stringify({ action: 'block', row: 'x' })}\n`);
    expect(verdict.findings[0]?.message).toBe('Row 2, at run.jsonl:2, is blocked.');
  });

  test.each(['prompt\nhello\nbye\n', '{"prompt":"hello"}\n', 'hello\n'])(
    'of prompts (%j) are to be scanned first',
    async (text) => {
      const { unfinished } = await gateBulk([{ reader: textReader(text), name: 'p' }], { now: NOW });
      expect(unfinished).toContain('p holds no results of a scan: scan it first');
      expect(unfinished).not.toContain('finished run');
    },
  );
});

describe('a bulk scan', () => {
  const MIXED = [
    blocked(1, { prompt: 'a', prompt_detected: { dlp: true } }),
    { row: 2, ...ALLOWED, prompt: 'b' },
    blocked(3, { prompt: 'c', prompt_detected: { injection: true } }),
  ];

  test.each([
    { policy: undefined, source: 'no blocked prompt', line: undefined },
    { policy: 'bulk: {}', source: 'aisec-policy.yml:2, bulk', line: 2 },
    { policy: 'bulk:\n  max_blocked: 1', source: 'aisec-policy.yml:3, bulk.max_blocked', line: 3 },
    { policy: 'bulk:\n  max_blocked_percent: 1', source: 'aisec-policy.yml:3, bulk.max_blocked_percent', line: 3 },
    {
      policy: 'bulk:\n  detectors:\n    dlp: 0\n    injection: 1',
      source: 'aisec-policy.yml:4, bulk.detectors.dlp',
      line: 4,
    },
  ])('names the limit that $policy sets: $source', async ({ policy, source, line }) => {
    const verdict = await gate(finished(MIXED), policy === undefined ? undefined : await policyOf(policy));
    const place = line === undefined ? {} : { place: { uri: 'aisec-policy.yml', line } };
    const broken = verdict.limits.filter((limit) => limit.broken !== undefined);
    expect(broken).toEqual([expect.objectContaining({ source, ...place })]);
    expect(Object.keys(broken[0] ?? {}).includes('place')).toBe(line !== undefined);
    expect(verdict.findings.find(({ level }) => level === 'failure')?.because).toBe(source);
    expect(verdict.subject).toBe('bulk run.jsonl');
  });

  test("attributes a detector's limit only to its own prompts", async () => {
    const verdict = await gate(finished(MIXED), await policyOf('bulk: {max_blocked: 9, detectors: {dlp: 0}}'));
    expect(verdict.findings.map(({ excerpt, level }) => `${excerpt} ${level}`)).toEqual(['a failure', 'c warning']);
  });

  test('does not count accepted prompts towards the limit of their detector', async () => {
    const [first] = (await gate(finished(MIXED))).findings;
    const entry = `{finding: ${first?.fingerprint}, owner: o, reason: r, expires: 2027-06-01}`;
    const policy = await policyOf(`bulk: {max_blocked: 9, detectors: {dlp: 0}}\naccepted: [${entry}]`);
    expect(await gate(finished(MIXED), policy)).toMatchObject({
      failed: false,
      limits: [{}, { used: '0 of at most 0 prompts blocked by dlp' }],
    });
  });

  test('without rows has no share of blocked prompts', async () => {
    const verdict = await gate(finished([]), await policyOf('bulk: {max_blocked_percent: 1}'));
    expect(verdict).toMatchObject({ failed: false, limits: [{ used: '0 % of at most 1 %' }] });
    expect(verdict.unfinished).toBe('run.jsonl has no rows.');
  });

  test('states every doubt in one sentence', async () => {
    const verdict = await gate(
      finished([
        { row: 1, ...ALLOWED, action: 'alert' },
        { row: 2, ...ALLOWED, timeout: true },
      ]),
    );
    expect(verdict.unfinished).toBe(
      'There is no verdict for row 1 of run.jsonl. A detector timed out or failed in row 2 of run.jsonl.',
    );
  });

  test.each([
    ['action', '"action":"allow"', '"action":"block","action":"allow"'],
    ['action, the other way round', '"action":"allow"', '"action":"allow","action":"block"'],
    ['action, escaped', '"action":"allow"', '"\\u0061ction":"block","action":"allow"'],
    ['action, with spaces', '"action":"allow"', ' "action" : "block" , "action" : "allow"'],
    ['timeout', '"timeout":false', '"timeout":true,"timeout":false'],
    ['detector', '"prompt_detected":{', '"prompt_detected":{"dlp":true,"dlp":false,'],
    ['number of rows at its end', '"rows":1', '"rows":2,"rows":1'],
  ])('with a member twice has no verdict: %s', async (_, once, twice) => {
    const whole = finished([{ row: 1, ...ALLOWED, prompt_detected: { injection: false } }]);
    expect(whole).toContain(once);
    expect(await gate(whole.replace(once, twice))).toMatchObject({
      unfinished: expect.stringMatching(/line [12]: not a complete row/),
      failed: false,
    });
  });

  test('that another program has formatted is read', async () => {
    const rows = finished([{ row: 1, ...ALLOWED, prompt: '\ud800 {"a":1,"a":1}' }]);
    const verdict = await gate(rows.replaceAll(/(?<!\\)":/g, '" : ').replaceAll('\n', '\r\n'));
    expect([verdict.failed, verdict.unfinished]).toEqual([false, undefined]);
  });

  test('that is truncated is reported as truncated, whatever the file of its prompts has', async () => {
    const input = { reader: textReader('prompt\na\nb\nc\n'), name: 'prompts.csv', column: 'prompt' };
    const cut = `${JSON.stringify({ row: 1, ...ALLOWED, prompt: 'a' })}\n`;
    const verdict = await gateBulk([{ reader: textReader(cut), name: 'run.jsonl', input }], { now: NOW });
    expect(verdict.unfinished).toContain('run.jsonl is not the file of a finished run');
    const other = { reader: textReader('prompt\na\nb\n'), name: 'prompts.csv', column: 'prompt' };
    const whole = { reader: textReader(finished([{ row: 1, ...ALLOWED, prompt: 'a' }])), name: 'run.jsonl' };
    expect((await failing(gateBulk([{ ...whole, input: other }], { now: NOW }))).code).toBe('usage');
  });
});

describe('the file of a run', () => {
  const lenient = async (text: string) => gate(text, await policyOf('bulk: {max_blocked: 9}'));
  const rows = [blocked(1, { prompt: 'a' }), { row: 2, ...ALLOWED, prompt: 'b' }];

  test('is read from pieces of any length, also with empty lines and without a last line end', async () => {
    const pieces = `\n \r\n${finished(rows).trimEnd()}`.split('');
    const reader = { next: async () => pieces.shift(), close: async () => undefined };
    const verdict = await gateBulk([{ reader, name: 'r' }], {
      policy: await policyOf('bulk: {max_blocked: 9}'),
      now: NOW,
    });
    expect([verdict.unfinished, verdict.summary]).toEqual([undefined, '2 prompts: 1 blocked.']);
  });

  test.each([{ row: 1 }, { scan_id: 's' }, { action: 'block' }])('has results of a scan: %j', async (row) => {
    expect((await lenient(JSON.stringify(row))).unfinished).toContain('is not the file of a finished run');
  });

  test.each<[object, string]>([
    [{}, 'line 1: not a complete row'],
    [{ row: 0 }, 'line 1: not a complete row'],
    [{ row: 1.5 }, 'line 1: not a complete row'],
    [{ row: 2 }, 'missing: row 1.'],
  ])('has a row with the number %j: %s', async (number, says) => {
    expect((await gate(finished([{ ...ALLOWED, ...number }]))).unfinished).toContain(says);
  });

  test('has as many rows as its end says', async () => {
    expect((await lenient(finished(rows).replace('"rows":2', '"rows":1'))).unfinished).toContain(
      'its rows differ from the rows that the run wrote',
    );
  });

  test.each<[string, Parameters<typeof finished>[0], string]>([
    ['with rows', rows, 'The rows of b were given twice, so they cannot be counted.'],
    ['without rows', [], 'a has no rows. b has no rows.'],
  ])('%s is not counted twice', async (_, given, says) => {
    const requests = ['a', 'b'].map((name) => ({ reader: textReader(finished(given)), name }));
    const policy = await policyOf('bulk: {max_blocked: 9}');
    expect((await gateBulk(requests, { policy, now: NOW })).unfinished).toBe(says);
  });
});

test.each([
  { what: 'are whole', simulated: [false, false], expected: undefined },
  { what: 'are partly simulated', simulated: [false, true], expected: true },
])('two bulk scans that $what are judged together', async ({ simulated, expected }) => {
  const requests = simulated.map((flag, at) => {
    const text = finished([{ row: 1, ...ALLOWED, prompt: `${at}` }]).replace(
      '"simulated":false',
      `"simulated":${flag}`,
    );
    return { reader: textReader(text), name: `${at}.jsonl` };
  });
  const verdict = await gateBulk(requests, { now: NOW });
  expect([verdict.subject, verdict.summary]).toEqual(['bulk 2 files', '2 prompts: 0 blocked.']);
  expect(verdict.simulated).toBe(expected);
});

describe('the numbers of rows', () => {
  const odd = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19];
  test.each<{ added: readonly (number | [number, number])[]; says: string | undefined }>([
    { added: [], says: undefined },
    { added: [4], says: 'row 4' },
    { added: [1, 2, 3], says: 'rows 1-3' },
    { added: [3, 5, [6, 8]], says: 'rows 3, 5-8' },
    { added: odd, says: `rows ${odd.join(', ')}` },
    { added: [...odd, 21, 20], says: `rows ${odd.join(', ')}, and 2 more` },
    { added: [...odd, [1001, 2000]], says: `rows ${odd.join(', ')}, and 1,000 more` },
  ])('are ranges: $says', ({ added, says }) => {
    const ranges = new RowRanges();
    for (const each of added) typeof each === 'number' ? ranges.add(each) : ranges.add(...each);
    expect(ranges.describe((text) => text)).toBe(says);
  });
});
