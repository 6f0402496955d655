/** Accepted findings in SARIF: left out for services that ignore suppressions, and never the severity of a rule. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from '../../../lib/features/gate/decide.ts';
import { type SarifOptions, sarif } from '../../../lib/features/gate/sarif.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { run } from '../report/support.ts';
import { FINDING, VERDICT } from './made-up.ts';
import { sarifSchema } from './sarif-schema.ts';
import { MODEL_SCANS } from './support.ts';

const ACCEPTED = { owner: 'Eve', reason: 'Known.', finding: '2', expires: '2027-02-01' };
const accepted = { ...FINDING, level: 'note', accepted: ACCEPTED } as const;
const low = { ...FINDING, fingerprint: 'low', severity: 'low' } as const;

function runOf(findings: Verdict['findings'], options?: SarifOptions) {
  const log = JSON.parse(sarif({ ...VERDICT, limits: [], findings }, '1', options));
  expect(sarifSchema(log)).toBe(true);
  const [{ results, tool }] = log.runs;
  const rules: { defaultConfiguration: { level: string }; properties: Record<string, string> }[] = tool.driver.rules;
  return {
    results: results.length,
    rules: rules.map((rule) => [rule.defaultConfiguration.level, rule.properties['security-severity']]),
  };
}

describe('the rule of findings', () => {
  scenario.each([
    { what: 'an accepted critical one', findings: [accepted], results: 1, rules: [['note', undefined]] },
    { what: 'an accepted critical and a low one', findings: [accepted, low], results: 2, rules: [['note', '3.0']] },
    { what: 'a low and an accepted critical one', findings: [low, accepted], results: 2, rules: [['note', '3.0']] },
    { what: 'an open critical and a low one', findings: [low, FINDING], results: 2, rules: [['warning', '9.5']] },
    {
      what: 'an accepted one and one of another rule',
      findings: [accepted, { ...low, rule: 'aisec/model/b' }],
      results: 2,
      rules: [
        ['note', undefined],
        ['note', '3.0'],
      ],
    },
  ])('code-scanning', 'takes no severity from an acceptance: $what', ({ findings, results, rules }) => {
    expect(runOf(findings)).toEqual({ results, rules });
  });

  scenario.each([
    { what: 'only an accepted one', findings: [accepted], results: 0, rules: [] },
    { what: 'an accepted one and a low one', findings: [accepted, low], results: 1, rules: [['note', '3.0']] },
    { what: 'an open one', findings: [FINDING], results: 1, rules: [['warning', '9.5']] },
  ])('code-scanning', 'is left out with its accepted findings: $what', ({ findings, results, rules }) => {
    expect(runOf(findings, { omitAccepted: true })).toEqual({ results, rules });
  });
});

scenario(
  'code-scanning',
  'aisec gate --omit-accepted writes only what is not accepted, and keeps its verdict',
  async () => {
    const folder = temporaryFolder('gate');
    const file = (name: string) => join(folder, name);
    const gate = async (...more: readonly string[]) => {
      const ended = await run([
        'gate',
        'model',
        MODEL_SCANS.blocked,
        '--sarif',
        file('a.sarif'),
        '--output',
        'json',
        ...more,
      ]);
      const [{ results }] = JSON.parse(readFileSync(file('a.sarif'), 'utf8')).runs;
      const prints = (results as { partialFingerprints: Record<string, string> }[]).map(
        (each) => Object.values(each.partialFingerprints)[0],
      );
      return { code: ended.code, prints, verdict: JSON.parse(ended.stdout) };
    };
    const [first = '', ...others] = (await gate()).prints;
    const entry = `{finding: ${first}, owner: o, reason: r, expires: 2999-01-01}`;
    writeFileSync(file('p.yml'), `version: 1\naccepted: [${entry}]\n`);
    const policy = ['--policy', file('p.yml')];
    const kept = await gate(...policy);
    const omitted = await gate(...policy, '--omit-accepted');
    expect(kept.prints.toSorted()).toEqual([first, ...others].toSorted());
    expect(omitted.prints.toSorted()).toEqual(others.toSorted());
    expect({ code: omitted.code, verdict: omitted.verdict }).toEqual({ code: kept.code, verdict: kept.verdict });
  },
);
