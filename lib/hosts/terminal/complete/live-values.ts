/** Known values in a war room: fetched over its session, so that records that it created are completed too. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Lookup } from '../../../arguments/builders.ts';
import type { KnownValue } from './known-values.ts';

const FRESH_MS = 60_000;
/** The longest that a key press waits. */
const PATIENCE_MS = 100;

export type LiveValues = ReturnType<typeof liveValues>;

/** @param fetch may fail: then nothing is completed */
export function liveValues(fetch: (lookup: Lookup) => Promise<readonly KnownValue[]>) {
  const values = new Map<string, readonly KnownValue[]>();
  const asked = new Map<string, number>();
  const pending = new Set<Promise<void>>();
  return {
    known: (lookup: Lookup) => {
      const { command } = lookup;
      if (Date.now() - (asked.get(command) ?? Number.NEGATIVE_INFINITY) > FRESH_MS) {
        asked.set(command, Date.now());
        const fetching = fetch(lookup)
          .then((found) => void values.set(command, found))
          .catch(() => undefined)
          .finally(() => pending.delete(fetching));
        pending.add(fetching);
      }
      return values.get(command) ?? [];
    },
    /** Resolves when the values that are being fetched have arrived, at the latest after 100 ms. */
    settled: async () => {
      const waiting = new AbortController();
      const timeout = wait(PATIENCE_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
      await Promise.race([Promise.all(pending), timeout]);
      waiting.abort();
    },
    /** Lists again on the next Tab: a command has changed something. */
    forget: () => asked.clear(),
  };
}
