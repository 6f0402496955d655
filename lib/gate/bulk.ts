/** The gate on a bulk scan: a blocked prompt fails, and anything less than a finished run with a whole verdict for each prompt is no pass. */
import { asText, isObject, type JsonObject } from '../json.ts';
import type { TextReader } from '../ports.ts';
import { grouped } from '../text/numbers.ts';
import { readBulkFile } from './bulk-file.ts';
import { type RowRanges, rowRanges } from './row-ranges.ts';
import { type Finding, ruleId, type Verdict } from './verdict.ts';

const MOST_FINDINGS = 20_000;

interface Rows {
  blocked: number;
  /** Neither allowed nor blocked. */
  readonly without: RowRanges;
  /** Allowed, while a detector timed out or failed. */
  readonly incomplete: RowRanges;
}

/** Reads the JSONL of a bulk scan, piece by piece. @param name of the file, for places and messages */
export async function bulkVerdict(reader: TextReader, name: string): Promise<Verdict> {
  const rows: Rows = { blocked: 0, without: rowRanges(), incomplete: rowRanges() };
  const findings: Finding[] = [];
  const file = await readBulkFile(reader, (row, line) => take(row, line, name, rows, findings));
  const { blocked, without, incomplete } = rows;
  const failed = blocked > 0;
  const summary = `${grouped(file.rows)} prompts: ${grouped(blocked)} blocked, ${grouped(without.count())} without a verdict${
    incomplete.count() === 0 ? '' : `, ${grouped(incomplete.count())} with a verdict that does not cover everything`
  }.`;
  const reasons = [
    file.problems.length > 0 ? `${name} is not the file of a finished run: ${file.problems.join('; ')}.` : undefined,
    file.rows === 0 ? `${name} has no rows.` : undefined,
    without.count() > 0 ? `There is no verdict for ${without.text()}.` : undefined,
    incomplete.count() > 0 ? `A detector timed out or failed in ${incomplete.text()}.` : undefined,
  ].filter((reason) => reason !== undefined);
  const simulated = file.simulated ? { simulated: true } : {};
  const verdict = { subject: `bulk ${name}`, failed, findings, ...simulated };
  if (reasons.length === 0) return { ...verdict, summary };
  // What is blocked fails whatever else is missing; without it, what is missing decides.
  return failed
    ? { ...verdict, summary: `${summary} ${reasons.join(' ')}` }
    : { ...verdict, summary, unfinished: reasons.join(' ') };
}

function take(row: JsonObject, line: number, name: string, rows: Rows, findings: Finding[]): void {
  const number = typeof row['row'] === 'number' ? row['row'] : line;
  const action = row['action'];
  if (action === 'block') {
    rows.blocked += 1;
    if (findings.length < MOST_FINDINGS) findings.push(findingOf(row, name, line));
  } else if (action !== 'allow') rows.without.add(number);
  else if (row['timeout'] === true || row['error'] === true) rows.incomplete.add(number);
}

function findingOf(row: JsonObject, name: string, line: number): Finding {
  const flags = isObject(row['prompt_detected']) ? row['prompt_detected'] : {};
  const detectors = Object.keys(flags).filter((detector) => flags[detector] === true);
  return {
    rule: ruleId('bulk', detectors[0] ?? asText(row['category'] ?? 'blocked')),
    ruleText: `A prompt is blocked${detectors.length === 0 ? '' : ` by ${detectors.join(', ')}`}.`,
    severity: 'high',
    // The prompt itself stays out of reports that travel further than the scan did.
    message: `The prompt of scan ${asText(row['scan_id'] ?? 'unknown')} is blocked${detectors.length === 0 ? '' : `: ${detectors.join(', ')}`}.`,
    place: { uri: name, line },
  };
}
