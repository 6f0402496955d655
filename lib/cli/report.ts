/** `aisec report`: writes the findings of a red-team scan as one HTML page. */
import { type AisecError, PartialError, UsageError } from '../engine/errors.ts';
import { collect } from '../features/report/collect/collect.ts';
import type { ReportData } from '../features/report/model.ts';
import { reportPage } from '../features/report/page/html.ts';
import { partlyRun } from '../features/report/refusals.ts';
import { sessionOf } from '../hosts/terminal/modes/session.ts';
import { isForPrograms } from '../hosts/terminal/options/options.ts';
import { jsonText } from '../hosts/terminal/render/json.ts';
import { sanitize } from '../hosts/terminal/render/sanitize.ts';
import type { SubcommandContext } from '../hosts/terminal/subcommand.ts';
import { checkFileWritable, writeFileAtomically } from '../node/files/atomic-write.ts';
import { OWNER_ONLY } from '../node/files/commit-file.ts';
import { commandRunner } from './tools/command-runner.ts';
import { jobIdOf } from './tools/job-id.ts';

export const USAGE = 'report JOB_ID --html FILE';

/** Writes the report. @returns 0 if the page is complete; otherwise the exit code of the reported error */
export async function report(cli: SubcommandContext): Promise<number> {
  const { host, options, screen, signal } = cli;
  const [jobId = ''] = cli.words;
  const { html: file = '' } = options;
  if (jobId === '') throw new UsageError('aisec report needs the id of a red-team scan.', HINT);
  if (file === '') throw new UsageError('aisec report needs a file to write the page to.', HINT);
  await checkFileWritable(file);
  const session = await sessionOf(cli);
  try {
    const progress = (line: string) => {
      if (!options.quiet) screen.progress(line);
    };
    const { clock } = await session.runtime(signal);
    const reportOptions = { createdAt: clock.now(), version: host.version, progress };
    const id = await jobIdOf(jobId, cli, session);
    const data = await collect(id, commandRunner(host, session, signal), reportOptions);
    const page = reportPage(data);
    // The page contains prompts of attacks and the responses.
    if (!options.dryRun) await writeFileAtomically(file, page, OWNER_ONLY);
    return await printOutcome(data, file, Buffer.byteLength(page), cli);
  } finally {
    await session.close();
  }
}

const HINT = { hint: `Usage: aisec ${USAGE}` };

async function printOutcome(
  data: ReportData,
  file: string,
  size: number,
  { options: { dryRun }, screen, format, report }: SubcommandContext,
) {
  const { job, simulated, missing } = data;
  const incomplete = incompleteError(data, dryRun);
  if (isForPrograms(format)) {
    const outcome = {
      report: job['uuid'],
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
    screen.result(sanitize(`The report on ${String(job['name'] ?? job['uuid'])} ${place} (${size} bytes).`));
  }
  // The page says so too, but the user has not opened it yet.
  if (simulated) screen.note('note: answered by the simulated service, not by a tenant.');
  return incomplete === undefined ? 0 : report(incomplete);
}

/** Returns the error of an incomplete page, so that it never passes for a complete one. */
function incompleteError({ job, missing }: ReportData, dryRun: boolean): AisecError | undefined {
  const state = dryRun ? 'would be written' : 'is written';
  const failedParts = missing.filter(({ failed }) => failed);
  if (failedParts.length > 0) {
    const whats = [...new Set(failedParts.map(({ what }) => what))].join('; ');
    return new PartialError(`The page ${state}, but not everything could be read: ${whats}.`, {
      hint: 'See the reasons at the end of the page, then run it again.',
    });
  }
  if (job['status'] !== 'PARTIALLY_COMPLETE' && partlyRun(job) === undefined) return undefined;
  return new PartialError(`The page ${state}, but the scan stayed partial, at ${String(job['progress'])}.`);
}
