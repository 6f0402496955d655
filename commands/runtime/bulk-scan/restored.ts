/** State of an earlier run of a bulk scan, from its journal or its checkpoint. */
import type { AisecError } from '../../../lib/core/errors.ts';
import type { JsonObject } from '../../../lib/core/json.ts';
import type { Counts } from './summary.ts';

/** The rows kept in files: from the first on, without a gap. */
export interface Finished {
  readonly counts: Counts;
  /** Entry id of the last file; each file begins with the id of the one before. */
  readonly file: string | null;
}

export const NOTHING_FINISHED: Finished = { counts: { total: 0, blocked: 0, allowed: 0, errors: 0 }, file: null };

/** A scan that the service accepted in an earlier run. */
export interface AcceptedScan {
  readonly scan: string;
  readonly rows: readonly number[];
  readonly mark: string;
  /** Time of acceptance, by the elapsed time of the job's clock; undefined if another process sent it. */
  readonly since: number | undefined;
}

/** Shards that a run had handed out. */
export interface Spread {
  readonly id: string;
  readonly shards: readonly { readonly number: number; readonly rows: readonly number[] }[];
}

/** State from which a run continues. */
export interface Restored {
  /** Returns finished rows, in order from the first on; undefined after the last. */
  next(): Promise<JsonObject | undefined>;
  /** Number of finished rows, if known. */
  readonly done?: number;
  /** Results after a gap, by row. */
  readonly completed: ReadonlyMap<number, JsonObject>;
  readonly accepted: readonly AcceptedScan[];
  /** Rows whose prompts were in flight when the run stopped: they may have been scanned, and are scanned again. */
  readonly uncertain: readonly number[];
  /** Rows of prompts that may have been scanned more than once, one entry for each extra scan. */
  readonly again: readonly number[];
  /** Whether the simulated service responded; undefined before the first response. */
  readonly simulated: boolean | undefined;
  /** The shards that a run had handed to other processes; their rows have no result yet. */
  readonly spread?: Spread | undefined;
  /** The results are complete, but the process died before the file was committed. */
  readonly hasEnd: boolean;
  /** Rows of earlier time slices, which are read at the end. */
  readonly finished: Finished;
  /** Last row known to an earlier slice. */
  readonly through: number;
  /** Set if a required file is gone. */
  readonly lost?: AisecError | undefined;
}
