/** `aisec report`: what a red-team scan has found, as one page for people who would rather look than read. */
import { type AisecError, PartialError, UsageError } from '../../../errors.ts';
import { OWNER_ONLY } from '../../../node/publish.ts';
import { checkWhole, writeWhole } from '../../../node/write-whole.ts';
import { collect } from '../../../report/collect.ts';
import { reportPage } from '../../../report/html.ts';
import type { ReportData } from '../../../report/model.ts';
import { asking } from '../asking.ts';
import { clean } from '../clean.ts';
import { jsonText } from '../json.ts';
import { isForPrograms } from '../options.ts';
import { openSession } from '../session.ts';
import type { Invoked } from '../subcommand.ts';

export const USAGE = 'report JOB_ID --html FILE';

/** @returns 0 when the page is written and has everything; otherwise the reported error's exit code */
export async function report(invoked: Invoked): Promise<number> {
  const { host, options, screen, signal } = invoked;
  const [jobId = ''] = invoked.words;
  const { html: file = '' } = options;
  if (jobId === '') throw new UsageError('aisec report needs the id of a red-team scan.', HINT);
  if (file === '') throw new UsageError('aisec report needs a file to write the page to.', HINT);
  await checkWhole(file);
  const session = await openSession(host, options, screen);
  try {
    const progress = (line: string) => {
      if (!options.quiet) screen.progress(line);
    };
    const { clock } = await session.runtime(signal);
    const making = { madeAt: clock.now(), version: host.version, progress };
    const data = await collect(jobId, asking(host, session, signal), making);
    const page = reportPage(data);
    // The page holds the prompts of attacks and their answers.
    await writeWhole(file, page, OWNER_ONLY);
    return await tell(data, file, Buffer.byteLength(page), invoked);
  } finally {
    await session.close();
  }
}

const HINT = { hint: `Usage: aisec ${USAGE}` };

async function tell(data: ReportData, file: string, size: number, { screen, format, report }: Invoked) {
  const { job, simulated, losses } = data;
  const shortcoming = shortcomingOf(data);
  if (isForPrograms(format)) {
    const missing = losses.map(({ what, why }) => ({ what, why }));
    const told = { report: job['uuid'], file, size, complete: shortcoming === undefined, missing, simulated };
    screen.result(jsonText(told, screen.terminal));
  } else screen.result(clean(`The report on ${String(job['name'] ?? job['uuid'])} is in ${file} (${size} bytes).`));
  // The page says it, but who asked for the page has not seen it yet.
  if (simulated) screen.note('note: answered by the simulated service, not by a tenant.');
  return shortcoming === undefined ? 0 : report(shortcoming);
}

/** A page that leaves something out never passes for one that has everything. */
function shortcomingOf({ job, losses }: ReportData): AisecError | undefined {
  const lost = losses.filter(({ failed }) => failed);
  if (lost.length > 0) {
    const whats = [...new Set(lost.map(({ what }) => what))].join('; ');
    return new PartialError(`The page is written, but not everything could be read: ${whats}.`, {
      hint: 'The end of the page says why. Run it again when that is solved.',
    });
  }
  if (job['status'] !== 'PARTIALLY_COMPLETE') return undefined;
  return new PartialError(`The page is written, of a scan that stayed partial, at ${String(job['progress'])}.`);
}
