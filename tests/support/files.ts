import { ConflictError, UsageError } from '../../lib/core/errors.ts';
import type { Files, Journal, LineFile, SavedFile, TextReader } from '../../lib/core/ports.ts';

type Contents = Record<string, string>;

/** In-memory files, by name. @param owner process id in journal locks; if `isAlive` denies it, its locks are not kept */
export function memoryFiles(
  contents: Contents = {},
  { owner = 'this test', isAlive = () => true }: { owner?: string; isAlive?: (owner: string) => boolean } = {},
): Files & { readonly contents: Contents } {
  return {
    contents,
    find: async (entry) => {
      const text = contents[entry];
      if (text === undefined) throw new UsageError(`There is no file ${entry}.`);
      return { entry, name: entry, size: Buffer.byteLength(text) };
    },
    read: async ({ entry }) => reader(contents[entry] ?? ''),
    create: async (name, contentType) => {
      const pieces: string[] = [];
      return {
        write: async (text) => {
          pieces.push(text);
        },
        close: async () => {
          contents[name] = pieces.join('');
          return saved(contents, name, contentType);
        },
      };
    },
    journal: async (name, resume) => {
      const lock = `${name}.lock`;
      const holder = contents[lock];
      if (holder !== undefined && isAlive(holder)) throw new ConflictError(`${lock} belongs to ${holder}.`);
      contents[lock] = owner;
      return journal(contents, name, resume);
    },
  };
}

function journal(contents: Contents, name: string, resume: boolean): Journal {
  const [results, notes] = [`${name}.partial.jsonl`, `${name}.journal`];
  const kept = resume ? undefined : contents[results];
  if (!resume) for (const path of [results, notes]) delete contents[path];
  if (kept !== undefined && kept !== '') contents[`${name}.jsonl`] = kept;
  for (const path of [results, notes]) {
    const text = contents[path] ?? '';
    contents[path] = text.slice(0, text.lastIndexOf('\n') + 1);
  }
  const lines = (path: string): LineFile => ({
    read: async () => reader(contents[path] ?? ''),
    append: async (text) => {
      contents[path] = (contents[path] ?? '') + text;
    },
  });
  let isOpen = true;
  const unlock = () => {
    if (isOpen) delete contents[`${name}.lock`];
    isOpen = false;
  };
  const remove = async () => {
    for (const path of [results, notes]) delete contents[path];
    unlock();
  };
  return {
    results: lines(results),
    notes: lines(notes),
    continued: `${contents[results]}${contents[notes]}` !== '',
    previous: kept === undefined || kept === '' ? undefined : saved(contents, `${name}.jsonl`, 'application/jsonl'),
    commit: async (final, contentType) => {
      contents[final] = contents[results] ?? '';
      await remove();
      return saved(contents, final, contentType);
    },
    remove,
    suspend: async () => {
      unlock();
      return saved(contents, results, 'application/jsonl');
    },
  };
}

function reader(text: string): TextReader {
  const pieces = text.match(/[\s\S]{1,1000}/g) ?? [];
  return { next: async () => pieces.shift(), close: async () => undefined };
}

function saved(contents: Contents, name: string, contentType: string): SavedFile {
  return { entry: name, name, size: Buffer.byteLength(contents[name] ?? ''), contentType };
}
