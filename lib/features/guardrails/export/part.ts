import type { JsonObject } from '../../../core/json.ts';

/** Entries of one kind, in the order of their names. */
export interface Part {
  readonly entries: readonly JsonObject[];
  /** What the entries could not take along, for people. */
  readonly notes: readonly string[];
}
