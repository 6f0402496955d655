/**
 * Replaces `@file:PATH`, `@-` and `-` in content arguments with the text of a file or of standard input. A file
 * reference anywhere else in a text is refused, so that a file name is never scanned or stored instead of its text.
 */
import { existsSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { withoutReferences, withValues } from '../../../client/names/values.ts';
import { CancelledError, type Problem, UsageError, ValidationError } from '../../../core/errors.ts';
import { decodeText } from '../../../node/files/decode-text.ts';
import { readBytes, readStream, TooLargeError, whyUnreadable } from '../../../node/files/read-bytes.ts';
import { codeOf } from '../../../node/system/system-error.ts';
import type { Argument } from '../../../runtime/arguments/builders.ts';
import type { Invocation } from '../../../runtime/arguments/lexer.ts';
import type { Command } from '../../../runtime/engine/command.ts';
import type { TerminalInput } from '../ui/host.ts';
import { DASH, type StandardInput } from './standard-input.ts';

/** Source of a line. Only a person at a terminal may name a file as content. */
export type Mode = 'one-shot' | 'war-room' | 'pipe';

interface Place {
  readonly mode: Mode;
  readonly input: StandardInput;
  readonly signal: AbortSignal;
  /** Called before a terminal is read until end of input. */
  readonly onWait: () => void;
}

/** A longer text belongs in a file argument, which is read in chunks. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Maximum length of a path that can be opened. */
const MAX_NAME = 4096;
const FILE = '@file:';
const INPUT = '@-';
const ADVICE = 'To send the value itself, write a second @ before it.';

/** @throws ValidationError that names every argument whose text cannot be read */
export async function withContent(invocation: Invocation, command: Command, place: Place): Promise<Invocation> {
  const { args } = command;
  // Such a command takes standard input as a file, and reports problems itself.
  const isFile = (value: string) => value === DASH && Object.values(args).some(({ kind }) => kind === 'file');
  const problems: Problem[] = [];
  const read = textReader(place);
  const resolved = await withValues(invocation, command, async (name, value) => {
    const argument = args[name];
    if (argument === undefined || argument.secret === true || typeof value !== 'string') return value;
    try {
      if (argument.content === true) return place.mode !== 'pipe' && isFile(value) ? value : await read(value);
      return isFreeText(argument, command) && place.mode !== 'pipe' ? typedText(value) : value;
    } catch (thrown) {
      if (!(thrown instanceof Unreadable)) throw thrown;
      problems.push({ argument: name, message: `${name}: ${thrown.message}`, hint: thrown.hint });
      return value;
    }
  });
  if (problems.length > 0) throw new ValidationError(problems, { command: command.name });
  return resolved;
}

/** Why a text cannot be read, as a sentence. */
class Unreadable extends Error {
  readonly hint: string;

  constructor(message: string, hint: string | undefined = ADVICE) {
    super(message);
    this.hint = hint;
  }
}

/**
 * Reports whether the service stores the text unchanged; a command that only looks it up reports "not found" itself.
 */
function isFreeText({ kind, choices }: Argument, { effect }: Command): boolean {
  return (kind === 'text' || kind === 'list') && choices === undefined && effect !== 'read' && effect !== 'delete';
}

/** @throws Unreadable for a file reference that is only allowed in other arguments, or at another place */
function typedText(value: string): string {
  if (value.startsWith('@@') && (value === `@${INPUT}` || mayBeFile(value.slice(1)))) return value.slice(1);
  if (value !== DASH && value !== INPUT && !mayBeFile(value)) return value;
  throw new Unreadable(
    'the text is typed here, and not read from a file or from standard input.',
    value === DASH ? 'A dash is not a text on a terminal. In a pipe of commands it is.' : ADVICE,
  );
}

/** Reports whether a person may mean a file: `@file:a.txt`, `@a.txt`, `@./a`, or `@` and the name of a file. */
function mayBeFile(value: string): boolean {
  if (!value.startsWith('@') || value.length > MAX_NAME) return false;
  return (
    value.startsWith(FILE) || /^@(?!env:)\S*(?:[/\\]\S|\.[A-Za-z]\w{0,5}$)/.test(value) || existsSync(value.slice(1))
  );
}

function textReader({ mode, input, signal, onWait }: Place): (value: string) => Promise<string> {
  return async (value) => {
    if (value === INPUT || value === DASH) {
      const taken = input.take();
      if ('refusal' in taken) throw new Unreadable(`${taken.refusal.reason}.`, taken.refusal.hint);
      if (taken.stream.isTTY === true) onWait();
      return withoutReferences(await textOf(taken.stream, signal));
    }
    if (mode === 'pipe') return value;
    if (value.startsWith(FILE)) return withoutReferences(await contentOf(value.slice(FILE.length), signal));
    if (value.startsWith('@@')) return value.slice(1);
    if (!mayBeFile(value)) return value;
    throw new Unreadable(`"${value}" may mean a file.`, `To send its text, write @file:${value.slice(1)}. ${ADVICE}`);
  };
}

async function textOf(stdin: TerminalInput, signal: AbortSignal): Promise<string> {
  const bytes = await readStream(addAbortSignal(signal, stdin), { signal, maxBytes: MAX_BYTES }).catch(
    unreadableAs('standard input', (thrown) => `cannot be read (${codeOf(thrown) ?? 'unknown reason'})`),
  );
  return decoded(bytes, 'standard input');
}

async function contentOf(path: string, signal: AbortSignal): Promise<string> {
  if (path === '') throw new Unreadable('@file: names no file.');
  const bytes = await readBytes(path, { signal, maxBytes: MAX_BYTES }).catch(
    unreadableAs(`the file ${path}`, whyUnreadable),
  );
  return decoded(bytes, `the file ${path}`);
}

function unreadableAs(what: string, why: (thrown: unknown) => string) {
  return (thrown: unknown): never => {
    if (thrown instanceof CancelledError) throw thrown;
    throw new Unreadable(
      thrown instanceof TooLargeError ? `${what} has more than ${MAX_BYTES} bytes.` : `${what} ${why(thrown)}.`,
    );
  };
}

function decoded(bytes: Buffer, what: string): string {
  try {
    return decodeText(bytes, what);
  } catch (thrown) {
    if (thrown instanceof UsageError) throw new Unreadable(thrown.message, thrown.hint);
    throw thrown;
  }
}
