/** Chance that can be had again: the same seed gives the same numbers. */

/** @returns numbers from 0 up to, but not including, 1 (mulberry32) */
export function chanceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of several by weight; undefined in the share of 1 that the weights leave open. @param place from 0 to 1 */
export function byShare<Item>(shares: readonly (readonly [Item, number])[], place: number): Item | undefined {
  let end = 0;
  for (const [item, share] of shares) {
    end += share;
    if (place < end) return item;
  }
  return undefined;
}
