/** Asks questions on a terminal; answers that are secret are not echoed. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { CancelledError } from '../../core/errors.ts';
import type { TerminalInput, TerminalOutput } from '../../hosts/terminal/host.ts';

export interface Questions {
  /** Asks for one line. @throws CancelledError after Ctrl-C or Ctrl-D */
  ask(question: string, options?: { readonly secret?: boolean }): Promise<string>;
  /** Asks a question that only yes answers. */
  confirm(question: string): Promise<boolean>;
  /** Aborted by Ctrl-C, which is a key press here and no signal. */
  readonly cancelled: AbortSignal;
  close(): void;
}

/** Opens the questions; the terminal echoes no key press until they are closed, except for answers that may be seen. */
export function openQuestions(input: TerminalInput, output: TerminalOutput, signal: AbortSignal): Questions {
  let echoes = true;
  const echo = new Writable({
    write: (chunk: Buffer, _, done) => {
      if (echoes) output.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input, output: echo, terminal: true, historySize: 0 });
  const cancelling = new AbortController();
  const waiting: string[] = [];
  let taker: { take: (line: string) => void; fail: (error: Error) => void } | undefined;
  let isOpen = true;
  lines.on('line', (line) => {
    // Lines that were pasted ahead may be answers to secret questions.
    if (!echoes) output.write('\n');
    echoes = false;
    const current = taker;
    taker = undefined;
    if (current === undefined) waiting.push(line);
    else current.take(line);
  });
  const close = () => {
    if (isOpen) lines.close();
  };
  const cancel = () => {
    cancelling.abort();
    close();
  };
  lines.once('close', () => {
    isOpen = false;
    if (taker === undefined) return;
    // What follows must not stand behind the question.
    output.write('\n');
    taker.fail(cancelled());
  });
  lines.on('SIGINT', cancel);
  signal.addEventListener('abort', cancel, { once: true });
  const ask: Questions['ask'] = (question, { secret = false } = {}) =>
    new Promise((take, fail) => {
      if (!isOpen) return fail(cancelled());
      const early = waiting.shift();
      if (early !== undefined) {
        output.write(`${question}\n`);
        return take(early);
      }
      echoes = true;
      lines.setPrompt(question);
      lines.prompt();
      echoes = !secret;
      taker = { take, fail };
    });
  return {
    ask,
    confirm: async (question) => /^\s*y(es)?\s*$/i.test(await ask(`${question} [y/N] `)),
    cancelled: cancelling.signal,
    close: () => {
      signal.removeEventListener('abort', cancel);
      close();
    },
  };
}

function cancelled(): CancelledError {
  return new CancelledError('no answer; nothing was written.');
}
