/** What a bulk scan leaves for a later run: notes while it goes on, and what is left to do when it stopped. */
import { lineReader } from '../../lib/bulk/lines.ts';
import { isObject, type JsonObject, objectsOf } from '../../lib/json.ts';
import type { Journal } from '../../lib/ports.ts';
import { fingerprint } from '../../lib/text/fingerprint.ts';
import type { Prompt, Row } from './bulk-rows.ts';

/** The notes of a run; they go nowhere where there is no journal. */
export interface Notes {
  /** Written before prompts are sent: whoever finds nothing after it cannot know what became of them. */
  sending(prompts: readonly Prompt[]): Promise<void>;
  /** They were turned away, or did not leave. */
  unsent(prompts: readonly Prompt[]): Promise<void>;
  taken(scanId: string, prompts: readonly Prompt[]): Promise<void>;
  /** Results that cannot be asked for again. */
  found(rows: readonly Row[]): Promise<void>;
}

export function notesIn(journal: Journal | undefined): Notes {
  const note = async (value: JsonObject) => journal?.notes.append(`${JSON.stringify(value)}\n`);
  return {
    sending: (prompts) => note({ sending: numbers(prompts) }),
    unsent: (prompts) => note({ unsent: numbers(prompts) }),
    taken: (scan, prompts) => note({ scan, rows: numbers(prompts), mark: markOf(prompts) }),
    found: (rows) => note({ found: rows }),
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
export interface Taken {
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
  readonly found: ReadonlyMap<number, JsonObject>;
  readonly taken: readonly Taken[];
  /** Prompts that were being sent when the run stopped: they may have been scanned, and are scanned again. */
  readonly uncertain: number;
}

/** Reads what an earlier run left. */
export async function fromJournal({ results, notes }: Journal): Promise<Restored> {
  const done = await countLines(results);
  const found = new Map<number, JsonObject>();
  const taken: Taken[] = [];
  const open = new Set<number>();
  await eachLine(notes, (line) => {
    const note = objectIn(line);
    const rows = (name: string) => rowsIn(note[name]).filter((row) => row > done);
    for (const row of rows('sending')) open.add(row);
    for (const row of [...rows('unsent'), ...rows('rows')]) open.delete(row);
    for (const row of objectsOf(note['found'])) {
      if (Number(row['row']) > done) found.set(Number(row['row']), row);
      open.delete(Number(row['row']));
    }
    if (rows('rows').length > 0) taken.push(takenIn(note));
  });
  const lines = lineReader(await results.read());
  const next = async () => {
    const line = await lines.next();
    if (line !== undefined) return objectIn(line);
    await lines.close();
    return undefined;
  };
  return { next, found, taken, uncertain: open.size };
}

/** The position of a run between two slices: the same, as JSON. Rows are kept without their prompts, which are in the input. */
export interface Position {
  readonly rows: readonly JsonObject[];
  readonly found: readonly JsonObject[];
  readonly taken: readonly Omit<Taken, 'mark'>[];
  /** Most prompts that the service takes in one batch, as far as was found out. */
  readonly batch: number;
}

/** @param position a {@link Position} that has travelled, or nothing at all: then the run begins */
export function fromPosition(position: JsonObject): Restored {
  const rows = objectsOf(position['rows']).slice();
  const found = new Map(objectsOf(position['found']).map((row) => [Number(row['row']), row]));
  return {
    next: async () => rows.shift(),
    found,
    taken: objectsOf(position['taken']).map(takenIn),
    uncertain: 0,
  };
}

function takenIn(note: JsonObject): Taken {
  const since = note['since'];
  return {
    scan: String(note['scan']),
    rows: rowsIn(note['rows']),
    mark: String(note['mark'] ?? ''),
    since: typeof since === 'number' ? since : undefined,
  };
}

function rowsIn(value: unknown): number[] {
  return Array.isArray(value) ? value.map(Number) : [];
}

async function countLines(file: Journal['results']): Promise<number> {
  let count = 0;
  await eachLine(file, () => {
    count += 1;
  });
  return count;
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
