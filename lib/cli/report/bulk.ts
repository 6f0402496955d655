/** The report of a bulk scan, from its JSONL: no request is sent. */
import { statSync } from 'node:fs';
import { PartialError } from '../../core/errors.ts';
import { type BulkData, bulkPage, collectBulk, isComplete } from '../../features/report/bulk-scan.ts';
import { plural } from '../../text/numbers.ts';
import { withBulkFiles } from '../gate/inputs.ts';
import { withCollection, writePage } from '../tools/scans.ts';
import type { ReportContext } from './flags.ts';
import { printOutcome } from './outcome.ts';

/** Writes the page of a file. @throws NotFoundError without the file @returns the exit code */
export async function writeBulkReport(path: string, file: string, cli: ReportContext): Promise<number> {
  return withCollection(file, cli, async ({ createdAt, version }, session) => {
    const { files } = await session.runtime(cli.signal);
    const data = await withBulkFiles([path], files, async ([request]) => {
      if (request === undefined) throw new PartialError('There is no file to read.');
      return collectBulk(request.reader, { name: request.name, finishedAt: writtenAt(path), createdAt, version });
    });
    const page = bulkPage(data);
    await writePage(file, page, cli);
    const { name, simulated, problems } = data;
    const missing = problems.map((why) => ({ what: 'The file of a finished run', why }));
    const about = { report: name, title: name, file, size: Buffer.byteLength(page) };
    return printOutcome({ ...about, missing, simulated, incomplete: incompleteError(data, cli.options.dryRun) }, cli);
  });
}

function incompleteError(data: BulkData, dryRun: boolean): PartialError | undefined {
  if (isComplete(data)) return undefined;
  const { name, undecided, unchecked, problems, rows } = data;
  const reasons = [
    rows === 0 ? 'it has no rows' : undefined,
    problems.length === 0 ? undefined : `it is not the file of a finished run: ${problems.join('; ')}`,
    undecided === 0 ? undefined : `there is no verdict for ${plural(undecided, 'prompt')}`,
    unchecked === 0 ? undefined : `a detector timed out or failed in ${plural(unchecked, 'prompt')}`,
  ].filter((reason) => reason !== undefined);
  const state = dryRun ? 'would be written' : 'is written';
  return new PartialError(`The page ${state}, but ${name} is not complete: ${reasons.join('; ')}.`, {
    hint: 'This is not a pass: resume the bulk scan with resume=true, then write the page again.',
  });
}

/** Returns when a file was last written: a finished run has written its end. */
function writtenAt(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtime.toISOString();
}
