/** Finds a red-team scan or a model scan by its id, and makes its page. */
import type { Collection } from '../../client/report-pages.ts';
import { NotAllowedError, NotFoundError, PermissionError } from '../../core/errors.ts';
import type { ReportData } from '../scans/report-data.ts';
import type { ModelData } from './model-scan.ts';

/** The data of a scan's page. */
export type ScanData =
  | { readonly kind: 'red-team'; readonly data: ReportData }
  | { readonly kind: 'model'; readonly data: ModelData };

/** Collects a red-team scan. @throws AisecError of any kind */
export async function collectRedTeam(id: string, { run, ...more }: Collection): Promise<ScanData> {
  const { collect } = await import('../scans/collect/collect.ts');
  return { kind: 'red-team', data: await collect(id, run, more) };
}

/** Collects a model scan. @throws AisecError of any kind */
export async function collectModelScan(uuid: string, { run, ...more }: Collection): Promise<ScanData> {
  const { collectModel } = await import('./model-scan.ts');
  return { kind: 'model', data: await collectModel(uuid, run, more) };
}

/**
 * Collects the scan with this id, of either kind. A tenant without a red-teaming licence may have model scans, and so
 * may a caller without the right to read red-team scans.
 * @throws NotFoundError if neither has the id; AisecError of any kind
 */
export async function collectScan(id: string, collection: Collection): Promise<ScanData> {
  const found = await collectRedTeam(id, collection).catch((thrown: unknown) => {
    if (thrown instanceof NotFoundError || isRefusal(thrown)) return thrown;
    throw thrown;
  });
  if (!(found instanceof Error)) return found;
  return collectModelScan(id, collection).catch((thrown: unknown) => {
    if (isRefusal(found) && (thrown instanceof NotFoundError || isRefusal(thrown))) throw found;
    if (!(thrown instanceof NotFoundError)) throw thrown;
    throw new NotFoundError(`Neither a red-team scan nor a model scan has the id ${id}.`, {
      hint: 'See them with: !aisec-redteam-scans-list, !aisec-model-security-scans-list',
    });
  });
}

function isRefusal(thrown: unknown): thrown is PermissionError | NotAllowedError {
  return thrown instanceof PermissionError || thrown instanceof NotAllowedError;
}

/** Renders the page of a scan. */
export async function scanPage({ kind, data }: ScanData): Promise<string> {
  if (kind === 'model') return (await import('./model-scan.ts')).modelPage(data);
  return (await import('./page/html.ts')).reportPage(data);
}

/** Makes the page of the scan with this id, of either kind. @throws as `collectScan` */
export async function reportOf(id: string, collection: Collection): Promise<string> {
  return scanPage(await collectScan(id, collection));
}

/** Makes the page of two red-team scans, the earlier one first. @throws AisecError of any kind */
export async function comparisonOf(
  ids: readonly [before: string, after: string],
  { run, ...more }: Collection,
): Promise<string> {
  const [{ collectComparison }, { comparisonPage }] = await Promise.all([
    import('../scans/collect/collect-comparison.ts'),
    import('./page/comparison-html.ts'),
  ]);
  return comparisonPage(await collectComparison(ids, run, { ...more, withAnswers: true }));
}
