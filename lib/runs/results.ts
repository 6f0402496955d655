/** Results as callers see them: files by id, failures as problem documents. */
import type { CommandResult } from '../client/result.ts';
import type { Rehearsal } from '../client/types.ts';
import type { SavedFile } from '../engine/ports.ts';
import type { FileShelf, ShelvedFile } from '../node/files/file-shelf.ts';
import type { WorkOutcome } from './port.ts';
import { documentOf } from './problem.ts';

/** A file as callers see it. */
export function fileDocument({ id, name, size, contentType }: ShelvedFile) {
  return { id, name, size: size ?? null, contentType, url: `/v1/files/${id}` };
}

/** Converts the result of a command. @param owner who may fetch its files */
export function resultDocument(result: CommandResult, shelf: FileShelf, owner: string) {
  const { files, truncated, failure, ...plain } = result;
  const known = new Map<string, ReturnType<typeof fileDocument>>();
  const shelve = (file: SavedFile) => {
    const found = known.get(file.entry) ?? fileDocument(shelf.add(file, owner, result.command));
    known.set(file.entry, found);
    return found;
  };
  return {
    ...plain,
    files: files.map(shelve),
    ...(truncated === undefined ? {} : { truncated: cut(truncated, shelve) }),
    ...(failure === undefined ? {} : { failure: documentOf(failure) }),
  };
}

function cut({ file, ...rest }: NonNullable<CommandResult['truncated']>, shelve: (file: SavedFile) => unknown) {
  return { ...rest, ...(file === undefined ? {} : { file: shelve(file) }) };
}

/** Returns the outcome of a run of a command. */
export function commandOutcome(result: CommandResult, shelf: FileShelf, owner: string): WorkOutcome {
  return { result: resultDocument(result, shelf, owner), partial: result.failure !== undefined };
}

/** Returns the outcome of a rehearsal. */
export function rehearsalOutcome({ failure, ...rehearsal }: Rehearsal): WorkOutcome {
  const result = { ...rehearsal, ...(failure === undefined ? {} : { failure: documentOf(failure) }) };
  return { result, partial: failure !== undefined };
}
