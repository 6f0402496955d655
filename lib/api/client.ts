/** The API as a handler sees it. */
import type { SavedFile } from '../ports.ts';
import type { Call, ListCall } from './call.ts';

export type Records = readonly Readonly<Record<string, unknown>>[];

/** Records of a list, and what is known of the rest. */
export interface Page {
  readonly records: Records;
  /** How many were fetched, kept or not. */
  readonly count: number;
  /** There are records that were not fetched. */
  readonly more: boolean;
  /** How many there are in all, where the service says. */
  readonly total: number | undefined;
  /** How many pages there are, where the plane counts pages. */
  readonly pages: number | undefined;
  /** The service repeated a page; what follows it is unknown. */
  readonly repeated: boolean;
  /** What the first answer said beside its records, such as counts of its own. */
  readonly head?: Readonly<Record<string, unknown>>;
}

export interface Api {
  /** Makes one request. @returns the answer's JSON value; an empty answer is `{}`, the plain text of a delete `{message}`, a bare array `{items}` */
  fetch(call: Call): Promise<Readonly<Record<string, unknown>>>;
  /** Fetches pages until the wanted number of records is there; with `take`, hands them over and keeps none. */
  list(call: ListCall, take?: (records: Records) => void): Promise<Page>;
  /** Has any answer so far come from the simulated service? */
  simulated(): boolean;
  /** Has a change gone out that must not be made a second time? */
  changed(): boolean;
  /** The HTTP status of the last answer; 0 before the first. */
  status(): number;
  /** Files that downloads became. */
  saved(): readonly SavedFile[];
}
