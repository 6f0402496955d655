/** Collects the data of the page of a bulk scan from its JSONL. */
import { asText } from '../../../core/json.ts';
import type { TextReader } from '../../../core/ports.ts';
import { isIncomplete } from '../../../output/verdict.ts';
import { type BulkRow, readBulkFile } from '../../gate/bulk-file.ts';

/** Blocked prompts on the page; all are counted. */
export const MAX_BLOCKED = 200;
const MAX_PROMPT_LENGTH = 4000;

export interface BlockedRow {
  readonly row: number;
  readonly prompt: string;
  readonly detectors: readonly string[];
}

export interface BulkData {
  /** Name of the file. */
  readonly name: string;
  readonly profile: string | undefined;
  /** When the file was last written, as an ISO time. */
  readonly finishedAt?: string | undefined;
  readonly rows: number;
  readonly blocked: number;
  readonly allowed: number;
  /** Rows without a verdict. */
  readonly undecided: number;
  /** Allowed although a detector timed out or failed. */
  readonly unchecked: number;
  /** Blocked prompts by detector, the most frequent first; a prompt may have several. */
  readonly byDetector: readonly (readonly [detector: string, count: number])[];
  /** The first blocked prompts. */
  readonly first: readonly BlockedRow[];
  /** Why the file is not that of a finished run. */
  readonly problems: readonly string[];
  readonly simulated: boolean;
  /** In milliseconds since the epoch. */
  readonly createdAt: number;
  /** Version of this program. */
  readonly version: string;
}

/** Collects a bulk scan. @param reader of its JSONL, read once */
export async function collectBulk(
  reader: TextReader,
  about: Pick<BulkData, 'name' | 'finishedAt' | 'createdAt' | 'version'>,
): Promise<BulkData> {
  const counts = { blocked: 0, allowed: 0, undecided: 0, unchecked: 0 };
  const byDetector = new Map<string, number>();
  const first: BlockedRow[] = [];
  const { rows, problems, simulated, profile } = await readBulkFile(reader, (row, line) => {
    const { decision, detectors } = row.reading;
    counts[outcomeOf(row)] += 1;
    if (decision !== 'block') return;
    for (const detector of detectors) byDetector.set(detector, (byDetector.get(detector) ?? 0) + 1);
    if (first.length < MAX_BLOCKED) first.push(blockedRow(row, line, detectors));
  });
  return {
    ...{ ...about, ...counts, rows, problems, simulated, profile, first },
    byDetector: [...byDetector].sort((a, b) => b[1] - a[1]),
  };
}

function outcomeOf({ reading }: BulkRow): 'blocked' | 'allowed' | 'undecided' | 'unchecked' {
  const { decision } = reading;
  if (decision !== 'none') return decision === 'block' ? 'blocked' : 'allowed';
  return isIncomplete(reading) ? 'unchecked' : 'undecided';
}

function blockedRow({ row, prompt }: BulkRow, line: number, detectors: readonly string[]): BlockedRow {
  const text = asText(prompt ?? '').slice(0, MAX_PROMPT_LENGTH);
  return { row: row ?? line, prompt: text, detectors };
}

/** Reports whether every prompt of the file has a complete verdict. */
export function isComplete({ rows, undecided, unchecked, problems }: BulkData): boolean {
  return rows > 0 && undecided === 0 && unchecked === 0 && problems.length === 0;
}
