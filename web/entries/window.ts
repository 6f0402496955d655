/** Computes which items of a long list are near the visible part. */

/** Returns the span of rows of equal height to draw, and the heights of what is not drawn. */
export function rowSpan(count: number, row: number, top: number, height: number, around: number) {
  const from = Math.max(0, Math.min(count, Math.floor((top - around) / row)));
  const to = Math.min(count, Math.ceil((top + height + around) / row));
  return { from, to: Math.max(from, to), before: from * row, after: Math.max(0, count - Math.max(from, to)) * row };
}
