/**
 * Keeps what one command puts into the context within its limit. Counts stay exact, the most telling records are kept,
 * and a file of one JSON record a line has all of them.
 */
import type { Command } from '../command.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Files, SavedFile } from '../ports.ts';
import type { ContextWrite, Result } from '../result.ts';
import type { Runtime } from '../runtime.ts';
import { utf8Length } from '../text/utf8.ts';

/** The result as it was, or with less in its context and a file that has everything. */
export async function fitContext(result: Result, command: Command, runtime: Runtime): Promise<Result> {
  const sizes = result.writes.map(({ value }) => sizeOf(value));
  if (sizes.reduce((sum, size) => sum + size, 0) <= runtime.contextLimit) return result;
  const room = runtime.contextLimit / Math.max(1, result.writes.length);
  const telling = command.output.telling ?? (() => false);
  const cut = await Promise.all(
    result.writes.map((write, index) =>
      (sizes[index] ?? 0) <= room ? whole(write) : cutWrite(write, room, telling, runtime.files),
    ),
  );
  const notes = cut.map(({ note }) => note).filter((note): note is string => note !== undefined);
  for (const note of notes) runtime.log.warn(note);
  const files = cut.map(({ file }) => file).filter((file): file is SavedFile => file !== undefined);
  return {
    ...result,
    writes: cut.map(({ write }) => write),
    readable: { ...result.readable, notes: [...result.readable.notes, ...notes] },
    raw: files.length === 0 ? result.raw : { cut: true, file: files[0]?.name ?? null },
    files: [...result.files, ...files],
  };
}

async function whole(write: ContextWrite): Promise<Cut> {
  return { write };
}

interface Cut {
  readonly write: ContextWrite;
  readonly note?: string;
  readonly file?: SavedFile;
}

async function cutWrite(
  write: ContextWrite,
  room: number,
  telling: (record: JsonObject) => boolean,
  files: Files,
): Promise<Cut> {
  const member = isObject(write.value) ? longestList(write.value) : undefined;
  const list = isObject(write.value) && member !== undefined ? write.value[member] : write.value;
  if (!Array.isArray(list)) return { write };
  const around = member === undefined ? 0 : sizeOf({ ...(write.value as JsonObject), [member]: [] });
  const kept = firstThatFit(list, room - around, telling);
  const file = await writeLines(files, write.path, list);
  const value = member === undefined ? kept : { ...(write.value as JsonObject), [member]: kept };
  const note = `The context holds ${kept.length} of ${list.length} records; all of them are in ${file.name}.`;
  return { write: { ...write, value }, note, file };
}

function firstThatFit(list: readonly unknown[], room: number, telling: (record: JsonObject) => boolean): unknown[] {
  const tells = (record: unknown) => isObject(record) && telling(record);
  const ordered = [...list.filter(tells), ...list.filter((record) => !tells(record))];
  let left = room;
  const end = ordered.findIndex((record) => {
    left -= sizeOf(record) + 1;
    return left < 0;
  });
  return end < 0 ? ordered : ordered.slice(0, end);
}

function longestList(value: JsonObject): string | undefined {
  const names = Object.keys(value).filter((name) => Array.isArray(value[name]));
  return names.sort((a, b) => sizeOf(value[b]) - sizeOf(value[a]))[0];
}

async function writeLines(files: Files, path: string, list: readonly unknown[]): Promise<SavedFile> {
  const writer = await files.create(`${path.replace(/\W+/g, '-')}.jsonl`, 'application/jsonl');
  for (const record of list) await writer.write(`${JSON.stringify(record)}\n`);
  return writer.close();
}

function sizeOf(value: unknown): number {
  return utf8Length(JSON.stringify(value ?? null));
}
