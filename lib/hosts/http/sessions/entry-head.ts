/** A line of a session in lists. The page in the browser uses this type too, so it imports nothing. */

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
  /** The verdict or state in the record's own words. */
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
