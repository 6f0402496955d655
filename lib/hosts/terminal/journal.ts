/** Work that can be gone on with: its results, its notes and its lock, side by side in the directory of files. */
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Journal, LineFile, SavedFile } from '../../ports.ts';
import { lock } from './lock.ts';
import { staySmall } from './memory.ts';
import { publish, writable } from './publish.ts';
import { codeOf } from './system-error.ts';
import { readText } from './text.ts';
import { sweep } from './unfinished.ts';

const LINES = 'application/jsonl';

/** @param directory absolute; it is made when it is not there */
export async function openJournal(directory: string, name: string, resume: boolean): Promise<Journal> {
  await mkdir(directory, { recursive: true });
  await sweep(directory);
  const paths = { results: join(directory, `${name}.partial.jsonl`), notes: join(directory, `${name}.journal`) };
  const release = await lock(join(directory, `${name}.lock`));
  staySmall();
  try {
    const aside = resume ? undefined : await putAside(directory, name, paths);
    const results = await openLines(directory, paths.results);
    const notes = await openLines(directory, paths.notes);
    let isOpen = true;
    const close = async () => {
      isOpen = false;
      await results.file.close();
      await notes.file.close();
    };
    const remove = async () => {
      for (const path of [paths.results, paths.notes]) await rm(path, { force: true });
      await release();
    };
    return {
      results: results.lines,
      notes: notes.lines,
      continued: results.size + notes.size > 0,
      aside,
      publish: (final, contentType) =>
        writable(directory, async () => {
          await close();
          const saved = await savedAs(paths.results, directory, final, contentType);
          await remove();
          return saved;
        }),
      remove: () => writable(directory, () => close().then(remove)),
      leave: () =>
        writable(directory, async () => {
          if (isOpen) await close();
          await release();
          return entryOf(paths.results, LINES);
        }),
    };
  } catch (thrown) {
    await release();
    throw thrown;
  }
}

interface Paths {
  readonly results: string;
  readonly notes: string;
}

/** Keeps the results of a run that nobody goes on with. */
async function putAside(directory: string, name: string, { results, notes }: Paths): Promise<SavedFile | undefined> {
  const there = await sizeOf(results);
  const aside = there > 0 ? await savedAs(results, directory, `${name}.jsonl`, LINES) : undefined;
  for (const path of [results, notes]) await rm(path, { force: true });
  return aside;
}

async function savedAs(path: string, directory: string, name: string, contentType: string): Promise<SavedFile> {
  return entryOf(await publish(path, directory, name), contentType);
}

async function entryOf(path: string, contentType: string): Promise<SavedFile> {
  return { entry: path, name: basename(path), size: await sizeOf(path), contentType };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return 0;
    throw thrown;
  }
}

async function openLines(directory: string, path: string) {
  const file = await open(path, 'a+');
  const size = await dropCutLine(file);
  const append = inTurn((text) => writable(directory, () => file.appendFile(text)));
  const lines: LineFile = { read: async () => readText(path), append };
  return { file, size, lines };
}

/** One write after the other, or two would be written into each other; texts that come while one goes on share the next one. */
function inTurn(write: (text: string) => Promise<void>): (text: string) => Promise<void> {
  let waiting: string[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const begin = () => {
    const text = waiting.join('');
    [waiting, next] = [[], undefined];
    return write(text);
  };
  return (text) => {
    waiting.push(text);
    if (next === undefined) {
      next = last.then(begin);
      last = next.catch(() => undefined);
    }
    return next;
  };
}

const STEP = 65_536;
const LINE_FEED = 0x0a;

/** A process that was killed while it wrote leaves half a line, which is not to be gone on with. @returns what is left, in bytes */
async function dropCutLine(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const buffer = Buffer.alloc(STEP);
  for (let end = size; end > 0; end -= STEP) {
    const from = Math.max(0, end - STEP);
    const { bytesRead } = await file.read(buffer, 0, end - from, from);
    const at = buffer.subarray(0, bytesRead).lastIndexOf(LINE_FEED);
    if (at < 0) continue;
    const whole = from + at + 1;
    if (whole < size) await file.truncate(whole);
    return whole;
  }
  if (size > 0) await file.truncate(0);
  return 0;
}
