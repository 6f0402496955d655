/** Reads what a tenant has beside topics and profiles, as far as a file needs it. */
import type { RunCommand } from '../../engine/run-command.ts';
import { readNeededDlp } from './dlp/policy-ids.ts';
import type { MovedTenant } from './plan.ts';
import type { Guardrails } from './schema.ts';
import { readTargets } from './targets/targets.ts';

/** @param note says what cannot be read, and is not needed */
export async function readMoved(
  guardrails: Guardrails,
  run: RunCommand,
  note?: (text: string) => void,
): Promise<MovedTenant> {
  const dlp = await readNeededDlp(guardrails, run, note);
  const targets = guardrails.targets === undefined ? undefined : await readTargets(run);
  return { dlp, targets };
}
