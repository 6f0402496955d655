/** Results of runs as plain JSON: files by id, and failures as plain errors. */
import type { CommandResult } from '../client/result.ts';
import type { Rehearsal } from '../client/types.ts';
import type { SavedFile } from '../core/ports.ts';
import type { FileShelf, ShelvedFile } from '../node/files/file-shelf.ts';
import type { RunOutcome } from './port.ts';

/** A file of a result; its owner fetches it by its id. */
export type FileRecord = ReturnType<typeof fileRecord>;

/** Describes a file without its path. */
export function fileRecord({ id, name, size, contentType }: ShelvedFile) {
  return { id, name, size: size ?? null, contentType };
}

/** Converts the result of a command. @param owner who may fetch its files */
export function plainResult(result: CommandResult, shelf: FileShelf, owner: string) {
  const { files, truncated, failure, ...plain } = result;
  const known = new Map<string, FileRecord>();
  const shelve = (file: SavedFile) => {
    const found = known.get(file.entry) ?? fileRecord(shelf.add(file, owner, result.command));
    known.set(file.entry, found);
    return found;
  };
  return {
    ...plain,
    files: files.map(shelve),
    ...(truncated === undefined ? {} : { truncated: shelveTruncated(truncated, shelve) }),
    ...(failure === undefined ? {} : { failure: failure.toJSON() }),
  };
}

function shelveTruncated(
  { file, ...rest }: NonNullable<CommandResult['truncated']>,
  shelve: (file: SavedFile) => FileRecord,
) {
  return { ...rest, ...(file === undefined ? {} : { file: shelve(file) }) };
}

/** Returns the outcome of a run of a command. */
export function commandOutcome(result: CommandResult, shelf: FileShelf, owner: string): RunOutcome {
  return { result: plainResult(result, shelf, owner), partial: result.failure !== undefined };
}

/** Returns the outcome of a rehearsal. */
export function rehearsalOutcome({ failure, ...rehearsal }: Rehearsal): RunOutcome {
  const result = { ...rehearsal, ...(failure === undefined ? {} : { failure: failure.toJSON() }) };
  return { result, partial: failure !== undefined };
}
