/** Finds what is new in a conversation, so that no turn is scanned and billed twice. */
import type { Message } from './types.ts';

/** Roles whose messages a model reads as new content; instructions of the developer are trusted. */
const SCANNED = ['user', 'human', 'tool', 'function'];
const MODEL = ['assistant', 'ai', 'model'];

/** Joins the text after the model's last answer: the user's turn and results of tools. Empty if nothing is new. */
export function newText(messages: readonly Message[]): string {
  let first = messages.length;
  while (first > 0 && !MODEL.includes(messages[first - 1]?.role ?? '')) first -= 1;
  return messages
    .slice(first)
    .filter(({ role }) => SCANNED.includes(role))
    .map(({ content }) => textOf(content))
    .filter((text) => text !== '')
    .join('\n');
}

/** Reads the text of a content: a text, or parts with texts and results of tools. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content))
    return content
      .map(textOf)
      .filter((text) => text !== '')
      .join('\n');
  if (typeof content !== 'object' || content === null)
    return content === undefined || content === null ? '' : String(content);
  const part = content as Readonly<Record<string, unknown>>;
  if (typeof part['text'] === 'string') return part['text'];
  for (const name of ['output', 'result', 'content', 'value'])
    if (part[name] !== undefined) return jsonOrText(part[name]);
  return '';
}

/** Returns a text as it is, and the text of anything else as JSON. @throws TypeError for a value without JSON, such as a circle */
export function jsonOrText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
