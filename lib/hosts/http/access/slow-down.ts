/** Slows down wrong tokens by the address that they come from, so that guessing takes time. */

import type { Clock } from '../../../core/ports.ts';
import { networkOf } from '../../../node/network.ts';

/** Wrong tokens of an address that are refused at once. */
const FREE = 5;
const [FIRST_MS, MAX_MS] = [125, 2000];
const FORGET_MS = 60_000;
const MAX_ADDRESSES = 10_000;
/** More would let an attacker hold sockets. */
const MAX_WAITING = 100;

/** Counts and delays the refusals of one service. */
export class SlowDown {
  readonly #clock: Pick<Clock, 'elapsed' | 'wait'>;
  /** In the order of the last failure, so that the first address is the oldest. */
  readonly #failures = new Map<string, { readonly count: number; readonly last: number }>();
  #waiting = 0;

  constructor(clock: Pick<Clock, 'elapsed' | 'wait'>) {
    this.#clock = clock;
  }

  /** Number of addresses that are remembered. */
  get size(): number {
    return this.#failures.size;
  }

  /**
   * Waits before a wrong token is refused; a right token never waits.
   * @param remote IP address
   * @returns false, at once, if too many refusals are waiting
   */
  async wait(remote: string): Promise<boolean> {
    const count = this.#count(networkOf(remote));
    if (count <= FREE) return true;
    if (this.#waiting >= MAX_WAITING) return false;
    this.#waiting += 1;
    try {
      await this.#clock.wait(Math.min(MAX_MS, FIRST_MS * 2 ** (count - FREE - 1)));
    } finally {
      this.#waiting -= 1;
    }
    return true;
  }

  #count(address: string): number {
    const now = this.#clock.elapsed();
    for (const [oldest, { last }] of this.#failures) {
      if (now - last < FORGET_MS) break;
      this.#failures.delete(oldest);
    }
    const count = (this.#failures.get(address)?.count ?? 0) + 1;
    this.#failures.delete(address);
    const [oldest] = this.#failures.size < MAX_ADDRESSES ? [] : this.#failures.keys();
    if (oldest !== undefined) this.#failures.delete(oldest);
    this.#failures.set(address, { count, last: now });
    return count;
  }
}
