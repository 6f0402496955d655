/** The gate on a bulk scan: blocked prompts fail; only a finished run with a complete verdict for each prompt passes. */
import { asText, isObject, type JsonObject } from '../../engine/json.ts';
import type { TextReader } from '../../engine/ports.ts';
import { actionOf } from '../../output/verdict.ts';
import { grouped, plural } from '../../text/numbers.ts';
import { readBulkFile } from './bulk-file.ts';
import type { Evidence } from './decide.ts';
import { type Finding, fingerprintOf, ruleId } from './finding.ts';
import type { PromptLines } from './prompt-lines.ts';
import { type RowRanges, rowRanges } from './row-ranges.ts';

/** Maximum findings that are kept; all blocked prompts are counted. */
export const MAX_FINDINGS = 20_000;
const MAX_EXCERPT = 200;

interface Rows {
  /** Number of blocked prompts; the findings may be fewer. */
  blocked: number;
  /** Blocked prompts by the detectors that found something, as a JSON array. */
  readonly byDetectors: Map<string, number>;
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
  /** Blocked prompts by the detectors that found something, as a JSON array. */
  readonly byDetectors: ReadonlyMap<string, number>;
}

/**
 * Collects what a bulk scan has found in its JSONL.
 * @param name file name, for locations and messages
 * @param input the file of the prompts: findings are located there
 * @throws UsageError if the input has another number of prompts
 */
export async function bulkEvidence(reader: TextReader, name: string, input?: PromptLines): Promise<BulkEvidence> {
  const rows: Rows = { blocked: 0, byDetectors: new Map(), without: rowRanges(), incomplete: rowRanges() };
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
    byDetectors: rows.byDetectors,
  };
}

/** Describes a scan that holds all limits. */
export function passedText(prompts: number, blocked: number): string {
  return `${plural(prompts, 'prompt')}: ${grouped(blocked)} blocked.`;
}

function countRow(row: JsonObject, line: number, files: Files, rows: Rows, findings: Finding[]): void {
  const number = typeof row['row'] === 'number' ? row['row'] : line;
  const action = actionOf(row['action']);
  if (action === 'block') {
    rows.blocked += 1;
    const detectors = JSON.stringify(detectorsOf(row));
    rows.byDetectors.set(detectors, (rows.byDetectors.get(detectors) ?? 0) + 1);
    if (findings.length < MAX_FINDINGS) findings.push(findingOf(row, number, placeOf(number, line, files)));
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
    // One scan id stands for a batch of prompts, so an acceptance by scan id alone would spare the whole batch.
    fingerprint: prompt === '' ? fingerprintOf('bulk', scan, String(number)) : fingerprintOf('bulk', prompt),
    rule: ruleId('bulk', detectors[0] ?? asText(row['category'] ?? 'blocked')),
    title: detectors.join(', ') || 'blocked',
    ruleText: `A prompt is blocked${by}.`,
    severity: 'high',
    message: `Row ${grouped(number)}, at ${place.uri}${place.line === undefined ? '' : `:${place.line}`}, is blocked${by}.`,
    excerpt: prompt.slice(0, MAX_EXCERPT),
    labels: detectors,
    place,
  };
}
