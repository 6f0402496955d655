/** Descriptions of tools, prompts and resources that come from elsewhere: a model reads them as instructions. */
import { hashOf, memoryOf } from './cache.ts';
import { textOf } from './readable.ts';
import type { Decision, Guard, GuardContext } from './types.ts';

/** Descriptions that are scanned at the same time. */
const AT_ONCE = 4;
/** The oldest are scanned again. */
const MOST_REMEMBERED = 10_000;

/** Scans each description once. Only the hash of what has a complete allow is remembered. */
export class Descriptions {
  readonly #guard: Guard;
  readonly #allowed = memoryOf<Decision>(MOST_REMEMBERED);

  constructor(guard: Guard) {
    this.#guard = guard;
  }

  /** Decides about a description, of any form. Anything but an allow refuses it. */
  async decide(description: unknown, context?: GuardContext): Promise<Decision> {
    const text = readable(description);
    const key = await hashOf(JSON.stringify(text ?? ''));
    const known = this.#allowed.get(key);
    if (known !== undefined && text !== undefined) return known;
    // What cannot be read is refused by the guard.
    const decision = await this.#guard.input(text ?? [{ role: 'user', content: description }], context);
    // What passed without a verdict is asked about again.
    if (decision.action === 'allow' && decision.unscanned === undefined)
      this.#allowed.set(key, Object.freeze({ ...decision, cached: true }));
    return decision;
  }

  /** Decides about descriptions, a few at a time. @returns the decisions in the same order */
  async decideAll(descriptions: readonly unknown[], context?: GuardContext): Promise<readonly Decision[]> {
    const decisions: Decision[] = [];
    for (let at = 0; at < descriptions.length; at += AT_ONCE) {
      const some = descriptions.slice(at, at + AT_ONCE).map((each) => this.decide(each, context));
      for (const decision of await Promise.all(some)) decisions.push(decision);
    }
    return decisions;
  }
}

function readable(description: unknown): string | undefined {
  try {
    return textOf(description);
  } catch {
    return undefined;
  }
}
