/** Puts what comes in any order into the order of its numbers. */
export interface Order<Value> {
  /** @param number counted from 1; each is placed once */
  place(number: number, value: Value): void;
  /** What follows without a gap on what was taken before. */
  take(): Value[];
  /** The number of the first value that is missing. */
  missing(): number;
  /** What waits behind a gap, with its number. */
  waiting(): readonly (readonly [number, Value])[];
}

/** @param first the number with which it begins */
export function inOrder<Value>(first = 1): Order<Value> {
  const early = new Map<number, Value>();
  let next = first;
  return {
    place: (number, value) => void early.set(number, value),
    take: () => {
      const values: Value[] = [];
      for (let value = early.get(next); value !== undefined; value = early.get(next)) {
        early.delete(next);
        values.push(value);
        next += 1;
      }
      return values;
    },
    missing: () => next,
    waiting: () => Array.from(early.entries()),
  };
}
