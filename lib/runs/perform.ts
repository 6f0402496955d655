/** Performs runs that need only their tenant: commands and playbook rehearsals. Results are plain JSON. */
import type { CommandResult } from '../client/result.ts';
import type { HostCallOptions, Rehearsal } from '../client/types.ts';
import type { SavedFile } from '../core/ports.ts';
import type { FileShelf, ShelvedFile } from '../node/files/file-shelf.ts';
import type { RunContext, RunOutcome, RunOwner, RunRequest } from './port.ts';
import type { Tenants } from './tenants.ts';

/** Runs a command for its owner. @param host overrides of the host for this call */
export function performCommand(
  tenants: Tenants,
  { command, args, dryRun }: Extract<RunRequest, { kind: 'command' }>,
  owner: RunOwner,
  reports: RunContext,
  host: HostCallOptions['host'] = {},
): Promise<CommandResult> {
  const call = { ...reports, dryRun, host };
  return tenants.clientFor(owner).call(command, args as Record<string, unknown>, call);
}

/** Rehearses a playbook for its owner. */
export async function rehearsePlaybook(
  tenants: Tenants,
  { playbook, inputs, dryRun }: Extract<RunRequest, { kind: 'playbook' }>,
  owner: RunOwner,
  reports: RunContext,
): Promise<RunOutcome> {
  return rehearsalOutcome(await tenants.clientFor(owner).rehearse(playbook, { ...reports, inputs, dryRun }));
}

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

/** Returns the outcome of a command run. */
export function commandOutcome(result: CommandResult, shelf: FileShelf, owner: string): RunOutcome {
  return { result: plainResult(result, shelf, owner), partial: result.failure !== undefined };
}

/** Returns the outcome of a rehearsal. */
export function rehearsalOutcome({ failure, ...rehearsal }: Rehearsal): RunOutcome {
  const result = { ...rehearsal, ...(failure === undefined ? {} : { failure: failure.toJSON() }) };
  return { result, partial: failure !== undefined };
}
