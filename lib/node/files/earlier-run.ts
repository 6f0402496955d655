/**
 * Earlier runs of the same work that did not end, and that a new run did not resume. Their results are files, each with
 * its notes beside it, and the longest stays resumable until a run has ended.
 */
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { SavedFile } from '../../core/ports.ts';
import { unlessMissing } from '../system-error.ts';
import { commitFile } from './commit-file.ts';

export const LINES = 'application/jsonl';
const NOTES = '.journal';

interface Place {
  readonly directory: string;
  /** Name of the work. */
  readonly name: string;
  /** Paths of the current run. */
  readonly paths: Readonly<Record<'results' | 'notes', string>>;
}

/** Sets the current run aside. @returns its results, if it has any */
export async function setAside({ directory, name, paths: { results, notes } }: Place): Promise<SavedFile | undefined> {
  const size = await sizeOf(results);
  const previous = size > 0 ? await entryOf(await commitFile(results, directory, `${name}.jsonl`), LINES) : undefined;
  if (previous !== undefined) await rename(notes, previous.entry + NOTES).catch(unlessMissing);
  for (const path of [results, notes]) await rm(path, { force: true });
  return previous;
}

/** Returns the longest of the earlier runs that can be resumed. */
export async function longestOf(place: Pick<Place, 'directory' | 'name'>): Promise<SavedFile | undefined> {
  const runs: SavedFile[] = [];
  for (const notes of await notesOf(place)) {
    const results = notes.slice(0, -NOTES.length);
    if ((await isFile(notes)) && (await isFile(results))) runs.push(await entryOf(results, LINES));
  }
  return runs.sort((a, b) => Number(b.size) - Number(a.size))[0];
}

/**
 * Chooses the run that is resumed: the current one, or an earlier one with more results, which goes on in its own files,
 * so that no kill can separate results from their notes. The current one is then set aside.
 * @returns the paths of the run
 */
export async function resumedPaths(place: Place): Promise<Place['paths']> {
  const longest = await longestOf(place);
  if (longest === undefined || Number(longest.size) <= (await sizeOf(place.paths.results))) return place.paths;
  await setAside(place);
  return { results: longest.entry, notes: longest.entry + NOTES };
}

/** Forgets how to resume the earlier runs: the work is done. Their results stay. */
export async function forgetEarlier(place: Pick<Place, 'directory' | 'name'>): Promise<void> {
  for (const notes of await notesOf(place)) await rm(notes, { force: true });
}

/** Lists the notes of earlier runs: `name.jsonl.journal`, `name (1).jsonl.journal`. */
async function notesOf({ directory, name }: Pick<Place, 'directory' | 'name'>): Promise<string[]> {
  const isOurs = (file: string) =>
    file.startsWith(name) && /^(?: \(\d+\))?\.jsonl\.journal$/.test(file.slice(name.length));
  return (await readdir(directory)).filter(isOurs).map((file) => join(directory, file));
}

async function isFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(unlessMissing))?.isFile() === true;
}

export async function entryOf(path: string, contentType: string): Promise<SavedFile> {
  return { entry: path, name: basename(path), size: await sizeOf(path), contentType };
}

async function sizeOf(path: string): Promise<number> {
  return (await lstat(path).catch(unlessMissing))?.size ?? 0;
}
