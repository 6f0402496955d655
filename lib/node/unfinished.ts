/** Files that do not have their name yet: their temporary names, and the removal of those that a dead process left. */
import { createHash, randomBytes } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, type ProcessIdentity, thisProcess } from './process.ts';

const NAME = /^\.aisec-([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{12}$/;
const DAY_MS = 86_400_000;

/** A path in a directory for a file that is being written: it names its process, and is hidden. */
export function unfinishedPath(directory: string): string {
  const here = thisProcess();
  const name = [placeOf(here), here.process, here.linux?.start ?? 0, randomBytes(6).toString('hex')].join('-');
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
  const [, place, number, start = ''] = NAME.exec(name) ?? [];
  if (place === placeOf(here)) {
    const linux = here.linux === undefined ? {} : { linux: { ...here.linux, start } };
    return isAlive({ host: here.host, process: Number(number), ...linux }, here) === false;
  }
  // Processes of other machines and containers cannot be seen from here.
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > DAY_MS;
}

/** The same for all processes that see each other. */
function placeOf({ host, linux }: ProcessIdentity): string {
  const place = linux === undefined ? host : `${linux.boot} ${linux.namespace}`;
  return createHash('sha256').update(place).digest('hex').slice(0, 8);
}
