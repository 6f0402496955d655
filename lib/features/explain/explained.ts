/** `--explain`: shows what each detector found in a scan, and the topics of its profile. */

import { CancelledError, toAisecError } from '../../core/errors.ts';
import { type JsonObject, objectOf, objectsOf } from '../../core/json.ts';
import type { Runtime } from '../../core/runtime.ts';
import { Api } from '../../runtime/api/client.ts';
import type { RunCommand } from '../../runtime/engine/command-port.ts';
import type { Table } from '../../runtime/output/readable.ts';
import type { Result } from '../../runtime/output/result.ts';
import { detectorsOf } from '../../runtime/output/verdict.ts';
import { runCommand } from '../scans/commands.ts';
import { detectionTable, reasonsOf, topicNote, topicsOf } from './detections.ts';
import { findingTables } from './findings.ts';
import { type Detections, scanReport, scanReports } from './scan-report.ts';

interface Explanation {
  readonly tables: readonly Table[];
  readonly notes: readonly string[];
}

type Explain = (result: Result, runtime: Runtime, run: RunCommand) => Promise<Explanation>;

const EXPLAINERS: Readonly<Record<string, Explain>> = {
  'aisec-runtime-scan': explainScan,
  'aisec-runtime-bulk-scan': explainBulk,
};

/** Commands whose results have reports. */
export const EXPLAINED = Object.keys(EXPLAINERS);

/**
 * Adds the scan reports to the human-readable part of the result; the context is unchanged. If a report cannot be read, a note
 * says so; the scan keeps its verdict.
 * @throws CancelledError after a stop
 */
export async function explained(result: Result, runtime: Runtime, run: RunCommand): Promise<Result> {
  const { readable } = result;
  const { tables, notes } = (await EXPLAINERS[result.command]?.(result, runtime, run)) ?? readable;
  return { ...result, readable: { ...readable, tables, notes: [...readable.notes, ...notes] } };
}

async function explainScan({ raw, readable }: Result, runtime: Runtime, run: RunCommand): Promise<Explanation> {
  const scan = objectOf(raw);
  const reportId = typeof scan['report_id'] === 'string' ? scan['report_id'] : '';
  // Some findings are only in the scan response, so they exist even without a report.
  const tables = [...readable.tables, ...findingTables(scan)];
  if (reportId === '') return { tables, notes: ['The scan has no report.'] };
  try {
    const detections = await scanReport(reportId, new Api(runtime), runtime.clock);
    if (detections === undefined) return { tables, notes: [`There is no report ${reportId} yet.`] };
    return { tables: [...tables, detectionTable(detections)], notes: await topicNotes(scan, detections, run) };
  } catch (thrown) {
    return { tables, notes: [`The report ${reportId} cannot be read: ${reason(thrown)}`] };
  }
}

const DETECTORS = 'Detected By';
const WHY = ['row', 'prompt', 'why'];

/** Replaces the detectors in the table of blocked prompts with their findings. */
async function explainBulk({ writes, readable }: Result, runtime: Runtime, run: RunCommand): Promise<Explanation> {
  const { tables } = readable;
  const table = tables.find(({ columns }) => columns.includes(DETECTORS));
  if (table === undefined) return { tables, notes: [] };
  const value = objectOf(writes.at(-1)?.value);
  const rows = shownRows(table, objectsOf(value['results']));
  try {
    const reported = rows.map((row) => ({ reportId: String(row['report_id']), row: Number(row['row']) }));
    const found = await scanReports(reported, new Api(runtime), runtime.clock);
    const reasons = new Map(rows.map((row, at) => [String(row['row']), reasonsOf(found[at] ?? [])]));
    const all = found.flatMap((detections) => detections ?? []);
    const notes = rows.some(hasTopicViolation) ? [await topics(String(value['profile_name']), all, run)] : [];
    return { tables: tables.map((each) => (each === table ? withReasons(table, reasons) : each)), notes };
  } catch (thrown) {
    return { tables, notes: [`The reports cannot be read: ${reason(thrown)}`] };
  }
}

function shownRows({ columns, rows }: Table, results: readonly JsonObject[]): JsonObject[] {
  const at = columns.indexOf('Row');
  const numbers = new Set(rows.map((row) => row[at]));
  return results.filter(({ row, report_id }) => numbers.has(String(row)) && typeof report_id === 'string');
}

function withReasons(table: Table, reasons: ReadonlyMap<string, string>): Table {
  const [number, at] = ['Row', DETECTORS].map((name) => table.columns.indexOf(name));
  const replaced = (cells: readonly string[], text: string) => cells.map((cell, index) => (index === at ? text : cell));
  return {
    ...table,
    columns: replaced(table.columns, 'Why'),
    // Without a report, only the names of the detectors are known.
    rows: table.rows.map((cells) => {
      const why = reasons.get(cells[number ?? 0] ?? '') ?? '';
      return why === '' ? cells : replaced(cells, why);
    }),
    of: { many: true, fields: [], view: { firstColumns: WHY } },
  };
}

/** Says which topics are active in the profile and which of them matched; says nothing if no topic was violated. */
export async function topicNotes(scan: JsonObject, detections: Detections, run: RunCommand): Promise<string[]> {
  return hasTopicViolation(scan) ? [await topics(String(scan['profile_name']), detections, run)] : [];
}

function hasTopicViolation(scan: JsonObject): boolean {
  return detectorsOf(scan).includes('topic_violation');
}

async function topics(profileName: string, detections: Detections, run: RunCommand): Promise<string> {
  try {
    const { record } = await runCommand(run, 'aisec-runtime-profiles-get', { profile_name: profileName });
    return topicNote(topicsOf(record.policy), detections);
  } catch (thrown) {
    return `${topicNote(undefined, detections)} The profile cannot be read: ${reason(thrown)}`;
  }
}

function reason(thrown: unknown): string {
  const error = toAisecError(thrown);
  if (error instanceof CancelledError) throw error;
  return error.message;
}
