import { PartialError } from '../core/errors.ts';
import type { ReportData } from '../features/report/model.ts';
import { isForPrograms } from '../hosts/terminal/options/options.ts';
import { jsonText } from '../hosts/terminal/render/json.ts';
import { sanitize } from '../hosts/terminal/render/sanitize.ts';
import { type Subcommand, type SubcommandContext, usageError } from '../hosts/terminal/subcommand.ts';
import { html } from './flags.ts';

const USAGE = 'report JOB_ID --html FILE';

const flags = { html };

/** `aisec report`: writes the findings of a red-team scan as one HTML page. */
export const report: Subcommand<typeof flags> = {
  usage: USAGE,
  summary: 'Write the result of a red-team scan as an HTML page.',
  words: 1,
  flags,
  dryRun: () => 'honours',
  inRoom: { usage: USAGE, summary: 'Write a report as HTML; also: watch, dashboard.' },
  completes: ({ length }) => (length === 0 ? 'red-team scans' : []),
  run: async (cli) => {
    const { options, words } = cli;
    const [jobId = ''] = words;
    const { html: file = '' } = options;
    if (jobId === '') throw usageError('aisec report needs the id of a red-team scan.', USAGE);
    if (file === '') throw usageError('aisec report needs a file to write the page to.', USAGE);
    const [{ withScans, writePage }, { collect }, { reportPage }] = await Promise.all([
      import('./tools/scans.ts'),
      import('../features/report/collect/collect.ts'),
      import('../features/report/page/html.ts'),
    ]);
    return withScans([jobId], file, cli, async ([id], { run, ...more }) => {
      const data = await collect(id, run, more);
      const page = reportPage(data);
      await writePage(file, page, cli);
      return printOutcome(data, file, Buffer.byteLength(page), cli);
    });
  },
};

async function printOutcome(
  data: ReportData,
  file: string,
  size: number,
  { options: { dryRun }, screen, format, report: fail }: SubcommandContext,
): Promise<number> {
  const { job, simulated, missing } = data;
  const incomplete = await incompleteError(data, dryRun);
  if (isForPrograms(format)) {
    const outcome = {
      report: job.uuid,
      file,
      size,
      complete: incomplete === undefined,
      missing: missing.map(({ what, why }) => ({ what, why })),
      simulated,
      ...(dryRun ? { dry_run: true } : {}),
    };
    screen.result(jsonText(outcome, screen.terminal));
  } else {
    const place = dryRun ? `would be written to ${file}` : `is in ${file}`;
    screen.result(sanitize(`The report on ${String(job.name ?? job.uuid)} ${place} (${size} bytes).`));
  }
  // The page has this note too, but the user has not opened it yet.
  if (simulated) screen.note('note: answered by the simulated service, not by a tenant.');
  return incomplete === undefined ? 0 : fail(incomplete);
}

/** Returns the error of an incomplete page, so that it never passes for a complete one. */
async function incompleteError({ job, missing }: ReportData, dryRun: boolean) {
  const { partlyRun } = await import('../features/report/refusals.ts');
  const state = dryRun ? 'would be written' : 'is written';
  const failedParts = missing.filter(({ failed }) => failed);
  if (failedParts.length > 0) {
    const whats = [...new Set(failedParts.map(({ what }) => what))].join('; ');
    return new PartialError(`The page ${state}, but not everything could be read: ${whats}.`, {
      hint: 'See the reasons at the end of the page, then run it again.',
    });
  }
  if (job.status !== 'PARTIALLY_COMPLETE' && partlyRun(job) === undefined) return undefined;
  return new PartialError(`The page ${state}, but the scan stayed partial, at ${String(job.progress)}.`);
}
