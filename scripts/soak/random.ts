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

/** Picks an item by weight; undefined beyond all weights. @param place a number from 0 */
export function pickWeighted<Item>(weighted: readonly (readonly [Item, number])[], place: number): Item | undefined {
  let end = 0;
  for (const [item, weight] of weighted) {
    end += weight;
    if (place < end) return item;
  }
  return undefined;
}
