/** The gate on a bulk scan: a blocked prompt fails, and a row without a verdict is no pass. */
import { asText, isObject } from '../json.ts';
import type { TextReader } from '../ports.ts';
import { type Finding, ruleId, type Verdict } from './verdict.ts';

const MOST_FINDINGS = 20_000;

interface Counts {
  total: number;
  blocked: number;
  without: number;
}

/** Reads the JSONL of a bulk scan, piece by piece. @param name of the file, for places and messages */
export async function bulkVerdict(reader: TextReader, name: string): Promise<Verdict> {
  const counts: Counts = { total: 0, blocked: 0, without: 0 };
  const findings: Finding[] = [];
  let rest = '';
  for (let piece = await reader.next(); piece !== undefined; piece = await reader.next()) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line, name, counts, findings);
  }
  take(rest, name, counts, findings);
  return verdictOf(counts, findings, name);
}

function take(line: string, name: string, counts: Counts, findings: Finding[]): void {
  if (line.trim() === '') return;
  counts.total += 1;
  const row = rowIn(line);
  const action = row?.['action'];
  if (action === 'allow') return;
  if (action !== 'block') counts.without += 1;
  else {
    counts.blocked += 1;
    if (findings.length < MOST_FINDINGS) findings.push(findingOf(row ?? {}, name, counts.total));
  }
}

function rowIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const row: unknown = JSON.parse(line);
    return isObject(row) ? row : undefined;
  } catch {
    return undefined;
  }
}

function findingOf(row: Readonly<Record<string, unknown>>, name: string, line: number): Finding {
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

function verdictOf({ total, blocked, without }: Counts, findings: readonly Finding[], name: string): Verdict {
  const subject = `bulk ${name}`;
  const summary = `${total} prompts: ${blocked} blocked, ${without} without a verdict.`;
  const missing =
    total === 0 ? `${name} has no rows.` : without > 0 ? `${without} of ${total} prompts have no verdict.` : undefined;
  const failed = blocked > 0;
  // What is blocked fails whatever else is missing; without it, what is missing decides.
  return missing === undefined || failed
    ? { subject, failed, summary, findings }
    : { subject, failed, summary, findings, unfinished: missing };
}
