/** State that all commands of one program share: the host creates it once. */

import type { TokenEntry, TokenStore } from './ports.ts';
import type { SharedWork } from './stop.ts';

const CAPACITY = 10;
const REFILL = 0.2;

/**
 * Limits the total retries of all commands of one program. Without it, a hundred concurrent requests to a failing
 * service would become three hundred.
 */
export class RetryBudget {
  private retries = CAPACITY;

  spend(): boolean {
    if (this.retries < 1) return false;
    this.retries -= 1;
    return true;
  }

  /**
   * Records a success. A request that succeeded after a retry returns that retry, so that throttling by itself never
   * exhausts the budget; any other request adds a little.
   */
  refill(wasRetried: boolean): void {
    this.retries = Math.min(CAPACITY, this.retries + (wasRetried ? 1 : REFILL));
  }
}

/** A pending token request, shared by all commands of the same owner. */
export interface PendingToken {
  readonly owner: string;
  readonly token: SharedWork<string>;
  /** Deadline of the request, by the clock's elapsed time. */
  readonly deadline: number;
}

export interface Shared {
  readonly retryBudget: RetryBudget;
  pendingToken?: PendingToken | undefined;
  /** The last access token, for redaction. */
  token?: string | undefined;
}

/** Creates the state of a new program. */
export function newShared(): Shared {
  return { retryBudget: new RetryBudget() };
}

/** Creates a store that keeps the token while the program runs. */
export function memoryTokens() {
  let entry: TokenEntry | undefined;
  return {
    read: () => entry,
    write: (next: TokenEntry) => {
      entry = next;
    },
  } satisfies TokenStore;
}
