/** Verdicts that have each kind of finding and limit once. */
import type { DecidedFinding, Verdict } from '../../../lib/features/gate/decide.ts';

/** Breaks a limit. */
export const FINDING: DecidedFinding = {
  fingerprint: '0123456789abcdef',
  rule: 'aisec/model/load-time-code',
  title: 'Load time code',
  ruleText: 'A model must not run code while it is loaded',
  severity: 'critical',
  message: 'It runs <code>: 100 %, "os.system" & more',
  labels: ['Load time code', 'BLOCKING'],
  place: { uri: 'weights/./model,v1.pkl', line: 7 },
  level: 'failure',
  because: '--fail-on high',
};

/** Fails: of five findings, one breaks a limit. */
export const VERDICT: Verdict = {
  subject: 'model 5f0c',
  failed: true,
  summary: 'model 5f0c failed: 1 violation\nof 5.',
  findings: [
    FINDING,
    {
      ...FINDING,
      fingerprint: '1',
      severity: 'low',
      level: 'note',
      place: { uri: '/a b/c' },
      rule: 'aisec/model/odd-name',
      title: 'odd (name)2',
      ruleText: 'Odd.',
      baselineState: 'new',
      message: 'Low.',
    },
    {
      ...FINDING,
      fingerprint: '2',
      severity: 'high',
      level: 'note',
      place: { uri: '..' },
      accepted: { owner: 'Eve', reason: 'Known.', finding: '2', expires: '2027-02-01' },
      message: 'High.',
    },
    {
      ...FINDING,
      fingerprint: '3',
      severity: 'medium',
      level: 'warning',
      baselineState: 'unchanged',
      message: 'Same.',
    },
    { ...FINDING, fingerprint: '4', severity: 'medium', level: 'note', baselineState: 'absent', message: 'Gone.' },
  ],
  limits: [
    { source: '--fail-on high', broken: '1 finding is critical' },
    { source: 'aisec-policy.yml:5, redteam.max_asr', broken: 'the ASR is 40 %', isWhole: true },
    { source: 'aisec-policy.yml:9, redteam.limits', used: '1 of at most 20 attacks', isWhole: true },
    { source: '--max-asr 50' },
  ],
  notes: ['The policy accepts 3, which is not there.'],
  baseline: { job: 'b', newlySuccessful: 1, withoutOutcome: 0, open: 1, fixed: 1, lost: 0 },
};

/** Passes, with a note about nothing. */
export const PASSED: Verdict = {
  subject: 'bulk 2 files',
  failed: false,
  summary: '4 prompts: 0 blocked.',
  findings: [],
  limits: [],
};

/** Has no verdict. */
export const UNDECIDED: Verdict = {
  ...VERDICT,
  failed: false,
  unfinished: 'The list is cut\r\nat 5,000.',
  findings: VERDICT.findings.slice(1, 2),
};
