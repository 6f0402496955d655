/** Prints the outcome of `aisec report`. */

import type { PartialError } from '../../core/errors.ts';
import { isForPrograms } from '../../hosts/terminal/options/options.ts';
import { jsonText } from '../../hosts/terminal/render/json.ts';
import { sanitize } from '../../hosts/terminal/render/sanitize.ts';
import type { ReportContext } from './flags.ts';

export interface Outcome {
  /** Subject of the page: the id of a scan, or the name of a file. */
  readonly report: string;
  /** For people. */
  readonly title: string;
  readonly file: string;
  /** In bytes. */
  readonly size: number;
  readonly missing: readonly { readonly what: string; readonly why: string }[];
  readonly simulated: boolean;
  /** Of an incomplete page, so that it never passes for a complete one. */
  readonly incomplete: PartialError | undefined;
}

/** Prints the outcome. @returns the exit code */
export async function printOutcome(outcome: Outcome, { options: { dryRun }, screen, format, report }: ReportContext) {
  const { report: subject, title, file, size, missing, simulated, incomplete } = outcome;
  if (isForPrograms(format)) {
    const value = {
      report: subject,
      file,
      size,
      complete: incomplete === undefined,
      missing: missing.map(({ what, why }) => ({ what, why })),
      simulated,
      ...(dryRun ? { dry_run: true } : {}),
    };
    screen.result(jsonText(value, screen.terminal));
  } else {
    const place = dryRun ? `would be written to ${file}` : `is in ${file}`;
    screen.result(sanitize(`The report on ${title} ${place} (${size} bytes).`));
  }
  // The page has this note too, but the user has not opened it yet.
  if (simulated) screen.note('note: answered by the simulated service, not by a tenant.');
  return incomplete === undefined ? 0 : report(incomplete);
}
