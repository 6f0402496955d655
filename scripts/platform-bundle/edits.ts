/** A source text with pieces of it replaced. */
export interface Edit {
  /** The first character that goes. */
  readonly from: number;
  /** The first one behind it that stays. */
  readonly to: number;
  readonly by: string;
}

/** @param edits in any order; none of them reaches into another */
export function edited(source: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((one, other) => other.from - one.from)
    .reduce((text, { from, to, by }) => text.slice(0, from) + by + text.slice(to), source);
}
