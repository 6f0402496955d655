/** Known values in a war room: fetched over its session, so that records that it created are completed too. */
import type { Lookup } from '../../../arguments/builders.ts';
import type { KnownValue } from './known-values.ts';

const FRESH_MS = 60_000;
/** The longest that a key press waits. */
const PATIENCE_MS = 100;

export interface LiveValues {
  known(lookup: Lookup): readonly KnownValue[];
  /** Resolves when the values that are being fetched have arrived, at the latest after 100 ms. */
  settled(): Promise<void>;
  /** Lists again on the next Tab: a command has changed something. */
  forget(): void;
}

/** @param fetch may fail: then nothing is completed */
export function liveValues(fetch: (lookup: Lookup) => Promise<readonly KnownValue[]>): LiveValues {
  const values = new Map<string, readonly KnownValue[]>();
  const asked = new Map<string, number>();
  const pending = new Set<Promise<void>>();
  return {
    known: (lookup) => {
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
    settled: async () => {
      if (pending.size === 0) return;
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, PATIENCE_MS);
      });
      await Promise.race([Promise.all(pending), timeout]);
      clearTimeout(timer);
    },
    forget: () => asked.clear(),
  };
}
