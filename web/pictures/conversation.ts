/** Reads what a person pastes into the guard's view, and splits the answer that is shown. */

export interface Message {
  readonly role: string;
  readonly content: unknown;
}

const TURN = /^(user|assistant|system|tool)\s*:\s*/i;

/**
 * Reads a conversation: JSON messages with role and content, or lines that begin with a role, such as `user: Hello`.
 * Other lines belong to the message before them.
 * @throws Error for JSON without messages
 */
export function messagesIn(text: string): readonly Message[] {
  if (/^\s*[[{]/.test(text)) return jsonMessages(text);
  const messages: { role: string; content: string }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [found = '', role = 'user'] = TURN.exec(line) ?? [];
    const last = messages.at(-1);
    if (last === undefined || found !== '')
      messages.push({ role: role.toLowerCase(), content: line.slice(found.length) });
    else last.content += `\n${line}`;
  }
  return messages;
}

function jsonMessages(text: string): readonly Message[] {
  const parsed = jsonIn(text) as { readonly messages?: unknown };
  const list = Array.isArray(parsed) ? (parsed as unknown[]) : parsed.messages;
  const isMessage = (each: unknown): each is Message => typeof (each as Partial<Message> | null)?.role === 'string';
  if (Array.isArray(list) && list.length > 0 && list.every(isMessage)) return list;
  throw new Error('The JSON has no messages with role and content.');
}

/** Parses JSON. @throws Error with the reason */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new Error(`This is not valid JSON. ${thrown instanceof Error ? thrown.message : ''}`);
  }
}

/** Characters of one piece of a stream, about as a model sends them. */
const PIECE = /[\s\S]{1,24}/gu;

/** Cuts a text into pieces, and writes them as server-sent events. */
export function eventsFor(text: string): string {
  const pieces = (text.match(PIECE) ?? []).map((piece) => `data: ${JSON.stringify({ text: piece })}\n\n`);
  return `${pieces.join('')}event: end\ndata: {}\n\n`;
}

/** A part of an answer as its reader would see it. */
export interface Part {
  readonly text: string;
  readonly kind: 'released' | 'masked' | 'held' | 'blocked';
}

/**
 * Splits an answer into what was released, what the guard has changed in it, and what it holds or blocks.
 * @param end undefined until the guard has decided
 */
export function partsOf(sent: string, released: string, end: 'allow' | 'block' | 'mask' | undefined): readonly Part[] {
  const same = commonStart(sent, released);
  const rest = sent.slice(same);
  const changed = released.slice(same);
  const alike = commonStart(reversed(rest), reversed(changed));
  const parts: Part[] = [
    { text: released.slice(0, same), kind: 'released' },
    { text: changed.slice(0, changed.length - alike), kind: 'masked' },
    { text: changed.slice(changed.length - alike), kind: 'released' },
  ];
  if (changed === '' && end !== 'allow') parts.push({ text: rest, kind: end === 'block' ? 'blocked' : 'held' });
  return parts.filter(({ text }) => text !== '');
}

function reversed(text: string): string {
  return Array.from(text).reverse().join('');
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
