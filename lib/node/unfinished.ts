/** Temporary names of unfinished files, and the removal of stale ones. */
import { createHash, randomBytes } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, type ProcessIdentity, thisProcess } from './process.ts';

const NAME = /^\.aisec-([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{12}$/;
const DAY_MS = 86_400_000;

/** Returns a hidden path for an unfinished file; the name identifies its process. */
export function unfinishedPath(directory: string): string {
  const here = thisProcess();
  const name = [scopeOf(here), here.process, here.linux?.start ?? 0, randomBytes(6).toString('hex')].join('-');
  return join(directory, `.aisec-${name}`);
}

/** Removes the unfinished files of dead processes. A failure is ignored: the next write tries again. */
export async function removeStale(directory: string): Promise<void> {
  const here = thisProcess();
  const names = (await readdir(directory).catch(() => [])).filter((name) => NAME.test(name));
  for (const name of names) {
    const path = join(directory, name);
    if (await isStale(path, name, here)) await rm(path, { force: true }).catch(() => undefined);
  }
}

async function isStale(path: string, name: string, here: ProcessIdentity): Promise<boolean> {
  const [, scope, number, start = ''] = NAME.exec(name) ?? [];
  if (scope === scopeOf(here)) {
    const linux = here.linux === undefined ? {} : { linux: { ...here.linux, start } };
    return isAlive({ host: here.host, process: Number(number), ...linux }, here) === false;
  }
  // Processes of other machines and containers are not visible.
  const stats = await lstat(path).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs > DAY_MS;
}

/** Returns a name that processes share if they see each other. */
function scopeOf({ host, linux }: ProcessIdentity): string {
  const scope = linux === undefined ? host : `${linux.boot} ${linux.namespace}`;
  return createHash('sha256').update(scope).digest('hex').slice(0, 8);
}
