/** Decides about what is new in a request to a model, and masks its texts. */
import { blockedIfMasked } from '../../telling.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { withTexts } from '../texts.ts';
import { type AgentsRequest, type Item, isKept, messagesOf, roleOf } from './items.ts';

/** The decision, and the request that may be sent. */
export interface Cleared {
  readonly decision: Decision;
  readonly request: AgentsRequest;
}

/** Decides about a request. A text that the service masks is masked in every turn, because each request repeats it. */
export async function clearedRequest(guard: Guard, request: AgentsRequest, context: GuardContext): Promise<Cleared> {
  const decision = await guard.input(messagesOf(request), context);
  if (decision.action === 'block' || !guard.masksInput) return { decision, request };
  const blocks: Decision[] = [];
  const mask = async (text: string): Promise<string> => {
    const found = await guard.input(text, context);
    if (found.action === 'block') blocks.push(found);
    return found.action === 'mask' ? (found.text ?? '') : text;
  };
  const { input } = request;
  const masked = typeof input === 'string' ? mask(input) : Promise.all(input.map((item) => maskedItem(item, mask)));
  const sent = { ...request, input: await masked };
  const [block] = blocks;
  if (block !== undefined) return { decision: block, request };
  // What is masked only as a whole, or next to texts, cannot be put in its place.
  const again = decision.action === 'mask' ? await guard.input(messagesOf(sent), context) : decision;
  return { decision: blockedIfMasked(again), request: sent };
}

async function maskedItem(item: Item, mask: (text: string) => Promise<string>): Promise<Item> {
  const isForeign = !['assistant', 'system', 'developer'].includes(roleOf(item));
  return isForeign ? ((await withTexts(item, isKept, mask)) as Item) : item;
}
