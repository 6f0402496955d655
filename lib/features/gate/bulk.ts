/**
 * The gate on a bulk scan: blocked prompts are allowed only up to a limit in the policy, and only a finished run with a
 * complete verdict for each prompt passes.
 */
import { asText } from '../../core/json.ts';
import type { TextReader } from '../../core/ports.ts';
import { grouped, plural, roundedBeside } from '../../core/text/numbers.ts';
import { isIncomplete } from '../../runtime/output/verdict.ts';
import { type BulkRow, type PromptLines, RowRanges, readBulkFile } from '../scans/bulk-file.ts';
import { atMost, type CountLimit, type Evidence, type Limit } from './decide.ts';
import { type Finding, fingerprintOf, type Place, placeText, ruleId, sentencesOf } from './finding.ts';
import { type PolicyFile, placeIn } from './policy/policy.ts';

const SCAN_FIRST = 'scan it first, with runtime-bulk-scan and --output jsonl, and gate the rows that the scan writes.';

/** Maximum number of findings kept; all blocked prompts are counted. */
export const MAX_FINDINGS = 20_000;
const MAX_EXCERPT = 200;

export interface BulkEvidence extends Evidence {
  readonly prompts: number;
  /** Number of blocked prompts; the findings may be fewer. */
  readonly blocked: number;
  /** Number of blocked prompts by the detectors that fired; the key is a JSON array of their names. */
  readonly byDetectors: ReadonlyMap<string, number>;
  /** Key for the rows of a single file. */
  readonly digest?: string;
}

/**
 * Collects the findings of a bulk scan from its JSONL. @param name file name, for locations and messages @param input
 * the file of the prompts, in which findings are located @throws UsageError if the input has a different number of
 * prompts
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

/** Combines the evidence from several files into one verdict. */
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

/**
 * Names files whose rows also appear in another file: they would count twice, and lower the share of blocked prompts.
 */
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

/**
 * Returns the strings that identify the finding in a row: the same prompt with a different response is a different finding.
 */
function identityOf({ scanned, columns }: BulkRow, prompt: string): readonly string[] {
  return [prompt, ...scanned.map((name) => `${name}=${asText(columns[name] ?? '')}`)];
}

function findingOf(row: BulkRow, number: number, place: Place): Finding {
  const { detectors } = row.reading;
  const by = detectors.length === 0 ? '' : ` by ${detectors.join(', ')}`;
  const prompt = asText(row.prompt ?? '').replace(/\s+/g, ' ');
  return {
    // A batch of prompts shares one scan id, so accepting a finding only by scan id would accept the whole batch.
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

type Open = readonly Finding[];
type Check = Pick<Limit, 'check' | 'used'>;

/** Builds the limits. Without a limit for all prompts, only detectors with their own limit may block prompts. */
export function bulkLimits(evidence: BulkEvidence, file: PolicyFile | undefined): Limit[] {
  const { max_blocked: max, max_blocked_percent: percent, detectors = {} } = file?.policy.bulk ?? {};
  const at = (path: readonly string[], check: Check): Limit => ({
    ...(file === undefined ? { source: 'no blocked prompt' } : placeIn(file, ['bulk', ...path])),
    ...check,
  });
  return [
    ...(max === undefined ? [] : [at(['max_blocked'], countLimit(evidence, max))]),
    ...(percent === undefined ? [] : [at(['max_blocked_percent'], percentLimit(evidence, percent))]),
    ...(max === undefined && percent === undefined ? [at([], defaultLimit(evidence, Object.keys(detectors)))] : []),
    ...Object.entries(detectors).map(([detector, most]) =>
      at(['detectors', detector], detectorLimit(evidence, detector, most)),
    ),
  ];
}

function countLimit(evidence: BulkEvidence, max: number): Check {
  const above = max === 0 ? '' : `, more than ${grouped(max)}`;
  return blockedAtMost(evidence, () => true, {
    max,
    used: (blocked) => `${grouped(blocked)} of at most ${plural(max, 'blocked prompt')}`,
    reason: (blocked) => `${grouped(blocked)} of ${plural(evidence.prompts, 'prompt')} blocked${above}`,
  });
}

function percentLimit(evidence: BulkEvidence, percent: number): Check {
  const { prompts } = evidence;
  const blocked = counter(evidence, () => true);
  return atMost({
    max: percent,
    among: (open) => open,
    count: (open) => (prompts === 0 ? 0 : (100 * blocked(open)) / prompts),
    used: (share) => `${roundedBeside(share, percent)} % of at most ${percent} %`,
    reason: (share) =>
      `${roundedBeside(share, percent)} % of ${plural(prompts, 'prompt')} blocked, more than ${percent} %`,
  });
}

/**
 * Allows prompts to be blocked only by the named detectors: if another detector also blocks a prompt, no limit covers that
 * prompt.
 */
function defaultLimit(evidence: BulkEvidence, named: readonly string[]): Check {
  if (named.length === 0) return countLimit(evidence, 0);
  const isOther = (detectors: readonly string[]) =>
    detectors.length === 0 || detectors.some((detector) => !named.includes(detector));
  const beyond = `blocked, and not only by ${named.join(' or ')}`;
  return blockedAtMost(evidence, isOther, {
    max: 0,
    used: (blocked) => `${grouped(blocked)} of at most 0 prompts ${beyond}`,
    reason: (blocked) => `${grouped(blocked)} of ${plural(evidence.prompts, 'prompt')} ${beyond}`,
  });
}

function detectorLimit(evidence: BulkEvidence, detector: string, max: number): Check {
  return blockedAtMost(evidence, (detectors) => detectors.includes(detector), {
    max,
    used: (blocked) => `${grouped(blocked)} of at most ${plural(max, 'prompt')} blocked by ${detector}`,
    reason: (blocked) => `${plural(blocked, 'prompt')} blocked by ${detector}, more than ${grouped(max)}`,
  });
}

type Fits = (detectors: readonly string[]) => boolean;

function blockedAtMost(evidence: BulkEvidence, fits: Fits, limit: Omit<CountLimit, 'among' | 'count'>): Check {
  const among = (open: Open) => open.filter(({ labels }) => fits(labels));
  return atMost({ ...limit, among, count: counter(evidence, fits) });
}

/** Counts prompts that are not accepted. A long file keeps only its first findings, but all blocked prompts count. */
function counter({ byDetectors, findings }: BulkEvidence, fits: Fits): (open: Open) => number {
  let all = 0;
  for (const [json, count] of byDetectors) if (fits(JSON.parse(json) as string[])) all += count;
  const kept = (some: Open) => some.filter(({ labels }) => fits(labels)).length;
  const first = kept(findings);
  return (open) => all - (first - kept(open));
}
