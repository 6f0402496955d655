/** Standard input as the file or the content of a command: it can be read once, and not where it holds the commands. */
import type { TerminalInput } from '../host.ts';

/** The keys that end input at a terminal. */
export const END_OF_INPUT = process.platform === 'win32' ? 'Ctrl-Z and Enter' : 'Ctrl-D';

/** Names standard input where a file is expected. */
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
    /** Keeps commands from reading it. The first reason counts. */
    reserve: (why: Refusal) => {
      refusal ??= why;
    },
    /** Takes it for its only reader. */
    take: (): { readonly stream: TerminalInput } | { readonly refusal: Refusal } => {
      if (refusal !== undefined) return { refusal };
      refusal = TAKEN;
      return { stream };
    },
  };
}
