/** Gates on results that a test makes up, and verdicts that have each kind of finding and limit once. */

import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import type { DecidedFinding, Verdict } from '../../../lib/features/gate/decide.ts';
import { gateBulk, gateModel, gateRedTeam } from '../../../lib/features/gate/gates.ts';
import type { PolicyFile } from '../../../lib/features/gate/policy/policy.ts';
import { readPolicy } from '../../../lib/features/gate/policy/read-policy.ts';
import type { RedTeamOptions } from '../../../lib/features/gate/red-team-limits.ts';
import { bulkEnd, rowDigest } from '../../../lib/runtime/bulk/end.ts';
import { textReader } from '../../../lib/runtime/bulk/lines.ts';
import type { RunCommand } from '../../../lib/runtime/engine/command-port.ts';

export const NOW = Date.parse('2027-01-15T12:00:00Z');

/** Model scans of the simulated tenant, by their outcome. */
export const MODEL_SCANS = {
  blocked: '5e9a3c07-d1b4-4f68-82c5-b7064e2f9d1a',
  allowed: 'ac61d8f3-057e-4b2c-9048-3fe7b5a91d60',
  failed: 'e8165f2b-c7d0-493e-8ba1-42c9f60d7e35',
} as const;

export type Row = Readonly<Record<string, unknown>>;

/** Answers commands with the outputs of this table. */
export function answers(
  outputs: Readonly<Record<string, (args: Readonly<Record<string, string>>) => unknown>>,
): RunCommand {
  return async (command, args) => {
    const raw = outputs[command]?.(args);
    if (raw === undefined) throw new Error(`${command} is not expected`);
    const record = Array.isArray(raw) ? {} : (raw as Row);
    return { record, records: Array.isArray(raw) ? (raw as Row[]) : [], raw, simulated: false };
  };
}

/** A model scan that checked a file against all of its rules. */
const EXAMINED = { rules_passed: 1, rules_failed: 0, total_rules: 1, total_files_scanned: 1 };

/** Decides on a model scan with these violations. */
export function modelVerdict(scan: Row, violations: unknown, policy?: PolicyFile, rules: unknown = [{ name: 'One' }]) {
  const ask = answers({
    'aisec-model-security-scans-get': () => ({ uuid: 'u', ...EXAMINED, ...scan }),
    'aisec-model-security-scans-violations': () => ({ violations }),
    'aisec-model-security-rules-list': () => rules,
  });
  return gateModel('u', { ask, policy, now: NOW });
}

/** Decides on a static red-team scan with these successful attacks. */
export function redTeamVerdict(
  job: Row,
  attacks: readonly unknown[],
  limits: RedTeamOptions,
  policy?: PolicyFile,
  jobId = 'j',
): Promise<Verdict> {
  const ask = answers({
    'aisec-redteam-scan-get': () => ({ uuid: jobId, job_type: 'STATIC', ...job }),
    'aisec-redteam-report-attacks-list': () => attacks.map((attack) => ({ threat: true, ...(attack as Row) })),
    'aisec-redteam-report-get': () => ({ job_id: jobId, ...(job['report'] as Row) }),
  });
  return gateRedTeam({ jobId, ...limits }, { ask, policy, now: NOW });
}

/** Decides on the JSONL of a bulk scan. */
export function bulkVerdict(text: string, policy?: PolicyFile): Promise<Verdict> {
  return gateBulk([{ reader: textReader(text), name: 'run.jsonl' }], { policy, now: NOW });
}

/** Parses a policy; its first line is the version. */
export function policyOf(text: string): Promise<PolicyFile> {
  return readPolicy(`version: 1\n${text}`, 'aisec-policy.yml');
}

/** A policy entry that accepts a finding. */
export const acceptance = (finding: string, expires = '2027-06-01') =>
  `accepted: [{finding: "${finding}", owner: dana@example.com, reason: Known., expires: ${expires}}]`;

/** Writes the JSONL of a finished bulk scan with these rows. @param more other members of its last line */
export function finished(rows: readonly Row[], more: Row = {}): string {
  const digest = rowDigest();
  for (const row of rows) digest.add(JSON.stringify(row));
  const end = bulkEnd(rows.length, digest, { profile: 'prod', simulated: false, repeated_scans: 0 });
  return [...rows, { ...end, ...more }].map((row) => `${JSON.stringify(row)}\n`).join('');
}

/** Breaks a limit. */
export const FINDING: DecidedFinding = {
  ...{ fingerprint: '0123456789abcdef', rule: 'aisec/model/load-time-code', title: 'Load time code' },
  ...{ ruleText: 'A model must not run code while it is loaded', severity: 'critical' },
  ...{ message: 'It runs <code>: 100 %, "os.system" & more', labels: ['Load time code', 'BLOCKING'] },
  ...{ place: { uri: 'weights/./model,v1.pkl', line: 7 }, level: 'failure', because: '--fail-on high' },
};
const LOW = { ...FINDING, fingerprint: '1', severity: 'low', level: 'note', place: { uri: '/a b/c' } } as const;
const HIGH = { ...FINDING, fingerprint: '2', severity: 'high', level: 'note', place: { uri: '..' } } as const;
const SAME = { ...FINDING, fingerprint: '3', severity: 'medium', level: 'warning', message: 'Same.' } as const;
const GONE = { ...FINDING, fingerprint: '4', severity: 'medium', level: 'note', message: 'Gone.' } as const;

/** Fails: one of five findings breaks a limit. */
export const VERDICT: Verdict = {
  ...{ subject: 'model 5f0c', failed: true, summary: 'model 5f0c failed: 1 violation\nof 5.' },
  findings: [
    FINDING,
    {
      ...LOW,
      rule: 'aisec/model/odd-name',
      title: 'odd (name)2',
      ruleText: 'Odd.',
      baselineState: 'new',
      message: 'Low.',
    },
    { ...HIGH, accepted: { owner: 'Eve', reason: 'Known.', finding: '2', expires: '2027-02-01' }, message: 'High.' },
    { ...SAME, baselineState: 'unchanged' },
    { ...GONE, baselineState: 'absent' },
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

/** Passes. */
export const PASSED: Verdict = {
  ...{ subject: 'bulk 2 files', failed: false, summary: '4 prompts: 0 blocked.', findings: [], limits: [] },
};

/** Has no verdict. */
export const UNDECIDED: Verdict = {
  ...{ ...VERDICT, failed: false, unfinished: 'The list is cut\r\nat 5,000.', findings: VERDICT.findings.slice(1, 2) },
};

const schemaFile = new URL(
  '../../../node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json',
  import.meta.url,
);
let sarifSchema: ValidateFunction | undefined;

/** Reads a SARIF log. @returns its only run @throws Error for a log that its schema refuses */
export function sarifRun(text: string) {
  if (sarifSchema === undefined) {
    // The schema is draft 4, which this ajv does not load; apart from the name of its id, it uses only what both
    // versions share.
    const { $schema: _draft, id: _id, ...schema } = JSON.parse(readFileSync(schemaFile, 'utf8'));
    sarifSchema = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(schema);
  }
  const run = JSON.parse(text).runs[0];
  if (!sarifSchema(JSON.parse(text))) throw new Error(JSON.stringify(sarifSchema.errors));
  return run;
}
