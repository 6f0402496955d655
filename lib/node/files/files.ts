/** Files of the machine, where an entry is a path. Commands create files in one directory and never overwrite a file. */
import { createReadStream } from 'node:fs';
import { mkdir, open, realpath, rm, stat } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import type { FileEntry, Files, KeepBytes } from '../../core/ports.ts';
import { UNSEEN, wellFormed } from '../../core/redaction/characters.ts';
import { commitFile, OWNER_ONLY } from './commit-file.ts';
import { decodedText } from './decode-text.ts';
import { openJournal } from './journal.ts';
import { whyUnreadable } from './read-bytes.ts';
import { removeStale, unfinishedPath } from './unfinished.ts';
import { checkDirectory, writing } from './writable.ts';

// File systems limit the bytes of a name, and a character may take three.
const MAX_NAME_LENGTH = 70;

export interface NodeFilesOptions {
  /** Only find files in the directory. */
  readonly confined?: boolean;
}

/** Creates the port. @param directory for new files; created if missing */
export function nodeFiles(directory: string, { confined = false }: NodeFilesOptions = {}): Files {
  return {
    find: (entry) => (confined ? findInside(directory, entry) : find(entry)),
    read: async ({ entry }) => decodedText(createReadStream(entry), `The file ${entry}`),
    exists: (name) =>
      (confined ? findInside(directory, name) : find(name)).then(
        () => true,
        () => false,
      ),
    create: (name, contentType) => writing(directory, () => create(directory, name, contentType)),
    checkWritable: () => checkDirectory(directory),
    journal: (name, resume) => writing(directory, () => openJournal(resolve(directory), safeName(name), resume)),
  };
}

/** Stores downloads in a directory; removes incomplete downloads. */
export function keepBytes(directory: string): KeepBytes {
  return async (name, contentType, bytes) => {
    const file = await writing(directory, () => create(directory, name, contentType));
    try {
      for await (const piece of bytes) await file.write(piece);
    } catch (thrown) {
      await file.abandon();
      throw thrown;
    }
    return file.close();
  };
}

/** Finds a file. @param entry as the user wrote it, for messages */
async function find(file: string, entry = file): Promise<FileEntry> {
  const path = resolve(file);
  const stats = await stat(path).catch((thrown: unknown) => {
    const hint = 'Use a path, or the entry of a file created earlier.';
    throw new UsageError(`The file ${entry} ${whyUnreadable(thrown)}.`, { hint });
  });
  if (!stats.isFile()) throw new UsageError(`${entry} is ${stats.isDirectory() ? 'a directory' : 'not a file'}.`);
  return { entry: path, name: basename(path), size: stats.size };
}

/** Finds a file by its name in a directory, or by a path into that directory; does not follow links out of it. */
async function findInside(directory: string, entry: string): Promise<FileEntry> {
  const outside = new UsageError(`The file ${entry} is not in the directory for files.`, {
    hint: 'Put it there, and pass its name.',
  });
  const path = await realpath(resolve(directory, entry)).catch(() => undefined);
  if (path === undefined) throw outside;
  // A missing directory has no files.
  const inside = await realpath(directory).catch(() => undefined);
  const way = inside === undefined ? '..' : relative(inside, path);
  if (way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) throw outside;
  return find(path, entry);
}

/** Folders from which a service removes stale files: it creates many files, and looks for stale files on a timer. */
const tidy = new Set<string>();

async function removeStaleOnce(directory: string): Promise<void> {
  const path = resolve(directory);
  if (tidy.has(path)) return;
  tidy.add(path);
  await removeStale(directory);
}

/** Creates a file with a temporary name; it gets its own name when it is closed. A failed write removes it. */
async function create(directory: string, name: string, contentType: string) {
  await mkdir(directory, { recursive: true });
  await removeStaleOnce(directory);
  // Use the directory of the final name, so that the file can be renamed in one step.
  const path = unfinishedPath(resolve(directory));
  const file = await open(path, 'wx', OWNER_ONLY);
  const remove = () => rm(path, { force: true });
  const abandon = () => file.close().then(remove);
  return {
    abandon,
    write: async (piece: string | Uint8Array): Promise<void> => {
      try {
        await writing(directory, () => file.writeFile(piece));
      } catch (thrown) {
        await abandon();
        throw thrown;
      }
    },
    close: () =>
      writing(directory, async () => {
        try {
          const { size } = await file.stat();
          await file.close();
          const entry = await commitFile(path, resolve(directory), safeName(name));
          return { entry, name: basename(entry), size, contentType };
        } finally {
          await remove();
        }
      }),
  };
}

/** Device names, which Windows opens in every directory and with every extension. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d\u00b9\u00b2\u00b3])(?=\s*(?:\.|$))/i;

/**
 * Returns a base name that stays in its directory and can be typed on every system, because systems may share the
 * directory.
 */
function safeName(name: string): string {
  const plain = (name.split(/[\\/]/).at(-1) ?? '').replace(UNSEEN, '').replace(/[<>:"|?*]/g, '');
  // Cutting may leave half of a character, which an address cannot hold.
  const cut = wellFormed(plain.slice(-MAX_NAME_LENGTH)).replace(/\ufffd/g, '');
  // Windows drops full stops and spaces at the end.
  return cut.replace(/^[.\s]+|[.\s]+$/g, '').replace(DEVICE, '_$&') || 'file';
}
