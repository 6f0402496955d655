/** The result of one command, before a host renders it. */

import type { AisecError } from '../../core/errors.ts';
import type { SavedFile } from '../../core/ports.ts';
import type { Checkpoint } from '../../core/runtime.ts';
import type { Readable } from './readable.ts';
import type { Verdict } from './verdict.ts';

/** One value to write to the context. */
export interface ContextWrite {
  /** A path such as `AiSec.Topic`, or a user's path from `extend-context`. */
  readonly path: string;
  /**
   * Fields that identify a record. Empty: replaces the existing value. Undefined: appends, as the platform does without
   * a condition.
   */
  readonly key?: readonly string[];
  readonly value: unknown;
}

/** Why a result does not contain all records, and where the rest is. */
export interface Truncation {
  /** Number of records in the result. */
  readonly kept: number;
  /** Total number of records; null if the service does not report it. */
  readonly total: number | null;
  /** The file with all records. */
  readonly file?: SavedFile | undefined;
  /** The reason as a sentence. */
  readonly note: string;
  /** The argument that continues a list, if the command has it. */
  readonly next?: { readonly name: string; readonly value: number };
  /** True if the context limit was reached; false if the user's limit was reached. */
  readonly isForSize: boolean;
}

/** A job that continues in a later run. */
export interface Suspension {
  readonly checkpoint: Checkpoint;
  readonly waitMs: number;
  readonly progress: string;
  /** Whether the progress has changed since the previous run. */
  readonly hasNewProgress: boolean;
  /** Time left for the whole job, in seconds; undefined: no limit. */
  readonly leftSeconds: number | undefined;
  /** Arguments that replace this run's arguments. */
  readonly args?: Readonly<Record<string, string>> | undefined;
}

/** Totals of many records, for a summary that only a terminal shows. */
export interface Tally {
  /** Properties that all the records have in common. */
  readonly title: string;
  readonly noun: string;
  readonly total: number;
  readonly milliseconds: number;
  /** Numbers of records by outcome, the most important outcome first. */
  readonly outcomes: readonly (readonly [name: string, count: number])[];
  /** Numbers of records by finding; a record may count under several findings. */
  readonly parts: readonly (readonly [name: string, count: number])[];
  /** The file with all records. */
  readonly file: SavedFile | undefined;
  /** The terminal command that reads the file, without the name of the file. */
  readonly next: string;
}

/** Secrets that the service returns only once. A host never shows them with the result. */
export interface Issued {
  /** Context path of the record. */
  readonly path: string;
  /** Names of the fields. */
  readonly names: readonly string[];
  /** Returns the secret: a function, so that serializing the result never reveals it. */
  readonly record: () => Readonly<Record<string, unknown>>;
}

export interface Result {
  readonly command: string;
  readonly writes: readonly ContextWrite[];
  readonly readable: Readable;
  /** Set if the writes do not contain all records. */
  readonly truncated?: Truncation;
  /** Why the service's list cannot be complete, whatever the limit. */
  readonly gap?: string;
  /** The writes before they were cut to the context limit, for a host that prints all of them. */
  readonly uncut?: readonly ContextWrite[];
  /** The response of the service, with one-time secrets masked. */
  readonly raw: unknown;
  /** Show `raw` instead of the table. */
  readonly showRaw: boolean;
  readonly tally?: Tally | undefined;
  /** The verdict of a scan, which is uncertain after a dry run; absent for other commands. */
  readonly verdict?: Verdict | undefined;
  readonly simulated: boolean;
  /** Sentences to show with the result, about an argument without effect or a risky setting. */
  readonly warnings: readonly string[];
  /** The result of a dry run: nothing was changed. */
  readonly planned: boolean;
  /** Files that the command created. */
  readonly files: readonly SavedFile[];
  /** One-time secrets, even if the writes omit them. */
  readonly issued?: Issued;
  /** The job continues in a later run of the same command. */
  readonly suspension?: Suspension;
  /** Set if only some of the work was done. */
  readonly failure?: AisecError;
}

/** Describes a truncation for programs. @param file name or entry id of the file */
export function truncatedValue({ kept, total }: Truncation, file: string | undefined) {
  return { kept, total, file: file ?? null };
}
