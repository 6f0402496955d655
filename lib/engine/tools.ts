/** Tools for handlers of several requests and for the steps of jobs. */
import type { Api } from '../api/client.ts';
import type { AisecError } from '../core/errors.ts';
import type { Clock, Files, PortKey, SavedFile, Stop } from '../core/ports.ts';
import type { Table } from '../output/readable.ts';
import type { Tally, Truncation } from '../output/result.ts';

export interface Tools {
  readonly api: Api;
  /** Returns the configured tenant services group. @throws ConfigurationError if it is not set */
  tenant(): string;
  /** Adds a sentence below the table. */
  note(sentence: string): void;
  /** Adds a sentence that every host shows beside the result, in any format. */
  warn(sentence: string): void;
  /** Marks the result as incomplete. */
  truncated(truncation: Truncation): void;
  /** Adds a summary for hosts that show one. */
  tally(tally: Tally | undefined): void;
  /** Adds a table below the main one; a dry run shows it too, for the planned change. */
  show(table: Table): void;
  /** Ends the run with this error, and keeps the result. */
  partialFailure(failure: AisecError): void;
  readonly files: Files;
  /** Adds a file to the result. */
  addFile(file: SavedFile): void;
  readonly clock: Clock;
  /** Receives records as they arrive, instead of the result; undefined without streaming. */
  readonly stream: ((record: unknown) => void) | undefined;
  /** Resolves when the streamed records have left the process. @throws AisecError if they cannot */
  delivered(): Promise<void>;
  /** The host shows only tables with the first rows. */
  readonly showsTables: boolean;
  /** Limit of what the result adds to the context, in bytes of JSON. */
  readonly contextLimit: number;
  /** When a step of a job must return, by the clock's elapsed time; no limit if undefined. */
  readonly deadline: number | undefined;
  /** When a run that no later run can continue must return. */
  readonly lastDeadline: number | undefined;
  /** A request that changes something ends a dry run; handlers must not write files in a dry run. */
  readonly dryRun: boolean;
  /** Returns a port that the host hands to this command. */
  port<Port>(key: PortKey<Port>): Port | undefined;
  /** Ends this command alone. */
  readonly stop: Stop | undefined;
  /** Returns true after the user stopped the run. */
  cancelled(): boolean;
  /** Shows a line of progress. */
  progress(line: string): void;
}
