/**
 * Standard input as the file `-` or as the content of a command: it can be read once, and not at all if it holds the
 * commands.
 */

import { UsageError } from '../../../core/errors.ts';
import type { FileEntry, Files } from '../../../core/ports.ts';
import type { TerminalInput } from '../ui/host.ts';

/** The keys that end input at a terminal. */
export const END_OF_INPUT = process.platform === 'win32' ? 'Ctrl-Z and Enter' : 'Ctrl-D';

/** Name of standard input in arguments that expect a file. */
export const DASH = '-';

/** Reason why standard input cannot be read, as the end of a sentence, and a hint. */
export interface Refusal {
  readonly reason: string;
  readonly hint: string;
}

export type StandardInput = ReturnType<typeof standardInput>;

export const HOLDS_COMMANDS: Refusal = {
  reason: 'standard input holds the commands',
  hint: 'Name a file, or run the command on its own.',
};
const TAKEN: Refusal = {
  reason: 'standard input can be read only once',
  hint: 'Read one of the texts from a file.',
};

/** Creates the standard input of one program run. */
export function standardInput(stream: TerminalInput) {
  let refusal: Refusal | undefined;
  return {
    /** Prevents commands from reading standard input. The first reason counts. */
    reserve: (why: Refusal) => {
      refusal ??= why;
    },
    /** Claims standard input for its only reader. */
    take: (): { readonly stream: TerminalInput } | { readonly refusal: Refusal } => {
      if (refusal !== undefined) return { refusal };
      refusal = TAKEN;
      return { stream };
    },
  };
}

interface Source {
  readonly input: StandardInput;
  /** Stops reading standard input. */
  readonly signal?: AbortSignal | undefined;
}

const IS_TERMINAL: Refusal = {
  reason: 'standard input is a terminal',
  hint: 'Redirect a file to it with <FILE, or pipe a text into it.',
};

/** Loaded on use, because most commands name files. */
const spooling = () => import('./spool.ts');

/**
 * Adds standard input as a file. Copies it to a private file first, because commands read a file twice, need its size,
 * and resume with it.
 */
export function withInput(inner: Files, { input, signal }: Source) {
  let copy: FileEntry | undefined;
  const findInput = async (): Promise<FileEntry> => {
    const taken = input.take();
    if ('refusal' in taken) throw refused(taken.refusal);
    if (taken.stream.isTTY === true) throw refused(IS_TERMINAL);
    copy = await (await spooling()).spool(taken.stream, signal);
    return copy;
  };
  const files: Files = {
    ...inner,
    find: (entry) => (entry === DASH ? findInput() : inner.find(entry)),
    read: async (file) => (file.entry === copy?.entry ? (await spooling()).readSpooled(copy.entry) : inner.read(file)),
    // As the only prompt of a scan, `-` is a misplaced file name.
    exists: async (name) => name === DASH || ((await inner.exists?.(name)) ?? false),
  };
  return {
    files,
    /** Removes the copy of standard input. */
    remove: async () => {
      if (copy !== undefined) await (await spooling()).removeSpooled(copy.entry);
    },
  };
}

function refused({ reason, hint }: Refusal): UsageError {
  return new UsageError(`"-" means standard input, and ${reason}.`, { hint: `${hint} A file of this name is ./-.` });
}
