/** The gate on a bulk scan: blocked prompts fail; only a finished run with a complete verdict for each prompt passes. */
import { asText, isObject, type JsonObject } from '../json.ts';
import type { TextReader } from '../ports.ts';
import { grouped, plural } from '../text/numbers.ts';
import { readBulkFile } from './bulk-file.ts';
import type { Evidence, Limit } from './decide.ts';
import { type Finding, fingerprintOf, ruleId } from './finding.ts';
import { type BulkPolicy, type PolicyFile, placeIn } from './policy/policy.ts';
import type { PromptLines } from './prompt-lines.ts';
import { type RowRanges, rowRanges } from './row-ranges.ts';

/** Maximum findings that are kept; all blocked prompts are counted. */
export const MOST_FINDINGS = 20_000;
const MOST_EXCERPT = 200;

interface Rows {
  /** Number of blocked prompts; the findings may be fewer. */
  blocked: number;
  /** Blocked prompts by detector. */
  readonly byDetector: Map<string, number>;
  /** Neither allowed nor blocked. */
  readonly without: RowRanges;
  /** Allowed, while a detector timed out or failed. */
  readonly incomplete: RowRanges;
}

interface Files {
  /** File of the results. */
  readonly name: string;
  readonly input: PromptLines | undefined;
}

export interface BulkEvidence extends Evidence {
  readonly prompts: number;
  readonly blocked: number;
  readonly byDetector: ReadonlyMap<string, number>;
}

/**
 * Collects what a bulk scan has found in its JSONL.
 * @param name file name, for locations and messages
 * @param input the file of the prompts: findings are located there
 * @throws UsageError if the input has another number of prompts
 */
export async function bulkEvidence(reader: TextReader, name: string, input?: PromptLines): Promise<BulkEvidence> {
  const rows: Rows = { blocked: 0, byDetector: new Map(), without: rowRanges(), incomplete: rowRanges() };
  const findings: Finding[] = [];
  const file = await readBulkFile(reader, (row, line) => countRow(row, line, { name, input }, rows, findings));
  if (file.problems.length === 0) input?.check(file.rows);
  const { blocked, without, incomplete } = rows;
  const reasons = [
    file.problems.length > 0 ? `${name} is not the file of a finished run: ${file.problems.join('; ')}.` : undefined,
    file.rows === 0 ? `${name} has no rows.` : undefined,
    without.count() > 0 ? `There is no verdict for ${without.text()} of ${name}.` : undefined,
    incomplete.count() > 0 ? `A detector timed out or failed in ${incomplete.text()} of ${name}.` : undefined,
  ].filter((reason) => reason !== undefined);
  return {
    subject: `bulk ${name}`,
    findings,
    passed: passedText(file.rows, blocked),
    ...(reasons.length === 0 ? {} : { unfinished: reasons.join(' ') }),
    ...(file.simulated ? { simulated: true } : {}),
    prompts: file.rows,
    blocked,
    byDetector: rows.byDetector,
  };
}

/** Describes a scan that holds all limits. */
export function passedText(prompts: number, blocked: number): string {
  return `${plural(prompts, 'prompt')}: ${grouped(blocked)} blocked.`;
}

function countRow(row: JsonObject, line: number, files: Files, rows: Rows, findings: Finding[]): void {
  const number = typeof row['row'] === 'number' ? row['row'] : line;
  const action = row['action'];
  if (action === 'block') {
    rows.blocked += 1;
    for (const detector of detectorsOf(row)) rows.byDetector.set(detector, (rows.byDetector.get(detector) ?? 0) + 1);
    if (findings.length < MOST_FINDINGS) findings.push(findingOf(row, number, placeOf(number, line, files)));
  } else if (action !== 'allow') rows.without.add(number);
  else if (row['timeout'] === true || row['error'] === true) rows.incomplete.add(number);
}

function detectorsOf(row: JsonObject): string[] {
  const flags = isObject(row['prompt_detected']) ? row['prompt_detected'] : {};
  return Object.keys(flags).filter((detector) => flags[detector] === true);
}

function placeOf(row: number, line: number, { name, input }: Files): Finding['place'] {
  return input === undefined ? { uri: name, line } : { uri: input.uri, line: input.lineOf(row) };
}

function findingOf(row: JsonObject, number: number, place: Finding['place']): Finding {
  const detectors = detectorsOf(row);
  const by = detectors.length === 0 ? '' : ` by ${detectors.join(', ')}`;
  const scan = asText(row['scan_id'] ?? 'unknown');
  const prompt = asText(row['prompt'] ?? '').replace(/\s+/g, ' ');
  return {
    fingerprint: fingerprintOf('bulk', prompt === '' ? scan : prompt),
    rule: ruleId('bulk', detectors[0] ?? asText(row['category'] ?? 'blocked')),
    title: detectors.join(', ') || 'blocked',
    ruleText: `A prompt is blocked${by}.`,
    severity: 'high',
    // One scan id stands for a batch of prompts.
    message: `Row ${grouped(number)}, at ${place.uri}${place.line === undefined ? '' : `:${place.line}`}, is blocked${by}.`,
    excerpt: prompt.slice(0, MOST_EXCERPT),
    labels: detectors,
    place,
  };
}

/** Builds the limits: without a policy no prompt may be blocked. */
export function bulkLimits(evidence: BulkEvidence, file: PolicyFile | undefined): Limit[] {
  const { findings, prompts } = evidence;
  const policy: BulkPolicy = file?.policy.bulk ?? {};
  const { max_blocked_percent: percent, detectors = {} } = policy;
  const isOpen = policy.max_blocked === undefined && (percent !== undefined || Object.keys(detectors).length > 0);
  const max = policy.max_blocked ?? (isOpen ? undefined : 0);
  const source = (path: readonly string[]) =>
    file === undefined ? { source: 'no blocked prompt' } : placeIn(file, path);
  // The findings are the first ones of a long file; all of them count.
  const counted = (all: number, open: readonly Finding[]) => all - (findings.length - open.length);
  const limits: Limit[] = [];
  if (max !== undefined) {
    limits.push({
      ...source(policy.max_blocked === undefined ? ['bulk'] : ['bulk', 'max_blocked']),
      used: (open) => `${grouped(counted(evidence.blocked, open))} of at most ${plural(max, 'blocked prompt')}`,
      check: (open) => {
        const blocked = counted(evidence.blocked, open);
        const above = max === 0 ? '' : `, more than ${grouped(max)}`;
        const reason = `${grouped(blocked)} of ${plural(prompts, 'prompt')} blocked${above}`;
        return blocked > max ? { reason, by: open } : undefined;
      },
    });
  }
  if (percent !== undefined) {
    const share = (open: readonly Finding[]) => (prompts === 0 ? 0 : (100 * counted(evidence.blocked, open)) / prompts);
    const rounded = (open: readonly Finding[]) => Number(share(open).toFixed(2));
    limits.push({
      ...source(['bulk', 'max_blocked_percent']),
      used: (open) => `${rounded(open)} % of at most ${percent} %`,
      check: (open) => {
        const reason = `${rounded(open)} % of ${plural(prompts, 'prompt')} blocked, more than ${percent} %`;
        return share(open) > percent ? { reason, by: open } : undefined;
      },
    });
  }
  for (const [detector, most] of Object.entries(detectors)) {
    const isBy = ({ labels }: Finding) => labels.includes(detector);
    const blockedIn = (open: readonly Finding[]) =>
      (evidence.byDetector.get(detector) ?? 0) - (findings.filter(isBy).length - open.filter(isBy).length);
    limits.push({
      ...source(['bulk', 'detectors', detector]),
      used: (open) => `${grouped(blockedIn(open))} of at most ${plural(most, 'prompt')} blocked by ${detector}`,
      check: (open) => {
        const blocked = blockedIn(open);
        const reason = `${plural(blocked, 'prompt')} blocked by ${detector}, more than ${grouped(most)}`;
        return blocked > most ? { reason, by: open.filter(isBy) } : undefined;
      },
    });
  }
  return limits;
}
