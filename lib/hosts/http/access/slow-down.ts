/** Slows down wrong tokens by the address that they come from, so that guessing takes time. */

import type { Clock } from '../../../engine/ports.ts';
import { networkOf } from '../../../node/network.ts';

export interface SlowDown {
  /**
   * Waits before a wrong token is refused; it is never asked about a right one.
   * @param remote IP address
   * @returns false, at once, if too many refusals are waiting
   */
  wait(remote: string): Promise<boolean>;
  /** Number of addresses that are remembered. */
  readonly size: number;
}

/** Wrong tokens of an address that are refused at once. */
const FREE = 5;
const [FIRST_MS, MAX_MS] = [125, 2000];
const FORGET_MS = 60_000;
const MAX_ADDRESSES = 10_000;
/** More would let an attacker hold sockets. */
const MAX_WAITING = 100;

interface Failures {
  readonly count: number;
  /** Time of the last one, by the elapsed clock. */
  readonly last: number;
}

/** Creates the counts of one service. */
export function slowDownOf(clock: Pick<Clock, 'elapsed' | 'wait'>): SlowDown {
  // In the order of the last failure, so that the first one is the oldest.
  const addresses = new Map<string, Failures>();
  let waiting = 0;

  const counted = (address: string): number => {
    const now = clock.elapsed();
    for (const [oldest, { last }] of addresses) {
      if (now - last < FORGET_MS) break;
      addresses.delete(oldest);
    }
    const count = (addresses.get(address)?.count ?? 0) + 1;
    addresses.delete(address);
    const [oldest] = addresses.size < MAX_ADDRESSES ? [] : addresses.keys();
    if (oldest !== undefined) addresses.delete(oldest);
    addresses.set(address, { count, last: now });
    return count;
  };
  return {
    wait: async (remote) => {
      const count = counted(networkOf(remote));
      if (count <= FREE) return true;
      if (waiting >= MAX_WAITING) return false;
      waiting += 1;
      try {
        await clock.wait(Math.min(MAX_MS, FIRST_MS * 2 ** (count - FREE - 1)));
      } finally {
        waiting -= 1;
      }
      return true;
    },
    get size() {
      return addresses.size;
    },
  };
}
