/** Restores the order of numbered values. */
export interface ReorderBuffer<Value> {
  /** Adds a value. @param number counted from 1; each is added once */
  add(number: number, value: Value): void;
  /** Returns the values that follow the drained ones without a gap. */
  drain(): Value[];
  /** Returns the number of the first missing value. */
  nextMissing(): number;
  /** Returns the values after a gap, with their numbers. */
  waiting(): readonly (readonly [number, Value])[];
}

/** Creates an empty buffer. @param first the first number */
export function reorder<Value>(first = 1): ReorderBuffer<Value> {
  const early = new Map<number, Value>();
  let next = first;
  return {
    add: (number, value) => void early.set(number, value),
    drain: () => {
      const values: Value[] = [];
      for (let value = early.get(next); value !== undefined; value = early.get(next)) {
        early.delete(next);
        values.push(value);
        next += 1;
      }
      return values;
    },
    nextMissing: () => next,
    waiting: () => Array.from(early.entries()),
  };
}
