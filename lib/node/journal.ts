/** Work that can be gone on with: its results, its notes and its lock, side by side in the directory of files. */
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type AisecError, ConfigurationError, toAisecError } from '../errors.ts';
import type { Journal, LineFile, SavedFile } from '../ports.ts';
import { lock } from './lock.ts';
import { staySmall } from './memory.ts';
import { commitFile, OWNER_ONLY } from './publish.ts';
import { codeOf } from './system-error.ts';
import { readText } from './text.ts';
import { removeStale } from './unfinished.ts';
import { writing } from './writable.ts';

const LINES = 'application/jsonl';

/** @param directory absolute; it is made when it is not there */
export async function openJournal(directory: string, name: string, resume: boolean): Promise<Journal> {
  await mkdir(directory, { recursive: true });
  await removeStale(directory);
  const paths = { results: join(directory, `${name}.partial.jsonl`), notes: join(directory, `${name}.journal`) };
  const held = await lock(join(directory, `${name}.lock`));
  staySmall();
  try {
    for (const path of [paths.results, paths.notes]) await refuseOtherThanFile(path);
    const aside = resume ? undefined : await putAside(directory, name, paths);
    const results = await openLines(directory, paths.results, held.check);
    const notes = await openLines(directory, paths.notes, held.check);
    let isOpen = true;
    const close = async () => {
      isOpen = false;
      await results.file.close();
      await notes.file.close();
    };
    const remove = async () => {
      for (const path of [paths.results, paths.notes]) await rm(path, { force: true });
      await held.release();
    };
    return {
      results: results.lines,
      notes: notes.lines,
      continued: results.size + notes.size > 0,
      aside,
      publish: (final, contentType) =>
        writing(directory, async () => {
          await held.confirm();
          await close();
          const saved = await savedAs(paths.results, directory, final, contentType);
          await remove();
          return saved;
        }),
      remove: () => writing(directory, () => held.confirm().then(close).then(remove)),
      leave: () =>
        writing(directory, async () => {
          if (isOpen) await close();
          await held.release();
          return entryOf(paths.results, LINES);
        }),
    };
  } catch (thrown) {
    await held.release();
    throw thrown;
  }
}

interface Paths {
  readonly results: string;
  readonly notes: string;
}

/** Keeps the results of a run that is not continued. */
async function putAside(directory: string, name: string, { results, notes }: Paths): Promise<SavedFile | undefined> {
  const there = await sizeOf(results);
  const aside = there > 0 ? await savedAs(results, directory, `${name}.jsonl`, LINES) : undefined;
  for (const path of [results, notes]) await rm(path, { force: true });
  return aside;
}

async function savedAs(path: string, directory: string, name: string, contentType: string): Promise<SavedFile> {
  return entryOf(await commitFile(path, directory, name), contentType);
}

async function entryOf(path: string, contentType: string): Promise<SavedFile> {
  return { entry: path, name: basename(path), size: await sizeOf(path), contentType };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await lstat(path)).size;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return 0;
    throw thrown;
  }
}

/** A link in the directory of files may lead to any file of the user, and results would be written into that. */
async function refuseOtherThanFile(path: string): Promise<void> {
  const found = await lstat(path).catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  });
  if (found === undefined || found.isFile()) return;
  const what = found.isSymbolicLink() ? 'a symbolic link, which is not followed' : 'not a file';
  throw new ConfigurationError(`${path} is ${what}.`, {
    hint: 'Remove it, or choose another directory with --files-dir DIR.',
  });
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;

async function openLines(directory: string, path: string, check: () => void) {
  const file = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, OWNER_ONLY);
  const size = await dropCutLine(file);
  const append = untilFailure(file, directory);
  const lines: LineFile = {
    read: async () => readText(path),
    append: inTurn(async (text) => {
      check();
      await append(text);
    }),
  };
  return { file, size, lines };
}

/**
 * Appends until a write fails, which leaves the whole lines that were written. After that nothing more is written, whatever
 * room there is: a later run goes on behind the last line, and counts on it that none before that is missing.
 */
function untilFailure(file: FileHandle, directory: string): (text: string) => Promise<void> {
  let failure: AisecError | undefined;
  return async (text) => {
    if (failure !== undefined) throw failure;
    try {
      await writing(directory, () => file.appendFile(text));
    } catch (thrown) {
      failure = toAisecError(thrown);
      await dropCutLine(file).catch(() => undefined);
      throw failure;
    }
  };
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
