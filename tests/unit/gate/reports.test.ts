/** The files that a gate writes, for every kind of verdict, and for texts that attack their readers. */

import type { DecidedFinding, Verdict } from '../../../lib/features/gate/decide.ts';
import { codeQuality, junit, summaryPage, workflowCommands } from '../../../lib/features/gate/reports.ts';
import { MAX_RESULTS, type SarifOptions, sarif } from '../../../lib/features/gate/sarif.ts';
import { remediationOf } from '../../../lib/features/scans/violations.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { elementsOf, within } from '../report/support.ts';
import {
  bulkVerdict,
  FINDING,
  finished,
  modelVerdict,
  PASSED,
  redTeamVerdict,
  sarifRun,
  UNDECIDED,
  VERDICT,
} from './support.ts';

const withFinding = (more: Partial<DecidedFinding>): Verdict => ({ ...VERDICT, findings: [{ ...FINDING, ...more }] });
const many = (count: number): Verdict => ({
  ...VERDICT,
  findings: Array.from({ length: count }, (_, at) => ({ ...FINDING, title: `Finding ${at}` })),
});
const ACCEPTED = { owner: 'Eve', reason: 'Known.', finding: '2', expires: '2027-02-01' };

describe('annotations', () => {
  const MESSAGE = 'It runs <code>: 100 %25, "os.system" & more';
  test.each([
    {
      verdict: VERDICT,
      lines: [
        '::error title=aisec gate model 5f0c::model 5f0c failed: 1 violation%0Aof 5.',
        `::error file=weights/./model%2Cv1.pkl,line=7,title=Load time code::${MESSAGE}`,
      ],
    },
    { verdict: PASSED, lines: ['::notice title=aisec gate bulk 2 files::4 prompts: 0 blocked.'] },
    { verdict: UNDECIDED, lines: ['::error title=aisec gate model 5f0c::The list is cut%0D%0Aat 5,000.'] },
    {
      verdict: { ...PASSED, findings: [{ ...FINDING, place: { uri: 'C:/a' } }] },
      lines: [
        '::notice title=aisec gate bulk 2 files::4 prompts: 0 blocked.',
        `::error file=C%3A/a,title=Load time code::${MESSAGE}`,
      ],
    },
  ])('of $verdict.summary are a line for the verdict and one for each failure', ({ verdict, lines }) => {
    expect(workflowCommands(verdict).split('\n')).toEqual(lines);
  });

  test('are at most ten, the number that a runner shows', () => {
    expect(workflowCommands(many(20)).split('\n')).toHaveLength(10);
  });
});

describe('a code-quality report', () => {
  test('has the present findings that are not accepted, and a blocker for each failure', () => {
    const entry = (severity: string, fingerprint: string, description: string) => ({
      ...{ description, check_name: FINDING.rule, fingerprint, severity },
      location: { path: 'weights/./model,v1.pkl', lines: { begin: 7 } },
    });
    const odd = { check_name: 'aisec/model/odd-name', location: { path: '/a b/c', lines: { begin: 1 } } };
    expect(codeQuality(VERDICT)).toMatch(/^\[\n {2}\{\n {4}"description": [\s\S]*\n\]\n$/);
    expect(JSON.parse(codeQuality(VERDICT))).toEqual([
      entry('blocker', '0123456789abcdef', FINDING.message),
      { ...entry('info', '1', 'Low.'), ...odd },
      entry('minor', '3', 'Same.'),
    ]);
    expect(codeQuality(PASSED)).toBe('[]\n');
  });

  test("shows the severities of warnings in its reader's terms", () => {
    const shown = (['critical', 'high', 'medium', 'low'] as const).map(
      (severity) => JSON.parse(codeQuality(withFinding({ level: 'warning', severity })))[0].severity,
    );
    expect(shown).toEqual(['critical', 'major', 'minor', 'info']);
  });
});

describe('a JUnit file', () => {
  test('has a case for the gate and for each finding, with accepted and known findings skipped', () => {
    const message = 'It runs &lt;code&gt;: 100 %, &quot;os.system&quot; &amp; more';
    const open = '<testcase classname="aisec.model.load-time-code" name="weights/./model,v1.pkl:7';
    const counts = 'tests="6" failures="2" errors="0" skipped="2"';
    expect(junit(VERDICT)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
  <testsuite name="aisec gate model 5f0c" ${counts}>
    <testcase classname="aisec.gate" name="model 5f0c"><failure message="model 5f0c failed: 1 violation of 5." type="gate">model 5f0c failed: 1 violation
of 5.</failure></testcase>
    ${open} 0123456789abcdef"><failure message="${message}" type="critical">${message} (--fail-on high)</failure></testcase>
    <testcase classname="aisec.model.odd-name" name="/a b/c 1"><system-out>Low.</system-out></testcase>
    <testcase classname="aisec.model.load-time-code" name=".. 2"><skipped message="Accepted by Eve: Known."></skipped></testcase>
    ${open} 3"><skipped message="Same."></skipped></testcase>
    ${open} 4"><system-out>Gone.</system-out></testcase>
  </testsuite>
</testsuites>
`);
  });

  test('has one case that passes, or an error without a verdict', () => {
    expect(junit(PASSED)).toContain('<testsuites tests="1" failures="0" errors="0" skipped="0">');
    expect(junit(PASSED)).toContain('    <testcase classname="aisec.gate" name="bulk 2 files"/>\n  </testsuite>');
    expect(junit(UNDECIDED)).toContain('<testsuites tests="2" failures="0" errors="1" skipped="0">');
    const message = 'message="The list is cut&#13; at 5,000."';
    expect(junit(UNDECIDED)).toContain(`<error ${message} type="unfinished">The list is cut&#13;\nat 5,000.</error>`);
  });

  test('shortens a long message only in an attribute', () => {
    const written = junit(withFinding({ message: '-'.repeat(201) }));
    expect(written).toContain(`"${'-'.repeat(200)}" type`);
    expect(written).toContain(`>${'-'.repeat(201)} (--fail-on high)<`);
  });

  test('does not skip a failure, even if it is accepted or known', () => {
    const written = junit(withFinding({ accepted: ACCEPTED, baselineState: 'unchanged' }));
    expect(written).toContain('failures="2" errors="0" skipped="0"');
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
  const NOTES = 'model 5f0c failed: 1 violation\nof 5.\n\nThe policy accepts 3, which is not there.';

  test('has the limits and the important findings', () => {
    expect(summaryPage(VERDICT, false).trimEnd()).toBe(`### aisec gate model 5f0c: failed\n\n${LIMITS}
**Findings**

| Level | Severity | Finding | Location | Fingerprint |
|---|---|---|---|---|
| failure | critical | Load time code | weights/./model,v1.pkl:7 | 0123456789abcdef |
| warning | medium | Load time code | weights/./model,v1.pkl:7 | 3 |

${NOTES}`);
    const undecided = `### aisec gate model 5f0c: has no verdict\n\n${LIMITS}\n${NOTES}`;
    expect(summaryPage(UNDECIDED, false).trimEnd()).toBe(undecided);
    expect(summaryPage(PASSED, true)).toMatch(
      /^### aisec gate bulk 2 files: passed\n\n\*\*SIMULATED\*\*.*\n\n4 prompts/,
    );
  });

  test.each([
    { count: 50, more: false },
    { count: 51, more: true },
  ])('shows 50 of $count findings', ({ count, more }) => {
    const page = summaryPage(many(count), false);
    expect(page.match(/Finding \d+/g)).toHaveLength(50);
    expect(page.includes('1 more findings are not shown.')).toBe(more);
  });
});

describe('a SARIF file', () => {
  const runOf = (verdict: Verdict, options?: SarifOptions) => sarifRun(sarif(verdict, '1.2.3', options));
  const place = (uri: string, startLine: number) => [
    { physicalLocation: { artifactLocation: { uri }, region: { startLine } } },
  ];
  const result = (rule: string, ruleIndex: number, level: string, text: string) => ({
    ...{ ruleId: `aisec/${rule}`, ruleIndex, level, message: { text } },
  });
  const print = (fingerprint: string) => ({ partialFingerprints: { 'aisecFinding/v1': fingerprint } });

  test('has a result for each present finding and each broken limit of the whole scan', () => {
    const model = place('weights/model%2Cv1.pkl', 7);
    const justification = 'Known.';
    const { results, tool, invocations } = runOf(VERDICT);
    expect(results).toEqual([
      {
        ...result('gate/limit', 0, 'error', 'model 5f0c: the ASR is 40 % (aisec-policy.yml:5, redteam.max_asr).'),
        ...{ locations: place('model/5f0c', 1), ...print('93b50d99b036290a') },
      },
      {
        ...result('model/load-time-code', 1, 'error', FINDING.message),
        ...{ locations: model, ...print(FINDING.fingerprint) },
      },
      {
        ...result('model/odd-name', 2, 'note', 'Low.'),
        ...{ locations: place('a%20b/c', 1), ...print('1'), baselineState: 'new' },
      },
      {
        ...{ ...result('model/load-time-code', 1, 'note', 'High.'), locations: place('unknown', 1), ...print('2') },
        suppressions: [{ kind: 'external', status: 'accepted', justification }],
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
    const where = { source: 'aisec-policy.yml:15, redteam.max_asr', place: { uri: 'aisec-policy.yml', line: 15 } };
    const { results } = runOf({ ...VERDICT, subject: 'model other', limits: [{ ...VERDICT.limits[1], ...where }] });
    expect(results[0]).toMatchObject({ locations: place('aisec-policy.yml', 15), ...print('93b50d99b036290a') });
  });

  test('describes each rule once, with the severity of its worst finding', () => {
    const shared = { helpUri: 'https://genai.owasp.org/llm-top-10/' };
    const rule = (id: string, name: string, title: string, text: string, [level, score]: readonly string[]) => ({
      ...{ ...shared, id, name, shortDescription: { text: title }, fullDescription: { text } },
      defaultConfiguration: { level },
      properties: { 'security-severity': score, tags: ['security', 'ai'] },
    });
    const { title, ruleText } = FINDING;
    const limit = ['Limit of a gate', 'The result is above a limit of the gate.'] as const;
    expect(runOf({ ...VERDICT, findings: VERDICT.findings.toReversed() }).tool.driver.rules).toMatchObject([
      rule('aisec/gate/limit', 'AisecGateLimit', ...limit, ['warning', '8.0']),
      rule('aisec/model/load-time-code', 'AisecModelLoadTimeCode', title, ruleText, ['warning', '9.5']),
      rule('aisec/model/odd-name', 'AisecModelOddName', 'odd (name)2', 'Odd.', ['note', '3.0']),
    ]);
  });

  const accepted = { ...FINDING, level: 'note', accepted: ACCEPTED } as const;
  const low = { ...FINDING, fingerprint: 'low', severity: 'low' } as const;
  scenario.each<{
    findings: Verdict['findings'];
    omit?: boolean;
    results: number;
    rules: readonly (string | undefined)[];
  }>([
    { findings: [accepted], results: 1, rules: ['note', undefined] },
    { findings: [accepted, low], results: 2, rules: ['note', '3.0'] },
    { findings: [low, accepted], results: 2, rules: ['note', '3.0'] },
    { findings: [low, FINDING], results: 2, rules: ['warning', '9.5'] },
    { findings: [accepted, { ...low, rule: 'aisec/model/b' }], results: 2, rules: ['note', undefined, 'note', '3.0'] },
    { findings: [accepted], omit: true, results: 0, rules: [] },
    { findings: [accepted, low], omit: true, results: 1, rules: ['note', '3.0'] },
  ])('code-scanning', 'takes no severity from an acceptance: %#', ({ findings, omit = false, results, rules }) => {
    const run = runOf({ ...VERDICT, limits: [], findings }, { omitAccepted: omit });
    const shown = (run.tool.driver.rules as { defaultConfiguration: { level: string }; properties: object }[]).flatMap(
      ({ defaultConfiguration, properties }) => [
        defaultConfiguration.level,
        (properties as Record<string, string>)['security-severity'],
      ],
    );
    expect([run.results.length, shown]).toEqual([results, rules]);
  });

  test('says why there is no verdict', () => {
    const why = { level: 'error', message: { text: 'The list is cut\r\nat 5,000.' } };
    expect(runOf(UNDECIDED).invocations).toEqual([{ executionSuccessful: false, toolExecutionNotifications: [why] }]);
    expect(runOf(PASSED).invocations).toEqual([{ executionSuccessful: true, toolExecutionNotifications: [] }]);
  });

  scenario('xml-sarif', 'has at most 5,000 results, and says so', () => {
    const { results, invocations } = JSON.parse(sarif({ ...PASSED, findings: many(MAX_RESULTS + 1).findings }, '1'))
      .runs[0];
    const text = '5000 of 5001 results are in this file.';
    const invocation = {
      executionSuccessful: true,
      toolExecutionNotifications: [{ level: 'warning', message: { text } }],
    };
    expect([results.length, invocations]).toEqual([MAX_RESULTS, [invocation]]);
  });

  const URL = 'https://docs.example.com/model-rules/load';
  const STEPS = ['Do not load the file.', 'Ask for safetensors.'];
  /** The SARIF of a blocked model with a violation for each remediation. */
  const blockedBy = async (remediations: readonly unknown[], description = 'Runs code.') => {
    const violations = remediations.map((remediation, at) => ({
      ...{ rule_name: 'No code', rule_description: 'Loading must not run code.', rule_instance_state: 'BLOCKING' },
      ...{ file: `${at}.pkl`, description, remediation },
    }));
    const { results, tool } = runOf(await modelVerdict({ model_uri: 'm', eval_outcome: 'BLOCKED' }, violations));
    return { results, rules: tool.driver.rules, rule: tool.driver.rules[0] };
  };

  test('explains a rule of a model and what to do, with the steps and address of the service', async () => {
    const { rules, rule, results } = await blockedBy([
      { steps: STEPS, url: URL },
      { steps: STEPS, url: URL },
    ]);
    expect([rules.length, rule.id, rule.helpUri]).toEqual([1, 'aisec/model/no-code', URL]);
    for (const help of [rule.help.text, rule.help.markdown])
      for (const part of ['Loading must not run code.', STEPS.join(' '), URL, 'accepted']) expect(help).toContain(part);
    expect(rule.help.markdown).toContain('**What to do.**');
    const properties = { remediation: { url: URL, steps: STEPS } };
    expect(results[0]).toMatchObject({ message: { text: `Runs code. What to do: ${URL}` }, properties });
  });

  test.each([
    { what: 'two addresses', all: [{ url: URL }, { url: `${URL}/2` }], own: [URL, `${URL}/2`] },
    { what: 'an address for only one of two findings', all: [{ url: URL }, null], own: [URL, undefined] },
    { what: 'no address', all: [{ steps: STEPS, url: null }], own: [undefined] },
  ])('links a rule with $what to the general page, and each finding to its own page', async ({ all, own }) => {
    const { rule, results } = await blockedBy(all);
    expect(rule.helpUri).toMatch(/^https:\/\/genai\.owasp\.org\//);
    const found = results as { properties?: { remediation?: { url?: string } } }[];
    expect(found.map(({ properties }) => properties?.remediation?.url)).toEqual(own);
  });

  test('keeps the address of a long message, in 1,000 characters', async () => {
    const text: string = (await blockedBy([{ url: URL }], 'x'.repeat(5000))).results[0].message.text;
    expect([text.length, text.endsWith(`x What to do: ${URL}`)]).toEqual([1000, true]);
  });

  const JOB = { name: 'nightly', status: 'COMPLETED', asr: 40 };
  const ATTACK = { severity: 'HIGH', prompt: 'p' };
  const BLOCKED = finished([{ row: 1, action: 'block', prompt: 'secret words', prompt_detected: { injection: true } }]);
  test.each([
    {
      gate: 'redteam',
      verdict: () => redTeamVerdict(JOB, [ATTACK], { failOn: 'high' }),
      help: /aisec report JOB_ID --html/,
    },
    { gate: 'gate', verdict: () => redTeamVerdict(JOB, [ATTACK], { maxAsr: 1 }), help: /limit/ },
    { gate: 'bulk', verdict: () => bulkVerdict(BLOCKED), help: /Read the prompt in the row that the finding names\./ },
  ])("explains a rule of the family $gate without the service's text", async ({ gate, verdict, help }) => {
    const rules = runOf(await verdict()).tool.driver.rules as {
      id: string;
      help: { text: string; markdown: string };
    }[];
    const rule = rules.find(({ id }) => id.startsWith(`aisec/${gate}/`));
    expect(rule?.help.text).toMatch(help);
    expect(rule?.help.markdown).toContain('**What it means.**');
  });
});

describe('a remediation', () => {
  scenario.each(
    [
      'http://docs.example.com/',
      'javascript:alert(1)',
      'JAVASCRIPT://docs.example.com/%0aalert(1)',
      '//docs.example.com/',
      'https:docs.example.com',
      'https://',
      'https://user@docs.example.com/',
      'https://:password@docs.example.com/',
      `https://docs.example.com/${'"'.repeat(975)}`,
      'https://docs.example.com/ [click](https://evil.example)',
      'https://docs.example.com/\n\n# Heading',
      'https://docs.example.com/\u202ecod',
      `https://docs.example.com/${'a'.repeat(3000)}`,
      7,
    ].map((url) => ({ url })),
  )('xml-sarif', 'has no address that is not plain https: $url', ({ url }) => {
    expect(remediationOf({ steps: [], url })).toBeUndefined();
  });

  const TEN = Array.from('0123456789', (digit) => `Step ${digit}.`);
  const LONGEST = 'https://docs.example.com/'.padEnd(1000, 'a');
  test.each<[sent: object, read: object | undefined]>([
    [{ steps: [' a\n  b ', 'a b', ' ', 7, ''] }, { steps: ['a b'] }],
    [{ steps: ['x'.repeat(1025), '\u202ereversed'] }, { steps: ['x'.repeat(1024), '<U+202E>reversed'] }],
    [{ steps: [...TEN, 'Step 10.'] }, { steps: TEN }],
    [{ url: LONGEST }, { steps: [], url: LONGEST }],
    [{ url: 'https://docs.example.com/a>b' }, { steps: [], url: 'https://docs.example.com/a%3Eb' }],
    [{ steps: [''] }, undefined],
  ])('is short, and has each step once: %#', (sent, read) => {
    expect(remediationOf(sent)).toEqual(read);
  });
});

describe('hostile text', () => {
  const HOSTILE =
    'a\u0000\u0001\u001b[2J ]]> <x a="1">&\ud800 \udc00 \ufffe\r\n::error::b, 100%\n\n# H [click](https://evil.example) ![x](https://evil.example/p) `code`';
  const remediation = remediationOf({ steps: [HOSTILE] });
  const hostileRemediation = remediation === undefined ? {} : { remediation };
  const verdict: Verdict = {
    ...VERDICT,
    ...{ subject: HOSTILE, summary: HOSTILE },
    findings: [
      {
        ...FINDING,
        ...{ message: HOSTILE, title: HOSTILE, ruleText: HOSTILE, excerpt: 'secret words' },
        ...{ place: { uri: `../${HOSTILE}/b c.pkl`, line: 3 }, ...hostileRemediation },
      },
    ],
  };

  scenario('xml-sarif', 'keeps SARIF valid, and becomes neither link nor markup in it', () => {
    const text = sarif(verdict, '1');
    const { results, tool } = sarifRun(text);
    expect(text).not.toMatch(/\\u0000|\\u001b|\\ud800|\\udc00/i);
    expect(results[1].locations[0].physicalLocation.artifactLocation.uri).not.toMatch(/^\.\.|[ "<]/);
    const { help, shortDescription, fullDescription } = tool.driver.rules[1];
    expect(help.markdown).not.toMatch(/(?<!\\)\]\(|(?<!\\)!\[|<x|^#|(?<!\\)`/m);
    const texts = [help.text, shortDescription.text, fullDescription.text, results[1].message.text];
    for (const each of texts) expect(each).toMatch(/click\] \(https/);
    expect(texts.join()).not.toContain('](');
  });

  scenario('xml-sarif', 'keeps JUnit well-formed', () => {
    const cases = within(elementsOf(junit(verdict))[0], 'testcase');
    expect(cases).toHaveLength(2);
    expect(cases[1]?.text).toContain(']]> <x a="1">&');
  });

  test('starts no workflow command and no markup in the other files, which contain no prompt', () => {
    const lines = workflowCommands(verdict).split('\n');
    for (const line of lines) expect(line).toMatch(/^::(?:error|notice) [ -~\ufffd\ufffe<>]*::[ -~\ufffd\ufffe<>]*$/);
    expect(lines).toHaveLength(2);
    const page = summaryPage(verdict, true);
    expect(page).not.toMatch(/<x a|!\[x\]\(http/);
    expect(codeQuality(verdict)).not.toMatch(/\\u001b/);
    expect(page + lines.join() + sarif(verdict, '1') + junit(verdict) + codeQuality(verdict)).not.toContain('secret');
  });
});
