/** The forms of LangChain's messages that its adapter reads and makes. The types are structural. */
import type { Message } from '../../types.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface ToolCallOf {
  readonly name: string;
  readonly args: unknown;
  readonly id?: string | undefined;
}

/** A message, complete or a chunk of one. */
export interface LangMessage {
  readonly content: unknown;
  readonly type?: string;
  readonly role?: string;
  readonly id?: string | undefined;
  readonly tool_calls?: readonly ToolCallOf[] | undefined;
  readonly invalid_tool_calls?: readonly unknown[] | undefined;
  readonly additional_kwargs?: Fields | undefined;
  readonly response_metadata?: Fields | undefined;
  readonly usage_metadata?: unknown;
}

/** One of the answers of a call, complete or a chunk of one. */
export interface Generation {
  readonly text: string;
  readonly message: LangMessage;
  readonly generationInfo?: Fields | undefined;
  concat?(other: Generation): Generation;
}

/** Types of messages, with the roles that the guard knows. */
const ROLES: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant', system: 'system', tool: 'tool' };

/** Members of messages that a copy keeps. */
const COPIED = ['content', 'role', 'name', 'id', 'additional_kwargs', 'response_metadata', 'usage_metadata'];
const COPIED_CALLS = ['tool_calls', 'invalid_tool_calls', 'tool_call_id', 'status'];

/** Marks an answer of the guard, so that the turn before it is never sent to a model again. */
const MARK = 'aisec';
const MARKED = 'blocked';

/** Returns the role of a message. A message of an unknown type is scanned. */
export function roleOf({ type = '', role = '' }: LangMessage): string {
  return type === 'generic' ? role : (ROLES[type] ?? 'unknown');
}

export function asMessage(message: LangMessage): Message {
  return { role: roleOf(message), content: message.content };
}

/** Copies a message of any class, with changes. Members that are not copied, such as the artifact of a tool, are dropped. */
export function copyOf<Each extends LangMessage>(message: Each, changes: Fields): Each {
  const { tool_call_chunks: chunks } = message as { readonly tool_call_chunks?: readonly unknown[] };
  const kept: Record<string, unknown> = {};
  const isParsed = chunks === undefined || chunks.length === 0;
  for (const name of isParsed ? [...COPIED, ...COPIED_CALLS] : [...COPIED, 'tool_call_chunks']) {
    const value = (message as unknown as Fields)[name];
    if (value !== undefined) kept[name] = value;
  }
  return made(message, { ...kept, ...changes });
}

/** Creates a message of the same class. */
export function made<Each extends object>(like: Each, fields: object): Each {
  const create = like.constructor as new (fields: object) => Each;
  return new create(fields);
}

/** Returns the members of an answer of the guard. */
export function refusalFields(text: string): Fields {
  return { content: text, response_metadata: { finish_reason: 'content_filter', [MARK]: MARKED } };
}

function isRefusal(message: LangMessage): boolean {
  return roleOf(message) === 'assistant' && message.response_metadata?.[MARK] === MARKED;
}

/** Drops each turn that the guard ended: it was judged bad, and as an earlier turn nothing would scan it again. */
export function withoutRefused(messages: readonly LangMessage[]): readonly LangMessage[] {
  const kept: LangMessage[] = [];
  for (const message of messages) {
    if (isRefusal(message)) dropTurn(kept);
    else kept.push(message);
  }
  return kept;
}

/** Removes the last turn: the user's messages and all that followed them. */
function dropTurn(kept: LangMessage[]): void {
  const last = () => roleOf(kept.at(-1) ?? { content: '', type: 'system' });
  while (!['user', 'system'].includes(last())) kept.pop();
  while (!['assistant', 'system'].includes(last())) kept.pop();
}
