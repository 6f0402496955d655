/** Descriptions of tools, prompts and resources that come from elsewhere: a model reads them as instructions. */
import { textOf } from './readable.ts';
import type { Decision, Guard, GuardContext } from './types.ts';

/** Descriptions that are scanned at the same time. */
const AT_ONCE = 4;

/**
 * Decides about descriptions, of any form, a few at a time: anything but an allow refuses one. The guard remembers its
 * verdicts, so each is scanned once.
 * @returns the decisions in the same order
 */
export async function decideDescriptions(
  guard: Guard,
  descriptions: readonly unknown[],
  context?: GuardContext,
): Promise<readonly Decision[]> {
  const decisions: Decision[] = [];
  while (decisions.length < descriptions.length) {
    const some = descriptions
      .slice(decisions.length, decisions.length + AT_ONCE)
      .map((each) => guard.input(readable(each), context));
    for (const decision of await Promise.all(some)) decisions.push(decision);
  }
  return decisions;
}

/** Reads a description. What cannot be read becomes a message without content, which the guard refuses as unreadable. */
function readable(description: unknown): Parameters<Guard['input']>[0] {
  try {
    return textOf(description);
  } catch {
    return [{ role: 'user', content: undefined }];
  }
}
