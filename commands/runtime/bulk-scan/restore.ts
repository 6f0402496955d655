/**
 * Restores the remaining work of a stopped bulk scan from its journal. The native bundle has no journals, and omits
 * this module.
 */

import { type JsonObject, objectsOf } from '../../../lib/core/json.ts';
import type { Journal } from '../../../lib/core/ports.ts';
import { plural } from '../../../lib/core/text/numbers.ts';
import { isBulkEnd } from '../../../lib/runtime/bulk/end.ts';
import { jsonObjectIn, lineReader } from '../../../lib/runtime/bulk/lines.ts';
import { type AcceptedScan, NOTHING_FINISHED, type Restored } from './state.ts';

/** Restores the state of an earlier run. */
export async function fromJournal({ results, notes }: Journal): Promise<Restored> {
  const { done, hasEnd } = await countRows(results);
  const lines = lineReader(await results.read());
  const next = async () => {
    const line = await lines.next();
    const row = line === undefined ? undefined : objectIn(line);
    if (row !== undefined && !isBulkEnd(row)) return row;
    await lines.close();
    return undefined;
  };
  return { next, done, hasEnd, finished: NOTHING_FINISHED, ...(await stateIn(notes, done)) };
}

/** Applies the notes of a journal in order. @param done rows that have a result */
async function stateIn(notes: Journal['notes'], done: number) {
  const again: number[] = [];
  const completed = new Map<number, JsonObject>();
  const accepted: AcceptedScan[] = [];
  const open = new Set<number>();
  const shards: { number: number; rows: readonly number[] }[] = [];
  let simulated: boolean | undefined;
  let spread: string | undefined;
  await eachLine(notes, (line) => {
    const note = objectIn(line);
    const rows = (name: string) => rowsIn(note[name]).filter((row) => row > done);
    for (const row of rows('sending')) open.add(row);
    for (const row of [...rows('unsent'), ...rows('rows'), ...rows('again')]) open.delete(row);
    for (const row of rowsIn(note['again'])) again.push(row);
    for (const row of objectsOf(note['found'])) {
      if (Number(row['row']) > done) completed.set(Number(row['row']), row);
      open.delete(Number(row['row']));
    }
    const { scan, mark } = note;
    if (rows('rows').length > 0)
      accepted.push({ scan: String(scan), rows: rowsIn(note['rows']), mark: textIn(mark), since: undefined });
    if (typeof note['simulated'] === 'boolean') simulated ??= note['simulated'];
    spread = textIn(note['spread']) ?? spread;
    if (typeof note['shard'] === 'number') shards.push({ number: note['shard'], rows: rows('sending') });
  });
  return {
    ...{ completed, accepted, again, simulated },
    uncertain: Array.from(open),
    spread: spread === undefined ? undefined : { id: spread, shards },
  };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
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
  return jsonObjectIn(line) ?? {};
}

/** Returns the rows of prompts that may have been scanned more than once. @param notes lines of a journal */
export function againIn(notes: readonly string[]): number[] {
  return notes.flatMap((line) => rowsIn(objectIn(line)['again']));
}

/** Describes in a sentence the work that an earlier run left. @param isSpread the queue knows the outcomes of the shards */
export function resumeNote(
  { done, completed, accepted, again, uncertain, spread }: Restored,
  isSpread: boolean,
): string {
  const open = isSpread && spread !== undefined ? 0 : uncertain.length;
  const rows = plural(done + completed.size, 'row');
  const twice = plural(again.length + open, 'prompt');
  return `Resumed a run with ${rows} done and ${plural(accepted.length, 'accepted scan')}; ${twice} may count twice.`;
}
