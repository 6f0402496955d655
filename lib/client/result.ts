/** A result as plain data, for every host except the terminal. */
import type { AisecError } from '../core/errors.ts';
import type { SavedFile } from '../core/ports.ts';
import { markdown } from '../runtime/output/markdown.ts';
import type { Result, Suspension, Truncation } from '../runtime/output/result.ts';

/** Why a result does not contain all records. */
export type ResultTruncation = Omit<Truncation, 'isForSize'>;

export interface CommandResult<Outputs = Readonly<Record<string, unknown>>> {
  readonly command: string;
  /** Values by context path, such as `AiSec.Topic`; empty after a dry run. */
  readonly outputs: Outputs;
  /** The result for people, as markdown. */
  readonly readable: string;
  /** The response of the service, with one-time secrets masked; after a dry run the request that was not sent. */
  readonly raw: unknown;
  /** Notes for people: next steps, arguments without effect, risky settings. */
  readonly notes: readonly string[];
  readonly files: readonly SavedFile[];
  /** True if the simulated service responded instead of a tenant. */
  readonly simulated: boolean;
  /** True for a dry run, which changed nothing. */
  readonly planned: boolean;
  readonly truncated?: ResultTruncation;
  /** Set if the command was only partially successful. */
  readonly failure?: AisecError;
  /** For hosts that limit the time of a call: the job resumes from here. */
  readonly suspension?: Suspension;
}

/** Converts a result of the dispatcher. */
export function structured(result: Result): CommandResult {
  const { command, raw, files, simulated, planned, truncated, failure, readable, warnings, suspension } = result;
  return {
    command,
    outputs: Object.fromEntries(result.writes.map(({ path, value }) => [path, value])),
    readable: markdown(readable),
    raw,
    notes: [...readable.notes, ...warnings],
    files,
    simulated,
    planned,
    ...(truncated === undefined ? {} : { truncated: truncationOf(truncated) }),
    ...(failure === undefined ? {} : { failure }),
    ...(suspension === undefined ? {} : { suspension }),
  };
}

function truncationOf({ kept, total, file, note }: Truncation): ResultTruncation {
  return { kept, total, note, ...(file === undefined ? {} : { file }) };
}
