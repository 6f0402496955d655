/** Decides about what a LangChain model is asked. */

import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { present } from '../../../core/json.ts';
import { maskedPrompt, newMessages } from '../../conversation.ts';
import { blockedIfMasked } from '../../telling.ts';
import type { Decision, Guard, GuardContext, Message } from '../../types.ts';
import { isSign, type Values, withoutPieces, withoutSigns } from '../texts.ts';

/** Types of messages, with the roles that the guard knows. */
const ROLES: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant', system: 'system', tool: 'tool' };

/** Marks an answer of the guard, so that the turn before it is never sent to a model again. */
const MARK = 'aisec';
const MARKED = 'blocked';

/** Messages with their masks. */
export interface Masked {
  readonly messages: readonly BaseMessage[];
  /** A text that may have what must be masked has no verdict. */
  readonly refused?: Decision;
}

/** Masks each text that comes from outside, in every turn. What needs more than masks of single texts is blocked later. */
export async function maskedMessages(
  guard: Guard,
  messages: readonly BaseMessage[],
  context: GuardContext,
): Promise<Masked> {
  if (!guard.masksInput) return { messages };
  const read: (Message & { original: BaseMessage })[] = messages.map(withRole);
  const { messages: masked, ...refused } = await maskedPrompt(guard, read, context);
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const sent = masked.map(({ content, original }) =>
    isSame(content, original.content) ? original : replaced(original, content),
  );
  return { messages: sent, ...refused };
}

/** Decides about new content, from which all was masked that can be. */
export async function decisionAboutPrompt(
  guard: Guard,
  messages: readonly BaseMessage[],
  context: GuardContext,
): Promise<Decision> {
  const called = new Set(
    messages.flatMap((each) => (AIMessage.isInstance(each) ? (each.tool_calls ?? []) : [])).map(({ name }) => name),
  );
  const read = messages.map((each) => readable(each, called));
  return blockedIfMasked(await guard.input(read, context));
}

/** Returns the messages that are new. */
export function freshIn(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  return newMessages(messages.map(withRole)).map(({ original }) => original);
}

/** Returns all of a message that its reader gets. @param called names of tools that were scanned with their calls */
function readable(message: BaseMessage, called: ReadonlySet<string>): Message {
  const { content, name, additional_kwargs: additional } = message;
  const role = roleOf(message);
  const isKnown = name === undefined || (role === 'tool' && called.has(name));
  const more = withoutSigns(withoutPieces(additional), isSign);
  return { role, content, ...(isKnown ? {} : { name }), ...(more === undefined ? {} : { more }) };
}

function withRole(original: BaseMessage) {
  return { role: roleOf(original), content: original.content, original };
}

/** Returns the role of a message. A message of an unknown type is scanned. */
function roleOf(message: BaseMessage): string {
  const { type, role = '' } = message as { readonly type: string; readonly role?: string };
  return type === 'generic' ? role : (ROLES[type] ?? 'unknown');
}

/** Returns a message instead of another one, with another content and no words besides. */
export function replaced(original: BaseMessage, content: unknown): BaseMessage {
  const { id, name } = original;
  const fields = { content: content as string, ...present({ id, name }) };
  if (!ToolMessage.isInstance(original)) return new HumanMessage(fields);
  const { tool_call_id, status } = original;
  return new ToolMessage({ ...fields, tool_call_id, ...present({ status }) });
}

/** Returns the answer of the guard. @param more members of the answer that is refused */
export function refusalFields(text: string, more: Values = {}) {
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
