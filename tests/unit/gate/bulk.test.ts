/** The gate on bulk scans: only a finished run with a complete verdict for each prompt passes, and blocked prompts have limits. */

import { type BulkEvidence, joinedEvidence, MAX_FINDINGS } from '../../../lib/features/gate/bulk.ts';
import { gateBulk } from '../../../lib/features/gate/gates.ts';
import { RowRanges, readBulkFile } from '../../../lib/features/scans/bulk-file.ts';
import { textReader } from '../../../lib/runtime/bulk/lines.ts';
import { ALLOWED } from '../../support/answers.ts';
import { failing } from '../../support/exchange.ts';
import { expectProportion } from '../../support/growth.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { acceptance, bulkVerdict, FINDING, finished, NOW, policyOf, type Row } from './support.ts';

const allow = (row: number, more: Row = {}): Row => ({ row, ...ALLOWED, ...more });
const block = (row: number, more: Row = {}): Row => ({ row, action: 'block', ...more });
const by = (...detectors: readonly string[]) => ({
  prompt_detected: Object.fromEntries(detectors.map((name) => [name, true])),
});
const lines = (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const outcome = ({ failed, unfinished }: { failed: boolean; unfinished?: string }) => ({ failed, unfinished });

describe('the file of a run', () => {
  const whole = finished([1, 2, 3, 4, 5].map((row) => allow(row)));
  const [, , third = '', , fifth = '', end = ''] = whole.split('\n');

  test.each([
    { what: 'only allowed rows', content: whole, failed: false },
    {
      what: 'letters of many scripts',
      content: finished([allow(1, { prompt: 'é \u{1f600} \u2028 \ud800' })]),
      failed: false,
    },
    { what: 'Windows line ends', content: whole.replaceAll('\n', '\r\n'), failed: false },
    { what: 'the spacing of another program', content: whole.replaceAll(/(?<!\\)":/g, '" : '), failed: false },
    {
      what: 'an escaped member',
      content: finished([allow(1, { a: '\u200b' })]).replace('\u200b', '\\u200b'),
      failed: false,
    },
    { what: 'a blocked row', content: finished([allow(1), block(2)]), failed: true },
  ])('decides with $what', async ({ content, failed }) => {
    expect(outcome(await bulkVerdict(content))).toEqual({ failed, unfinished: undefined });
  });

  scenario.each([
    { what: 'nothing', content: '\n', reason: 'run.jsonl has no rows' },
    { what: 'only an end record', content: finished([]), reason: 'run.jsonl has no rows' },
    {
      what: 'no end record',
      content: whole.replace(end, ''),
      reason: 'it does not end with the record of a finished run',
    },
    { what: 'a row cut in the middle', content: whole.slice(0, -end.length - 9), reason: 'line 5: not a complete row' },
    { what: 'a missing row', content: whole.replace(`${third}\n`, ''), reason: 'missing: row 3' },
    { what: 'a missing last row', content: whole.replace(`${fifth}\n`, ''), reason: 'missing: row 5' },
    { what: 'a row twice', content: whole.replace(third, `${third}\n${third}`), reason: 'not in order: row 3' },
    { what: 'the whole file twice', content: whole + whole, reason: 'rows 1-5; after the end of a run: lines 7-12' },
    { what: 'a changed row', content: finished([block(1)]).replace('block', 'allow'), reason: 'its rows differ from' },
    { what: 'another number of rows', content: whole.replace('"rows":5', '"rows":4'), reason: 'its rows differ from' },
    {
      what: 'a row without a number',
      content: finished([allow(1), { ...ALLOWED }]),
      reason: 'line 2: not a complete row',
    },
    { what: 'half a row', content: finished([{ ...ALLOWED, row: 1.5 }]), reason: 'line 1: not a complete row' },
    { what: 'row 0', content: finished([{ ...ALLOWED, row: 0 }]), reason: 'line 1: not a complete row' },
    {
      what: 'a row that failed',
      content: finished([allow(1), { row: 2, action: 'error' }]),
      reason: 'no verdict for row 2',
    },
    { what: 'a row without an action', content: finished([{ row: 1 }, allow(2)]), reason: 'no verdict for row 1' },
    { what: 'an unknown action', content: finished([allow(1, { action: 'alert' })]), reason: 'no verdict for row 1' },
    {
      what: 'a late detector',
      content: finished([allow(1, { timeout: true })]),
      reason: 'timed out or failed in row 1',
    },
    {
      what: 'a failed detector',
      content: finished([allow(1, { error: true })]),
      reason: 'timed out or failed in row 1',
    },
  ])('gate-complete', 'does not pass with $what, and says why', async ({ content, reason }) => {
    const expected = { failed: false, unfinished: expect.stringContaining(reason) };
    expect(outcome(await bulkVerdict(content))).toEqual(expected);
  });

  test.each([
    ['action', '"action":"allow"', '"action":"block","action":"allow"'],
    ['action, escaped', '"action":"allow"', '"\\u0061ction":"block","action":"allow"'],
    ['detector', '"prompt_detected":{', '"prompt_detected":{"dlp":true,"dlp":false,'],
    ['number of rows at its end', '"rows":1', '"rows":2,"rows":1'],
  ])('with a member twice has no verdict: %s', async (_, once, twice) => {
    const text = finished([allow(1, { prompt_detected: { injection: false } })]);
    expect(text).toContain(once);
    const unfinished = expect.stringMatching(/line [12]: not a complete row/);
    expect(outcome(await bulkVerdict(text.replace(once, twice)))).toEqual({ failed: false, unfinished });
  });

  scenario('gate-complete', 'fails on a blocked row even if rows are missing, and states every doubt', async () => {
    const decided = await bulkVerdict(lines([block(1), allow(3, { timeout: true })]));
    expect(outcome(decided)).toEqual({ failed: true, unfinished: undefined });
    for (const doubt of ['missing: row 2', 'timed out or failed in row 3']) expect(decided.summary).toContain(doubt);
  });

  scenario.each([{ simulated: true }, { simulated: false }])(
    'gate-complete',
    'says whether the run was simulated: $simulated',
    async ({ simulated }) => {
      expect((await bulkVerdict(finished([allow(1)], { simulated }))).simulated ?? false).toBe(simulated);
    },
  );

  test.each([
    { action: 'BLOCK', failed: true, isDecided: true },
    { action: ' Block', failed: true, isDecided: true },
    { action: 'deny', failed: true, isDecided: true },
    { action: 'ALLOW', failed: false, isDecided: true },
    { action: 'ALLOW ', failed: false, isDecided: false },
  ])('is read with the action "$action"', async ({ action, failed, isDecided }) => {
    const verdict = await bulkVerdict(finished([allow(1, { action })]));
    expect([verdict.failed, verdict.unfinished === undefined]).toEqual([failed, isDecided]);
  });

  test.each(['prompt\nhello\nbye\n', '{"prompt":"hello"}\n'])('is not a file of prompts: %j', async (text) => {
    const { unfinished } = await bulkVerdict(text);
    expect(unfinished).toContain('run.jsonl holds no results of a scan: scan it first');
    expect(unfinished).not.toContain('finished run');
  });

  test('is read from pieces of any length, also with empty lines and without a last line end', async () => {
    const text = `\n \r\n${finished([block(1), allow(2)]).trimEnd()}`.split('');
    const reader = { next: async () => text.shift(), close: async () => undefined };
    const verdict = await gateBulk([{ reader, name: 'r' }], {
      policy: await policyOf('bulk: {max_blocked: 9}'),
      now: NOW,
    });
    expect([verdict.unfinished, verdict.summary]).toEqual([undefined, '2 prompts: 1 blocked.']);
  });

  scenario('slow-inputs', 'is read in time proportional to its longest line', async () => {
    await expectProportion((size) => {
      const pieces = Array.from({ length: size / 4 }, () => 'x'.repeat(1024));
      return () => {
        let at = -1;
        const next = async () => {
          at += 1;
          return at === 0 ? '{"row":1,"prompt":"' : pieces[at - 1];
        };
        return readBulkFile({ next, close: async () => undefined }, () => undefined);
      };
    });
  });

  const odd = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19];
  test.each<{ added: readonly (number | [number, number])[]; says: string | undefined }>([
    { added: [], says: undefined },
    { added: [4], says: 'row 4' },
    { added: [3, 5, [6, 8]], says: 'rows 3, 5-8' },
    { added: [...odd, 21, 20], says: `rows ${odd.join(', ')}, and 2 more` },
    { added: [...odd, [1001, 2000]], says: `rows ${odd.join(', ')}, and 1,000 more` },
  ])('has its rows described as ranges: $says', ({ added, says }) => {
    const ranges = new RowRanges();
    for (const each of added) typeof each === 'number' ? ranges.add(each) : ranges.add(...each);
    expect(ranges.describe((text) => text)).toBe(says);
  });
});

describe('a blocked row', () => {
  const found = async (row: Row) => (await bulkVerdict(finished([row]))).findings[0];
  const print = async (more: Row) => (await found(block(1, more)))?.fingerprint;

  test('is a finding with its detectors, its prompt on one line, and its place', async () => {
    const flags = { injection: true, toxic: false, dlp: true };
    expect(await found(block(1, { prompt: 'two\n  lines', scan_id: 's1', prompt_detected: flags }))).toMatchObject({
      ...{ rule: 'aisec/bulk/injection', title: 'injection, dlp', severity: 'high', labels: ['injection', 'dlp'] },
      ...{ ruleText: 'A prompt is blocked by injection, dlp.', excerpt: 'two lines' },
      ...{ message: 'Row 1, at run.jsonl:1, is blocked by injection, dlp.', place: { uri: 'run.jsonl', line: 1 } },
    });
  });

  test.each([
    { row: { category: 'malicious' }, rule: 'aisec/bulk/malicious' },
    { row: {}, rule: 'aisec/bulk/blocked' },
  ])('without a detector has its category as its rule: $rule', async ({ row, rule }) => {
    const texts = { title: 'blocked', ruleText: 'A prompt is blocked.', message: 'Row 1, at run.jsonl:1, is blocked.' };
    expect(await found(block(1, row))).toMatchObject({ ...texts, rule, labels: [] });
  });

  test('shows the first 200 characters of its prompt', async () => {
    expect((await found(block(1, { prompt: 'x'.repeat(201) })))?.excerpt).toBe('x'.repeat(200));
  });

  test('is blocked by the detectors of all texts that were scanned, each named once', async () => {
    const tool_detected = { verdict: 'malicious', summary: { detections: { agent: true, injection: false } } };
    const row = { ...by('dlp'), response_detected: { dlp: true, toxic_content: true }, tool_detected };
    expect((await found(block(1, row)))?.labels).toEqual(['dlp', 'toxic_content', 'agent']);
  });

  test('keeps the fingerprint of its prompt in another scan, and has that of its scan without a prompt', async () => {
    expect(await print({ prompt: 'a b', scan_id: 's2' })).toBe(await print({ prompt: 'a\t b', scan_id: 's1' }));
    expect(await print({ prompt: 'other', scan_id: 's1' })).not.toBe(await print({ prompt: 'a b', scan_id: 's1' }));
    expect(await print({ scan_id: 's2' })).not.toBe(await print({ scan_id: 's1' }));
    expect(await print({ prompt: '', scan_id: 's1' })).toBe(await print({ scan_id: 's1' }));
    expect(await print({})).toBe(await print({ scan_id: 'unknown' }));
  });

  test('with another response or tool call is a separate finding, so that accepting one accepts no other', async () => {
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

  test('without a number uses its line number', async () => {
    const verdict = await bulkVerdict(`\n${JSON.stringify({ action: 'block', row: 'x' })}\n`);
    expect(verdict.findings[0]?.message).toBe('Row 2, at run.jsonl:2, is blocked.');
  });

  test('is the only row spared by its acceptance in a batch without prompts', async () => {
    const text = finished([1, 2].map((row) => block(row, { scan_id: 'batch' })));
    const [first] = (await bulkVerdict(text)).findings;
    const verdict = await bulkVerdict(text, await policyOf(acceptance(first?.fingerprint ?? '')));
    expect([verdict.failed, ...verdict.findings.map(({ level }) => level)]).toEqual([true, 'failure', 'note']);
  });
});

describe('the limits of a bulk scan', () => {
  const FOUR = [allow(1), block(2, by('injection')), block(3, by('dlp')), block(4, by('dlp'))].map((row) => ({
    ...row,
    prompt: `Prompt ${String(row['row'])}`,
  }));
  const TEXT = finished(FOUR);
  const NONE = '3 of at most 0 blocked prompts';

  test.each<{ policy: string | undefined; used: readonly string[]; broken: readonly string[]; at?: string }>([
    { policy: undefined, used: [NONE], broken: ['3 of 4 prompts blocked'], at: 'no blocked prompt' },
    { policy: 'bulk: {}', used: [NONE], broken: ['3 of 4 prompts blocked'], at: 'aisec-policy.yml:2, bulk' },
    { policy: 'redteam: {max_asr_percent: 1}', used: [NONE], broken: ['3 of 4 prompts blocked'] },
    {
      policy: 'bulk:\n  max_blocked: 2',
      ...{ used: ['3 of at most 2 blocked prompts'], broken: ['3 of 4 prompts blocked, more than 2'] },
      at: 'aisec-policy.yml:3, bulk.max_blocked',
    },
    { policy: 'bulk: {max_blocked: 3}', used: ['3 of at most 3 blocked prompts'], broken: [] },
    {
      policy: 'bulk:\n  max_blocked_percent: 74.9999',
      ...{ used: ['75 % of at most 74.9999 %'], broken: ['75 % of 4 prompts blocked, more than 74.9999 %'] },
      at: 'aisec-policy.yml:3, bulk.max_blocked_percent',
    },
    { policy: 'bulk: {max_blocked_percent: 75}', used: ['75 % of at most 75 %'], broken: [] },
    {
      policy: 'bulk:\n  detectors:\n    dlp: 1\n    injection: 1',
      used: [
        ...['0 of at most 0 prompts blocked, and not only by dlp or injection'],
        ...['2 of at most 1 prompt blocked by dlp', '1 of at most 1 prompt blocked by injection'],
      ],
      ...{ broken: ['2 prompts blocked by dlp, more than 1'], at: 'aisec-policy.yml:4, bulk.detectors.dlp' },
    },
    {
      policy: 'bulk: {detectors: {dlp: 2}}',
      used: ['1 of at most 0 prompts blocked, and not only by dlp', '2 of at most 2 prompts blocked by dlp'],
      broken: ['1 of 4 prompts blocked, and not only by dlp'],
    },
    {
      policy: 'bulk: {detectors: {dlp: 2}, max_blocked: 3}',
      used: ['3 of at most 3 blocked prompts', '2 of at most 2 prompts blocked by dlp'],
      broken: [],
    },
  ])('decide by $policy', async ({ policy, used, broken, at }) => {
    const verdict = await bulkVerdict(TEXT, policy === undefined ? undefined : await policyOf(policy));
    expect(verdict.limits.map((limit) => limit.used)).toEqual(used);
    const found = verdict.limits.filter((limit) => limit.broken !== undefined);
    expect(found.map((limit) => limit.broken)).toEqual(broken);
    expect(verdict.failed).toBe(broken.length > 0);
    if (at === undefined) return;
    const line = /:(\d)/.exec(at)?.[1];
    const place = line === undefined ? undefined : { uri: 'aisec-policy.yml', line: Number(line) };
    expect(found).toMatchObject([{ source: at, ...(place === undefined ? {} : { place }) }]);
    expect(verdict.findings.find(({ level }) => level === 'failure')?.because).toBe(at);
  });

  test.each([
    { what: 'no named detector', row: {} },
    { what: 'a further detector', row: by('dlp', 'injection') },
  ])('do not pass a prompt blocked by $what because dlp has a limit', async ({ row }) => {
    const policy = await policyOf('bulk: {detectors: {dlp: 5}}');
    expect(await bulkVerdict(finished([block(1, row)]), policy)).toMatchObject({
      ...{ failed: true, findings: [{ level: 'failure' }] },
    });
  });

  test('of a detector count only prompts that it blocked, without accepted prompts', async () => {
    const limits = 'bulk: {max_blocked: 9, detectors: {injection: 0}}';
    const verdict = await bulkVerdict(TEXT, await policyOf(limits));
    const levels = verdict.findings.map(({ excerpt, level }) => `${excerpt} ${level}`);
    expect(levels).toEqual(['Prompt 2 failure', 'Prompt 3 warning', 'Prompt 4 warning']);
    const policy = await policyOf(`${limits}\n${acceptance(verdict.findings[0]?.fingerprint ?? '')}`);
    const used = '0 of at most 0 prompts blocked by injection';
    expect(await bulkVerdict(TEXT, policy)).toMatchObject({ failed: false, limits: [{}, { used }] });
  });

  test('without rows do not check shares', async () => {
    const verdict = await bulkVerdict(finished([]), await policyOf('bulk: {max_blocked_percent: 1}'));
    expect(verdict).toMatchObject({ failed: false, limits: [{ used: '0 % of at most 1 %' }] });
    expect(verdict.unfinished).toBe('run.jsonl has no rows.');
  });

  const COUNT = MAX_FINDINGS + 1;
  const many = lines(Array.from({ length: COUNT }, (_, at) => block(at + 1, { prompt: `p${at}`, ...by('dlp') })));
  test('count every blocked prompt, even beyond the kept ones', async () => {
    const policy = await policyOf('bulk: {max_blocked: 20000, max_blocked_percent: 99.992, detectors: {dlp: 20000}}');
    const verdict = await bulkVerdict(many + lines([allow(COUNT + 1)]), policy);
    // Not the findings themselves: printing the difference between so many would take minutes.
    expect([verdict.findings.length, verdict.limits.map((limit) => limit.broken)]).toEqual([
      20_000,
      [
        '20,001 of 20,002 prompts blocked, more than 20,000',
        '100 % of 20,002 prompts blocked, more than 99.992 %',
        '20,001 prompts blocked by dlp, more than 20,000',
      ],
    ]);
  });
});

describe('several files', () => {
  const evidence = (more: Partial<BulkEvidence>): BulkEvidence => ({
    ...{ subject: 'bulk a.jsonl', findings: [], passed: '1 prompt: 0 blocked.', prompts: 1, blocked: 0 },
    ...{ byDetectors: new Map(), ...more },
  });

  test('are joined: sums, all findings up to the limit, and every doubt', () => {
    const findings = Array.from({ length: MAX_FINDINGS }, () => FINDING);
    const dlp = (count: number) => ({ byDetectors: new Map([['["dlp"]', count]]) });
    const joined = joinedEvidence([
      evidence({ prompts: 5, blocked: 2, ...dlp(2), findings, unfinished: 'A is cut.' }),
      evidence({ prompts: 7, blocked: 1, ...dlp(1), findings: [FINDING], simulated: true }),
      evidence({ unfinished: 'C is cut.' }),
    ]);
    expect({ ...joined, findings: joined.findings.length }).toEqual({
      ...{ subject: 'bulk 3 files', findings: MAX_FINDINGS, passed: '13 prompts: 3 blocked.' },
      ...{ unfinished: 'A is cut. C is cut.', simulated: true, prompts: 13, blocked: 3, ...dlp(3) },
    });
    expect(joinedEvidence([evidence({}), evidence({})])).not.toHaveProperty('simulated');
  });

  test.each<[string, readonly Row[], string]>([
    ['with rows', [block(1), allow(2)], 'The rows of b were given twice, so they cannot be counted.'],
    ['without rows', [], 'a has no rows. b has no rows.'],
  ])('%s are not counted twice', async (_, rows, says) => {
    const requests = ['a', 'b'].map((name) => ({ reader: textReader(finished(rows)), name }));
    const policy = await policyOf('bulk: {max_blocked: 9}');
    expect((await gateBulk(requests, { policy, now: NOW })).unfinished).toBe(says);
  });
});

describe('the file of the prompts', () => {
  const rows = [allow(1, { prompt: 'two\nlines' }), block(2, { prompt: 'blocked', ...by('dlp') })];
  const decided = (csv: string, text = finished(rows)) => {
    const input = { reader: textReader(csv), name: 'data/prompts.csv', column: 'prompt' };
    return gateBulk([{ reader: textReader(text), name: 'run.jsonl', input }], { now: NOW });
  };

  test('locates findings in its lines, which are not its rows', async () => {
    const { findings } = await decided('id,prompt\n1,"two\nlines"\n\n2,blocked\n');
    expect(findings.map(({ place }) => place)).toEqual([{ uri: 'data/prompts.csv', line: 5 }]);
  });

  test('is refused if it has another number of prompts, unless the run is truncated', async () => {
    expect(await failing(decided('prompt\nonly one\n'))).toMatchObject({
      ...{ code: 'usage', message: 'data/prompts.csv has 1 prompt, and the scan had 2.' },
      hint: 'Name the file that was scanned with --csv.',
    });
    const { unfinished } = await decided('prompt\na\nb\nc\n', lines([allow(1)]));
    expect(unfinished).toContain('run.jsonl is not the file of a finished run');
  });
});
