/** What all commands of one program have in common beside their settings: a host makes it once, and hands it to each of them. */
import { RetryBudget } from './retry.ts';

/** A token on its way, for everybody who needs one of the same owner. */
export interface PendingToken {
  readonly owner: string;
  readonly token: Promise<string>;
  /** When it is given up at the latest, in milliseconds since the epoch. */
  readonly until: number;
}

export interface Shared {
  readonly repeats: RetryBudget;
  pendingToken?: PendingToken | undefined;
}

/** For a new program: nothing is on its way, and every repeat is left. */
export function newShared(): Shared {
  return { repeats: new RetryBudget() };
}
