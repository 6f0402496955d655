/** Writes the page of a red-team scan, a model scan or a bulk scan: an id may belong to a red-team or a model scan. */
import { statSync } from 'node:fs';
import type { Collection } from '../../../client/report-pages.ts';
import { NotFoundError, PartialError } from '../../../core/errors.ts';
import { asText } from '../../../core/json.ts';
import { isForPrograms } from '../../../hosts/terminal/line/options.ts';
import type { Session } from '../../../hosts/terminal/line/session.ts';
import type { PageContext } from '../../../hosts/terminal/line/shared-flags.ts';
import { jsonText } from '../../../hosts/terminal/ui/json.ts';
import { sanitize } from '../../../hosts/terminal/ui/sanitize.ts';
import { withBulkFiles } from '../../scans/open-bulk-files.ts';
import { partlyRun } from '../../scans/refusals.ts';
import type { MissingPart } from '../../scans/report-data.ts';
import { jobIdOf, MODEL_SCAN, withCollection, writePage } from '../../scans/scans.ts';
import { collectModelScan, collectRedTeam, collectScan, type ScanData, scanPage } from '../scan-page.ts';

const FULL_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Writes the page of a scan. @throws AisecError of any kind @returns the exit code */
export async function writeScanReport(typed: string, file: string, cli: PageContext): Promise<number> {
  return withCollection(file, cli, async (collection, session) => {
    const id = await jobIdOf(typed, cli, session).catch(notFound);
    const found = await scanOf(id, typed, collection, { cli, session });
    return finish({ ...outcomeOf(found), page: await scanPage(found) }, file, cli);
  });
}

/** Collects the scan of a typed word: an id belongs to either kind. */
async function scanOf(
  id: string | NotFoundError,
  typed: string,
  collection: Collection,
  { cli, session }: { readonly cli: PageContext; readonly session: Session },
): Promise<ScanData> {
  if (typeof id === 'string' && FULL_ID.test(id)) return collectScan(id, collection);
  // A name or prefix may belong to a model scan. If it does not, the error about red-team scans explains the problem.
  const uuid = await jobIdOf(typed, cli, session, MODEL_SCAN).catch(notFound);
  if (typeof uuid === 'string' && FULL_ID.test(uuid)) return collectModelScan(uuid, collection);
  if (typeof id !== 'string') throw id;
  return collectRedTeam(id, collection);
}

/** Returns the error if no scan of one kind matches the word, because the other kind may match. */
function notFound(thrown: unknown): NotFoundError {
  if (thrown instanceof NotFoundError) return thrown;
  throw thrown;
}

function outcomeOf({ kind, data }: ScanData): Omit<Outcome, 'page'> {
  const { missing, simulated } = data;
  if (kind === 'red-team') {
    const { job } = data;
    const isPartial = job.status === 'PARTIALLY_COMPLETE' || partlyRun(job) !== undefined;
    const partial = isPartial ? { why: `the scan stayed partial, at ${String(job.progress)}` } : undefined;
    const about = { report: String(job.uuid), title: String(job.name ?? job.uuid), missing, simulated };
    return { ...about, incomplete: lostIn(missing) ?? partial };
  }
  const { scan } = data;
  const failed = { why: 'the scan failed and has no verdict', hint: 'This is not a pass: scan the model again.' };
  const about = { report: asText(scan.uuid), title: asText(scan.model_uri ?? scan.uuid), missing, simulated };
  return { ...about, incomplete: scan.eval_outcome === 'ERROR' ? failed : lostIn(missing) };
}

function lostIn(missing: readonly MissingPart[]): Incomplete | undefined {
  const lost = missing.filter(({ failed }) => failed);
  if (lost.length === 0) return undefined;
  const whats = [...new Set(lost.map(({ what }) => what))].join('; ');
  const hint = 'See the reasons at the end of the page, then run it again.';
  return { why: `not everything could be read: ${whats}`, hint };
}

/**
 * Writes the page of a file, without a request. @throws NotFoundError if there is no such file @returns the exit code
 */
export async function writeBulkReport(path: string, file: string, cli: PageContext): Promise<number> {
  const { bulkPage, collectBulk, doubtsAbout } = await import('../bulk-scan.ts');
  return withCollection(file, cli, async ({ createdAt, version }, session) => {
    const { files } = await session.runtime(cli.signal);
    const data = await withBulkFiles([path], files, async ([request]) => {
      if (request === undefined) throw new PartialError('There is no file to read.');
      // A finished run has written its end record.
      const finishedAt = statSync(path, { throwIfNoEntry: false })?.mtime.toISOString();
      return collectBulk(request.reader, { name: request.name, finishedAt, createdAt, version });
    });
    const { name, simulated, problems } = data;
    const doubts = doubtsAbout(data);
    const hint = 'This is not a pass: resume the bulk scan with resume=true, then write the page again.';
    const incomplete = doubts.length === 0 ? undefined : { why: `${name} is not complete: ${doubts.join('; ')}`, hint };
    const missing = problems.map((why) => ({ what: 'The file of a finished run', why }));
    return finish({ report: name, title: name, page: bulkPage(data), missing, simulated, incomplete }, file, cli);
  });
}

interface Incomplete {
  /** Continues `The page is written, but`. */
  readonly why: string;
  readonly hint?: string;
}

interface Outcome {
  /** Subject of the page: the id of a scan, or the name of a file. */
  readonly report: string;
  /** For people. */
  readonly title: string;
  readonly page: string;
  readonly missing: readonly { readonly what: string; readonly why: string }[];
  readonly simulated: boolean;
  /** Error for an incomplete page, so that it is never mistaken for a complete page. */
  readonly incomplete: Incomplete | undefined;
}

/** Writes the page, and prints the outcome. @returns the exit code */
async function finish(outcome: Outcome, file: string, cli: PageContext): Promise<number> {
  const { report: subject, title, page, missing, simulated, incomplete } = outcome;
  const { options, screen, format, report } = cli;
  await writePage(file, page, cli);
  const size = Buffer.byteLength(page);
  if (isForPrograms(format)) {
    const value = {
      ...{ report: subject, file, size, complete: incomplete === undefined },
      missing: missing.map(({ what, why }) => ({ what, why })),
      ...{ simulated, ...(options.dryRun ? { dry_run: true } : {}) },
    };
    screen.result(jsonText(value, screen.terminal));
  } else {
    const place = options.dryRun ? `would be written to ${file}` : `is in ${file}`;
    screen.result(sanitize(`The report on ${title} ${place} (${size} bytes).`));
  }
  // The page has this note too, but the user has not opened it yet.
  if (simulated) screen.note('note: answered by the simulated service, not by a tenant.');
  if (incomplete === undefined) return 0;
  const { why, ...more } = incomplete;
  return report(new PartialError(`The page ${options.dryRun ? 'would be written' : 'is written'}, but ${why}.`, more));
}
