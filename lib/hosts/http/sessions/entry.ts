/** The lines of a session as its readers see them: heads for lists, and details. */
import type { SeenRequest } from '../../../core/runtime.ts';
import type { ProblemDocument } from '../problems.ts';
import type { EntryHead } from './entry-head.ts';

/** A line with its result or problem. */
export interface Entry {
  /** Counts from 1. */
  readonly number: number;
  /** The line, secrets masked. */
  readonly line: string;
  readonly result?: unknown;
  readonly problem?: ProblemDocument;
}

/** The requests of one line. */
export interface SeenRequests {
  readonly requests: readonly SeenRequest[];
  /** Number of requests that are not kept. */
  readonly omitted: number;
}

/** An entry as a session keeps it. */
export interface KeptEntry {
  head: EntryHead;
  readonly entry: Entry;
  seen: SeenRequests;
  /** Sizes in bytes of JSON. */
  readonly bytes: number;
  requestBytes: number;
}

/** Maximum numbers of requests that are kept of one line: the first ones, and later ones that failed. */
const [MAX_FIRST, MAX_FAILED] = [50, 50];

/** Collects the requests of one line. */
export class RequestCollector implements SeenRequests {
  readonly requests: SeenRequest[] = [];
  omitted = 0;

  readonly add = (request: SeenRequest): void => {
    const failed = request.status === null || request.status >= 400;
    if (this.requests.length < (failed ? MAX_FIRST + MAX_FAILED : MAX_FIRST)) this.requests.push(request);
    else this.omitted += 1;
  };
}
