/** Decides about what a LangChain model is asked. */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { newMessages } from '../../new-content.ts';
import { blockedIfMasked } from '../../telling.ts';
import type { Decision, Guard, GuardContext, Message } from '../../types.ts';
import { blocksOf, textIn } from './answer.ts';
import { type Fields, wholeIn, wordsIn } from './shapes.ts';

export interface Asked {
  readonly decision: Decision;
  /** All messages, with the masked ones instead of the original ones. */
  readonly messages: readonly BaseMessage[];
  /** The messages that are new. */
  readonly fresh: readonly BaseMessage[];
}

/** Types of messages, with the roles that the guard knows. */
const ROLES: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant', system: 'system', tool: 'tool' };

/** Marks an answer of the guard, so that the turn before it is never sent to a model again. */
const MARK = 'aisec';
const MARKED = 'blocked';

/** Decides about new content, and masks it. A mask across several messages cannot be applied: the content is blocked. */
export async function decisionAboutPrompt(
  guard: Guard,
  messages: readonly BaseMessage[],
  context: GuardContext,
): Promise<Asked> {
  const called = new Set(
    messages.flatMap((each) => (AIMessage.isInstance(each) ? (each.tool_calls ?? []) : [])).map(({ name }) => name),
  );
  const read = messages.map((original) => ({ ...readable(original, called), original }));
  const news = newMessages(read).map(({ original, ...message }) => ({ original, message }));
  const fresh = news.map(({ original }) => original);
  const decision = await guard.input(
    read.map(({ original: _, ...message }) => message),
    context,
  );
  if (decision.action !== 'mask') return { decision, messages, fresh };
  const masks = new Map<BaseMessage, BaseMessage>();
  for (const { original, message } of news) {
    const masked = await maskedMessage(guard, original, message, context);
    if (masked === undefined) return { decision: blockedIfMasked(decision), messages, fresh };
    if (masked !== original) masks.set(original, masked);
  }
  if (masks.size === 0) return { decision: blockedIfMasked(decision), messages, fresh };
  return { decision, messages: messages.map((each) => masks.get(each) ?? each), fresh };
}

/** Returns all of a message that its reader gets. @param called names of tools that were scanned with their calls */
function readable(message: BaseMessage, called: ReadonlySet<string>): Message {
  const { content, name, additional_kwargs: additional } = message;
  const role = roleOf(message);
  const isKnown = name === undefined || (role === 'tool' && called.has(name));
  const more = wordsIn(wholeIn(additional));
  return { role, content, ...(isKnown ? {} : { name }), ...(more === undefined ? {} : { more }) };
}

/** Returns the role of a message. A message of an unknown type is scanned. */
function roleOf(message: BaseMessage): string {
  const { type, role = '' } = message as { readonly type: string; readonly role?: string };
  return type === 'generic' ? role : (ROLES[type] ?? 'unknown');
}

/** Masks the texts of a message; pictures stay. @returns undefined where more than its texts would have to be masked */
async function maskedMessage(
  guard: Guard,
  original: BaseMessage,
  message: Message,
  context: GuardContext,
): Promise<BaseMessage | undefined> {
  const blocks = blocksOf(message.content);
  const others = blocks.filter((block) => textIn(block) === undefined);
  const [decision, rest] = await Promise.all([
    guard.input(blocks.map((block) => textIn(block) ?? '').join(''), context),
    guard.input([{ ...message, content: others }], context),
  ]);
  if (decision.action === 'block' || rest.action !== 'allow') return undefined;
  if (decision.action === 'allow') return original;
  const text = decision.text ?? '';
  return replaced(original, others.length > 0 ? [{ type: 'text', text }, ...others] : text);
}

/** Returns a message instead of another one, with another content and no words besides. */
export function replaced(original: BaseMessage, content: unknown): BaseMessage {
  const { id, name } = original;
  const fields = {
    content: content as string,
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
  };
  if (!ToolMessage.isInstance(original)) return new HumanMessage(fields);
  const { tool_call_id, status } = original;
  return new ToolMessage({ ...fields, tool_call_id, ...(status === undefined ? {} : { status }) });
}

/** Returns the answer of the guard. @param more members of the answer that is refused */
export function refusalFields(text: string, more: Fields = {}) {
  return { ...more, content: text, response_metadata: { finish_reason: 'content_filter', [MARK]: MARKED } };
}

/** Drops each turn that the guard ended: it was judged bad, and as an earlier turn nothing would scan it again. */
export function withoutRefused(messages: readonly BaseMessage[]): BaseMessage[] {
  const kept: BaseMessage[] = [];
  for (const message of messages) {
    if (isRefusal(message)) dropTurn(kept);
    else kept.push(message);
  }
  return kept;
}

function isRefusal(message: BaseMessage): boolean {
  return roleOf(message) === 'assistant' && message.response_metadata[MARK] === MARKED;
}

/** Removes the last turn: the user's messages and all that followed them. */
function dropTurn(kept: BaseMessage[]): void {
  const last = () => {
    const message = kept.at(-1);
    return message === undefined ? 'system' : roleOf(message);
  };
  while (!['user', 'system'].includes(last())) kept.pop();
  while (!['assistant', 'system'].includes(last())) kept.pop();
}
