/** Runs `aisec explain`: fetches an earlier scan, and shows it with the findings of each detector. */

import { ServiceError, UsageError } from '../../../core/errors.ts';
import { asText } from '../../../core/json.ts';
import { plural } from '../../../core/text/numbers.ts';
import { isForPrograms } from '../../../hosts/terminal/line/options.ts';
import { type Session, sessionOf } from '../../../hosts/terminal/line/session.ts';
import { type SubcommandContext, usageError } from '../../../hosts/terminal/line/subcommand.ts';
import { commandRunner } from '../../../hosts/terminal/result/command-runner.ts';
import { readableText } from '../../../hosts/terminal/result/page.ts';
import { printLong } from '../../../hosts/terminal/result/print-long.ts';
import { jsonText } from '../../../hosts/terminal/ui/json.ts';
import { Api } from '../../../runtime/api/client.ts';
import { type Command, findCommand } from '../../../runtime/engine/command.ts';
import type { RunCommand } from '../../../runtime/engine/command-port.ts';
import { presentedResult } from '../../../runtime/engine/present.ts';
import { detectorName } from '../../../runtime/output/detectors.ts';
import { listOf, type Readable, type Table } from '../../../runtime/output/readable.ts';
import { shape } from '../../../runtime/output/shape.ts';
import { detectorsOf, readVerdict, scanVerdict } from '../../../runtime/output/verdict.ts';
import { detectionTable, reasonsOf } from '../detections.ts';
import { topicNotes } from '../explained.ts';
import { findingTables } from '../findings.ts';
import { type PastRow, type PastScan, pastScan, scanIdOf } from '../past-scan.ts';

/** Exit code of a blocked scan with `--exit-code`. */
const BLOCKED = 1;
/** Refers to the last scan of a war room. */
const LAST = 'last';
const NO_SCAN = 'No scan has run in this war room yet.';

/** Shows a scan, or the scans of a war room. @returns 8 if a prompt of the scan has no verdict */
export async function runExplain(cli: SubcommandContext): Promise<number> {
  const { host, options, screen, format, signal } = cli;
  const [word] = cli.words;
  if (word === undefined && cli.session !== undefined) return showScans(cli.session, cli);
  if (word === undefined) throw usageError('aisec explain needs the id of a scan.', 'explain SCAN_ID');
  const typed = word === LAST ? lastOf(cli.session) : word;
  const session = await sessionOf(cli);
  try {
    const runtime = await session.runtime(signal);
    const api = new Api(runtime);
    const ids = session.scans().map(({ scan_id }) => scan_id);
    const scanId = await scanIdOf(typed, ids, api);
    if (scanId !== word && !options.quiet) screen.note(`note: SCAN_ID is ${scanId}`);
    const past = await pastScan(scanId, api, runtime.clock);
    const simulated = api.simulated();
    if (isForPrograms(format)) {
      if (simulated) screen.note('note: answered by the simulated service, not by a tenant.');
      screen.result(jsonText(explanationJson(past, simulated), screen.terminal));
    } else {
      const command = await findCommand(host.registry, 'aisec-runtime-scan');
      const run = commandRunner(host, session, signal);
      const readable = await pastReadable(past, { command, run, simulated });
      await printLong(await readableText(readable, cli), cli);
    }
    const error = unfinishedError(past) ?? (options.exitCode ? doubtIn(past) : undefined);
    if (error !== undefined) return await cli.report(error);
    return options.exitCode && verdictsOf(past).includes('block') ? BLOCKED : 0;
  } finally {
    await session.close();
  }
}

async function showScans(session: Session, cli: SubcommandContext): Promise<number> {
  const scans = session.scans();
  if (scans.length === 0) throw new UsageError(NO_SCAN, { hint: 'Scan first, or give an id: explain SCAN_ID' });
  if (isForPrograms(cli.format)) {
    cli.screen.result(jsonText({ scans }, cli.screen.terminal));
    return 0;
  }
  const columns = ['scanned_at', 'profile_name', 'decision', 'prompts', 'scan_id'];
  const notes = ['See what the detectors found with: explain last, or explain SCAN_ID'];
  const tables = [
    listOf(
      scans.map((scan) => ({ ...scan })),
      { columns },
    ),
  ];
  const readable = { title: 'Scans of This War Room', simulated: cli.options.simulate, tables, notes };
  await printLong(await readableText(readable, cli), cli);
  return 0;
}

/** @throws UsageError without a scan, or outside of a war room */
function lastOf(session: Session | undefined): string {
  const last = session?.scans().at(-1);
  if (last !== undefined) return last.scan_id;
  if (session !== undefined) throw new UsageError(NO_SCAN);
  throw usageError('The word last names a scan only in the war room.', 'explain SCAN_ID');
}

/** A scan with missing verdicts never counts as explained. */
function unfinishedError({ scanId, rows }: PastScan): ServiceError | undefined {
  const open = rows.filter(({ response }) => Object.keys(response).length === 0);
  if (open.length === 0) return undefined;
  const states = [...new Set(open.map(({ status }) => status))].join(', ');
  const which = rows.length === 1 ? 'The scan has' : `${plural(open.length, 'prompt')} of ${rows.length} have`;
  return new ServiceError(`${which} no verdict: its status is ${states}.`, {
    hint: `If it is pending, look again: aisec explain ${scanId}`,
  });
}

function verdictsOf({ rows }: PastScan) {
  return rows.map(({ response }) => scanVerdict(response));
}

function doubtIn(past: PastScan): ServiceError | undefined {
  const verdicts = verdictsOf(past);
  const doubt = verdicts.find((verdict) => typeof verdict === 'object');
  if (doubt === undefined || verdicts.includes('block')) return undefined;
  return new ServiceError(doubt.doubt, { hint: 'Scan again, or review the result: it does not count as allowed.' });
}

/** Details that are shown with a scan. */
interface Shown {
  /** The command whose output format a single scan uses. */
  readonly command: Command | undefined;
  readonly run: RunCommand;
  readonly simulated: boolean;
}

const KEPT = 'The service keeps the verdict and the report of a scan, not its prompt or response; a masked text stays.';

/** Shows a single scan as its command does, and a batch with one prompt per line. */
async function pastReadable(past: PastScan, shown: Shown): Promise<Readable> {
  const [only] = past.rows;
  const { command } = shown;
  return past.rows.length === 1 && only !== undefined && command !== undefined && isDone(only)
    ? singleReadable(only, command, shown)
    : batchReadable(past, shown);
}

/** Converts the scan to JSON: verdicts and reports as the service sent them. */
function explanationJson({ scanId, rows }: PastScan, simulated: boolean) {
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
  const { readable } = presentedResult({
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
      ...topics.map((note) => `${note} The profile may have changed since.`),
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

/** Names the detectors that fired, for a scan without a report. */
function firedIn(response: PastRow['response']): string {
  return detectorsOf(response).map(detectorName).join('; ');
}
