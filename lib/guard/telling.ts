/** Combines and narrows decisions about one text. */
import type { ContentKind, Decision } from './types.ts';

/** Returns the decision to report: a block, else a part that no verdict covers, else a mask, else the last one. */
export function moreTelling(earlier: Decision | undefined, later: Decision): Decision {
  return earlier !== undefined && rankOf(earlier) > rankOf(later) ? earlier : later;
}

function rankOf({ action, unscanned }: Decision): number {
  if (action === 'block') return 3;
  if (unscanned !== undefined) return 2;
  return action === 'mask' ? 1 : 0;
}

/** Returns a block for a mask that cannot be put instead of the text. */
export function blockedIfMasked<Each extends Pick<Decision, 'action' | 'text'>>(decision: Each): Each {
  if (decision.action !== 'mask') return decision;
  const { text: _, ...rest } = decision;
  return { ...rest, action: 'block' } as Each;
}

/** Returns the decision about several scans of one call: the most telling, else the first. None of them can be masked. */
export function decisionOfAll(decisions: readonly Decision[]): Decision | undefined {
  const last = decisions.toReversed().map(blockedIfMasked);
  const found = last.reduce<Decision | undefined>(moreTelling, undefined);
  return found === undefined ? undefined : { ...found, cached: decisions.every(({ cached }) => cached) };
}

/** Returns the block of a content that cannot be read, and so cannot be scanned. */
export function unreadable(kind: ContentKind): Decision {
  return { kind, action: 'block', unscanned: 'unreadable', ms: 0, cached: false };
}
