/** Waits for a red-team scan to end, and suggests the next step. */
import { progressOf, ScanGet } from '../../context/red-team/scans.ts';
import { isOwn } from '../../lib/core/text/own.ts';
import { idIn } from '../../lib/runtime/api/find.ts';
import {
  type AisecError,
  asText,
  type Call,
  type Job,
  objectOf,
  one,
  PartialError,
  type Position,
  path,
  redTeamData,
  ServiceError,
  type Step,
  type WaitArguments,
  type Wire,
} from '../../lib/runtime/engine/declare.ts';

/** Builds the request for one scan. */
export const scanWith = (id: string): Call => redTeamData.get(path`/v1/scan/${id}`);

/** Next steps after the final states of a scan; source: `docs/wire.md`. */
const ENDS: Readonly<Record<string, (id: string, scan: Wire) => string>> = {
  COMPLETED: (id) => `Read its report with !aisec-redteam-report-get job_id=${id}.`,
  PARTIALLY_COMPLETE: (id, scan) =>
    isUnlocked(scan)
      ? `Read its partial report with !aisec-redteam-report-get job_id=${id}.`
      : `Its report is locked: !aisec-redteam-report-generate-partial job_id=${id} unlocks it, for one quota credit.`,
  FAILED: (id) => `See why with !aisec-redteam-scan-error-logs job_id=${id}.`,
  ABORTED: () => 'The scan was stopped: create another one.',
};

/** Reports whether the partial report of a scan is unlocked. */
export function isUnlocked({ report_stats }: Wire): boolean {
  return objectOf(report_stats)['partial_report_unlocked'] === true;
}

function hasEnded({ status }: Wire): boolean {
  return isOwn(ENDS, asText(status));
}

/** Returns the next step for a scan. */
export function nextStep(scan: Wire): string {
  const id = asText(scan['uuid']);
  const end = hasEnded(scan) ? ENDS[asText(scan['status'])] : undefined;
  return end === undefined ? `Follow it with ${followCommand(id)}.` : end(id, scan);
}

function followCommand(id: string): string {
  return `!aisec-redteam-scan-get job_id=${id}`;
}

/** Polls the scan until it has ended. */
export const untilTested: Job<WaitArguments> = {
  isRequested: ({ wait }) => wait,
  begin: async (scan) => positionOf(scan),
  step: async (position, { interval }, { api }): Promise<Step> => {
    const uuid = idIn(position, 'uuid');
    const scan = await api.fetch(scanWith(uuid));
    if (hasEnded(scan)) return { wire: scan, failure: failureOf(scan) };
    const { name, status, completed, total } = scan;
    return {
      position: { ...positionOf(scan), uuid },
      waitMs: interval * 1000,
      progress: `Red-team scan ${asText(name ?? uuid)}: ${asText(status)}, ${progressOf(scan)}`,
      ...(typeof completed === 'number' && typeof total === 'number' ? { amount: { done: completed, total } } : {}),
      latest: scan,
    };
  },
  output: one(ScanGet),
  limits: (args) => args,
  title: ({ uuid, status }) => `red-team scan ${asText(uuid)}, whose status is ${asText(status)},`,
  follow: ({ uuid }) => followCommand(asText(uuid)),
  abort: ({ uuid }) => `!aisec-redteam-scan-abort job_id=${asText(uuid)}`,
};

function positionOf({ uuid, status }: Wire): Position {
  return { uuid, status: status ?? 'unknown' };
}

/** Returns the error of a scan that did not complete. */
function failureOf(scan: Wire): AisecError | undefined {
  const { uuid, status } = scan;
  const details = { hint: nextStep(scan) };
  switch (status) {
    case 'FAILED':
      return new ServiceError(`The red-team scan ${asText(uuid)} failed, at ${progressOf(scan)}.`, details);
    case 'ABORTED':
      return new ServiceError(`The red-team scan ${asText(uuid)} was aborted, at ${progressOf(scan)}.`, details);
    case 'PARTIALLY_COMPLETE':
      return new PartialError(`The red-team scan ${asText(uuid)} stayed partial, at ${progressOf(scan)}.`, details);
    default:
      return undefined;
  }
}
