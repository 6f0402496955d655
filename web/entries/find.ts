/** Chooses among the entries of a room. */
import type { EntryHead } from '../types.ts';
import { wordsOf } from './order.ts';

export const CHIPS = ['failed', 'blocked', 'starred', 'mine'] as const;
export type Chip = (typeof CHIPS)[number];

/** Reports whether an entry is blocked, whatever the case of its verdict. */
export function isBlocked({ verdict }: Pick<EntryHead, 'verdict'>): boolean {
  return /^block/i.test(verdict ?? '');
}

export interface Choice {
  readonly text: string;
  readonly chips: ReadonlySet<Chip>;
  /** Id of this tab. */
  readonly tab: string;
}

/** Keeps the entries that fit: `failed` and `blocked` widen each other, everything else narrows. */
export function chosen(heads: readonly EntryHead[], { text, chips, tab }: Choice): readonly EntryHead[] {
  const words = wordsOf(text);
  const anyEnd = !chips.has('failed') && !chips.has('blocked');
  return heads.filter(
    (head) =>
      (anyEnd || (chips.has('failed') && head.state !== 'done') || (chips.has('blocked') && isBlocked(head))) &&
      (!chips.has('starred') || head.starred) &&
      (!chips.has('mine') || head.by === tab) &&
      words.every((word) => `${head.line}\n${head.summary}\n${head.command ?? ''}`.toLowerCase().includes(word)),
  );
}

/**
 * Puts entries that were run again in place where the earlier entry was, which they replace.
 * @param places number of the replaced entry by the run that replaces it
 */
export function arranged(heads: readonly EntryHead[], places: ReadonlyMap<string, number>): readonly EntryHead[] {
  if (places.size === 0) return heads;
  const found: EntryHead[] = [];
  const indexes = new Map<number, number>();
  for (const head of heads) {
    const replaced = head.run === null ? undefined : places.get(head.run);
    const at = (replaced === undefined ? undefined : indexes.get(replaced)) ?? found.length;
    found[at] = head;
    indexes.set(head.number, at);
  }
  return found;
}
