/** The lines of a session as its readers see them: heads for lists, and details. */
import type { SeenRequest } from '../../../core/runtime.ts';
import type { ProblemDocument } from '../problems.ts';

/** A line with its result or problem. */
export interface Entry {
  /** Counts from 1. */
  readonly number: number;
  /** The line, secrets masked. */
  readonly line: string;
  readonly result?: unknown;
  readonly problem?: ProblemDocument;
}

/** An entry without its result: enough for a list. */
export interface EntryHead {
  readonly number: number;
  readonly line: string;
  /** Null for an unknown command. */
  readonly command: string | null;
  /** The tab that sent the line, if it named itself. */
  readonly by: string | null;
  /** Start, as an ISO date. */
  readonly time: string;
  /** Duration in milliseconds. */
  readonly ms: number;
  readonly state: 'done' | 'partial' | 'failed' | 'stopped';
  /** The verdict in the record's own words. */
  readonly verdict: string | null;
  /** One line for people. */
  readonly summary: string;
  /** Number of records in a list. */
  readonly count: number | null;
  /** Context paths that it wrote. */
  readonly wrote: readonly string[];
  readonly starred: boolean;
  /** A value that its references refer to has changed since. */
  readonly stale: boolean;
  readonly dryRun: boolean;
  readonly simulated: boolean;
  /** The run that did the work. */
  readonly run: string | null;
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
