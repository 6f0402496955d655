/**
 * Folders of bundles, one for each state of the sources: a run keeps reading its folder while another run writes the next.
 */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folders to keep although no run reads them: the next run may have the same sources. */
const KEPT = 3;
const READER = /^reader-(\d+)$/;

/** The files that record this process as a reader. */
const marks = new Set();
process.once('exit', () => {
  for (const path of marks) rmSync(path, { force: true });
});

/**
 * Finds the folder of a key, or creates it. Until this process ends, no other run removes it.
 *
 * @param all the folder that holds all bundle folders
 * @param write writes into an empty folder
 * @returns the folder
 */
export async function folderFor(all, key, write) {
  const folder = join(all, key);
  mkdirSync(all, { recursive: true });
  if (!markRead(folder)) await written(folder, all, write);
  removeUnread(all);
  return folder;
}

async function written(folder, all, write) {
  const unfinished = mkdtempSync(join(all, 'unfinished-'));
  markRead(unfinished);
  try {
    await write(unfinished);
    renameSync(unfinished, folder);
    markRead(folder);
  } catch (thrown) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another run was faster; its bundles have the same sources.
    if (!['EEXIST', 'ENOTEMPTY'].includes(thrown.code) || !markRead(folder)) throw thrown;
  }
}

/**
 * Records this process as a reader of a folder, and makes the folder the newest.
 *
 * @returns false if the folder does not exist
 */
function markRead(folder) {
  const reader = join(folder, `reader-${process.pid}`);
  try {
    rmSync(reader, { force: true });
    writeFileSync(reader, '');
  } catch (thrown) {
    if (thrown.code === 'ENOENT') return false;
    throw thrown;
  }
  marks.add(reader);
  return true;
}

/** Removes the folders that no running process reads, except the newest. */
function removeUnread(all) {
  const newest = readdirSync(all)
    .map((name) => ({ path: join(all, name), time: timeOf(join(all, name)) }))
    .sort((one, other) => other.time - one.time);
  for (const { path } of newest.slice(KEPT)) if (!isRead(path)) rmSync(path, { recursive: true, force: true });
}

function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function isRead(folder) {
  try {
    return readdirSync(folder).some((name) => isAlive(Number(READER.exec(name)?.[1])));
  } catch {
    return false;
  }
}

function isAlive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}
