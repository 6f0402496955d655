/** Collects the data of the page of a model scan. */
import { ServiceError } from '../../../core/errors.ts';
import { asText, objectOf } from '../../../core/json.ts';
import { textOf } from '../../../core/received.ts';
import type { RunCommand } from '../../../engine/run-command.ts';
import { type ModelScan, runCommand } from '../../commands.ts';
import { readViolations } from '../../gate/model.ts';
import type { MissingPart } from '../model.ts';
import type { ReportOptions } from './collect.ts';
import { ReportSource } from './report-source.ts';

/** More than any scan has. */
const MAX_VIOLATIONS = 10_000;

export type Violation = ReturnType<typeof readViolations>[number];

export interface ModelData {
  readonly scan: ModelScan;
  /** Blocking violations first. */
  readonly violations: readonly Violation[];
  readonly missing: readonly MissingPart[];
  readonly simulated: boolean;
  /** In milliseconds since the epoch. */
  readonly createdAt: number;
  /** Version of this program. */
  readonly version: string;
}

/** Reports whether a violation blocks the model. */
export function isBlocking({ rule_instance_state: state }: Violation): boolean {
  return state === 'BLOCKING';
}

/**
 * Collects a scan that has ended, with all its violations.
 * @throws ServiceError for a scan that is not decided yet; AisecError of every kind
 */
export async function collectModel(uuid: string, run: RunCommand, options: ReportOptions): Promise<ModelData> {
  const { createdAt, version, progress } = options;
  const source = new ReportSource(run);
  const { record: scan } = await runCommand(source.run, 'aisec-model-security-scans-get', { uuid });
  const outcome = textOf(scan.eval_outcome);
  if (outcome === undefined || outcome === 'PENDING') {
    throw new ServiceError(
      `The model scan ${asText(scan.uuid ?? uuid)} has no result yet: its outcome is ${outcome ?? 'missing'}.`,
      {
        hint: `Wait until it is decided: !aisec-model-security-scans-get uuid=${asText(scan.uuid ?? uuid)}`,
      },
    );
  }
  progress('Violations');
  const args = { uuid, limit: MAX_VIOLATIONS };
  const found = await source.optional('The violations', 'aisec-model-security-scans-violations', args);
  // Only the response has the remediations.
  const violations = readViolations(objectOf(found?.raw)['violations'] ?? found?.record.violations);
  if (outcome === 'BLOCKED' && found !== undefined) source.expect('The violations', violations.length, 1);
  return {
    scan,
    violations: violations.toSorted((a, b) => Number(isBlocking(b)) - Number(isBlocking(a))),
    missing: source.missing,
    simulated: source.simulated,
    createdAt,
    version,
  };
}
