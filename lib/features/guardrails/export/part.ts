import type { JsonObject } from '../../../core/json.ts';

/** Entries of one kind, in the order of their names. */
export interface Part {
  readonly entries: readonly JsonObject[];
  /** Messages about members that the entries leave out. */
  readonly notes: readonly string[];
}
