/** Asks before something is deleted or applied, where a person can answer. */
import { createInterface } from 'node:readline';
import type { Invocation } from '../../../arguments/lexer.ts';
import { readArguments } from '../../../arguments/read.ts';
import { withSecrets } from '../../../arguments/secrets.ts';
import { CancelledError } from '../../../core/errors.ts';
import type { Runtime } from '../../../core/runtime.ts';
import type { Command } from '../../../engine/command.ts';
import { deletionOf } from '../../../engine/deletion.ts';
import { canAsk, type TerminalHost } from '../host.ts';
import type { Options } from '../options/cli-options.ts';
import { sanitize } from '../render/sanitize.ts';

/** Asks a person. @returns the answer, or undefined when the input ended or the signal came first */
export type Ask = (question: string, signal: AbortSignal) => Promise<string | undefined>;

/** Reports whether a command needs an answer: it deletes, no option has answered yet, and a person can. */
export function needsAnswer({ effect }: Command, { yes, dryRun }: Options, host: TerminalHost): boolean {
  return effect === 'delete' && canAsk(host) && !yes && !dryRun;
}

/**
 * Asks whether to delete.
 * @returns true for y or yes
 * @throws ValidationError for arguments that the command refuses, before the question; CancelledError after Ctrl-C
 */
export async function confirmed(
  { command, invocation, runtime }: { command: Command; invocation: Invocation; runtime: Runtime },
  { ask, isSimulated, signal }: { ask: Ask; isSimulated: boolean; signal: AbortSignal },
): Promise<boolean> {
  const { typed } = readArguments(command, invocation, await withSecrets(command, invocation, runtime));
  const question = `${deletionOf(command, typed)} on ${tenantOf(isSimulated, runtime.settings.tsg_id)}?`;
  return isYes(question, 'Nothing was deleted.', { ask, signal });
}

/** Names the tenant in a question. */
export function tenantOf(isSimulated: boolean, tenant: string | undefined): string {
  return `${isSimulated ? 'the simulated ' : ''}tenant ${tenant ?? ''}`.trim();
}

/**
 * Asks a question whose answer is no unless it is y or yes.
 * @param unchanged says that nothing was done, after Ctrl-C
 * @throws CancelledError after Ctrl-C
 */
export async function isYes(
  question: string,
  unchanged: string,
  { ask, signal }: { readonly ask: Ask; readonly signal: AbortSignal },
): Promise<boolean> {
  const answer = await ask(`${sanitize(question)} [y/N] `, signal);
  if (signal.aborted) throw new CancelledError(unchanged);
  return /^\s*y(?:es)?\s*$/i.test(answer ?? '');
}

/** Asks on the terminal of a one-shot command. The terminal stays in its line mode, so Ctrl-C is a signal. */
export function terminalAsk({ stdin, stdout, stderr }: TerminalHost): Ask {
  return (question, signal) =>
    new Promise((resolve) => {
      const output = stderr.isTTY === true ? stderr : stdout;
      const lines = createInterface({ input: stdin, terminal: false });
      const done = (answer: string | undefined) => {
        // Closing reports an end of input as well, and only the first outcome counts.
        resolve(answer);
        signal.removeEventListener('abort', stop);
        if (answer === undefined) output.write('\n');
        lines.off('close', stop).close();
      };
      const stop = () => done(undefined);
      lines.once('line', done);
      lines.once('close', stop);
      signal.addEventListener('abort', stop, { once: true });
      output.write(question);
      if (signal.aborted) stop();
    });
}
