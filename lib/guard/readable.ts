/** Readable text: the only way from a value to what is scanned. */
import { read } from './readable/text.ts';

export { decoded, decodedIf } from './readable/json.ts';
export { contentText, messageText } from './readable/message.ts';
export { joined } from './readable/text.ts';

/**
 * Reads all of a value: a text as it is, parts joined, and anything else as lines of keys and values.
 * @throws Unscanned `unreadable` for what has no text that its reader is sure to see: a `Map`, an error, an object of a class, a
 * circle, a function
 */
export function textOf(value: unknown): string {
  return read(value, false);
}
