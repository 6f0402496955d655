/** The journal of a bulk scan: writes notes during a run, and restores the remaining work after a stop. */
import { isBulkEnd } from '../../../lib/bulk/end.ts';
import { lineReader } from '../../../lib/bulk/lines.ts';
import type { AisecError } from '../../../lib/errors.ts';
import { isObject, type JsonObject, objectsOf } from '../../../lib/json.ts';
import type { Journal } from '../../../lib/ports.ts';
import { fingerprint } from '../../../lib/text/fingerprint.ts';
import { type Finished, NOTHING_FINISHED } from './checkpoint.ts';
import type { Prompt, Row } from './rows.ts';

/** The notes of a run; discarded if there is no journal. */
export interface Notes {
  /** Written before prompts are sent: without a later note, their outcome is unknown. */
  sending(prompts: readonly Prompt[]): Promise<void>;
  /** The service did not process them. */
  unsent(prompts: readonly Prompt[]): Promise<void>;
  accepted(scanId: string, prompts: readonly Prompt[]): Promise<void>;
  /** Results that cannot be polled again. */
  completed(rows: readonly Row[]): Promise<void>;
  /** Written before prompts that may have been scanned are sent again, by their rows. */
  again(rows: readonly number[]): Promise<void>;
  /** Whether the simulated service answers this run. */
  answered(simulated: boolean): Promise<void>;
  /** Number of sent prompts with an unknown outcome. */
  open(): number;
}

export function notesIn(journal: Journal | undefined): Notes {
  const open = new Set<number>();
  const note = async (value: JsonObject) => journal?.notes.append(`${JSON.stringify(value)}\n`);
  const close = (rows: readonly { row: number }[]) => {
    for (const { row } of rows) open.delete(row);
  };
  return {
    sending: (prompts) => {
      for (const { row } of prompts) open.add(row);
      return note({ sending: numbers(prompts) });
    },
    unsent: (prompts) => {
      close(prompts);
      return note({ unsent: numbers(prompts) });
    },
    accepted: (scan, prompts) => {
      close(prompts);
      return note({ scan, rows: numbers(prompts), mark: markOf(prompts) });
    },
    completed: (rows) => {
      close(rows);
      return note({ found: rows });
    },
    again: async (again) => (again.length === 0 ? undefined : note({ again })),
    answered: (simulated) => note({ simulated }),
    open: () => open.size,
  };
}

function numbers(prompts: readonly Prompt[]): number[] {
  return prompts.map(({ row }) => row);
}

/** Fingerprints prompts, to detect another input. */
export function markOf(prompts: readonly Prompt[]): string {
  return fingerprint(prompts.map(({ text }) => text));
}

/** A scan that the service accepted in an earlier run. */
export interface AcceptedScan {
  readonly scan: string;
  readonly rows: readonly number[];
  readonly mark: string;
  /** When, by the elapsed time of the job's clock; undefined when another process sent it. */
  readonly since: number | undefined;
}

/** State from which a run continues. */
export interface Restored {
  /** The rows that are done, in order from the first on; undefined after the last. */
  next(): Promise<JsonObject | undefined>;
  /** Results behind a gap, by their rows. */
  readonly completed: ReadonlyMap<number, JsonObject>;
  readonly accepted: readonly AcceptedScan[];
  /** Rows of prompts that were being sent when the run stopped: they may have been scanned, and are scanned again. */
  readonly uncertain: readonly number[];
  /** The same of all earlier runs, and of repeated requests: a prompt is listed once for each possible extra scan. */
  readonly again: readonly number[];
  /** Did the simulated service answer? Undefined before the first answer. */
  readonly simulated: boolean | undefined;
  /** The results have their end already: the process died before they got their name. */
  readonly hasEnd: boolean;
  /** The rows of earlier slices, where the host cuts a run into slices; nothing reads them before the end. */
  readonly finished: Finished;
  /** The last row of which an earlier slice knew. */
  readonly through: number;
  /** Set when a file that the run needs is gone. */
  readonly lost?: AisecError | undefined;
}

/** Restores the state of an earlier run. */
export async function fromJournal({ results, notes }: Journal): Promise<Restored> {
  const { done, hasEnd } = await countRows(results);
  const again: number[] = [];
  let simulated: boolean | undefined;
  const completed = new Map<number, JsonObject>();
  const accepted: AcceptedScan[] = [];
  const open = new Set<number>();
  await eachLine(notes, (line) => {
    const note = objectIn(line);
    const rows = (name: string) => rowsIn(note[name]).filter((row) => row > done);
    for (const row of rows('sending')) open.add(row);
    for (const row of [...rows('unsent'), ...rows('rows'), ...rows('again')]) open.delete(row);
    for (const row of rowsIn(note['again'])) again.push(row);
    if (typeof note['simulated'] === 'boolean') simulated ??= note['simulated'];
    for (const row of objectsOf(note['found'])) {
      if (Number(row['row']) > done) completed.set(Number(row['row']), row);
      open.delete(Number(row['row']));
    }
    if (rows('rows').length > 0) accepted.push(acceptedScan(note));
  });
  const lines = lineReader(await results.read());
  const next = async () => {
    const line = await lines.next();
    const row = line === undefined ? undefined : objectIn(line);
    if (row !== undefined && !isBulkEnd(row)) return row;
    await lines.close();
    return undefined;
  };
  return {
    next,
    completed,
    accepted,
    uncertain: Array.from(open),
    again,
    simulated,
    hasEnd,
    finished: NOTHING_FINISHED,
    through: 0,
  };
}

function acceptedScan(note: JsonObject): AcceptedScan {
  return {
    scan: String(note['scan']),
    rows: rowsIn(note['rows']),
    mark: String(note['mark'] ?? ''),
    since: undefined,
  };
}

function rowsIn(value: unknown): number[] {
  return Array.isArray(value) ? value.map(Number) : [];
}

async function countRows(file: Journal['results']): Promise<{ done: number; hasEnd: boolean }> {
  let done = 0;
  let last = '';
  await eachLine(file, (line) => {
    done += 1;
    last = line;
  });
  const hasEnd = isBulkEnd(objectIn(last));
  return { done: hasEnd ? done - 1 : done, hasEnd };
}

async function eachLine(file: Journal['results'], take: (line: string) => void): Promise<void> {
  const lines = lineReader(await file.read());
  try {
    for (let line = await lines.next(); line !== undefined; line = await lines.next()) take(line);
  } finally {
    await lines.close();
  }
}

function objectIn(line: string): JsonObject {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
