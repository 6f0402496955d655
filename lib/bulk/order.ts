/** Restores the order of numbered values. @param first the first number */
export function reorder<Value>(first = 1) {
  const early = new Map<number, Value>();
  let next = first;
  return {
    /** Adds a value. @param number counted from 1; each is added once */
    add: (number: number, value: Value) => void early.set(number, value),
    /** Returns the values that follow the drained ones without a gap. */
    drain: () => {
      const values: Value[] = [];
      for (let value = early.get(next); value !== undefined; value = early.get(next)) {
        early.delete(next);
        values.push(value);
        next += 1;
      }
      return values;
    },
    /** Returns the number of the first missing value. */
    nextMissing: () => next,
    /** Returns the values after a gap, with their numbers. */
    waiting: () => [...early.entries()],
  };
}
