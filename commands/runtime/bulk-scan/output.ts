/** Writes the rows of a bulk scan in input order, each as soon as all rows before it are written. */
import { bulkEnd, type RunFacts, rowDigest } from '../../../lib/bulk/end.ts';
import { reorder } from '../../../lib/bulk/order.ts';
import { AisecError } from '../../../lib/core/errors.ts';
import type { Journal, SavedFile, TextWriter } from '../../../lib/core/ports.ts';
import type { Tools } from '../../../lib/engine/command.ts';
import { RESUME } from './journal.ts';
import type { Restored } from './restored.ts';
import { heldBy, type Row } from './rows.ts';
import { collectRows } from './slice.ts';
import { type Counts, createSummary, type Summary } from './summary.ts';
import { type DetectorTally, openTally } from './tally.ts';

/** The file that has every row, unless the user names one. */
const FILE = { name: 'AiSec-BulkScan.jsonl', type: 'application/jsonl' } as const;

export interface Output {
  readonly summary: Summary;
  readonly tally: DetectorTally;
  /** Reserves space for prompts, in characters. */
  expect(characters: number): void;
  /** Adds a row. @param isReplayed the journal already has it */
  place(row: Row, isReplayed?: boolean): void;
  /** Writes the rows that are next in order. */
  flush(): Promise<void>;
  /** Number of the first missing row. */
  missing(): number;
  /** Characters of prompts that are reserved or buffered. */
  held(): number;
  /** Rows after a gap. */
  waiting(): readonly Row[];
  /** Counts of written rows, including earlier slices. */
  counts(): Counts;
  /** Rows written in this time slice, as JSON; empty without time slices. */
  lines(): readonly string[];
  /**
   * Collects the rows of all time slices into the summary and the file.
   * @returns an error if rows of earlier slices are gone
   */
  gather(): Promise<AisecError | undefined>;
  /**
   * Completes the file after the last row.
   * @returns the file with all rows, if a table or the context does not have them, and they were not streamed
   */
  finish(facts: RunFacts): Promise<SavedFile | undefined>;
  /** The rows that went to the file of a host with time slices, as JSON lines, in case it does not save the file. */
  written(): string;
  /** Removes the rows if there is nothing to resume. */
  discard(): Promise<void>;
  /** Stops the run. @returns the file with the rows so far */
  leave(): Promise<SavedFile | undefined>;
}

/**
 * Opens the output.
 * @param restored state of an earlier run or slice
 * @param fileName name of the file; with it, the file is always written
 */
export function openOutput(
  tools: Tools,
  journal: Journal | undefined,
  { hasEnd, finished }: Restored,
  fileName: string | undefined,
): Output {
  const isNamed = fileName !== undefined;
  const name = fileName ?? FILE.name;
  const order = reorder<{ row: Row; isReplayed: boolean }>(finished.counts.total + 1);
  const summary = createSummary(tools.contextLimit);
  const slice = tools.deadline === undefined ? undefined : collectRows(finished);
  const takesFile = journal === undefined && (isNamed || tools.stream === undefined);
  const early: string[] = [];
  const written: string[] = [];
  const digest = rowDigest();
  const tally = openTally();
  let file: TextWriter | undefined;
  let [held, last]: [number, Promise<void>] = [0, Promise.resolve()];

  /** Without a journal, a file is created when the context is full. */
  const spill = async (lines: readonly string[]) => {
    for (const line of lines) early.push(line);
    if (summary.isWhole() && !isNamed) return;
    file ??= await tools.files.create(name, FILE.type);
    const text = asLines(early.splice(0));
    if (slice !== undefined) written.push(text);
    await file.write(text);
  };

  const add = (row: Row, line: string) => {
    summary.add(row, line);
    tally.add(row);
    digest.add(line);
    tools.stream?.(row);
  };

  const handOn = async (placed: readonly { row: Row; isReplayed: boolean }[]) => {
    if (slice !== undefined) return slice.add(placed.map(({ row }) => row));
    const lines = placed.map(({ row }) => JSON.stringify(row));
    placed.forEach(({ row }, at) => {
      add(row, lines[at] ?? '');
    });
    const fresh = lines.filter((_, at) => placed[at]?.isReplayed === false);
    if (fresh.length > 0) await journal?.results.append(asLines(fresh));
    if (takesFile) await spill(lines);
  };

  return {
    summary,
    tally,
    expect: (characters) => {
      held += characters;
    },
    place: (row, isReplayed = false) => {
      order.add(row.row, { row, isReplayed });
    },
    flush: () => {
      const placed = order.drain();
      for (const { row } of placed) held -= heldBy(row);
      if (placed.length > 0) last = last.then(() => handOn(placed));
      return last;
    },
    missing: order.nextMissing,
    held: () => held,
    waiting: () => order.waiting().map(([, { row }]) => row),
    counts: () => slice?.counts() ?? summary.counts(),
    lines: () => slice?.lines() ?? [],
    gather: async () => {
      if (slice === undefined) return undefined;
      await last;
      return slice.takeAll(tools, async (rows) => {
        for (const { row, line } of rows) add(row, line);
        if (takesFile) await spill(rows.map(({ line }) => line));
      });
    },
    finish: async (facts) => {
      await last;
      const end = bulkEnd(summary.counts().total, digest, facts);
      tools.stream?.(end);
      const isCut = tools.showsTables && journal !== undefined && summary.inTables() < summary.counts().total;
      const isElsewhere = tools.stream === undefined ? summary.isWhole() : await untilDelivered(tools);
      if (!isNamed && !isCut && isElsewhere) {
        await journal?.remove();
        return undefined;
      }
      const lines = asLines([JSON.stringify(end)]);
      if (journal === undefined) {
        if (isNamed) await spill([]);
        await file?.write(lines);
        return file?.close();
      }
      if (!hasEnd) await journal.results.append(lines);
      return journal.commit(name, FILE.type);
    },
    written: () => written.join(''),
    discard: async () => {
      await last;
      await journal?.remove();
    },
    leave: () => (journal === undefined ? Promise.resolve(file?.close()) : journal.suspend()),
  };
}

/** Waits for the reader of streamed rows: until then, the journal is their only copy. @returns whether it took them */
async function untilDelivered(tools: Tools): Promise<boolean> {
  try {
    return await tools.delivered();
  } catch (thrown) {
    if (thrown instanceof AisecError)
      thrown.hint = [RESUME, thrown.hint].filter((part) => part !== undefined).join(' ');
    throw thrown;
  }
}

function asLines(rows: readonly string[]): string {
  return rows.map((row) => `${row}\n`).join('');
}
