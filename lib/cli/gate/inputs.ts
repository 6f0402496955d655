/** The files of a bulk gate. */
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { NotFoundError } from '../../core/errors.ts';
import type { Files } from '../../core/ports.ts';
import type { BulkRequest } from '../../features/gate/gates.ts';
import { DASH } from '../../hosts/terminal/input/standard-input.ts';
import { codeOf } from '../../node/system-error.ts';

/**
 * Opens the files of a bulk gate, does the work, and closes them.
 * @throws NotFoundError that lists all files that do not exist
 */
export async function withBulkFiles<Value>(
  paths: readonly string[],
  files: Files,
  work: (requests: readonly BulkRequest[]) => Promise<Value>,
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
  const requests: BulkRequest[] = [];
  try {
    for (const [at, path] of paths.entries()) {
      const entry = await files.find(path);
      // Files of two folders may have one name.
      const isUnique = names.indexOf(names[at] ?? '') === names.lastIndexOf(names[at] ?? '');
      requests.push({ reader: await files.read(entry), name: isUnique ? entry.name : path });
    }
    return await work(requests);
  } finally {
    for (const { reader } of requests) await reader.close();
  }
}

async function isMissing(path: string): Promise<boolean> {
  const code = await stat(resolve(path)).then(
    () => undefined,
    (thrown: unknown) => codeOf(thrown),
  );
  return code === 'ENOENT' || code === 'ENOTDIR';
}
