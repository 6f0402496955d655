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

/** The span of rows of equal height. */
export function rowSpan(count: number, row: number, top: number, height: number, around: number): Span {
  const from = Math.max(0, Math.min(count, Math.floor((top - around) / row)));
  const to = Math.min(count, Math.ceil((top + height + around) / row));
  return { from, to: Math.max(from, to), before: from * row, after: Math.max(0, count - Math.max(from, to)) * row };
}
