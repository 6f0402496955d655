/** Files that do not have their name yet: how they are called, and what becomes of those whose process did not live to finish them. */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isAlive } from './process.ts';

const NAME = /^\.aisec-([0-9a-f]{8})-(\d+)-[0-9a-f]{12}$/;

/** A path in a directory for a file that is being written: it says who writes it, and shows up nowhere. */
export function unfinishedPath(directory: string): string {
  return join(directory, `.aisec-${machine()}-${process.pid}-${randomBytes(6).toString('hex')}`);
}

/** Removes what processes of this machine left unfinished that do not live any more. Nothing that goes wrong here matters. */
export async function sweep(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  const left = names.filter((name) => {
    const [, on, pid] = NAME.exec(name) ?? [];
    return on === machine() && !isAlive(Number(pid));
  });
  await Promise.all(left.map((name) => rm(join(directory, name), { force: true }).catch(() => undefined)));
}

/** Nothing is known of a process on another machine that writes to the same directory. */
function machine(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
}
