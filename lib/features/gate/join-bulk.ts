/** Joins the evidence of several bulk scans. */
import { plural } from '../../text/numbers.ts';
import { type BulkEvidence, MAX_FINDINGS, passedText } from './bulk.ts';

/** Joins the evidence of several files, for one verdict. */
export function joinedEvidence(files: readonly BulkEvidence[]): BulkEvidence {
  const [first] = files;
  if (first !== undefined && files.length === 1) return first;
  const sum = (member: 'prompts' | 'blocked') => files.reduce((total, file) => total + file[member], 0);
  const [prompts, blocked] = [sum('prompts'), sum('blocked')];
  const byDetectors = new Map<string, number>();
  for (const file of files)
    for (const [detectors, count] of file.byDetectors)
      byDetectors.set(detectors, (byDetectors.get(detectors) ?? 0) + count);
  const unfinished = files.flatMap((file) => file.unfinished ?? []);
  return {
    subject: `bulk ${plural(files.length, 'file')}`,
    findings: files.flatMap(({ findings }) => findings).slice(0, MAX_FINDINGS),
    passed: passedText(prompts, blocked),
    ...(unfinished.length === 0 ? {} : { unfinished: unfinished.join(' ') }),
    ...(files.some(({ simulated }) => simulated === true) ? { simulated: true } : {}),
    prompts,
    blocked,
    byDetectors,
  };
}
