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

export interface Result {
  readonly command: string;
  readonly writes: readonly ContextWrite[];
  readonly readable: Readable;
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
