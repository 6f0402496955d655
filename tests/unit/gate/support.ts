/** Gates on results that a test makes up. */

import { bulkEnd, rowDigest } from '../../../lib/bulk/end.ts';
import type { RunCommand } from '../../../lib/engine/run-command.ts';
import type { Verdict } from '../../../lib/features/gate/decide.ts';
import { gateModel, gateRedTeam } from '../../../lib/features/gate/gates.ts';
import type { PolicyFile } from '../../../lib/features/gate/policy/policy.ts';
import { readPolicy } from '../../../lib/features/gate/policy/read-policy.ts';
import type { RedTeamOptions } from '../../../lib/features/gate/red-team-limits.ts';

export const NOW = Date.parse('2027-01-15T12:00:00Z');

/** Model scans of the simulated tenant, by their outcome. */
export const MODEL_SCANS = {
  blocked: '5e9a3c07-d1b4-4f68-82c5-b7064e2f9d1a',
  allowed: 'ac61d8f3-057e-4b2c-9048-3fe7b5a91d60',
  failed: 'e8165f2b-c7d0-493e-8ba1-42c9f60d7e35',
} as const;

type Row = Readonly<Record<string, unknown>>;

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

/** A model scan that looked at a file by all of its rules. */
const EXAMINED = { rules_passed: 1, rules_failed: 0, total_rules: 1, total_files_scanned: 1 };

/** Decides on a model scan with these violations. */
export function modelVerdict(scan: Row, violations: unknown, policy?: PolicyFile): Promise<Verdict> {
  const ask = answers({
    'aisec-model-security-scans-get': () => ({ uuid: 'u', ...EXAMINED, ...scan }),
    'aisec-model-security-scans-violations': () => ({ violations }),
    'aisec-model-security-rules-list': () => [{ name: 'One' }],
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

/** Reads a policy; its first line is the version. */
export function policyOf(text: string): Promise<PolicyFile> {
  return readPolicy(`version: 1\n${text}`, 'aisec-policy.yml');
}

/** Writes the JSONL of a finished bulk scan with these rows. */
export function finished(rows: readonly Row[]): string {
  const digest = rowDigest();
  for (const row of rows) digest.add(JSON.stringify(row));
  const end = bulkEnd(rows.length, digest, { profile: 'prod', simulated: false, repeated_scans: 0 });
  return [...rows, end].map((row) => `${JSON.stringify(row)}\n`).join('');
}
