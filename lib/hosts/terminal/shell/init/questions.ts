/** Asks questions on a terminal; secret answers are not echoed. */
import type { Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { CancelledError } from '../../../../core/errors.ts';
import { openLineEditor } from '../../room/line-editor.ts';
import type { TerminalInput, TerminalOutput } from '../../ui/host.ts';

/** The terminal echoes key presses only for answers that are not secret, until the questions are closed. */
export class Questions {
  private readonly output: TerminalOutput;
  private readonly signal: AbortSignal;
  private readonly lines: Interface;
  private readonly cancelling = new AbortController();
  private readonly answers: AsyncIterator<string, undefined>;
  /** Lines that were typed before their questions. */
  private early = 0;
  private echoes = true;
  private isOpen = true;

  constructor(input: TerminalInput, output: TerminalOutput, signal: AbortSignal) {
    this.output = output;
    this.signal = signal;
    const echo = new Writable({
      write: (chunk: Buffer, _, done) => {
        if (this.echoes) output.write(chunk);
        done();
      },
    });
    this.lines = openLineEditor({ input, output: echo, historySize: 0 });
    this.answers = this.lines[Symbol.asyncIterator]();
    this.lines.on('line', () => this.take());
    this.lines.once('close', () => {
      this.isOpen = false;
    });
    this.lines.on('SIGINT', this.cancel);
    signal.addEventListener('abort', this.cancel, { once: true });
  }

  /** Aborted by Ctrl-C, which is a key press here, not a signal. */
  get cancelled(): AbortSignal {
    return this.cancelling.signal;
  }

  /** Asks for one line. @throws CancelledError after Ctrl-C or Ctrl-D */
  async ask(question: string, { secret = false }: { readonly secret?: boolean } = {}): Promise<string> {
    if (!this.isOpen) throw cancelled();
    if (this.early > 0) this.output.write(`${question}\n`);
    else {
      this.echoes = true;
      this.lines.setPrompt(question);
      this.lines.prompt();
      this.echoes = !secret;
    }
    this.early -= 1;
    const { done, value } = await this.answers.next();
    if (done !== true) return value;
    // The next output must not be on the same line as the question.
    this.output.write('\n');
    throw cancelled();
  }

  /** Asks a yes-or-no question; only a yes counts as yes. */
  async confirm(question: string): Promise<boolean> {
    return /^\s*y(es)?\s*$/i.test(await this.ask(`${question} [y/N] `));
  }

  close(): void {
    this.signal.removeEventListener('abort', this.cancel);
    if (this.isOpen) this.lines.close();
  }

  private readonly cancel = () => {
    this.cancelling.abort();
    this.close();
  };

  private take(): void {
    this.early += 1;
    // Lines that were pasted ahead may be answers to secret questions.
    if (!this.echoes) this.output.write('\n');
    this.echoes = false;
  }
}

function cancelled(): CancelledError {
  return new CancelledError('no answer; nothing was written.');
}
