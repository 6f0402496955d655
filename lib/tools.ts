/** What a handler of several requests, and the steps of a job, work with. */
import type { Api } from './api/client.ts';
import type { AisecError } from './errors.ts';
import type { Table } from './output/readable.ts';
import type { Clock, Files, SavedFile } from './ports.ts';
import type { Truncation } from './result.ts';

/** What a handler of several requests works with. */
export interface Tools {
  readonly api: Api;
  /** The configured tenant services group. @throws ConfigurationError when it is not set */
  tenant(): string;
  /** A sentence below the table. */
  note(sentence: string): void;
  /** A sentence that every host shows beside the result, in whatever form it writes that. */
  warn(sentence: string): void;
  /** The result has only some of the records that it speaks of. */
  truncated(truncation: Truncation): void;
  /** A table below the main one; a dry run shows it too, so that it can say what would change. */
  show(table: Table): void;
  /** Only some of it was done: the result stands, and the run ends with this error. */
  partly(failure: AisecError): void;
  readonly files: Files;
  /** A file that the handler made: part of the result. */
  saved(file: SavedFile): void;
  readonly clock: Clock;
  /** Takes records as they come, in place of a result that shows them; absent where nobody asked for that. */
  readonly stream: ((record: unknown) => void) | undefined;
  /** Most that the result may put into the context, in bytes of JSON. */
  readonly contextLimit: number;
  /** When a step of a job has to return, by the clock's elapsed time; absent where it may take as long as it takes. */
  readonly until: number | undefined;
  /** Requests that change something end a dry run by themselves; files are left alone by whoever makes them. */
  readonly dryRun: boolean;
  /** Has the user stopped the run? */
  cancelled(): boolean;
  /** A line about work in progress, for a person who waits. */
  progress(line: string): void;
}
