/** Computes which items of a long list are near the visible part. */

export interface Span {
  /** First item to draw. */
  readonly from: number;
  /** First item that is not drawn any more. */
  readonly to: number;
  /** Heights of what is not drawn, in pixels. */
  readonly before: number;
  readonly after: number;
}

/** @param heights of all items @param top position of the visible part @param around how much more to draw, above and below */
export function spanOf(heights: readonly number[], top: number, height: number, around: number): Span {
  let [from, before, at] = [0, 0, 0];
  while (from < heights.length && at + (heights[from] ?? 0) < top - around) {
    at += heights[from] ?? 0;
    from += 1;
  }
  before = at;
  let to = from;
  while (to < heights.length && at < top + height + around) {
    at += heights[to] ?? 0;
    to += 1;
  }
  const after = heights.slice(to).reduce((sum, each) => sum + each, 0);
  return { from, to, before, after };
}

/** The span of rows of equal height. */
export function rowSpan(count: number, row: number, top: number, height: number, around: number): Span {
  const from = Math.max(0, Math.min(count, Math.floor((top - around) / row)));
  const to = Math.min(count, Math.ceil((top + height + around) / row));
  return { from, to: Math.max(from, to), before: from * row, after: Math.max(0, count - Math.max(from, to)) * row };
}
