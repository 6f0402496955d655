/** What all commands of one program have in common beside their settings: a host makes it once, and hands it to each of them. */
import type { TokenStore } from '../ports.ts';
import { RetryBudget } from './retry.ts';

/** A token on its way, for everybody who needs one of the same owner. */
export interface PendingToken {
  readonly owner: string;
  readonly token: Promise<string>;
  /** When it is given up at the latest, by the clock's elapsed time. */
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

/** Keeps a token as long as the program runs. */
export function memoryTokens(): TokenStore {
  let entry: Readonly<Record<string, string>> | undefined;
  return {
    read: () => entry,
    write: (next) => {
      entry = next;
    },
  };
}
