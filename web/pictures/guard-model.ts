/** Reads what a person pastes, asks the guard about it, and keeps what the guard says. */
import { signal } from '@preact/signals';
import type { Decision } from '../../lib/guard/decision.ts';
import { ApiError, eventsOf, problemFrom, send, sendJson } from '../api.ts';
import type { Problem } from '../types.ts';

/** A decision with its reason in words, as the service answers. */
type Reasoned = Decision & { readonly reason: string };

/** A message, and what the guard says about it. */
export interface Said {
  readonly role: string;
  readonly content: string;
  /** What its reader may see so far. */
  readonly released: string;
  readonly decision?: Reasoned;
  /** Why there is no decision. */
  readonly problem?: Problem;
}

/** The messages of the last check. It goes on while another view is shown. */
export const said = signal<readonly Said[]>([]);

let leaving = new AbortController();

/** Checks messages in their order, as an application would: a block ends it. @param isAnswer of a model, streamed */
export async function ask(profile: string, text: string, isAnswer: boolean): Promise<void> {
  leaving.abort();
  leaving = new AbortController();
  const { signal: left } = leaving;
  const messages = isAnswer ? [{ role: 'assistant', content: text }] : messagesIn(text);
  if (messages.length > MAX_MESSAGES) {
    const detail = `A conversation of ${messages.length} messages is too long for this view, which takes ${MAX_MESSAGES}.`;
    said.value = [{ role: 'user', content: '', released: '', problem: { status: 0, code: 'page', detail } }];
    return;
  }
  said.value = messages.map((message) => ({ ...message, released: '' }));
  for (const [at, { role, content }] of messages.entries()) {
    const tell = (more: Partial<Said>) => {
      if (!left.aborted) said.value = said.value.map((each, index) => (index === at ? { ...each, ...more } : each));
    };
    try {
      if (isAnswer) return await stream(profile, text, left, tell);
      const isOutput = role === 'assistant';
      const given = isOutput ? { text: content } : { messages: messages.slice(0, at + 1) };
      const asked = { method: 'POST', body: { profile, ...given }, signal: left } as const;
      const decision = await sendJson<Reasoned>(`/v1/guard/${isOutput ? 'output' : 'input'}`, asked);
      tell({ decision, released: decision.action === 'allow' ? content : (decision.text ?? '') });
      if (decision.action === 'block') return;
    } catch (thrown) {
      return tell({ problem: problemFrom(thrown) });
    }
  }
}

async function stream(profile: string, text: string, left: AbortSignal, tell: (more: Partial<Said>) => void) {
  const path = `/v1/guard/stream?profile=${encodeURIComponent(profile)}`;
  const headers = { 'content-type': 'text/event-stream' };
  const response = await send(path, { method: 'POST', body: new Blob([eventsFor(text)]), headers, signal: left });
  let released = '';
  for await (const { event, data } of eventsOf(response)) {
    if (event === 'decision') return tell({ decision: data as Reasoned });
    if (event === 'problem') throw new ApiError(data as Problem);
    released += (data as { readonly text: string }).text;
    tell({ released });
  }
  throw new Error('The stream ended without a decision, so the answer is not complete.');
}

/** Each message is a request with all messages before it. */
const MAX_MESSAGES = 100;
/** What chats call the sides of a conversation. */
const ROLES: Readonly<Record<string, string>> = {
  ...{ human: 'user', customer: 'user', client: 'user' },
  ...{ ai: 'assistant', bot: 'assistant', agent: 'assistant', model: 'assistant' },
};

/** Reads a prompt, or lines that begin with a role, such as `user: Hello`. Other lines belong to the message before them. */
export function messagesIn(text: string) {
  const messages: { role: string; content: string }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [found = '', role = 'user'] =
      /^(user|human|customer|client|assistant|ai|bot|agent|model|system|tool)\s*:\s*/i.exec(line) ?? [];
    const last = messages.at(-1);
    if (last === undefined || found !== '')
      messages.push({ role: ROLES[role.toLowerCase()] ?? role.toLowerCase(), content: line.slice(found.length) });
    else last.content += `\n${line}`;
  }
  return messages;
}

/** Cuts a text into pieces, about as a model sends them, and writes them as server-sent events. */
export function eventsFor(text: string): string {
  const pieces = (text.match(/[\s\S]{1,24}/gu) ?? []).map((piece) => `data: ${JSON.stringify({ text: piece })}\n\n`);
  return `${pieces.join('')}event: end\ndata: {}\n\n`;
}

/**
 * Splits an answer into what was released, what the guard has changed in it, and what it holds or blocks.
 * @param end undefined until the guard has decided
 */
export function partsOf(sent: string, released: string, end: 'allow' | 'block' | 'mask' | undefined) {
  let same = 0;
  while (same < released.length && sent[same] === released[same]) same += 1;
  const rest = sent.slice(same);
  const changed = released.slice(same);
  let alike = 0;
  while (alike < Math.min(rest.length, changed.length) && rest.at(-1 - alike) === changed.at(-1 - alike)) alike += 1;
  const isUnseen = changed === '' && end !== 'allow';
  return [
    { text: released.slice(0, same), kind: 'released' },
    { text: changed.slice(0, changed.length - alike), kind: 'masked' },
    { text: changed.slice(changed.length - alike), kind: 'released' },
    { text: isUnseen ? rest : '', kind: end === 'block' ? 'blocked' : 'held' },
  ].filter(({ text }) => text !== '');
}
