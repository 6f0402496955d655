/** The files that a gate writes: each whole, for a verdict of every kind. */

import type { Verdict } from '../../../lib/features/gate/decide.ts';
import { annotations, codeQuality, junit, summaryPage } from '../../../lib/features/gate/reports.ts';
import { MAX_RESULTS, sarif } from '../../../lib/features/gate/sarif.ts';
import { FINDING, PASSED, UNDECIDED, VERDICT } from './made-up.ts';

const many = (count: number): Verdict => ({
  ...VERDICT,
  findings: Array.from({ length: count }, (_, at) => ({ ...FINDING, title: `Finding ${at}` })),
});

describe('annotations', () => {
  test.each([
    {
      verdict: VERDICT,
      lines: [
        '::error title=aisec gate model 5f0c::model 5f0c failed: 1 violation%0Aof 5.',
        '::error file=weights/./model%2Cv1.pkl,line=7,title=Load time code::It runs <code>: 100 %25, "os.system" & more',
      ],
    },
    { verdict: PASSED, lines: ['::notice title=aisec gate bulk 2 files::4 prompts: 0 blocked.'] },
    { verdict: UNDECIDED, lines: ['::error title=aisec gate model 5f0c::The list is cut%0D%0Aat 5,000.'] },
    {
      verdict: { ...PASSED, findings: [{ ...FINDING, place: { uri: 'C:/a' } }] },
      lines: [
        '::notice title=aisec gate bulk 2 files::4 prompts: 0 blocked.',
        '::error file=C%3A/a,title=Load time code::It runs <code>: 100 %25, "os.system" & more',
      ],
    },
  ])('of $verdict.summary are a line for the verdict and one for each failure', ({ verdict, lines }) => {
    expect(annotations(verdict).split('\n')).toEqual(lines);
  });

  test('are at most ten, the number that a runner shows', () => {
    expect(annotations(many(20)).split('\n')).toHaveLength(10);
  });
});

describe('a code-quality report', () => {
  test('has the present findings that are not accepted, and a blocker for each failure', () => {
    const entry = (severity: string, fingerprint: string, description: string) => ({
      ...{ description, check_name: FINDING.rule, fingerprint, severity },
      location: { path: 'weights/./model,v1.pkl', lines: { begin: 7 } },
    });
    expect(codeQuality(VERDICT)).toMatch(/^\[\n {2}\{\n {4}"description": [\s\S]*\n\]\n$/);
    expect(JSON.parse(codeQuality(VERDICT))).toEqual([
      entry('blocker', '0123456789abcdef', FINDING.message),
      {
        ...entry('info', '1', 'Low.'),
        check_name: 'aisec/model/odd-name',
        location: { path: '/a b/c', lines: { begin: 1 } },
      },
      entry('minor', '3', 'Same.'),
    ]);
    expect(codeQuality(PASSED)).toBe('[]\n');
  });

  test.each([
    ['critical', 'critical'],
    ['high', 'major'],
    ['medium', 'minor'],
    ['low', 'info'],
  ] as const)('shows a warning of severity %s as %s', (severity, shown) => {
    const findings = [{ ...FINDING, level: 'warning' as const, severity }];
    expect(JSON.parse(codeQuality({ ...VERDICT, findings }))).toMatchObject([{ severity: shown }]);
  });
});

const OPEN = '    <testcase classname="aisec.model.load-time-code" name="weights/./model,v1.pkl:7';

describe('a JUnit file', () => {
  test('has a case for the gate and for each finding, with accepted and known findings skipped', () => {
    const message = 'It runs &lt;code&gt;: 100 %, &quot;os.system&quot; &amp; more';
    expect(junit(VERDICT).split('\n    <')).toEqual(
      [
        '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="6" failures="2" errors="0" skipped="2">\n  <testsuite name="aisec gate model 5f0c" tests="6" failures="2" errors="0" skipped="2">',
        '    <testcase classname="aisec.gate" name="model 5f0c"><failure message="model 5f0c failed: 1 violation of 5." type="gate">model 5f0c failed: 1 violation\nof 5.</failure></testcase>',
        `${OPEN} 0123456789abcdef"><failure message="${message}" type="critical">${message} (--fail-on high)</failure></testcase>`,
        '    <testcase classname="aisec.model.odd-name" name="/a b/c 1"><system-out>Low.</system-out></testcase>',
        '    <testcase classname="aisec.model.load-time-code" name=".. 2"><skipped message="Accepted by Eve: Known."></skipped></testcase>',
        `${OPEN} 3"><skipped message="Same."></skipped></testcase>`,
        `${OPEN} 4"><system-out>Gone.</system-out></testcase>\n  </testsuite>\n</testsuites>\n`,
      ].map((part) => part.replace(/^ {4}</, '')),
    );
  });

  test('has one case that passes, or an error without a verdict', () => {
    expect(junit(PASSED)).toContain('<testsuites tests="1" failures="0" errors="0" skipped="0">');
    expect(junit(PASSED)).toContain('    <testcase classname="aisec.gate" name="bulk 2 files"/>\n  </testsuite>');
    expect(junit(UNDECIDED)).toContain('<testsuites tests="2" failures="0" errors="1" skipped="0">');
    expect(junit(UNDECIDED)).toContain(
      '<error message="The list is cut&#13; at 5,000." type="unfinished">The list is cut&#13;\nat 5,000.</error>',
    );
  });

  test('shortens a long message only in an attribute', () => {
    const findings = [{ ...FINDING, message: '-'.repeat(201), because: undefined as never }];
    const written = junit({ ...VERDICT, findings });
    expect(written).toContain(`"${'-'.repeat(200)}" type`);
    expect(written).toContain(`>${'-'.repeat(201)} ()<`);
  });

  test('does not skip a failure, even if it is accepted or known', () => {
    const accepted = { owner: 'Eve', reason: 'Known.', finding: '2', expires: '2027-02-01' };
    const findings = [{ ...FINDING, accepted, baselineState: 'unchanged' as const }];
    expect(junit({ ...VERDICT, findings })).toContain('failures="2" errors="0" skipped="0"');
  });
});

describe('a summary page', () => {
  const LIMITS = `| Limit | Result |
|---|---|
| --fail-on high | 1 finding is critical |
| aisec-policy.yml:5, redteam.max_asr | the ASR is 40 % |
| aisec-policy.yml:9, redteam.limits | 1 of at most 20 attacks |
| --max-asr 50 | holds |
`;
  const NOTES = `model 5f0c failed: 1 violation
of 5.

The policy accepts 3, which is not there.
`;
  test.each([
    {
      state: 'failed',
      page: summaryPage(VERDICT, false),
      expected: `### aisec gate model 5f0c: failed\n\n${LIMITS}
**Findings**

| Level | Severity | Finding | Location | Fingerprint |
|---|---|---|---|---|
| failure | critical | Load time code | weights/./model,v1.pkl:7 | 0123456789abcdef |
| warning | medium | Load time code | weights/./model,v1.pkl:7 | 3 |

${NOTES}`,
    },
    {
      state: 'passed',
      page: summaryPage(PASSED, true),
      expected:
        '### aisec gate bulk 2 files: passed\n\n**SIMULATED** - answered by the simulated service, not by a tenant.\n\n4 prompts: 0 blocked.\n',
    },
    {
      state: 'has no verdict',
      page: summaryPage(UNDECIDED, false),
      expected: `### aisec gate model 5f0c: has no verdict\n\n${LIMITS}\n${NOTES}`,
    },
  ])('of a gate that $state says so, with its limits and important findings', ({ page, expected }) => {
    expect(`${page.trimEnd()}\n`).toBe(expected);
  });

  test.each([
    { count: 50, more: false },
    { count: 51, more: true },
  ])('shows 50 of $count findings', ({ count, more }) => {
    const page = summaryPage(many(count), false);
    expect(page.match(/Finding \d+/g)).toHaveLength(50);
    expect(page.includes('1 more findings are not shown.')).toBe(more);
  });

  test('names a file without a line', () => {
    const findings = [{ ...FINDING, place: { uri: 'model.pkl' } }];
    expect(summaryPage({ ...VERDICT, findings }, false)).toContain('| model.pkl | 0123456789abcdef |');
  });
});

interface Sarif {
  readonly runs: readonly [
    {
      readonly tool: {
        readonly driver: { readonly name: string; readonly version: string; readonly rules: readonly object[] };
      };
      readonly invocations: readonly object[];
      readonly results: readonly object[];
    },
  ];
}

const runOf = (verdict: Verdict) => (JSON.parse(sarif(verdict, '1.2.3')) as Sarif).runs[0];

describe('a SARIF file', () => {
  const place = (uri: string, startLine: number) => [
    { physicalLocation: { artifactLocation: { uri }, region: { startLine } } },
  ];
  const result = (rule: string, ruleIndex: number, level: string, text: string) => ({
    ...{ ruleId: `aisec/${rule}`, ruleIndex, level, message: { text } },
  });
  const print = (fingerprint: string) => ({ partialFingerprints: { 'aisecFinding/v1': fingerprint } });
  const model = place('weights/model%2Cv1.pkl', 7);

  test('has a result for each present finding and each broken limit of the whole scan', () => {
    const { results, tool, invocations } = runOf(VERDICT);
    expect(results).toEqual([
      {
        ...result('gate/limit', 0, 'error', 'model 5f0c: the ASR is 40 % (aisec-policy.yml:5, redteam.max_asr).'),
        ...{ locations: place('model/5f0c', 1), ...print('93b50d99b036290a') },
      },
      {
        ...result('model/load-time-code', 1, 'error', FINDING.message),
        locations: model,
        ...print(FINDING.fingerprint),
      },
      {
        ...result('model/odd-name', 2, 'note', 'Low.'),
        ...{ locations: place('a%20b/c', 1), ...print('1'), baselineState: 'new' },
      },
      {
        ...result('model/load-time-code', 1, 'note', 'High.'),
        ...{ locations: place('unknown', 1), ...print('2') },
        suppressions: [{ kind: 'external', status: 'accepted', justification: 'Known.' }],
      },
      {
        ...result('model/load-time-code', 1, 'warning', 'Same.'),
        ...{ locations: model, ...print('3'), baselineState: 'unchanged' },
      },
    ]);
    expect(tool.driver).toMatchObject({ name: 'aisec', version: '1.2.3' });
    const note = { level: 'note', message: { text: VERDICT.summary } };
    expect(invocations).toEqual([{ executionSuccessful: true, toolExecutionNotifications: [note] }]);
  });

  test('places a limit at its line of the policy, with a fingerprint that does not depend on the line', () => {
    const [, limit] = VERDICT.limits;
    const moved = {
      ...limit,
      source: 'aisec-policy.yml:15, redteam.max_asr',
      place: { uri: 'aisec-policy.yml', line: 15 },
    };
    const { results } = runOf({ ...VERDICT, subject: 'model other', limits: [moved] });
    expect(results[0]).toMatchObject({ locations: place('aisec-policy.yml', 15), ...print('93b50d99b036290a') });
  });

  test('describes each rule once, with the severity of its worst finding', () => {
    const { rules } = runOf({ ...VERDICT, findings: VERDICT.findings.toReversed() }).tool.driver;
    const shared = { properties: { tags: ['security', 'ai'] }, helpUri: 'https://genai.owasp.org/llm-top-10/' };
    const rule = (id: string, name: string, [title, text]: readonly string[], [level, score]: readonly string[]) => ({
      ...shared,
      ...{ id, name, shortDescription: { text: title }, fullDescription: { text } },
      ...{ defaultConfiguration: { level }, properties: { 'security-severity': score } },
    });
    expect(rules).toMatchObject([
      rule(
        'aisec/gate/limit',
        'AisecGateLimit',
        ['Limit of a gate', 'The result is above a limit of the gate.'],
        ['warning', '8.0'],
      ),
      rule(
        'aisec/model/load-time-code',
        'AisecModelLoadTimeCode',
        [FINDING.title, FINDING.ruleText],
        ['warning', '9.5'],
      ),
      rule('aisec/model/odd-name', 'AisecModelOddName', ['odd (name)2', 'Odd.'], ['note', '3.0']),
    ]);
  });

  test('says why there is no verdict, and then has no comparison', () => {
    const text = 'The list is cut\r\nat 5,000.';
    expect(runOf(UNDECIDED).invocations).toEqual([
      { executionSuccessful: false, toolExecutionNotifications: [{ level: 'error', message: { text } }] },
    ]);
    expect(runOf(PASSED).invocations).toEqual([{ executionSuccessful: true, toolExecutionNotifications: [] }]);
  });

  test.each([
    { count: MAX_RESULTS, notes: [] },
    {
      count: MAX_RESULTS + 1,
      notes: [{ level: 'warning', message: { text: '5000 of 5001 results are in this file.' } }],
    },
  ])('has at most 5,000 results of $count, and says so', ({ count, notes }) => {
    const { results, invocations } = runOf({ ...PASSED, findings: many(count).findings });
    expect([results.length, invocations]).toEqual([
      MAX_RESULTS,
      [{ executionSuccessful: true, toolExecutionNotifications: notes }],
    ]);
  });

  test('shortens a message to 1,000 characters', () => {
    const { results } = runOf({ ...PASSED, findings: [{ ...FINDING, message: 'x'.repeat(1001) }] });
    expect(results).toMatchObject([{ message: { text: 'x'.repeat(1000) } }]);
  });
});
