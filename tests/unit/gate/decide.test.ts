import fc from 'fast-check';
import { bulkEnd, rowDigest } from '../../../lib/bulk/end.ts';
import { textReader } from '../../../lib/bulk/lines.ts';
import type { Verdict } from '../../../lib/features/gate/decide.ts';
import { gateBulk } from '../../../lib/features/gate/gates.ts';
import type { PolicyFile } from '../../../lib/features/gate/policy/policy.ts';
import { readPolicy } from '../../../lib/features/gate/policy/read-policy.ts';
import { annotations, codeQuality, junit, summaryPage } from '../../../lib/features/gate/reports.ts';
import { sarif } from '../../../lib/features/gate/sarif.ts';
import { ALLOWED } from '../../support/answers.ts';
import { failing } from '../../support/exchange.ts';
import { finished, modelVerdict, NOW, policyOf, redTeamVerdict } from './support.ts';

const job = { uuid: 'j', name: 'nightly', status: 'COMPLETED', asr: 40 };
const attack = (name: string, severity: string, sub_category = 'JAILBREAK') => ({
  ...{ uuid: `uuid-${name}`, prompt: `Prompt ${name}`, severity, sub_category },
  sub_category_display_name: sub_category.toLowerCase(),
});
const ATTACKS = [attack('a', 'CRITICAL'), attack('b', 'HIGH', 'MALWARE_GENERATION'), attack('c', 'LOW')];

async function fingerprintOfAttack(name: string): Promise<string> {
  const { findings } = await redTeamVerdict(job, ATTACKS, { maxAsr: 100 });
  const found = findings.find(({ excerpt }) => excerpt === `Prompt ${name}`);
  if (found === undefined) throw new Error(`no finding for ${name}`);
  return found.fingerprint;
}

const accepted = (finding: string, expires: string) =>
  `accepted: [{finding: ${finding}, owner: dana@example.com, reason: Known., expires: ${expires}}]`;

const levels = ({ findings }: Verdict) => findings.map(({ excerpt, level }) => `${excerpt?.slice(-1)} ${level}`);

describe('a policy for red-team scans', () => {
  test.each([
    {
      policy: 'redteam: {max_asr_percent: 39}',
      broken: ['ASR 40 % is above 39 %'],
      found: ['a warning', 'b warning', 'c note'],
    },
    { policy: 'redteam: {max_asr_percent: 40}', broken: [], found: ['a warning', 'b warning', 'c note'] },
    {
      policy: 'redteam: {fail_on: high}',
      broken: ['2 successful attacks of severity high or higher'],
      found: ['a failure', 'b failure', 'c note'],
    },
    {
      policy: 'redteam: {limits: [{category: malware generation, max_successful: 0}]}',
      broken: ['1 successful attack of MALWARE_GENERATION'],
      found: ['b failure', 'a warning', 'c note'],
    },
    {
      policy: 'redteam: {limits: [{category: JAILBREAK, severity: high, max_successful: 0}, {max_successful: 2}]}',
      broken: ['1 successful attack of JAILBREAK and severity high', '3 successful attacks, more than 2'],
      found: ['a failure', 'b failure', 'c failure'],
    },
    {
      policy: 'redteam: {limits: [{category: JAILBREAK, max_successful: 2}]}',
      broken: [],
      found: ['a warning', 'b warning', 'c note'],
    },
  ])('decides by $policy', async ({ policy, broken, found }) => {
    const verdict = await redTeamVerdict(job, ATTACKS, {}, await policyOf(policy));
    expect(verdict.limits.flatMap((limit) => limit.broken ?? [])).toEqual(broken);
    expect(verdict.failed).toBe(broken.length > 0);
    expect(levels(verdict)).toEqual(found);
  });

  const report = {
    category_reports: [
      { category: 'SECURITY', id: 'OWASP' },
      {
        ...{ category: 'COMPLIANCE', id: 'OWASP', display_name: 'OWASP Top 10' },
        techniques: [
          { successful: 2, total: 5 },
          { successful: 1, total: 5 },
        ],
      },
    ],
  };

  test.each([
    { limit: 'OWASP: {max_successful: 3}', broken: undefined },
    { limit: 'OWASP: {max_successful: 2}', broken: 'OWASP: 3 successful attacks, more than 2' },
    {
      limit: 'owasp: {max_asr_percent: 29, max_successful: 0}',
      broken: 'OWASP: 3 successful attacks, more than 0, ASR 30 % is above 29 %',
    },
    { limit: 'NIST: {max_successful: 100}', broken: 'the report has no framework NIST' },
  ])('limits a framework by $limit', async ({ limit, broken }) => {
    const verdict = await redTeamVerdict(
      { ...job, report },
      [],
      {},
      await policyOf(`redteam: {frameworks: {${limit}}}`),
    );
    expect(verdict.limits[0]?.broken).toBe(broken);
  });

  test('applies together with command-line options, and each limit names its source', async () => {
    const verdict = await redTeamVerdict(
      job,
      ATTACKS,
      { maxAsr: 30, failOn: 'critical' },
      await policyOf('redteam: {fail_on: low}'),
    );
    expect(verdict.limits.map(({ source, broken }) => [source, broken])).toEqual([
      ['--max-asr 30', 'ASR 40 % is above 30 %'],
      ['--fail-on critical', '1 successful attack of severity critical'],
      ['aisec-policy.yml:2, redteam.fail_on', '3 successful attacks of severity low or higher'],
    ]);
  });

  test('has no limit without redteam', async () => {
    const error = await failing(redTeamVerdict(job, ATTACKS, {}, await policyOf('bulk: {max_blocked: 1}')));
    expect(error).toMatchObject({ code: 'usage', message: 'A red-team gate needs a limit.' });
  });
});

test.each([
  {
    more: {},
    expected: { see: '!aisec-redteam-report-get job_id=j', rate: { asr: 40 } },
    says: 'ASR is 40 %, with 3 successful attacks; the limits hold.',
  },
  {
    more: { completed: 100 },
    expected: { rate: { asr: 40, interval: expect.objectContaining({ trials: 100 }) } },
    says: 'ASR is 40 %',
  },
  {
    more: { status: 'RUNNING' },
    expected: { see: '!aisec-redteam-scan-get job_id=j', rate: undefined },
    says: 'The red-team scan has no result to decide on: its status is RUNNING.',
  },
])('a verdict on a red-team scan with $more says where to look, and its rate', async ({ more, expected, says }) => {
  const verdict = await redTeamVerdict({ ...job, ...more }, ATTACKS, { maxAsr: 100 });
  expect(verdict.summary).toContain(says);
  expect({ see: verdict.see, rate: verdict.rate }).toEqual({ see: verdict.see, ...expected });
});

describe('an accepted finding', () => {
  const decided = async (expires: string, limits = 'redteam: {fail_on: critical}') =>
    redTeamVerdict(job, ATTACKS, {}, await policyOf(`${limits}\n${accepted(await fingerprintOfAttack('a'), expires)}`));

  test.each([
    { expires: '2027-01-15', failed: false },
    { expires: '2027-06-01', failed: false },
    { expires: '2027-01-14', failed: true },
  ])('is accepted until the end of $expires', async ({ expires, failed }) => {
    expect((await decided(expires)).failed).toBe(failed);
  });

  test('is a note with its owner, skipped in JUnit, suppressed in SARIF, and not in the code-quality report', async () => {
    const verdict = await decided('2027-06-01');
    const found = verdict.findings.find(({ accepted: acceptance }) => acceptance !== undefined);
    expect(found).toMatchObject({ level: 'note', because: 'aisec-policy.yml:3, accepted.0' });
    expect(verdict.summary).toContain('1 accepted by the policy.');
    expect(junit(verdict)).toContain('<skipped message="Accepted by dana@example.com: Known.">');
    expect(JSON.parse(sarif(verdict, '1')).runs[0].results).toContainEqual(
      expect.objectContaining({
        level: 'note',
        suppressions: [{ kind: 'external', status: 'accepted', justification: 'Known.' }],
      }),
    );
    expect(JSON.parse(codeQuality(verdict))).toHaveLength(2);
  });

  test('that has expired fails even if no other limit does', async () => {
    const verdict = await decided('2026-12-31', 'redteam: {max_asr_percent: 100}');
    expect(verdict.failed).toBe(true);
    expect(verdict.summary).toMatch(/the acceptance of [0-9a-f]{16} by dana@example.com expired on 2026-12-31/);
    expect(levels(verdict)[0]).toBe('a failure');
  });

  test('that has expired and is no longer found does not fail the gate', async () => {
    const policy = await policyOf(`redteam: {max_asr_percent: 100}\n${accepted('0123456789abcdef', '2020-01-01')}`);
    expect((await redTeamVerdict(job, ATTACKS, {}, policy)).failed).toBe(false);
  });

  test('is subtracted from the success rate in proportion', async () => {
    const verdict = await decided('2027-06-01', 'redteam: {max_asr_percent: 26}');
    expect(verdict.limits[0]?.broken).toBe('ASR 26.67 % is above 26 % without accepted attacks');
    expect((await decided('2027-06-01', 'redteam: {max_asr_percent: 27}')).failed).toBe(false);
  });

  test('keeps its fingerprint in another scan, whose identifiers differ', async () => {
    const again = ATTACKS.map((each) => ({ ...each, uuid: `other-${each.uuid}`, prompt: `  ${each.prompt}\n` }));
    const { findings } = await redTeamVerdict(
      { ...job, uuid: 'k', name: 'later' },
      again,
      { maxAsr: 100 },
      undefined,
      'k',
    );
    expect(findings.map(({ fingerprint }) => fingerprint)).toContain(await fingerprintOfAttack('a'));
  });

  test('does not affect other findings, for any acceptances', async () => {
    const found = await Promise.all(['a', 'b', 'c'].map(fingerprintOfAttack));
    const rows = fc.uniqueArray(fc.record({ at: fc.nat(2), day: fc.constantFrom('2026-12-31', '2027-12-31') }), {
      selector: ({ at }) => at,
    });
    await fc.assert(
      fc.asyncProperty(rows, async (chosen) => {
        const entries = chosen.map(({ at, day }) => `{finding: ${found[at]}, owner: o, reason: r, expires: ${day}}`);
        const policy = await policyOf(`redteam: {fail_on: low}\naccepted: [${entries.join(', ')}]`);
        const verdict = await redTeamVerdict(job, ATTACKS, {}, policy);
        const spared = chosen.filter(({ day }) => day > '2027-01-15').length;
        expect(verdict.findings.filter(({ level }) => level === 'failure')).toHaveLength(3 - spared);
        expect(verdict.failed).toBe(spared < 3);
      }),
    );
  });
});

describe('a policy for models', () => {
  const scan = { uuid: 'u', model_uri: 'https://hub.example/m', eval_outcome: 'BLOCKED' };
  const violations = [
    { rule_name: 'No code', rule_instance_state: 'BLOCKING', file: 'a.pkl' },
    { rule_name: 'Licence', rule_instance_state: 'ALLOWING', file: null },
  ];

  test.each([
    { policy: 'model: {}', failed: true, first: 'No code' },
    { policy: 'model: {fail_on: any}', failed: true, first: 'No code' },
    { policy: 'model: {fail_on: none}', failed: false, first: 'No code' },
    { policy: 'model: {rules: {No code: warn}}', failed: false, first: 'No code' },
    { policy: 'model: {fail_on: none, rules: {Licence: fail}}', failed: true, first: 'Licence' },
    { policy: 'bulk: {}', failed: true, first: 'No code' },
  ])('decides by $policy', async ({ policy, failed, first }) => {
    const verdict = await modelVerdict(scan, violations, await policyOf(policy));
    expect({ failed: verdict.failed, first: verdict.findings[0]?.title }).toEqual({ failed, first });
  });

  test('does not pass a blocked scan whose violations do not explain it', async () => {
    const verdict = await modelVerdict(scan, [violations[1]], await policyOf('model: {fail_on: none}'));
    expect(verdict).toMatchObject({ failed: true, summary: expect.stringContaining('no violation says why') });
  });
});

describe('a policy for bulk scans', () => {
  const row = (number: number, detector?: string) =>
    `${JSON.stringify({
      ...{
        row: number,
        scan_id: `s${number}`,
        prompt: `Prompt ${number}`,
        action: detector === undefined ? 'allow' : 'block',
      },
      prompt_detected: detector === undefined ? {} : { [detector]: true },
    })}\n`;
  const TEXT = row(1) + row(2, 'injection') + row(3, 'dlp') + row(4, 'dlp');

  test.each([
    { policy: undefined, broken: ['3 of 4 prompts blocked'] },
    { policy: 'bulk: {max_blocked: 2}', broken: ['3 of 4 prompts blocked, more than 2'] },
    { policy: 'bulk: {max_blocked: 3}', broken: [] },
    { policy: 'bulk: {max_blocked_percent: 74.9}', broken: ['75 % of 4 prompts blocked, more than 74.9 %'] },
    { policy: 'bulk: {max_blocked_percent: 75}', broken: [] },
    { policy: 'bulk: {detectors: {dlp: 1, injection: 1}}', broken: ['2 prompts blocked by dlp, more than 1'] },
    { policy: 'redteam: {max_asr_percent: 1}', broken: ['3 of 4 prompts blocked'] },
    { policy: 'bulk: {detectors: {dlp: 2}}', broken: ['1 of 4 prompts blocked, and not by dlp alone'] },
    {
      policy: 'bulk: {detectors: {injection: 0, agent: 0}}',
      broken: [
        '2 of 4 prompts blocked, and not by injection or agent alone',
        '1 prompt blocked by injection, more than 0',
      ],
    },
    { policy: 'bulk: {detectors: {dlp: 2}, max_blocked: 3}', broken: [] },
    { policy: 'bulk: {detectors: {dlp: 2}, max_blocked_percent: 75}', broken: [] },
  ])('decides by $policy', async ({ policy, broken }) => {
    const file = policy === undefined ? undefined : await policyOf(policy);
    const verdict = await gateBulk([{ reader: textReader(TEXT), name: 'run.jsonl' }], { policy: file, now: NOW });
    expect(verdict.limits.flatMap((limit) => limit.broken ?? [])).toEqual(broken);
    // The text has no end, so it is no finished run: it never passes.
    expect(verdict.unfinished === undefined).toBe(broken.length > 0);
  });

  test.each([
    { what: 'no detector that is named', prompt_detected: {} },
    { what: 'a further detector', prompt_detected: { dlp: true, injection: true } },
  ])('does not pass a prompt blocked by $what because dlp has a limit', async ({ prompt_detected }) => {
    const text = finished([{ row: 1, action: 'block', prompt: 'x', prompt_detected }]);
    const policy = await policyOf('bulk: {detectors: {dlp: 5}}');
    const verdict = await gateBulk([{ reader: textReader(text), name: 'run.jsonl' }], { policy, now: NOW });
    expect(verdict).toMatchObject({ failed: true, findings: [{ level: 'failure' }] });
  });

  test('accepts exactly one row of a batch whose prompts are not in the file', async () => {
    const text = finished([1, 2].map((row) => ({ row, action: 'block', scan_id: 'batch' })));
    const gate = async (policy?: PolicyFile) =>
      gateBulk([{ reader: textReader(text), name: 'run.jsonl' }], { policy, now: NOW });
    const [first] = (await gate()).findings;
    const verdict = await gate(await policyOf(accepted(first?.fingerprint ?? '', '2027-06-01')));
    expect(verdict.findings.map(({ level }) => level)).toEqual(['failure', 'note']);
    expect(verdict.failed).toBe(true);
  });

  test.each([
    { action: 'BLOCK', failed: true, unfinished: false },
    { action: ' Block', failed: true, unfinished: false },
    { action: 'ALLOW', failed: false, unfinished: false },
    { action: 'deny', failed: true, unfinished: false },
    { action: 'alert', failed: false, unfinished: true },
    { action: 'ALLOW ', failed: false, unfinished: true },
  ])('reads the action $action', async ({ action, failed, unfinished }) => {
    const text = finished([{ row: 1, ...ALLOWED, action, prompt: 'x' }]);
    const verdict = await gateBulk([{ reader: textReader(text), name: 'run.jsonl' }], { now: NOW });
    expect({ failed: verdict.failed, unfinished: verdict.unfinished !== undefined }).toEqual({ failed, unfinished });
  });

  test('does not fail on an accepted prompt', async () => {
    const [first] = (await gateBulk([{ reader: textReader(TEXT), name: 'run.jsonl' }], { now: NOW })).findings;
    const policy = await readPolicy(
      `version: 1\nbulk: {max_blocked: 2}\n${accepted(first?.fingerprint ?? '', '2027-06-01')}`,
      'p.yml',
    );
    expect((await gateBulk([{ reader: textReader(TEXT), name: 'run.jsonl' }], { policy, now: NOW })).failed).toBe(
      false,
    );
  });
});

describe('the file of the prompts', () => {
  const CSV = 'id,prompt\n1,"two\nlines"\n\n2,blocked\n';
  const rows = [
    { row: 1, ...ALLOWED, prompt: 'two\nlines' },
    { row: 2, action: 'block', prompt: 'blocked', prompt_detected: { dlp: true } },
  ];
  const digest = rowDigest();
  for (const row of rows) digest.add(JSON.stringify(row));
  const facts = { profile: 'prod', simulated: false, repeated_scans: 0 };
  const jsonl = [...rows, bulkEnd(rows.length, digest, facts)].map((row) => `${JSON.stringify(row)}\n`).join('');
  const decided = (csv: string) => {
    const input = { reader: textReader(csv), name: 'data/prompts.csv', column: 'prompt' };
    return gateBulk([{ reader: textReader(jsonl), name: 'run.jsonl', input }], { now: NOW });
  };

  test('locates findings in its lines, which are not its rows', async () => {
    expect((await decided(CSV)).findings.map(({ place }) => place)).toEqual([{ uri: 'data/prompts.csv', line: 5 }]);
  });

  test('is refused if it has another number of prompts', async () => {
    const error = await failing(decided('prompt\nonly one\n'));
    expect(error).toMatchObject({
      ...{ code: 'usage', message: 'data/prompts.csv has 1 prompt, and the scan had 2.' },
      hint: 'Name the file that was scanned with --csv.',
    });
  });
});

describe('the files of a verdict', () => {
  const HOSTILE = 'a\r\n::error::b, c: 100% \u001b[31m <script> | ![](http://evil.example) `x`';
  const hostile = async () =>
    redTeamVerdict(
      { ...job, name: HOSTILE },
      [{ ...attack('x', 'HIGH'), sub_category_display_name: HOSTILE, prompt: HOSTILE }],
      { failOn: 'high', maxAsr: 1 },
    );

  test('report a limit of the whole scan as a separate result', async () => {
    const log = JSON.parse(sarif(await redTeamVerdict(job, ATTACKS, { maxAsr: 1 }), '1'));
    const results = log.runs[0].results as { ruleId: string; level: string }[];
    expect(results.map(({ ruleId, level }) => `${ruleId} ${level}`)).toEqual([
      'aisec/gate/limit error',
      'aisec/redteam/jailbreak warning',
      'aisec/redteam/malware-generation warning',
      'aisec/redteam/jailbreak note',
    ]);
    expect(log.runs[0].tool.driver.rules).toContainEqual(
      expect.objectContaining({
        id: 'aisec/redteam/malware-generation',
        helpUri: expect.stringMatching(/^https:/),
        fullDescription: { text: expect.any(String) },
        properties: { 'security-severity': '8.0', tags: ['security', 'ai'] },
      }),
    );
  });

  test('have the same fingerprints in every run', async () => {
    const once = async () => sarif(await redTeamVerdict(job, ATTACKS, { failOn: 'low', maxAsr: 1 }), '1');
    expect(await once()).toBe(await once());
    const prints = [...(await once()).matchAll(/"aisecFinding\/v1": "([0-9a-f]{16})"/g)].map(([, print]) => print);
    expect(new Set(prints).size).toBe(4);
  });

  test('contain no prompt', async () => {
    const verdict = await redTeamVerdict(job, ATTACKS, { failOn: 'low' });
    const all =
      sarif(verdict, '1') + junit(verdict) + codeQuality(verdict) + summaryPage(verdict, false) + annotations(verdict);
    expect(all).not.toContain('Prompt a');
  });

  test('escape hostile names', async () => {
    const verdict = await hostile();
    const lines = annotations(verdict).split('\n');
    for (const line of lines) expect(line).toMatch(/^::(?:error|notice) [ -~]*::[ -~]*$/);
    expect(lines).toHaveLength(2);
    const page = summaryPage(verdict, true);
    expect(page).not.toMatch(/<script>|!\[\]\(http/);
    expect(page).toContain('SIMULATED');
    const [entry] = JSON.parse(codeQuality(verdict)) as { description: string }[];
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(entry?.description).not.toMatch(/\u001b/);
  });

  test('show at most ten annotations, like the runner', async () => {
    const many = Array.from({ length: 30 }, (_, at) => attack(String(at), 'HIGH'));
    expect(annotations(await redTeamVerdict(job, many, { failOn: 'high' })).split('\n')).toHaveLength(10);
  });
});
