/** An earlier scan for people and programs. */
import { asText } from '../../core/json.ts';
import type { Command } from '../../engine/command.ts';
import { present } from '../../engine/present.ts';
import type { RunCommand } from '../../engine/run-command.ts';
import { detectionTable, reasonsOf } from '../../features/explain/detections.ts';
import { detectorName } from '../../features/explain/detector-names.ts';
import { findingTables } from '../../features/explain/findings.ts';
import type { PastRow, PastScan } from '../../features/explain/past-scan.ts';
import { topicNotes } from '../../hosts/terminal/views/explain.ts';
import { listOf, type Readable, type Table } from '../../output/readable.ts';
import { shape } from '../../output/shape.ts';
import { detectorsOf, readVerdict } from '../../output/verdict.ts';
import { plural } from '../../text/numbers.ts';

/** Details shown with a scan. */
interface Shown {
  /** The command whose record a scan is. */
  readonly command: Command | undefined;
  readonly run: RunCommand;
  readonly simulated: boolean;
}

const KEPT = 'The service keeps the verdict and the report of a scan, not its prompt or response; a masked text stays.';

/** Shows a single scan as its command does, and the prompts of a batch one a line. */
export async function pastReadable(past: PastScan, shown: Shown): Promise<Readable> {
  const [only] = past.rows;
  const { command } = shown;
  return past.rows.length === 1 && only !== undefined && command !== undefined && isDone(only)
    ? singleReadable(only, command, shown)
    : batchReadable(past, shown);
}

/** The scan as JSON: verdicts and reports as the service answered. */
export function explanationJson({ scanId, rows }: PastScan, simulated: boolean) {
  return {
    scan_id: scanId,
    complete: rows.every(isDone),
    scans: rows.map(({ row, status, response, detections }) => ({
      row: row ?? null,
      status,
      result: isDone({ response }) ? response : null,
      detections: detections ?? null,
    })),
    ...(simulated ? { simulated } : {}),
  };
}

function isDone({ response }: Pick<PastRow, 'response'>): boolean {
  return Object.keys(response).length > 0;
}

async function singleReadable({ response, detections }: PastRow, command: Command, shown: Shown): Promise<Readable> {
  const { readable } = present({
    command,
    args: { values: {}, typed: {}, generic: PLAIN },
    page: undefined,
    output: command.output,
    extras: { notes: [], tables: [], warnings: [] },
    files: [],
    wire: response,
    records: [shape(command.output.record, response, {})],
    simulated: shown.simulated,
  });
  const reported = detections === undefined ? [] : [detectionTable(detections)];
  const topics = detections === undefined ? [] : await topicNotes(response, detections, shown.run);
  return {
    ...readable,
    tables: [...readable.tables, ...findingTables(response), ...reported],
    notes: [
      ...readable.notes,
      ...(detections === undefined ? ['There is no report of this scan.'] : []),
      // The profile may have been changed since.
      ...topics.map((note) => `${note} The profile is that of today.`),
      KEPT,
    ],
  };
}

const PLAIN = {
  showRaw: false,
  ignoreOutputs: true,
  extend: [],
  timeoutSeconds: undefined,
  retries: 0,
  retrySeconds: 0,
  ignored: [],
};

function batchReadable({ scanId, rows }: PastScan, { simulated }: Shown): Readable {
  const blocked = rows.filter(({ response }) => readVerdict(response).decision === 'block').length;
  const open = rows.filter((row) => !isDone(row)).length;
  const counts = [`${blocked} blocked`, ...(open === 0 ? [] : [`${open} without a verdict`])].join(', ');
  return {
    title: `Scan ${scanId}: ${plural(rows.length, 'prompt')}, ${counts}`,
    simulated,
    tables: [rowsTable(rows)],
    notes: [KEPT],
  };
}

function rowsTable(rows: readonly PastRow[]): Table {
  const records = rows.map(({ row, status, response, detections }) => ({
    row: row ?? '',
    status,
    action: asText(response['action'] ?? ''),
    why: detections === undefined ? firedIn(response) : reasonsOf(detections),
  }));
  return listOf(records, { title: 'Prompts', columns: ['row', 'status', 'action', 'why'] });
}

/** Names the detectors that fired, of a scan without a report. */
function firedIn(response: PastRow['response']): string {
  return detectorsOf(response).map(detectorName).join('; ');
}
