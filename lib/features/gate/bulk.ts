/** The gate on a bulk scan: blocked prompts fail; only a finished run with a complete verdict for each prompt passes. */
import { asText } from '../../core/json.ts';
import type { TextReader } from '../../core/ports.ts';
import { isIncomplete } from '../../output/verdict.ts';
import { grouped, plural } from '../../text/numbers.ts';
import { type BulkRow, readBulkFile } from './bulk-file.ts';
import type { Evidence } from './decide.ts';
import { type Finding, fingerprintOf, type Place, placeText, ruleId, sentencesOf } from './finding.ts';
import type { PromptLines } from './prompt-lines.ts';
import { RowRanges } from './row-ranges.ts';

const SCAN_FIRST = 'scan it first, with runtime-bulk-scan and --output jsonl, and gate the rows that the scan writes.';

/** Maximum findings that are kept; all blocked prompts are counted. */
export const MAX_FINDINGS = 20_000;
const MAX_EXCERPT = 200;

export interface BulkEvidence extends Evidence {
  readonly prompts: number;
  /** Number of blocked prompts; the findings may be fewer. */
  readonly blocked: number;
  /** Blocked prompts by the detectors that found something, as a JSON array. */
  readonly byDetectors: ReadonlyMap<string, number>;
  /** Stands for the rows of a single file. */
  readonly digest?: string;
}

/**
 * Collects what a bulk scan has found in its JSONL.
 * @param name file name, for locations and messages
 * @param input the file of the prompts: findings are located there
 * @throws UsageError if the input has another number of prompts
 */
export async function bulkEvidence(reader: TextReader, name: string, input?: PromptLines): Promise<BulkEvidence> {
  const byDetectors = new Map<string, number>();
  const findings: Finding[] = [];
  const [undecided, incomplete] = [new RowRanges(), new RowRanges()];
  let blocked = 0;
  const file = await readBulkFile(reader, (row, line) => {
    const { row: number = line, reading } = row;
    if (reading.decision === 'block') {
      blocked += 1;
      count(byDetectors, JSON.stringify(reading.detectors), 1);
      const place = input === undefined ? { uri: name, line } : { uri: input.uri, line: input.lineOf(number) };
      if (findings.length < MAX_FINDINGS) findings.push(findingOf(row, number, place));
    } else if (isIncomplete(reading)) incomplete.add(number);
    else if (reading.decision === 'none') undecided.add(number);
  });
  if (file.problems.length === 0) input?.check(file.rows);
  return {
    subject: `bulk ${name}`,
    findings,
    passed: passedText(file.rows, blocked),
    unfinished: file.isUnscanned
      ? `${name} holds no results of a scan: ${SCAN_FIRST}`
      : sentencesOf(
          file.problems.length > 0
            ? `${name} is not the file of a finished run: ${file.problems.join('; ')}.`
            : undefined,
          file.rows === 0 ? `${name} has no rows.` : undefined,
          undecided.describe((rows) => `There is no verdict for ${rows} of ${name}.`),
          incomplete.describe((rows) => `A detector timed out or failed in ${rows} of ${name}.`),
        ),
    ...(file.simulated ? { simulated: true } : {}),
    prompts: file.rows,
    blocked,
    byDetectors,
    digest: file.digest,
  };
}

/** Joins the evidence of several files, for one verdict. */
export function joinedEvidence(files: readonly BulkEvidence[]): BulkEvidence {
  const [first] = files;
  if (first !== undefined && files.length === 1) return first;
  const sum = (member: 'prompts' | 'blocked') => files.reduce((total, file) => total + file[member], 0);
  const [prompts, blocked] = [sum('prompts'), sum('blocked')];
  const byDetectors = new Map<string, number>();
  for (const file of files) for (const [detectors, number] of file.byDetectors) count(byDetectors, detectors, number);
  return {
    subject: `bulk ${plural(files.length, 'file')}`,
    findings: files.flatMap(({ findings }) => findings).slice(0, MAX_FINDINGS),
    passed: passedText(prompts, blocked),
    unfinished: sentencesOf(...files.map(({ unfinished }) => unfinished), ...repeats(files)),
    ...(files.some(({ simulated }) => simulated === true) ? { simulated: true } : {}),
    prompts,
    blocked,
    byDetectors,
  };
}

/** Names files whose rows another file has: they would count twice, and lower the share of blocked prompts. */
function repeats(files: readonly BulkEvidence[]): string[] {
  const rows = files.map(({ digest, prompts }) => (digest === undefined || prompts === 0 ? undefined : digest));
  return files
    .filter((_, at) => rows[at] !== undefined && rows.indexOf(rows[at]) < at)
    .map(({ subject }) => `The rows of ${subject.replace('bulk ', '')} were given twice, so they cannot be counted.`);
}

function count(counts: Map<string, number>, key: string, more: number): void {
  counts.set(key, (counts.get(key) ?? 0) + more);
}

function passedText(prompts: number, blocked: number): string {
  return `${plural(prompts, 'prompt')}: ${grouped(blocked)} blocked.`;
}

/** Returns the texts of a row that identify its finding: the same prompt with another response is another finding. */
function identityOf({ scanned, columns }: BulkRow, prompt: string): readonly string[] {
  return [prompt, ...scanned.map((name) => `${name}=${asText(columns[name] ?? '')}`)];
}

function findingOf(row: BulkRow, number: number, place: Place): Finding {
  const { detectors } = row.reading;
  const by = detectors.length === 0 ? '' : ` by ${detectors.join(', ')}`;
  const prompt = asText(row.prompt ?? '').replace(/\s+/g, ' ');
  return {
    // One scan id stands for a batch of prompts, so an acceptance by scan id alone would spare the whole batch.
    fingerprint:
      prompt === '' && row.scanned.length === 0
        ? fingerprintOf('bulk', asText(row.scan_id ?? 'unknown'), String(number))
        : fingerprintOf('bulk', ...identityOf(row, prompt)),
    rule: ruleId('bulk', detectors[0] ?? asText(row.category ?? 'blocked')),
    title: detectors.join(', ') || 'blocked',
    ruleText: `A prompt is blocked${by}.`,
    severity: 'high',
    message: `Row ${grouped(number)}, at ${placeText(place)}, is blocked${by}.`,
    excerpt: prompt.slice(0, MAX_EXCERPT),
    labels: detectors,
    place,
  };
}
