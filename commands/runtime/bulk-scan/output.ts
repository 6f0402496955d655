/** Writes the rows of a bulk scan in input order, each as soon as all rows before it are written. */

import { AisecError } from '../../../lib/core/errors.ts';
import type { Journal, SavedFile, TextWriter } from '../../../lib/core/ports.ts';
import { bulkEnd, type RunFacts, rowDigest } from '../../../lib/runtime/bulk/end.ts';
import { reorder } from '../../../lib/runtime/bulk/run-pool.ts';
import type { Tools } from '../../../lib/runtime/engine/command.ts';
import { readFinished } from './checkpoint.ts';
import { type Counts, countRow, heldBy, type Row, rowIn } from './rows.ts';
import { type Finished, RESUME, type Restored } from './state.ts';
import { createSummary, type Summary } from './summary.ts';
import { openTally } from './tally.ts';

/** The file that has every row, unless the user names one. */
const FILE = { name: 'AiSec-BulkScan.jsonl', type: 'application/jsonl' } as const;

/** Number of rows handed on at once. */
const AT_ONCE = 500;

export class Output {
  readonly summary: Summary;
  readonly tally = openTally();
  /** Characters of prompts that are reserved or buffered. */
  held = 0;
  private readonly tools: Tools;
  private readonly journal: Journal | undefined;
  private readonly restored: Pick<Restored, 'hasEnd' | 'done'>;
  /** The name of the file, if the user gave one: the file is then always written. */
  private readonly fileName: string | undefined;
  private readonly order;
  private readonly slice: SliceRows | undefined;
  private readonly file: ReturnType<typeof rowFile> | undefined;
  private readonly digest = rowDigest();
  private last: Promise<void> = Promise.resolve();

  constructor(tools: Tools, journal: Journal | undefined, restored: Restored, fileName: string | undefined) {
    this.tools = tools;
    this.journal = journal;
    this.restored = restored;
    this.fileName = fileName;
    this.summary = createSummary(tools.contextLimit);
    this.order = reorder<Row>(restored.finished.counts.total + 1);
    this.slice = tools.deadline === undefined ? undefined : collectRows(restored.finished);
    if (journal !== undefined || (fileName === undefined && tools.stream !== undefined)) return;
    this.file = rowFile(
      () => tools.files.create(fileName ?? FILE.name, FILE.type),
      () => fileName !== undefined || !this.summary.isWhole(),
    );
  }

  /** Reserves space for prompts, in characters. */
  expect(characters: number): void {
    this.held += characters;
  }

  place(row: Row): void {
    this.order.add(row.row, row);
  }

  /** Writes the next rows in order. */
  flush(): Promise<void> {
    const placed = this.order.drain();
    for (const row of placed) this.held -= heldBy(row);
    if (placed.length > 0) this.last = this.last.then(() => this.handOn(placed));
    return this.last;
  }

  /** Returns the number of the first missing row. */
  missing(): number {
    return this.order.nextMissing();
  }

  /** Returns the rows after a gap. */
  waiting(): readonly (readonly [number, Row])[] {
    return this.order.waiting();
  }

  /** Returns the counts of written rows, including earlier slices. */
  counts(): Counts {
    return this.slice?.counts ?? this.summary.counts;
  }

  /** Returns the rows written in this time slice, as JSON; empty without time slices. */
  lines(): readonly string[] {
    return this.slice?.lines ?? [];
  }

  /**
   * Collects the rows of all time slices into the summary and the file.
   * @returns an error if rows of earlier slices are gone
   */
  async gather(): Promise<AisecError | undefined> {
    if (this.slice === undefined) return undefined;
    await this.last;
    return this.slice.takeAll(this.tools, async (rows, lines) => {
      this.add(rows, lines);
      await this.file?.add(lines);
    });
  }

  /**
   * Completes the file after the last row.
   * @returns the file with all rows, if a table or the context does not have them, and they were not streamed
   */
  async finish(facts: RunFacts): Promise<SavedFile | undefined> {
    await this.last;
    const { tools, summary, journal, fileName } = this;
    const end = bulkEnd(summary.counts.total, this.digest, facts);
    tools.stream?.(end);
    const isCut = tools.showsTables && journal !== undefined && summary.inTables() < summary.counts.total;
    const isElsewhere = tools.stream === undefined ? summary.isWhole() : await untilDelivered(tools);
    if (fileName === undefined && !isCut && isElsewhere) {
      await journal?.remove();
      return undefined;
    }
    const line = JSON.stringify(end);
    if (journal === undefined) {
      await this.file?.add([line]);
      return this.file?.close();
    }
    if (!this.restored.hasEnd) await journal.results.append(asLines([line]));
    return journal.commit(fileName ?? FILE.name, FILE.type);
  }

  /**
   * Returns the rows that went to the file of a host without journals, as JSON lines, in case the host does not save the
   * file.
   */
  written(): string {
    return this.file?.text() ?? '';
  }

  /** Removes the rows if there is nothing to resume. */
  async discard(): Promise<void> {
    await this.last;
    await this.journal?.remove();
  }

  /** Stops the run. @returns the file with the rows so far */
  async leave(): Promise<SavedFile | undefined> {
    return this.journal === undefined ? this.file?.close() : this.journal.suspend();
  }

  private async handOn(placed: readonly Row[]): Promise<void> {
    if (this.slice !== undefined) return this.slice.add(placed);
    const lines = placed.map((row) => JSON.stringify(row));
    this.add(placed, lines);
    const fresh = lines.filter((_, at) => (placed[at]?.row ?? 0) > this.restored.done);
    if (fresh.length > 0) await this.journal?.results.append(asLines(fresh));
    await this.file?.add(lines);
  }

  private add(rows: readonly Row[], lines: readonly string[]): void {
    rows.forEach((row, at) => {
      const line = lines[at] ?? '';
      this.summary.add(row, line);
      this.tally.add(row);
      this.digest.add(line);
      this.tools.stream?.(row);
    });
  }
}

/** The file of a host without journals, created when needed. */
function rowFile(create: () => Promise<TextWriter>, isNeeded: () => boolean) {
  const written: string[] = [];
  let early: string[] = [];
  let writer: TextWriter | undefined;
  return {
    add: async (lines: readonly string[]) => {
      early = early.concat(lines);
      if (!isNeeded()) return;
      writer ??= await create();
      const text = asLines(early.splice(0));
      written.push(text);
      await writer.write(text);
    },
    /** Returns the contents of the file. */
    text: () => written.join(''),
    close: async () => writer?.close(),
  };
}

/**
 * Waits for the reader of streamed rows, because until then the journal is their only copy. @returns whether the reader
 * took them
 */
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

type SliceRows = ReturnType<typeof collectRows>;

/**
 * Collects and counts the rows of one time slice, which are evaluated at the end of the run.
 * @param earlier rows of earlier slices
 */
function collectRows(earlier: Finished) {
  /** The rows of this slice as JSON, which takes less memory than objects. */
  const lines: string[] = [];
  /** Counts of the rows in files plus the rows of this slice. */
  const counts = { ...earlier.counts };
  // JSON loses the cause of a row without a verdict, and the first row's cause may be the error of the run.
  let first: Row | undefined;
  let isTaken = false;
  return {
    ...{ counts, lines },
    add: (placed: readonly Row[]) => {
      for (const row of placed) {
        lines.push(JSON.stringify(row));
        countRow(counts, row);
        if (row.row === 1) first = row;
      }
    },
    /**
     * Passes on all rows once, in order, file by file; a second call does nothing.
     * @returns an error if rows of earlier slices are gone
     */
    takeAll: async (tools: Pick<Tools, 'files'>, take: Take): Promise<AisecError | undefined> => {
      if (isTaken) return undefined;
      isTaken = true;
      const hand = async (all: readonly string[], head?: Row) => {
        for (let at = 0; at < all.length; at += AT_ONCE) {
          const some = all.slice(at, at + AT_ONCE);
          const rows = some.map(rowIn);
          if (at === 0 && head !== undefined) rows[0] = head;
          await take(rows, some);
        }
      };
      const lost = await readFinished(earlier, tools, hand);
      await hand(lines, first);
      return lost;
    },
  };
}

/** Receives rows, as objects and as JSON. */
type Take = (rows: readonly Row[], lines: readonly string[]) => Promise<void>;
