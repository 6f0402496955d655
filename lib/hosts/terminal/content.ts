/** Replaces `@file:PATH` and `@-` in arguments that hold content by the text of a file or of standard input. */
import { open } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import type { Invocation } from '../../arguments/lexer.ts';
import type { Command } from '../../command.ts';
import { type Problem, ValidationError } from '../../errors.ts';
import { codeOf } from '../../node/system-error.ts';
import type { TerminalInput } from './host.ts';
import { stopped } from './interrupt.ts';

/** Source of a line; only a person at a terminal may name a file as content. */
export type Mode = 'one-shot' | 'war-room' | 'pipe';

interface Place {
  readonly mode: Mode;
  readonly stdin: TerminalInput;
  readonly signal: AbortSignal;
  /** Called before a terminal is read to its end. */
  readonly onWait: () => void;
}

/** A longer text belongs into a file argument, which is read in chunks. */
const MAX_BYTES = 64 * 1024 * 1024;
const FILE = '@file:';
const INPUT = '@-';
const ADVICE = 'To send the value itself, write a second @ before it.';

/** @throws ValidationError that names every argument whose text cannot be read */
export async function withContent(invocation: Invocation, command: Command, place: Place): Promise<Invocation> {
  const { args } = command;
  const takes = (name: string | undefined) => args[name ?? '']?.content === true && args[name ?? '']?.secret !== true;
  const unnamed = Object.keys(args).find((name) => args[name]?.positional === true);
  const problems: Problem[] = [];
  const read = textReader(place);
  const resolved = async (name: string | undefined, value: string): Promise<string> => {
    if (name === undefined || !takes(name)) return value;
    try {
      return await read(value);
    } catch (thrown) {
      if (!(thrown instanceof Unreadable)) throw thrown;
      problems.push({ argument: name, message: `${name}: ${thrown.message}`, hint: thrown.hint });
      return value;
    }
  };
  const pairs: Invocation['pairs'][number][] = [];
  for (const { name, value } of invocation.pairs) {
    pairs.push({ name, value: typeof value === 'string' ? await resolved(name, value) : value });
  }
  const positionals: string[] = [];
  for (const value of invocation.positionals) {
    positionals.push(positionals.length === 0 ? await resolved(unnamed, value) : value);
  }
  if (problems.length > 0) throw new ValidationError(problems, { command: command.name });
  return { ...invocation, pairs, positionals };
}

/** Why a text cannot be read, as a sentence. */
class Unreadable extends Error {
  readonly hint: string;

  constructor(message: string, hint = ADVICE) {
    super(message);
    this.hint = hint;
  }
}

function textReader({ mode, stdin, signal, onWait }: Place): (value: string) => Promise<string> {
  let isRead = false;
  return async (value) => {
    if (value === INPUT) {
      if (mode !== 'one-shot') {
        throw new Unreadable('standard input holds the commands.', 'Name a file, or run the command on its own.');
      }
      if (isRead) throw new Unreadable('standard input can be read only once.');
      isRead = true;
      if (stdin.isTTY === true) onWait();
      return literal(await standardInput(stdin, signal));
    }
    if (mode === 'pipe') return value;
    if (value.startsWith(FILE)) return literal(decoded(await contentOf(value.slice(FILE.length)), 'the file'));
    return value.startsWith('@@') ? value.slice(1) : value;
  };
}

async function standardInput(stdin: TerminalInput, signal: AbortSignal): Promise<string> {
  const bytes: Buffer[] = [];
  let size = 0;
  try {
    const chunks: AsyncIterable<Buffer | string> = addAbortSignal(signal, stdin);
    for await (const piece of chunks) {
      const chunk = Buffer.from(piece as Buffer);
      bytes.push(chunk);
      size += chunk.length;
      if (size > MAX_BYTES) throw tooLong('standard input');
    }
  } catch (thrown) {
    if (signal.aborted) throw stopped();
    if (thrown instanceof Unreadable) throw thrown;
    throw new Unreadable(`standard input cannot be read (${codeOf(thrown) ?? 'unknown reason'}).`);
  }
  return decoded(Buffer.concat(bytes), 'standard input');
}

async function contentOf(path: string): Promise<Buffer> {
  if (path === '') throw new Unreadable('@file: names no file.');
  try {
    const file = await open(path);
    try {
      const stats = await file.stat();
      if (stats.isDirectory()) throw new Unreadable(`${path} is a directory.`);
      if (stats.size > MAX_BYTES) throw tooLong('the file');
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (thrown) {
    if (thrown instanceof Unreadable) throw thrown;
    const code = codeOf(thrown) ?? 'unknown reason';
    const what = code === 'ENOENT' || code === 'ENOTDIR' ? 'does not exist' : `cannot be read (${code})`;
    throw new Unreadable(`the file ${path} ${what}.`);
  }
}

function tooLong(what: string): Unreadable {
  return new Unreadable(`${what} has more than ${MAX_BYTES} bytes.`);
}

function decoded(bytes: Buffer, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Unreadable(`${what} is not UTF-8 text.`);
  }
}

/** Escapes references: a text that was read is data, and nothing in it is replaced. */
function literal(text: string): string {
  return text.replace(/(\\*)\$\{/g, (_, backslashes: string) => `${backslashes}${backslashes}\\\${`);
}
