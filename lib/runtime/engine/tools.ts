/**
 * Tools for handlers of several requests and for the steps of jobs. A request that changes something ends a dry run;
 * handlers must not write files in a dry run.
 */

import type { AisecError } from '../../core/errors.ts';
import type { Clock, PortKey, SavedFile } from '../../core/ports.ts';
import type { Amount } from '../../core/progress.ts';
import type { Runtime } from '../../core/runtime.ts';
import type { Api } from '../api/client.ts';
import type { Table } from '../output/readable.ts';
import type { Tally, Truncation } from '../output/result.ts';

export interface Tools extends Pick<Runtime, 'contextLimit' | 'dryRun' | 'files' | 'stop' | 'stream'> {
  readonly api: Api;
  /** Returns the configured tenant services group. @throws ConfigurationError if it is not set */
  tenant(): string;
  /** Adds a sentence below the table. */
  note(sentence: string): void;
  /** Adds a sentence that every host shows with the result, whatever the output format. */
  warn(sentence: string): void;
  /** Marks the result as incomplete. */
  truncated(truncation: Truncation): void;
  /** Adds a summary, for hosts that show summaries. */
  tally(tally: Tally | undefined): void;
  /** Adds a table below the main table; a dry run shows it too, for the planned change. */
  show(table: Table): void;
  /** Ends the run with this error, and keeps the result. */
  partialFailure(failure: AisecError): void;
  /** Adds a file to the result. */
  addFile(file: SavedFile): void;
  readonly clock: Clock;
  /** Resolves when the streamed records have left the process. @throws AisecError if they cannot */
  delivered(): Promise<boolean>;
  /** The host shows only the first rows of a table. */
  readonly showsTables: boolean;
  /** When a step of a job must return, by the clock's elapsed time; no limit if undefined. */
  readonly deadline: number | undefined;
  /** When a run must return if no later run can continue it. */
  readonly lastDeadline: number | undefined;
  /** Returns a port that the host hands to this command. */
  port<Port>(key: PortKey<Port>): Port | undefined;
  /** Returns true after the user stopped the run. */
  cancelled(): boolean;
  /** Shows a line of progress, with rate and time left if it has an amount. */
  progress(line: string, amount?: Amount): void;
}
