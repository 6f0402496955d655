/** Files in a terminal: an entry is a path. What commands make stands in one directory and never takes the place of a file. */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { ConfigurationError, UsageError } from '../../errors.ts';
import type { FileEntry, Files, KeepBytes, SavedFile, TextReader, TextWriter } from '../../ports.ts';
import { codeOf, codeText } from './system-error.ts';

// File systems count bytes, and a character may take three.
const LONGEST_NAME = 70;
const MOST_NUMBERS = 10_000;
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK']);

/** @param directory where new files go; it is made when it is not there */
export function nodeFiles(directory: string): Files {
  return {
    find,
    read: async ({ entry }) => reader(entry),
    create: (name, contentType) => writable(directory, () => writer(directory, name, contentType)),
  };
}

/** Keeps downloads in a directory; of one that breaks off nothing stays. */
export function keepBytes(directory: string): KeepBytes {
  return async (name, contentType, bytes) => {
    const unfinished = await writable(directory, () => begin(directory, name));
    try {
      for await (const piece of bytes) await writable(directory, () => unfinished.file.writeFile(piece));
    } catch (thrown) {
      await abandon(unfinished);
      throw thrown;
    }
    return writable(directory, () => finish(unfinished, contentType));
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

function reader(path: string): TextReader {
  const stream = createReadStream(path, { encoding: 'utf8' });
  const pieces: AsyncIterator<string, undefined> = stream[Symbol.asyncIterator]();
  return {
    next: async () => {
      try {
        const piece: IteratorResult<string, undefined> = await pieces.next();
        return piece.value;
      } catch (thrown) {
        throw new UsageError(`The file ${path} cannot be read${codeText(thrown)}.`);
      }
    },
    close: async () => void stream.destroy(),
  };
}

async function writer(directory: string, name: string, contentType: string): Promise<TextWriter> {
  const unfinished = await begin(directory, name);
  return {
    write: (text) => writable(directory, () => unfinished.file.writeFile(text)),
    close: () => writable(directory, () => finish(unfinished, contentType)),
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
  const name = safeName(wanted);
  // Beside its later name, so that it can be given that name in one step.
  const path = join(resolve(directory), `.${name}.${randomBytes(6).toString('hex')}`);
  return { file: await open(path, 'wx'), path, directory: resolve(directory), name };
}

async function finish({ file, path, directory, name }: Unfinished, contentType: string): Promise<SavedFile> {
  try {
    const { size } = await file.stat();
    await file.close();
    const entry = await publish(path, directory, name);
    return { entry, name: basename(entry), size, contentType };
  } finally {
    await rm(path, { force: true });
  }
}

async function abandon({ file, path }: Unfinished): Promise<void> {
  await file.close();
  await rm(path, { force: true });
}

/** Gives a finished file the first name that is free: `name.zip`, `name (1).zip`, ... */
async function publish(unfinished: string, directory: string, name: string): Promise<string> {
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  for (let number = 0; number < MOST_NUMBERS; number += 1) {
    const path = join(directory, number === 0 ? name : `${stem} (${number})${extension}`);
    if (await take(unfinished, path)) return path;
  }
  throw new ConfigurationError(`There are too many files named ${name} in ${directory}.`);
}

async function take(unfinished: string, path: string): Promise<boolean> {
  try {
    await link(unfinished, path);
    return true;
  } catch (thrown) {
    const code = codeOf(thrown) ?? '';
    if (code === 'EEXIST') return false;
    // Some file systems know no links; there the name is taken first, and filled in a second step.
    if (!WITHOUT_LINKS.has(code)) throw thrown;
  }
  try {
    await (await open(path, 'wx')).close();
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
  await rename(unfinished, path);
  return true;
}

/** A base name that stays in its directory and can be typed. */
function safeName(name: string): string {
  const plain = (name.split(/[\\/]/).at(-1) ?? '').replace(/[\p{Cc}\p{Cf}<>:"|?*]/gu, '').replace(/^[.\s]+/, '');
  return plain.slice(-LONGEST_NAME) || 'file';
}

async function writable<Value>(directory: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) throw thrown;
    throw new ConfigurationError(`A file cannot be written to ${directory}${codeText(thrown)}.`, {
      hint: 'Choose another directory with --files-dir DIR.',
    });
  }
}
