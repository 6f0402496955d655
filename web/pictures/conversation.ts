/** Reads what a person pastes into the guard's view. */

export interface Message {
  readonly role: string;
  readonly content: unknown;
}

const TURN = /^(user|assistant|system|tool|human|ai)\s*:\s*/i;
const ROLES: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant' };

/**
 * Reads a conversation: a JSON list of messages with role and content, or lines that begin with a role, such as
 * `user: Hello`. Other lines belong to the message before them.
 * @throws Error for JSON that is not such a list
 */
export function messagesIn(text: string): readonly Message[] {
  if (/^\s*[[{]/.test(text)) return jsonMessages(text);
  const messages: { role: string; content: string }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [found, word = ''] = TURN.exec(line) ?? [];
    const last = messages.at(-1);
    if (found !== undefined) {
      const role = word.toLowerCase();
      messages.push({ role: ROLES[role] ?? role, content: line.slice(found.length) });
    } else if (last === undefined) messages.push({ role: 'user', content: line });
    else last.content += `\n${line}`;
  }
  return messages;
}

function jsonMessages(text: string): readonly Message[] {
  const parsed = jsonIn(text, 'conversation') as { readonly messages?: unknown } | readonly unknown[];
  const list: unknown = Array.isArray(parsed) ? parsed : (parsed as { readonly messages?: unknown }).messages;
  const isMessage = (each: unknown): each is Message =>
    typeof each === 'object' && each !== null && typeof (each as Partial<Message>).role === 'string';
  if (Array.isArray(list) && list.length > 0 && list.every(isMessage)) return list;
  throw new Error('The JSON is not a list of messages with role and content.');
}

/** Parses JSON. @param what such as `input` @throws Error with the reason */
export function jsonIn(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new Error(`The ${what} is not valid JSON: ${thrown instanceof Error ? thrown.message : ''}`);
  }
}

/** Characters of one piece of a stream, about as a model sends them. */
const PIECE = 24;

/** Cuts a text into pieces, and writes them as server-sent events. */
export function eventsFor(text: string): string {
  const pieces: string[] = [];
  // Whole characters: half of a pair is no text.
  const characters = Array.from(text);
  for (let at = 0; at < characters.length; at += PIECE) pieces.push(characters.slice(at, at + PIECE).join(''));
  return `${pieces.map((piece) => `data: ${JSON.stringify({ text: piece })}\n\n`).join('')}event: end\ndata: {}\n\n`;
}

/** A part of an answer as its reader would see it. */
export interface Part {
  readonly text: string;
  readonly kind: 'released' | 'masked' | 'held' | 'blocked';
}

/**
 * Splits an answer into what was released, what the guard has changed in it, and what it still holds.
 * @param end undefined until the guard has decided
 */
export function partsOf(sent: string, released: string, end: 'allow' | 'block' | 'mask' | undefined): readonly Part[] {
  const same = commonPrefix(sent, released);
  const rest = released.slice(same);
  const parts: Part[] = [{ text: released.slice(0, same), kind: 'released' }];
  if (rest !== '') {
    const alike = end === 'mask' ? commonSuffix(sent.slice(same), rest) : 0;
    parts.push({ text: rest.slice(0, rest.length - alike), kind: 'masked' });
    parts.push({ text: rest.slice(rest.length - alike), kind: 'released' });
  } else if (end === undefined) parts.push({ text: sent.slice(same), kind: 'held' });
  else if (end === 'block') parts.push({ text: sent.slice(same), kind: 'blocked' });
  return parts.filter(({ text }) => text !== '');
}

function commonPrefix(one: string, other: string): number {
  let length = 0;
  while (length < one.length && length < other.length && one[length] === other[length]) length += 1;
  return length;
}

function commonSuffix(one: string, other: string): number {
  let length = 0;
  while (length < one.length && length < other.length && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return length;
}
