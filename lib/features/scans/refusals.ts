/** Rejects red-team scans without a complete result, and pairs that cannot be compared. */
import { ServiceError, UsageError } from '../../core/errors.ts';
import { asText } from '../../core/json.ts';
import { numberOf, textOf } from '../../core/received.ts';
import { grouped, plural } from '../../core/text/numbers.ts';
import type { RedTeamScan } from './commands.ts';

const NEXT: Readonly<Record<string, (id: string) => string>> = {
  FAILED: (id) => `See why: !aisec-redteam-scan-error-logs job_id=${id}`,
  ABORTED: () => 'The scan was stopped: create another one.',
  PARTIALLY_COMPLETE: () => 'The scan did not finish: create another one.',
};

/** Rejects a scan with any other status. @throws ServiceError with the status and the next step */
export function refuseUnfinished({ uuid, status, progress }: RedTeamScan, finished: readonly string[]): void {
  const state = textOf(status) ?? 'unknown';
  if (finished.includes(state)) return;
  const id = asText(uuid);
  const hint = NEXT[state]?.(id) ?? `Wait until it is COMPLETED: !aisec-redteam-scan-get job_id=${id}`;
  const message = `The red-team scan ${id} has no complete result: its status is ${state}, at ${asText(progress)}.`;
  throw new ServiceError(message, { hint });
}

/** Rejects scans of different types: attacks, goals and prompts have nothing in common. @throws UsageError */
export function refuseOtherTypes(before: RedTeamScan, after: RedTeamScan): void {
  const [one, other] = [asText(before.job_type), asText(after.job_type)];
  if (one === other) return;
  throw new UsageError(`A ${one} and a ${other} red-team scan cannot be compared.`, {
    hint: 'Compare two scans of the same type; see them with: !aisec-redteam-scans-list',
  });
}

const NOUNS: Readonly<Record<string, string>> = { STATIC: 'attack', DYNAMIC: 'stream', CUSTOM: 'prompt' };

/** Returns the noun for the parts that a scan counts. */
export function partOf({ job_type }: RedTeamScan): string {
  return NOUNS[asText(job_type)] ?? 'attack';
}

/** Describes a scan that ran only some of its attacks, as even a COMPLETED scan may: `It ran 3 of 48 attacks.` */
export function partlyRun(job: RedTeamScan): string | undefined {
  const { completed, total } = job;
  const [ran, all] = [numberOf(completed), numberOf(total)];
  if (ran === undefined || all === undefined || ran >= all) return undefined;
  return `It ran ${grouped(ran)} of ${plural(all, partOf(job))}.`;
}
