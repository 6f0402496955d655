/**
 * Keeps the context outputs of one command within its limit. Counts stay exact, records with priority are kept, and a
 * JSONL file has all records.
 */

import { isObject, type JsonObject } from '../../core/json.ts';
import type { Files, SavedFile } from '../../core/ports.ts';
import type { Runtime } from '../../core/runtime.ts';
import { utf8Length } from '../../core/text/utf8.ts';
import { maskRecord } from '../output/mask.ts';
import type { RecordType } from '../output/record.ts';
import { type ContextWrite, type Result, type Truncation, truncatedValue } from '../output/result.ts';
import type { Command } from './command.ts';

/** Returns the result unchanged, or truncated with a file of all records. */
export async function fitContext(result: Result, command: Command, runtime: Runtime): Promise<Result> {
  if (surelyFits(result.writes, runtime.contextLimit)) return result;
  const sizes = result.writes.map(({ value }) => sizeOf(value));
  if (sizes.reduce((sum, size) => sum + size, 0) <= runtime.contextLimit) return result;
  const room = runtime.contextLimit / Math.max(1, result.writes.length);
  const priority = command.output.priority ?? (() => false);
  const cut = await Promise.all(
    result.writes.map(
      async (write, index): Promise<Fitted> =>
        (sizes[index] ?? 0) <= room ? { write } : cutWrite(write, room, priority, runtime.files, command.output.record),
    ),
  );
  const cuts = cut.map(({ truncated }) => truncated).filter((each) => each !== undefined);
  const [first] = cuts;
  if (first === undefined) return { ...result, writes: cut.map(({ write }) => write) };
  const notes = cuts.map(({ note }) => note);
  for (const note of notes) runtime.log.warn(note);
  // An earlier truncation has the larger total and a file of its own.
  const { total, file = first.file } = result.truncated ?? first;
  const truncated: Truncation = { ...first, total, file };
  return {
    ...result,
    writes: cut.map(({ write }) => write),
    uncut: result.writes,
    readable: { ...result.readable, notes: [...result.readable.notes, ...notes] },
    // The raw response is as large as the truncated outputs.
    raw: { truncated: truncatedValue(truncated, first.file.name) },
    files: [...result.files, ...cuts.map(({ file }) => file)],
    truncated,
  };
}

type Cut = Truncation & { readonly file: SavedFile };

interface Fitted {
  readonly write: ContextWrite;
  readonly truncated?: Cut;
}

async function cutWrite(
  write: ContextWrite,
  room: number,
  priority: (record: JsonObject) => boolean,
  files: Files,
  record: RecordType,
): Promise<Fitted> {
  const member = isObject(write.value) ? longestList(write.value, record) : undefined;
  const list = isObject(write.value) && member !== undefined ? write.value[member] : write.value;
  if (!Array.isArray(list)) return { write };
  const around = member === undefined ? 0 : sizeOf({ ...(write.value as JsonObject), [member]: [] });
  // The outputs are too long because of a long string, so a shorter list would not help.
  if (around > room) return { write };
  const kept = firstThatFit(list, room - around, priority);
  // A file outlives the run and has more readers than the context, so secrets are masked.
  const masked = list.map((each) => maskRecord(each, record));
  const file = await writeLines(files, write.path, masked);
  const value = member === undefined ? kept : { ...(write.value as JsonObject), [member]: kept };
  const note = `The context holds ${kept.length} of ${list.length} records; all of them are in ${file.name}.`;
  return {
    write: { ...write, value },
    truncated: { kept: kept.length, total: list.length, file, note, isForSize: true },
  };
}

function firstThatFit(list: readonly unknown[], room: number, priority: (record: JsonObject) => boolean): unknown[] {
  const isFirst = (record: unknown) => isObject(record) && priority(record);
  const ordered = [...list.filter(isFirst), ...list.filter((record) => !isFirst(record))];
  let left = room;
  const end = ordered.findIndex((record) => {
    left -= sizeOf(record) + 1;
    return left < 0;
  });
  return end < 0 ? ordered : ordered.slice(0, end);
}

function longestList(value: JsonObject, { fields }: RecordType): string | undefined {
  // A list that is itself a secret would be fully masked in the file.
  const names = Object.keys(value).filter((name) => Array.isArray(value[name]) && fields[name]?.secret !== true);
  return names.sort((a, b) => sizeOf(value[b]) - sizeOf(value[a]))[0];
}

/** Lines per write: writing many lines takes about as long as writing one. */
const LINES_AT_ONCE = 500;

async function writeLines(files: Files, path: string, list: readonly unknown[]): Promise<SavedFile> {
  const writer = await files.create(`${path.replace(/\W+/g, '-')}.jsonl`, 'application/jsonl');
  for (let at = 0; at < list.length; at += LINES_AT_ONCE) {
    const lines = list.slice(at, at + LINES_AT_ONCE).map((record) => `${JSON.stringify(record)}\n`);
    await writer.write(lines.join(''));
  }
  return writer.close();
}

/** Reports whether the outputs are certain to fit, without serializing them. */
function surelyFits(writes: readonly ContextWrite[], limit: number): boolean {
  return writes.reduce((left, { value }) => roomBeside(value, left), limit) >= 0;
}

// Upper bounds in bytes: a character as `\u001b`, and a number, Boolean or null.
const MAX_CHARACTER_BYTES = 6;
const MAX_OTHER_BYTES = 40;

/** Returns a lower bound of the room left after the value; a negative result is inconclusive. */
function roomBeside(value: unknown, room: number): number {
  let left = room - MAX_OTHER_BYTES;
  if (typeof value === 'string') return left - value.length * MAX_CHARACTER_BYTES;
  if (typeof value !== 'object' || value === null) return left;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at += 1) left = roomBeside(value[at], left);
    return left;
  }
  for (const name in value) {
    if (left < 0) return left;
    left = roomBeside((value as JsonObject)[name], left - name.length * MAX_CHARACTER_BYTES);
  }
  return left;
}

function sizeOf(value: unknown): number {
  return utf8Length(JSON.stringify(value ?? null));
}
