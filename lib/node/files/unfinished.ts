/** Temporary names of unfinished files and folders, and the removal of stale files and folders. */
import { createHash, randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, type ProcessIdentity, thisProcess } from '../system/process.ts';

const HIDDEN = '.aisec-';
/** Matches the part of a name after its prefix. */
const OWNED = /^([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{12}$/;
const DAY_MS = 86_400_000;

/** Returns a hidden path for an unfinished file; the name identifies its process. */
export function unfinishedPath(directory: string): string {
  return join(directory, ownedName(HIDDEN));
}

/** Returns a new name that identifies this process. */
export function ownedName(prefix: string): string {
  const here = thisProcess();
  return `${prefix}${[scopeOf(here), here.process, here.linux?.start ?? 0, randomBytes(6).toString('hex')].join('-')}`;
}

/** Removes the unfinished files of dead processes. Ignores a failure, because the next write tries again. */
export async function removeStale(directory: string): Promise<void> {
  for (const { name, isDead } of await ownedIn(directory, HIDDEN)) {
    const path = join(directory, name);
    if (isDead ?? (await isOld(path))) await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Removes unfinished files from the tenants' folders too. */
async function removeStaleBelow(directory: string): Promise<void> {
  await removeStale(directory);
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeStale(join(directory, entry.name));
}

/** Removes the folders of this user's dead processes, because a killed service could not remove its own. */
export async function removeStaleFolders(directory: string, prefix: string): Promise<void> {
  for (const { name, isDead } of await ownedIn(directory, prefix)) {
    const path = join(directory, name);
    const stats = isDead === true ? await lstat(path).catch(() => undefined) : undefined;
    // Other users can create a folder of this name in a shared directory. On Windows the directory is not shared, and
    // there are no user ids.
    const user = process.getuid?.() ?? stats?.uid;
    if (stats?.isDirectory() !== true || stats.uid !== user) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** A directory for files of a server. */
export interface FilesDirectory {
  readonly directory: string;
  /** Stops the search for stale files, and removes a temporary directory; a named directory stays. */
  remove(): Promise<void>;
}

/** Time between two removals of stale files, in milliseconds. */
const STALE_MS = 60_000;

/**
 * Returns the named directory, and removes files of killed processes from it every minute. Without a name, creates a
 * temporary directory and removes the directories of killed processes.
 * @param prefix of temporary directories
 */
export async function filesDirectory(named: string | undefined, prefix: string): Promise<FilesDirectory> {
  if (named !== undefined) {
    const timer = setInterval(() => void removeStaleBelow(named), STALE_MS).unref();
    return { directory: named, remove: async () => clearInterval(timer) };
  }
  await removeStaleFolders(tmpdir(), prefix);
  const directory = join(tmpdir(), ownedName(prefix));
  // Fail if the name is taken.
  await mkdir(directory, { mode: 0o700 });
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

interface Owned {
  readonly name: string;
  /** Undefined for processes on other machines and in other containers, which this process cannot see. */
  readonly isDead: boolean | undefined;
}

/** Lists the files and folders whose names identify a process. */
async function ownedIn(directory: string, prefix: string): Promise<readonly Owned[]> {
  const here = thisProcess();
  const names = (await readdir(directory).catch(() => [])).filter((name) => name.startsWith(prefix));
  return names.flatMap((name): Owned[] => {
    const [found, scope, number, start = ''] = OWNED.exec(name.slice(prefix.length)) ?? [];
    if (found === undefined) return [];
    if (scope !== scopeOf(here)) return [{ name, isDead: undefined }];
    const linux = here.linux === undefined ? {} : { linux: { ...here.linux, start } };
    return [{ name, isDead: isAlive({ host: here.host, process: Number(number), ...linux }, here) === false }];
  });
}

async function isOld(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs > DAY_MS;
}

/** Returns a name that is the same for all processes that see each other. */
function scopeOf({ host, linux }: ProcessIdentity): string {
  const scope = linux === undefined ? host : `${linux.boot} ${linux.namespace}`;
  return createHash('sha256').update(scope).digest('hex').slice(0, 8);
}
