/** Writes the page of a red-team scan, a model scan or a bulk scan: an id may belong to a red-team or a model scan. */
import { statSync } from 'node:fs';
import { NotFoundError, PartialError, PermissionError } from '../../../core/errors.ts';
import { asText } from '../../../core/json.ts';
import { isForPrograms } from '../../../hosts/terminal/line/options.ts';
import type { PageContext } from '../../../hosts/terminal/line/shared-flags.ts';
import { jsonText } from '../../../hosts/terminal/ui/json.ts';
import { sanitize } from '../../../hosts/terminal/ui/sanitize.ts';
import { withBulkFiles } from '../../gate/terminal/files.ts';
import type { MissingPart, ReportData } from '../../scans/report-data.ts';
import { type Collection, jobIdOf, MODEL_SCAN, withCollection, writePage } from '../../scans/scans.ts';

const FULL_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Writes the page of a scan. @throws AisecError of any kind @returns the exit code */
export async function writeScanReport(typed: string, file: string, cli: PageContext): Promise<number> {
  return withCollection(file, cli, async (collection, session) => {
    const id = await jobIdOf(typed, cli, session).catch(notFound);
    if (typeof id === 'string' && FULL_ID.test(id)) return writeEither(id, file, collection, cli);
    // A name or prefix may belong to a model scan. If it does not, the error about red-team scans explains the problem.
    const uuid = await jobIdOf(typed, cli, session, MODEL_SCAN).catch(notFound);
    if (typeof uuid === 'string' && FULL_ID.test(uuid)) return writeModel(uuid, file, collection, cli);
    if (typeof id !== 'string') throw id;
    return writeRedTeam(await redTeamOf(id, collection), file, cli);
  });
}

/** Returns the error if no scan of one kind matches the word, because the other kind may match. */
function notFound(thrown: unknown): NotFoundError {
  if (thrown instanceof NotFoundError) return thrown;
  throw thrown;
}

/**
 * Writes the page of the scan with this id, of either kind. A tenant without a red-teaming licence may have model
 * scans.
 */
async function writeEither(id: string, file: string, collection: Collection, cli: PageContext): Promise<number> {
  const data = await redTeamOf(id, collection).catch((thrown: unknown) => {
    if (thrown instanceof NotFoundError || thrown instanceof PermissionError) return thrown;
    throw thrown;
  });
  if (!(data instanceof Error)) return writeRedTeam(data, file, cli);
  return writeModel(id, file, collection, cli).catch((thrown: unknown) => {
    if (!(thrown instanceof NotFoundError)) throw thrown;
    if (data instanceof PermissionError) throw data;
    throw new NotFoundError(`Neither a red-team scan nor a model scan has the id ${id}.`, {
      hint: 'See them with: !aisec-redteam-scans-list, !aisec-model-security-scans-list',
    });
  });
}

async function redTeamOf(id: string, { run, ...more }: Collection): Promise<ReportData> {
  const { collect } = await import('../../scans/collect/collect.ts');
  return collect(id, run, more);
}

async function writeRedTeam(data: ReportData, file: string, cli: PageContext): Promise<number> {
  const [{ reportPage }, { partlyRun }] = await Promise.all([
    import('../page/html.ts'),
    import('../../scans/refusals.ts'),
  ]);
  const { job, missing, simulated } = data;
  const isPartial = job.status === 'PARTIALLY_COMPLETE' || partlyRun(job) !== undefined;
  const partial = isPartial ? { why: `the scan stayed partial, at ${String(job.progress)}` } : undefined;
  const about = { report: String(job.uuid), title: String(job.name ?? job.uuid), missing, simulated };
  return finish({ ...about, page: reportPage(data), incomplete: lostIn(missing) ?? partial }, file, cli);
}

async function writeModel(uuid: string, file: string, { run, ...more }: Collection, cli: PageContext) {
  const { collectModel, modelPage } = await import('../model-scan.ts');
  const data = await collectModel(uuid, run, more);
  const { scan, missing, simulated } = data;
  const failed = { why: 'the scan failed and has no verdict', hint: 'This is not a pass: scan the model again.' };
  const incomplete = scan.eval_outcome === 'ERROR' ? failed : lostIn(missing);
  const about = { report: asText(scan.uuid ?? uuid), title: asText(scan.model_uri ?? scan.uuid), missing, simulated };
  return finish({ ...about, page: modelPage(data), incomplete }, file, cli);
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
