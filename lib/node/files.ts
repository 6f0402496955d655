/** Files of the machine: an entry is a path. What commands make stands in one directory and never takes the place of a file. */
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import type { FileEntry, Files, KeepBytes, SavedFile, TextWriter } from '../ports.ts';
import { UNSEEN } from '../redaction/characters.ts';
import { openJournal } from './journal.ts';
import { commitFile, OWNER_ONLY } from './publish.ts';
import { codeOf } from './system-error.ts';
import { readText } from './text.ts';
import { removeStale, unfinishedPath } from './unfinished.ts';
import { checkDirectory, writing } from './writable.ts';

// File systems count bytes, and a character may take three.
const LONGEST_NAME = 70;

/** @param directory where new files go; it is made when it is not there */
export function nodeFiles(directory: string): Files {
  return {
    find,
    read: async ({ entry }) => readText(entry),
    create: (name, contentType) => writing(directory, () => writer(directory, name, contentType)),
    checkWritable: () => checkDirectory(directory),
    journal: (name, resume) => writing(directory, () => openJournal(resolve(directory), safeName(name), resume)),
  };
}

/** Keeps downloads in a directory; of one that breaks off nothing stays. */
export function keepBytes(directory: string): KeepBytes {
  return async (name, contentType, bytes) => {
    const unfinished = await writing(directory, () => begin(directory, name));
    try {
      for await (const piece of bytes) await writing(directory, () => unfinished.file.writeFile(piece));
    } catch (thrown) {
      await abandon(unfinished);
      throw thrown;
    }
    return writing(directory, () => finish(unfinished, contentType));
  };
}

async function find(entry: string): Promise<FileEntry> {
  const path = resolve(entry);
  const found = await stat(path).catch((thrown: unknown) => codeOf(thrown) ?? 'unknown reason');
  if (typeof found === 'string') {
    const what = found === 'ENOENT' || found === 'ENOTDIR' ? 'does not exist' : `cannot be read (${found})`;
    throw new UsageError(`The file ${entry} ${what}.`, { hint: 'Give a path, or the entry of a file made earlier.' });
  }
  if (!found.isFile()) throw new UsageError(`${entry} is ${found.isDirectory() ? 'a directory' : 'not a file'}.`);
  return { entry: path, name: basename(path), size: found.size };
}

async function writer(directory: string, name: string, contentType: string): Promise<TextWriter> {
  const unfinished = await begin(directory, name);
  return {
    write: async (text) => {
      try {
        await writing(directory, () => unfinished.file.writeFile(text));
      } catch (thrown) {
        await abandon(unfinished);
        throw thrown;
      }
    },
    close: () => writing(directory, () => finish(unfinished, contentType)),
  };
}

/** A file that does not have its name yet. */
interface Unfinished {
  readonly file: FileHandle;
  readonly path: string;
  readonly directory: string;
  readonly name: string;
}

async function begin(directory: string, wanted: string): Promise<Unfinished> {
  await mkdir(directory, { recursive: true });
  await removeStale(directory);
  // Beside its later name, so that it can be given that name in one step.
  const path = unfinishedPath(resolve(directory));
  return { file: await open(path, 'wx', OWNER_ONLY), path, directory: resolve(directory), name: safeName(wanted) };
}

async function finish({ file, path, directory, name }: Unfinished, contentType: string): Promise<SavedFile> {
  try {
    const { size } = await file.stat();
    await file.close();
    const entry = await commitFile(path, directory, name);
    return { entry, name: basename(entry), size, contentType };
  } finally {
    await rm(path, { force: true });
  }
}

async function abandon({ file, path }: Unfinished): Promise<void> {
  await file.close();
  await rm(path, { force: true });
}

/** A base name that stays in its directory and can be typed. */
function safeName(name: string): string {
  const plain = (name.split(/[\\/]/).at(-1) ?? '')
    .replace(UNSEEN, '')
    .replace(/[<>:"|?*]/g, '')
    .replace(/^[.\s]+/, '');
  return plain.slice(-LONGEST_NAME) || 'file';
}
