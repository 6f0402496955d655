/** Finds what is new in a conversation, so that no turn is scanned and billed twice. */
import { messageText } from './readable/message.ts';
import { lines } from './readable/text.ts';
import type { Message } from './types.ts';

/** Roles of the developer, whose instructions are trusted. An unknown role is scanned. */
const TRUSTED = ['system', 'developer'];
const MODEL = ['assistant', 'ai', 'model'];
/** Parts with a file. The service scans no files, but what stands beside it. */
export const FILES: readonly string[] = [
  'image',
  'image_url',
  'input_image',
  'file',
  'input_file',
  'audio',
  'input_audio',
  'video',
];
const TEXTS = ['text', 'input_text', 'output_text'];
const TOOL_RESULTS = ['tool-result', 'tool_result'];

/** Returns true for a message that comes from outside: neither from the developer nor from the model. */
export function isForeign({ role }: Message): boolean {
  return !TRUSTED.includes(role) && !MODEL.includes(role);
}

/** Joins the text after the model's last complete answer: the user's turn and results of tools. Empty if nothing is new. */
export function newText(messages: readonly Message[]): string {
  return lines(newMessages(messages).map(messageText));
}

/** Returns the messages after the model's last complete answer, without those of the developer. */
export function newMessages<Each extends Message>(messages: readonly Each[]): readonly Each[] {
  const isModel = (at: number) => MODEL.includes(messages[at]?.role ?? '');
  let first = messages.length;
  // The end of a conversation that the model continues is the start of its answer, and no answer to the turn before it.
  while (first > 0 && isModel(first - 1)) first -= 1;
  while (first > 0 && !isModel(first - 1)) first -= 1;
  return messages.slice(first).filter(({ role }) => !TRUSTED.includes(role));
}

/** Reads the text of a content: a text, or parts with texts and results of tools. An unknown form is read as JSON. */
export function textOf(content: unknown): string {
  if (content === undefined || content === null) return '';
  if (Array.isArray(content)) return joined(content);
  if (typeof content !== 'object') return String(content);
  const { type, text, output, result, content: inner } = content as Readonly<Record<string, unknown>>;
  const kind = String(type);
  if (TEXTS.includes(kind) && typeof text === 'string') return text;
  if (FILES.includes(kind)) return joined(textsBeside(content));
  return jsonOrText(TOOL_RESULTS.includes(kind) ? (output ?? result ?? inner ?? content) : content);
}

/** Members of a part with a file that hold the file, its address or its type. */
const FILE_MEMBERS =
  /^(?:type|data|image|(?:image_?)?url|file_?(?:data|id)|input_audio|(?:media|mime)_?type|detail|format|providerOptions)$/iu;

/** Returns the texts of a part with a file. Data and addresses do not count as text. */
function textsBeside(value: unknown, member = ''): readonly string[] {
  if (typeof value === 'string') return FILE_MEMBERS.test(member) && /^[\u0021-\u007e]*$/u.test(value) ? [] : [value];
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || value instanceof URL) return [];
  return Object.entries(value).flatMap(([name, each]) => textsBeside(each, Array.isArray(value) ? member : name));
}

function joined(contents: readonly unknown[]): string {
  return contents
    .map(textOf)
    .filter((text) => text !== '')
    .join('\n');
}

/**
 * Returns a text as it is, and the text of anything else as JSON.
 * @throws TypeError for a value without JSON, such as a circle
 */
export function jsonOrText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  const json = JSON.stringify(value) as string | undefined;
  // A `toJSON` that returns nothing would hide the value.
  if (json === undefined) throw new TypeError('A content has no form as JSON.');
  return json;
}
