/** Opens the JSONL files of bulk scans that a person names. */
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { NotFoundError } from '../../core/errors.ts';
import type { Files, TextReader } from '../../core/ports.ts';
import { DASH } from '../../hosts/terminal/line/standard-input.ts';
import { codeOf } from '../../node/system/system-error.ts';

export interface OpenBulkFile {
  /** The JSONL of the results. */
  readonly reader: TextReader;
  /** File name, for locations and messages. */
  readonly name: string;
}

/**
 * Opens the JSONL files of bulk scans, does the work, and closes them.
 * @throws NotFoundError that lists all files that do not exist
 */
export async function withBulkFiles<Value>(
  paths: readonly string[],
  files: Files,
  work: (opened: readonly OpenBulkFile[]) => Promise<Value>,
): Promise<Value> {
  const missing: string[] = [];
  for (const path of paths) if (path !== DASH && (await isMissing(path))) missing.push(path);
  if (missing.length > 0) {
    const names = missing.map((path) => path.slice(0, 200)).join(', ');
    throw new NotFoundError(`${names} ${missing.length === 1 ? 'does' : 'do'} not exist.`, {
      hint: 'Nothing was read: check the names, and run it again.',
    });
  }
  const names = paths.map((path) => basename(path));
  const opened: OpenBulkFile[] = [];
  try {
    for (const [at, path] of paths.entries()) {
      const entry = await files.find(path);
      // Files in two folders may have the same name.
      const isUnique = names.indexOf(names[at] ?? '') === names.lastIndexOf(names[at] ?? '');
      opened.push({ reader: await files.read(entry), name: isUnique ? entry.name : path });
    }
    return await work(opened);
  } finally {
    for (const { reader } of opened) await reader.close();
  }
}

async function isMissing(path: string): Promise<boolean> {
  const code = await stat(resolve(path)).then(
    () => undefined,
    (thrown: unknown) => codeOf(thrown),
  );
  return code === 'ENOENT' || code === 'ENOTDIR';
}
