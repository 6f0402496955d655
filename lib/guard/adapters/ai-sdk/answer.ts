/** Decides about a complete answer: its texts as a reader joins them, and every other member. */
import { objectOf } from '../../../core/json.ts';
import { joined } from '../../readable.ts';
import { blockedIfMasked } from '../../telling.ts';
import type { Decision, Guard, GuardContext } from '../../types.ts';
import { withoutPieces } from './members.ts';
import { decisionAbout, decisionOn, type Part } from './parts.ts';

type Values = Readonly<Record<string, unknown>>;

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

const isSaid = ({ type }: Part) => type === 'text' || type === 'reasoning';

/** Decides about an answer, masks its texts, and drops what would repeat them. */
export async function checked(guard: Guard, generated: Generated, context: GuardContext): Promise<Checked> {
  const { content, request, response, usage, finishReason, ...others }: Values = withoutPieces(generated);
  const parts = (content as readonly Part[]).map(withoutPieces);
  // The body has the answer in the provider's form; the request is the application's own.
  const { body: _, headers, ...ids } = objectOf(response);
  const [text, reasoning, repeated, ...decided] = await Promise.all([
    shown(guard, textsOf(parts, 'text'), context),
    shown(guard, textsOf(parts, 'reasoning'), context),
    decisionOn(guard, [others, ...parts.filter(isSaid).map(({ text: __, ...rest }) => rest)], context),
    decisionOn(guard, { usage, finishReason, ...ids }, context),
    ...parts.filter((part) => !isSaid(part)).map((part) => decisionAbout(guard, part, context)),
  ]);
  const isMasked = text.decision?.action === 'mask' || reasoning.decision?.action === 'mask';
  const decisions = [text.decision, reasoning.decision, ...(isMasked ? [] : [repeated]), ...decided];
  const decision = decisions.find((each) => each?.action === 'block');
  const answer = { usage, finishReason, ...(request === undefined ? {} : { request }) };
  if (isMasked) {
    const masked = { content: withTexts(parts, text.texts, reasoning.texts), warnings: [], response: ids };
    return { decision, answer: { ...answer, ...masked } };
  }
  const known = response === undefined ? {} : { response: { ...ids, ...(headers === undefined ? {} : { headers }) } };
  return { decision, answer: { ...others, ...answer, ...known, content: parts } };
}

/** Puts other texts into parts, which lose all else that may repeat the text. */
function withTexts(parts: readonly Part[], text: readonly string[], reasoning: readonly string[]): readonly Part[] {
  const next = { text: [...text], reasoning: [...reasoning] };
  return parts.map((part) => {
    const { type } = part;
    return type === 'text' || type === 'reasoning' ? { type, text: next[type].shift() ?? '' } : part;
  });
}

function textsOf(content: readonly Part[], kind: string): readonly string[] {
  return content.filter(({ type }) => type === kind).map(({ text }) => String(text));
}

/** Decides about texts that a reader joins. A mask of several is one for each that leaves nothing to mask in all of them. */
async function shown(guard: Guard, texts: readonly string[], context: GuardContext) {
  const decision = texts.length === 0 ? undefined : await guard.output(joined(texts), context);
  if (decision?.action !== 'mask') return { decision, texts };
  if (texts.length === 1) return { decision, texts: [decision.text ?? ''] };
  const each = await Promise.all(texts.map((text) => guard.output(text, context)));
  const masked = each.map(({ action, text = '' }, at) => (action === 'mask' ? text : (texts[at] ?? '')));
  const { action } = await guard.output(joined(masked), context);
  return { decision: action === 'allow' ? decision : blockedIfMasked(decision), texts: masked };
}
