/** The API as a handler sees it. */
import type { SavedFile } from '../core/ports.ts';
import type { Call, ListCall } from './call.ts';

export type Records = readonly Readonly<Record<string, unknown>>[];

/** Records of a list, with counts. */
export interface Page {
  readonly records: Records;
  /** Number of fetched records, even if they are not kept. */
  readonly count: number;
  /** More records exist than were fetched. */
  readonly more: boolean;
  /** Number of all records, if the service reports it. */
  readonly total: number | undefined;
  /** Number of all pages, where the plane counts pages. */
  readonly pages: number | undefined;
  /** The service sent a page twice, so the list is incomplete. */
  readonly repeated: boolean;
  /** Why the list cannot be complete, whatever its limit; absent if nothing contradicts it. */
  readonly gap?: string;
  /** The first response without its records, such as totals. */
  readonly head?: Readonly<Record<string, unknown>>;
}

export interface Api {
  /**
   * Sends one request.
   * @returns the JSON value; an empty body is `{}`, the plain text of a delete `{message}`, a bare array `{items}`
   */
  fetch(call: Call): Promise<Readonly<Record<string, unknown>>>;
  /** Fetches pages up to the limit; with `onRecords`, passes the records on instead of keeping them. */
  list(call: ListCall, onRecords?: (records: Records) => void): Promise<Page>;
  /** Returns true after a response of the simulated service. */
  simulated(): boolean;
  /** Returns true after a change that must not be repeated. */
  changed(): boolean;
  /** Returns the HTTP status of the last response; 0 before the first. */
  status(): number;
  /** Returns the files that were downloaded. */
  saved(): readonly SavedFile[];
}
