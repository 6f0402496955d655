/** What all commands of one program have in common beside their settings: a host makes it once, and hands it to each of them. */
import type { TokenEntry, TokenStore } from '../ports.ts';
import type { SharedWork } from '../stop.ts';
import { RetryBudget } from './retry.ts';

/** A token on its way, for everybody who needs one of the same owner. */
export interface PendingToken {
  readonly owner: string;
  readonly token: SharedWork<string>;
  /** When it is given up at the latest, by the clock's elapsed time. */
  readonly until: number;
}

export interface Shared {
  readonly repeats: RetryBudget;
  pendingToken?: PendingToken | undefined;
  /** The access token last used, which nothing that is shown may repeat. */
  token?: string | undefined;
}

/** For a new program: nothing is on its way, and every repeat is left. */
export function newShared(): Shared {
  return { repeats: new RetryBudget() };
}

/** A store that answers at once. */
export interface MemoryTokens extends TokenStore {
  read(): TokenEntry | undefined;
  write(entry: TokenEntry): void;
}

/** Keeps a token as long as the program runs. */
export function memoryTokens(): MemoryTokens {
  let entry: TokenEntry | undefined;
  return {
    read: () => entry,
    write: (next) => {
      entry = next;
    },
  };
}
