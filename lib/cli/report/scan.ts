/** The report of a red-team scan or of a model scan: an id may be that of either. */
import { NotFoundError, PartialError, PermissionError } from '../../core/errors.ts';
import { asText } from '../../core/json.ts';
import type { MissingPart, ReportData } from '../../features/report/model.ts';
import type { ModelData } from '../../features/report/model-scan.ts';
import { type Collection, jobIdOf, MODEL_SCAN, withCollection, writePage } from '../tools/scans.ts';
import type { ReportContext } from './flags.ts';
import { printOutcome } from './outcome.ts';

const FULL_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Writes the page of a scan. @throws AisecError of every kind @returns the exit code */
export async function writeScanReport(typed: string, file: string, cli: ReportContext): Promise<number> {
  return withCollection(file, cli, async (collection, session) => {
    const id = await jobIdOf(typed, cli, session).catch(notFound);
    if (typeof id === 'string' && FULL_ID.test(id)) return writeEither(id, file, collection, cli);
    // A name or a prefix may be that of a model scan; without one, the error about red-team scans says what is wrong with it.
    const uuid = await jobIdOf(typed, cli, session, MODEL_SCAN).catch(notFound);
    if (typeof uuid === 'string' && FULL_ID.test(uuid)) return writeModel(uuid, file, collection, cli);
    if (typeof id !== 'string') throw id;
    return writeRedTeam(await redTeamOf(id, collection), file, cli);
  });
}

/** Returns the error of a word that no scan of a kind has: the other kind may have it. */
function notFound(thrown: unknown): NotFoundError {
  if (thrown instanceof NotFoundError) return thrown;
  throw thrown;
}

/** Writes the page of whichever scan has the id. A tenant without a licence for red teaming may have model scans. */
async function writeEither(id: string, file: string, collection: Collection, cli: ReportContext): Promise<number> {
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
  const { collect } = await import('../../features/report/collect/collect.ts');
  return collect(id, run, more);
}

async function writeRedTeam(data: ReportData, file: string, cli: ReportContext): Promise<number> {
  const { reportPage } = await import('../../features/report/page/html.ts');
  const page = reportPage(data);
  await writePage(file, page, cli);
  const { job, missing, simulated } = data;
  const incomplete = await incompleteError(data, cli.options.dryRun);
  const about = { report: String(job.uuid), title: String(job.name ?? job.uuid), file, size: Buffer.byteLength(page) };
  return printOutcome({ ...about, missing, simulated, incomplete }, cli);
}

async function writeModel(uuid: string, file: string, { run, ...more }: Collection, cli: ReportContext) {
  const [{ collectModel }, { modelPage }] = await Promise.all([
    import('../../features/report/model-scan.ts'),
    import('../../features/report/model-scan.ts'),
  ]);
  const data = await collectModel(uuid, run, more);
  const page = modelPage(data);
  await writePage(file, page, cli);
  const { scan, missing, simulated } = data;
  const title = asText(scan.model_uri ?? scan.uuid);
  const about = { report: asText(scan.uuid ?? uuid), title, file, size: Buffer.byteLength(page) };
  return printOutcome({ ...about, missing, simulated, incomplete: modelError(data, cli.options.dryRun) }, cli);
}

function stateOf(dryRun: boolean): string {
  return dryRun ? 'would be written' : 'is written';
}

async function incompleteError({ job, missing }: ReportData, dryRun: boolean): Promise<PartialError | undefined> {
  const { partlyRun } = await import('../../features/report/refusals.ts');
  const lost = lostError(missing, dryRun);
  if (lost !== undefined) return lost;
  if (job.status !== 'PARTIALLY_COMPLETE' && partlyRun(job) === undefined) return undefined;
  return new PartialError(`The page ${stateOf(dryRun)}, but the scan stayed partial, at ${String(job.progress)}.`);
}

function modelError({ scan, missing }: ModelData, dryRun: boolean): PartialError | undefined {
  if (scan.eval_outcome === 'ERROR')
    return new PartialError(`The page ${stateOf(dryRun)}, but the scan failed and has no verdict.`, {
      hint: 'This is not a pass: scan the model again.',
    });
  return lostError(missing, dryRun);
}

function lostError(missing: readonly MissingPart[], dryRun: boolean): PartialError | undefined {
  const lost = missing.filter(({ failed }) => failed);
  if (lost.length === 0) return undefined;
  const whats = [...new Set(lost.map(({ what }) => what))].join('; ');
  return new PartialError(`The page ${stateOf(dryRun)}, but not everything could be read: ${whats}.`, {
    hint: 'See the reasons at the end of the page, then run it again.',
  });
}
