/** Counts open streams of events, each of which holds a connection. */

const MOST = 2000;

export interface Streams {
  /** Enters a stream of a token. @returns a function for its end; undefined if the token has too many */
  enter(caller: string): (() => void) | undefined;
  count(): number;
}

/** Creates the counter. @param most open streams of one token */
export function newStreams(most = MOST): Streams {
  const open = new Map<string, number>();
  return {
    enter: (caller) => {
      const count = open.get(caller) ?? 0;
      if (count >= most) return undefined;
      open.set(caller, count + 1);
      return () => {
        const left = (open.get(caller) ?? 1) - 1;
        if (left === 0) open.delete(caller);
        else open.set(caller, left);
      };
    },
    count: () => [...open.values()].reduce((sum, count) => sum + count, 0),
  };
}
