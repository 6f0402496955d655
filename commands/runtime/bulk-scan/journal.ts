/** What a bulk scan leaves for a later run: notes while it goes on, and what is left to do when it stopped. */
import { isBulkEnd } from '../../../lib/bulk/end.ts';
import { lineReader } from '../../../lib/bulk/lines.ts';
import type { AisecError } from '../../../lib/errors.ts';
import { isObject, type JsonObject, objectsOf } from '../../../lib/json.ts';
import type { Journal } from '../../../lib/ports.ts';
import { fingerprint } from '../../../lib/text/fingerprint.ts';
import { type Finished, NOTHING_FINISHED } from './checkpoint.ts';
import type { Prompt, Row } from './rows.ts';

/** The notes of a run; they go nowhere where there is no journal. */
export interface Notes {
  /** Written before prompts are sent: whoever finds nothing after it cannot know what became of them. */
  sending(prompts: readonly Prompt[]): Promise<void>;
  /** They were turned away, or did not leave. */
  unsent(prompts: readonly Prompt[]): Promise<void>;
  accepted(scanId: string, prompts: readonly Prompt[]): Promise<void>;
  /** Results that cannot be asked for again. */
  completed(rows: readonly Row[]): Promise<void>;
  /** Written before prompts that may have been scanned are sent again, by their rows. */
  again(rows: readonly number[]): Promise<void>;
  /** Who answers in this run. */
  answered(simulated: boolean): Promise<void>;
  /** How many prompts were sent, with an outcome that is not known. */
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

/** Tells the prompts of one input from those of another. */
export function markOf(prompts: readonly Prompt[]): string {
  return fingerprint(prompts.map(({ text }) => text));
}

/** A scan that the service took on in an earlier run. */
export interface AcceptedScan {
  readonly scan: string;
  readonly rows: readonly number[];
  readonly mark: string;
  /** When, by the elapsed time of the job's clock; undefined when another process sent it. */
  readonly since: number | undefined;
}

/** Where a run goes on. */
export interface Restored {
  /** The rows that are done, in order from the first on; undefined after the last. */
  next(): Promise<JsonObject | undefined>;
  /** Results behind a gap, by their rows. */
  readonly completed: ReadonlyMap<number, JsonObject>;
  readonly accepted: readonly AcceptedScan[];
  /** Rows of prompts that were being sent when the run stopped: they may have been scanned, and are scanned again. */
  readonly uncertain: readonly number[];
  /** The same of all earlier runs, and of repeated requests: a prompt is in it as often as it may have been scanned once too often. */
  readonly again: readonly number[];
  /** Did the simulated service answer? Undefined before the first answer. */
  readonly simulated: boolean | undefined;
  /** The results have their end already: the process died before they got their name. */
  readonly hasEnd: boolean;
  /** The rows of earlier slices, where the host cuts a run into slices; nothing reads them before the end. */
  readonly finished: Finished;
  /** The last row of which an earlier slice knew. */
  readonly through: number;
  /** Something that the run needs is gone: it cannot go on. */
  readonly lost?: AisecError | undefined;
}

/** Reads what an earlier run left. */
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
