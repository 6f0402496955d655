/** Asks before something is deleted or applied, if a person can answer. */
import { on } from 'node:events';
import type { Interface } from 'node:readline';
import { recordNames } from '../../../client/completion/record-names.ts';
import { CancelledError } from '../../../core/errors.ts';
import type { Runtime } from '../../../core/runtime.ts';
import type { Invocation } from '../../../runtime/arguments/lexer.ts';
import { withSecrets } from '../../../runtime/arguments/masked-line.ts';
import { readArguments } from '../../../runtime/arguments/read.ts';
import { lineReader } from '../../../runtime/bulk/lines.ts';
import type { Command, Registry } from '../../../runtime/engine/command.ts';
import { deletionOf, tenantOf } from '../../../runtime/engine/deletion.ts';
import { canAsk, type TerminalHost } from '../ui/host.ts';
import { sanitize } from '../ui/sanitize.ts';
import type { Options } from './cli-options.ts';

/** Asks a person. @returns the answer, or undefined when the input ended or the signal came first */
export type Ask = (question: string, signal: AbortSignal) => Promise<string | undefined>;

/** Reports whether a command needs an answer: it deletes, no option has answered yet, and a person can answer. */
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
  { ask, isSimulated, registry, signal }: { ask: Ask; isSimulated: boolean; registry: Registry; signal: AbortSignal },
): Promise<boolean> {
  const { typed } = readArguments(command, invocation, await withSecrets(command, invocation, runtime));
  const names = await recordNames(command, typed, { registry, context: runtime.context ?? {} });
  const question = `${deletionOf(command, typed, names)} on ${tenantOf(isSimulated, runtime.settings.tsg_id)}?`;
  return isYes(question, 'Nothing was deleted.', { ask, signal });
}

/**
 * Asks a question; any answer except y or yes means no. @param unchanged the message after Ctrl-C, that nothing was
 * done
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
  return async (question, signal) => {
    const output = stderr.isTTY === true ? stderr : stdout;
    const pieces: AsyncIterator<unknown[], undefined> = on(stdin.resume(), 'data', { signal, close: ['end', 'close'] });
    const read = async () => (await pieces.next()).value?.map(String).join('');
    const lines = lineReader({ next: read, close: async () => void stdin.pause() }, { keepsRest: true });
    output.write(question);
    const answer = await lines.next().catch(() => undefined);
    await lines.close();
    if (answer === undefined) output.write('\n');
    return answer;
  };
}

/** Asks through the war room's line editor: the next line is the answer. */
export function roomAsk(lines: Interface): Ask {
  return (question, signal) =>
    new Promise((resolve) => {
      const none = () => resolve(undefined);
      lines.once('close', none);
      signal.addEventListener('abort', none, { once: true });
      lines.question(question, { signal }, (answer) => {
        lines.off('close', none);
        resolve(answer);
      });
    });
}
