/** What one command came to, before a host renders it. */
import type { AisecError } from './errors.ts';
import type { Pause } from './job.ts';
import type { Readable } from './output/readable.ts';
import type { SavedFile } from './ports.ts';

/** A value for one context path. */
export interface ContextWrite {
  /** Such as `AiSec.Topic`, or a path of the user's own (`extend-context`). */
  readonly path: string;
  /** Fields that tell records apart; empty: it replaces what is there. Absent: it is appended, as the platform does without a condition. */
  readonly key?: readonly string[];
  readonly value: unknown;
}

/** Why a result has fewer records than there are, and where the others are. */
export interface Truncation {
  /** Records in the result. */
  readonly kept: number;
  /** Records that there are, where that is known. */
  readonly total: number | null;
  /** The file that has all of them. */
  readonly file?: SavedFile | undefined;
  /** The same for people. */
  readonly note: string;
  /** The context has no room for more; otherwise the user asked for no more of a list. */
  readonly isForRoom: boolean;
}

export interface Result {
  readonly command: string;
  readonly writes: readonly ContextWrite[];
  readonly readable: Readable;
  /** Set when the writes hold only some of the records. */
  readonly truncated?: Truncation;
  /** The writes before they were cut to the room of the context, for a host that prints all of them. */
  readonly whole?: readonly ContextWrite[];
  /** The service's answer, with one-time secrets masked. */
  readonly raw: unknown;
  /** Show `raw` in place of the table. */
  readonly showRaw: boolean;
  readonly simulated: boolean;
  /** For people, apart from the result: an argument without effect, a setting that is risky. */
  readonly warnings: readonly string[];
  /** A plan, not a result: nothing was changed. */
  readonly planned: boolean;
  /** Files that the command made. */
  readonly files: readonly SavedFile[];
  /** The work goes on in a later run of the same command. */
  readonly pause?: Pause;
  /** Set when only some of it was done. */
  readonly failure?: AisecError;
}
