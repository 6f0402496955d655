/** Decides about a complete answer: its texts as a reader joins them, and every other member. */
import { objectOf } from '../../../core/json.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { type Values, withoutLogprobs } from '../texts.ts';
import { decidedTexts } from '../whole.ts';
import { decisionAbout, decisionOn, type Part } from './parts.ts';

/** An answer of a model that was read as a whole. */
export interface Generated extends Values {
  readonly content: readonly Part[];
  readonly response?: Values;
}

/** An answer that may pass, unless the decision blocks it. */
interface Checked {
  readonly decision?: Decision | undefined;
  readonly answer: Generated;
}

/** Decides about an answer, masks its texts, and drops what would repeat them. */
export async function checked(guard: Guard, generated: Generated, context: GuardContext): Promise<Checked> {
  const { content, request, response, usage, finishReason, ...others }: Values = withoutLogprobs(generated);
  const parts = (content as readonly Part[]).map(withoutLogprobs);
  const said = (kind: string) => decidedTexts(guard, parts.filter(({ type }) => type === kind).map(textOf), context);
  // The body has the answer in the provider's form; the request is the application's own.
  const { body: _, headers, ...ids } = objectOf(response);
  const [text, reasoning, repeated, ...decided] = await Promise.all([
    said('text'),
    said('reasoning'),
    decisionOn(guard, [others, ...parts.filter(isSaid).map(({ text: __, ...rest }) => rest)], context),
    decisionOn(guard, { usage, finishReason, ...ids }, context),
    ...parts.filter((part) => !isSaid(part)).map((part) => decisionAbout(guard, part, context)),
  ]);
  const isMasked = text.action === 'mask' || reasoning.action === 'mask';
  const decision = [text, reasoning, ...(isMasked ? [] : [repeated]), ...decided].find(
    ({ action }) => action === 'block',
  );
  const answer = { usage, finishReason, ...(request === undefined ? {} : { request }) };
  if (isMasked)
    return { decision, answer: { ...answer, content: masked(parts, text, reasoning), warnings: [], response: ids } };
  const known = response === undefined ? {} : { response: { ...ids, ...(headers === undefined ? {} : { headers }) } };
  return { decision, answer: { ...others, ...answer, ...known, content: parts } };
}

/**
 * Puts the mask of the texts into their first part. Texts lose all else that may repeat them; reasoning that would have to be
 * masked is dropped.
 */
function masked(parts: readonly Part[], text: Decision, reasoning: Decision): readonly Part[] {
  const first = parts.find(({ type }) => type === 'text');
  return parts.flatMap((part) => {
    const { type } = part;
    if (!isSaid(part)) return [part];
    const decision = type === 'text' ? text : reasoning;
    if (decision.action !== 'mask') return [{ type, text: textOf(part) }];
    return part === first ? [{ type, text: decision.text ?? '' }] : [];
  });
}

function isSaid({ type }: Part): boolean {
  return type === 'text' || type === 'reasoning';
}

function textOf({ text }: Part): string {
  return String(text);
}
