/** Reads messages of a conversation, in the forms that chat interfaces and frameworks share. */
import { isObject } from '../../core/json.ts';
import { Unscanned } from '../cause.ts';
import type { Part } from './file.ts';
import { isPlain, lines, read } from './text.ts';

/** A role, and the type that some messages have in its place, is a single word. */
const ROLE = /^[a-z]{1,20}$/iu;
/** Members with the content of a message. Some interfaces send the same content in two of them. */
const CONTENTS = ['content', 'parts', 'content_blocks'];

/** Reads the content of a message: a text, or parts. The bytes of files are left out; files of text are read. */
export function contentText(content: unknown): string {
  return read(content, true);
}

/** Reads all of a message. @throws Unscanned `unreadable` where this version finds nothing that it can read */
export function messageText(message: unknown): string {
  if (typeof message !== 'object' || message === null || !isPlain(message)) throw new Unscanned('unreadable');
  const members = Object.entries(message).filter(([name, value]) => hasValue(value) && !isSign(name, value));
  if (members.every(([name]) => name === 'name')) throw new Unscanned('unreadable');
  const contents = CONTENTS.map((name) => contentText((message as Part)[name]));
  const others = members.filter(([name]) => !CONTENTS.includes(name));
  return lines([...new Set(contents), contentText(Object.fromEntries(others))]);
}

function hasValue(value: unknown): boolean {
  // An empty object is what other programs make of a value that they cannot write.
  const isEmpty = isObject(value) && isPlain(value) && Object.keys(value).length === 0;
  return value !== undefined && value !== null && !isEmpty;
}

function isSign(name: string, value: unknown): boolean {
  return (name === 'role' || name === 'type') && typeof value === 'string' && ROLE.test(value);
}
