/** Replaces ranges of a source text. */
export interface Edit {
  /** Start of the replaced range. */
  readonly from: number;
  /** End of the replaced range, exclusive. */
  readonly to: number;
  readonly by: string;
}

/** Applies edits. @param edits in any order, without overlaps */
export function rewriteSource(source: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((one, other) => other.from - one.from)
    .reduce((text, { from, to, by }) => text.slice(0, from) + by + text.slice(to), source);
}
