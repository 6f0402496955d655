/**
 * Journals of resumable work: results, notes and a lock, in the files directory. Of several earlier runs, the longest
 * stays resumable until a run has finished.
 */
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type AisecError, ConfigurationError, toAisecError } from '../../core/errors.ts';
import type { Journal, LineFile, SavedFile } from '../../core/ports.ts';
import { limitHeapGrowth } from '../system/memory.ts';
import { unlessMissing } from '../system/system-error.ts';
import { dropPartialLine, serialised } from './append.ts';
import { commitFile, OWNER_ONLY } from './commit-file.ts';
import { decodedText } from './decode-text.ts';
import { type Lock, lock } from './lock.ts';
import { removeStale } from './unfinished.ts';
import { writing } from './writable.ts';

/** Opens a journal. @param directory absolute; created if missing */
export async function openJournal(directory: string, name: string, resume: boolean): Promise<Journal> {
  await mkdir(directory, { recursive: true });
  await removeStale(directory);
  const current = { results: join(directory, `${name}.partial.jsonl`), notes: join(directory, `${name}.journal`) };
  const ownLock = await lock(join(directory, `${name}.lock`));
  limitHeapGrowth();
  try {
    for (const path of [current.results, current.notes]) await requireRegularFile(path);
    const place = { directory, name, paths: current };
    const paths = resume ? await resumedPaths(place) : current;
    const previous = resume ? undefined : await setAside(place);
    const earlier = resume ? undefined : await longestOf(place);
    const results = await openLines(directory, paths.results, ownLock.check);
    const notes = await openLines(directory, paths.notes, ownLock.check);
    return journalOf({ directory, name, paths, ownLock, previous, earlier, results, notes });
  } catch (thrown) {
    await ownLock.release();
    throw thrown;
  }
}

interface Parts {
  readonly directory: string;
  readonly name: string;
  readonly paths: Readonly<Record<'results' | 'notes', string>>;
  readonly ownLock: Lock;
  readonly previous: SavedFile | undefined;
  readonly earlier: SavedFile | undefined;
  readonly results: OpenLines;
  readonly notes: OpenLines;
}

function journalOf({ directory, name, paths, ownLock, previous, earlier, results, notes }: Parts): Journal {
  let isOpen = true;
  const close = async () => {
    isOpen = false;
    await results.file.close();
    await notes.file.close();
  };
  const end = <Value>(lastUse: () => Promise<Value>) =>
    writing(directory, async () => {
      await ownLock.confirm();
      await close();
      const value = await lastUse();
      for (const path of [paths.results, paths.notes]) await rm(path, { force: true });
      await forgetEarlier({ directory, name });
      await ownLock.release();
      return value;
    });
  return {
    results: results.lines,
    notes: notes.lines,
    continued: results.size + notes.size > 0,
    previous,
    earlier,
    commit: (final, contentType) =>
      end(async () => savedFile(await commitFile(paths.results, directory, final), contentType)),
    remove: () => end(async () => undefined),
    suspend: () =>
      writing(directory, async () => {
        if (isOpen) await close();
        await ownLock.release();
        return savedFile(paths.results, LINES);
      }),
  };
}

/** Rejects a link, because it may point to any of the user's files, and the results would be written to that file. */
async function requireRegularFile(path: string): Promise<void> {
  const stats = await lstat(path).catch(unlessMissing);
  if (stats === undefined || stats.isFile()) return;
  const what = stats.isSymbolicLink() ? 'a symbolic link, which is not followed' : 'not a file';
  throw new ConfigurationError(`${path} is ${what}.`, {
    hint: 'Remove it, or choose another directory with --files-dir DIR.',
  });
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;

interface OpenLines {
  readonly file: FileHandle;
  /** Bytes of an earlier run. */
  readonly size: number;
  readonly lines: LineFile;
}

async function openLines(directory: string, path: string, check: () => Promise<void>): Promise<OpenLines> {
  const file = await open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, OWNER_ONLY);
  const size = await dropPartialLine(file);
  const append = untilFailure(file, directory);
  const lines: LineFile = {
    read: async () => decodedText(createReadStream(path), `The file ${path}`),
    append: serialised(async (text) => {
      await check();
      await append(text);
    }),
  };
  return { file, size, lines };
}

/**
 * Appends until a write fails, and then removes an incomplete line. Writes nothing after a failure, even if there is
 * space again: a later run resumes after the last line and relies on all lines before it.
 */
function untilFailure(file: FileHandle, directory: string): (text: string) => Promise<void> {
  let failure: AisecError | undefined;
  return async (text) => {
    if (failure !== undefined) throw failure;
    try {
      await writing(directory, () => file.appendFile(text));
    } catch (thrown) {
      failure = toAisecError(thrown);
      await dropPartialLine(file).catch(() => undefined);
      throw failure;
    }
  };
}

export const LINES = 'application/jsonl';
const NOTES = '.journal';

interface Place {
  readonly directory: string;
  /** Name of the work. */
  readonly name: string;
  /** Paths of the current run. */
  readonly paths: Readonly<Record<'results' | 'notes', string>>;
}

/** Makes the current run one of the earlier runs. @returns the run's results, if it has any */
export async function setAside({ directory, name, paths: { results, notes } }: Place): Promise<SavedFile | undefined> {
  const size = await sizeOf(results);
  const previous = size > 0 ? await savedFile(await commitFile(results, directory, `${name}.jsonl`), LINES) : undefined;
  if (previous !== undefined) await rename(notes, previous.entry + NOTES).catch(unlessMissing);
  for (const path of [results, notes]) await rm(path, { force: true });
  return previous;
}

/** Returns the longest of the earlier runs that can be resumed. */
export async function longestOf(place: Pick<Place, 'directory' | 'name'>): Promise<SavedFile | undefined> {
  const runs: SavedFile[] = [];
  for (const notes of await notesOf(place)) {
    const results = notes.slice(0, -NOTES.length);
    if ((await isFile(notes)) && (await isFile(results))) runs.push(await savedFile(results, LINES));
  }
  return runs.sort((a, b) => Number(b.size) - Number(a.size))[0];
}

/**
 * Chooses the run to resume: the current run, or an earlier run with more results. An earlier run continues in its own
 * files, so that a kill cannot separate results from notes; the current run then joins the earlier runs.
 * @returns the paths of the run
 */
export async function resumedPaths(place: Place): Promise<Place['paths']> {
  const longest = await longestOf(place);
  if (longest === undefined || Number(longest.size) <= (await sizeOf(place.paths.results))) return place.paths;
  await setAside(place);
  return { results: longest.entry, notes: longest.entry + NOTES };
}

/** Makes the earlier runs no longer resumable, because the work is done. Their results stay. */
export async function forgetEarlier(place: Pick<Place, 'directory' | 'name'>): Promise<void> {
  for (const notes of await notesOf(place)) await rm(notes, { force: true });
}

/** Lists the notes of earlier runs: `name.jsonl.journal`, `name (1).jsonl.journal`. */
async function notesOf({ directory, name }: Pick<Place, 'directory' | 'name'>): Promise<string[]> {
  const isOurs = (file: string) =>
    file.startsWith(name) && /^(?: \(\d+\))?\.jsonl\.journal$/.test(file.slice(name.length));
  return (await readdir(directory)).filter(isOurs).map((file) => join(directory, file));
}

async function isFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(unlessMissing))?.isFile() === true;
}

export async function savedFile(path: string, contentType: string): Promise<SavedFile> {
  return { entry: path, name: basename(path), size: await sizeOf(path), contentType };
}

async function sizeOf(path: string): Promise<number> {
  return (await lstat(path).catch(unlessMissing))?.size ?? 0;
}
