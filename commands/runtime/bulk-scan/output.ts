/** Writes the rows of a bulk scan in input order, each as soon as all rows before it are written. */
import { bulkEnd, type RunFacts, rowDigest } from '../../../lib/bulk/end.ts';
import { inOrder } from '../../../lib/bulk/order.ts';
import type { Tools } from '../../../lib/command.ts';
import type { AisecError } from '../../../lib/errors.ts';
import type { Journal, SavedFile, TextWriter } from '../../../lib/ports.ts';
import type { Restored } from './journal.ts';
import type { Row } from './rows.ts';
import { collectRows } from './slice.ts';
import { type Counts, createSummary, type Summary } from './summary.ts';

/** The file that has every row. */
const FILE = { name: 'AiSec-BulkScan.jsonl', type: 'application/jsonl' } as const;

export interface Output {
  readonly summary: Summary;
  /** So many characters of prompts are coming. */
  expect(characters: number): void;
  /** @param isReplayed an earlier run has it on record already */
  place(row: Row, isReplayed?: boolean): void;
  /** Writes the rows that are next in order. */
  flush(): Promise<void>;
  /** The number of the first row that is missing. */
  missing(): number;
  /** Characters of prompts that came or are coming, and were not handed on. */
  held(): number;
  /** Rows behind a gap. */
  waiting(): readonly Row[];
  /** Counts of the rows that were handed on, in earlier slices as well. */
  counts(): Counts;
  /** The rows that this slice has handed on; none where a run is not cut into slices. */
  rows(): readonly Row[];
  /**
   * Brings the rows of all slices together; before that, the summary and the file have none where a run is cut into slices.
   * @returns an error when rows of earlier slices are gone
   */
  gather(): Promise<AisecError | undefined>;
  /**
   * All rows are handed on: writes the end behind them.
   * @returns the file with all rows, if the context does not hold them and they were not streamed
   */
  finish(facts: RunFacts): Promise<SavedFile | undefined>;
  /** Removes the rows, when there is nothing to resume. */
  discard(): Promise<void>;
  /** The run stops here. @returns the rows so far, and they may be gone on with where there is a journal */
  leave(): Promise<SavedFile | undefined>;
}

/** @param restored where an earlier run or slice stopped */
export function openOutput(tools: Tools, journal: Journal | undefined, { hasEnd, finished }: Restored): Output {
  const order = inOrder<{ row: Row; isReplayed: boolean }>(finished.counts.total + 1);
  const summary = createSummary(tools.contextLimit);
  const slice = tools.until === undefined ? undefined : collectRows(finished);
  const takesFile = journal === undefined && tools.stream === undefined;
  const early: string[] = [];
  const digest = rowDigest();
  let file: TextWriter | undefined;
  let [held, last]: [number, Promise<void>] = [0, Promise.resolve()];

  /** Where there is no journal, a file begins when the context has no room any more. */
  const spill = async (lines: readonly string[]) => {
    for (const line of lines) early.push(line);
    if (summary.isWhole()) return;
    file ??= await tools.files.create(FILE.name, FILE.type);
    await file.write(asLines(early.splice(0)));
  };

  const add = (row: Row, line: string) => {
    summary.add(row, line);
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
    expect: (characters) => {
      held += characters;
    },
    place: (row, isReplayed = false) => {
      order.place(row.row, { row, isReplayed });
    },
    flush: () => {
      const placed = order.take();
      for (const { row } of placed) held -= row.prompt.length;
      if (placed.length > 0) last = last.then(() => handOn(placed));
      return last;
    },
    missing: order.missing,
    held: () => held,
    waiting: () => order.waiting().map(([, { row }]) => row),
    counts: () => slice?.counts() ?? summary.counts(),
    rows: () => slice?.rows() ?? [],
    gather: async () => {
      if (slice === undefined) return undefined;
      await last;
      const all = await slice.takeAll(tools);
      if (all === undefined) return undefined;
      for (const { row, line } of all.rows) add(row, line);
      if (takesFile) await spill(all.rows.map(({ line }) => line));
      return all.lost;
    },
    finish: async (facts) => {
      await last;
      const end = bulkEnd(summary.counts().total, digest, facts);
      tools.stream?.(end);
      if (tools.stream !== undefined || summary.isWhole()) {
        await journal?.remove();
        return undefined;
      }
      const lines = asLines([JSON.stringify(end)]);
      if (journal === undefined) {
        await file?.write(lines);
        return file?.close();
      }
      if (!hasEnd) await journal.results.append(lines);
      return journal.publish(FILE.name, FILE.type);
    },
    discard: async () => {
      await last;
      await journal?.remove();
    },
    leave: () => (journal === undefined ? Promise.resolve(file?.close()) : journal.leave()),
  };
}

function asLines(rows: readonly string[]): string {
  return rows.map((row) => `${row}\n`).join('');
}
