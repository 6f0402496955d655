/** Reproducible random numbers. */

/** Creates a generator of numbers in [0, 1) from a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Picks an item by weight; undefined in the share of 1 that the weights leave. @param place a number in [0, 1) */
export function pickWeighted<Item>(shares: readonly (readonly [Item, number])[], place: number): Item | undefined {
  let end = 0;
  for (const [item, share] of shares) {
    end += share;
    if (place < end) return item;
  }
  return undefined;
}
