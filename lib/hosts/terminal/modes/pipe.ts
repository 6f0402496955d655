/** Runs commands from standard input, one on each line. */
import { createInterface } from 'node:readline';
import { Transform, type TransformCallback } from 'node:stream';
import { MASKED } from '../../../arguments/masked-line.ts';
import { AisecError, UsageError } from '../../../core/errors.ts';
import type { CommandInfo } from '../../../manifest/catalogue.ts';
import { TextDecoding } from '../../../node/files/decode-text.ts';
import { codeOf } from '../../../node/system-error.ts';
import { shortName } from '../complete/command-name.ts';
import type { TerminalInput } from '../host.ts';
import type { Options } from '../options/cli-options.ts';
import { sanitize } from '../render/sanitize.ts';
import { type Execution, execute } from './execute.ts';

/**
 * Runs the lines of a pipe in order; they share one context.
 * @returns 0, or the exit code of the first line that failed
 */
export async function runPipe(
  execution: Execution,
  { keepGoing, echo }: Pick<Options, 'keepGoing' | 'echo'>,
  signal: AbortSignal,
): Promise<number> {
  const { host, screen } = execution;
  const show = echo ? await echoing(execution) : () => undefined;
  let number = 0;
  let count = 0;
  let firstFailure = 0;
  for await (const text of linesOf(host.stdin, signal)) {
    number += 1;
    const line = text.trim();
    show(line);
    if (line === '' || line.startsWith('#')) continue;
    count += 1;
    const code = await execute(line, execution, signal, `line ${number}`);
    if (firstFailure === 0) firstFailure = code;
    if (signal.aborted || (code !== 0 && !keepGoing)) break;
  }
  if (firstFailure !== 0 || signal.aborted) return firstFailure;
  if (count === 0 && !execution.options.quiet) screen.note('note: no command on standard input. See: aisec --help');
  return 0;
}

/** Prints lines as they are read; a line that may hold a secret is masked as in the history. */
async function echoing({ host, screen }: Execution): Promise<(line: string) => void> {
  const [catalogue, { historyEntry }] = await Promise.all([host.catalogue(), import('../complete/history-entry.ts')]);
  const secrets = (command: CommandInfo) => command.arguments.filter(({ secret }) => secret).map(({ name }) => name);
  const keepers = catalogue.filter((command) => secrets(command).length > 0).map(({ name }) => name);
  const names = [...new Set(catalogue.flatMap(secrets))];
  const holdsSecrets = new RegExp(
    `^!?(?:aisec-)?(?:${keepers.map(shortName).join('|')})(?![\\w-])|\\s(?:${names.join('|')})\\s*=`,
  );
  return (line) => {
    const mark = /^#*\s*/.exec(line)?.[0] ?? '';
    const text = line.slice(mark.length);
    const hides = names.length > 0 && holdsSecrets.test(text);
    const shown = hides ? mark + (historyEntry(text, catalogue, []) ?? MASKED) : line;
    const { dim, bold } = screen.style;
    screen.result(line.startsWith('#') ? dim(sanitize(shown)) : `${bold(sanitize(shown))}\n`);
  };
}

async function* linesOf(input: TerminalInput, signal: AbortSignal): AsyncGenerator<string> {
  const decoding = new TextDecoding('Standard input');
  let failure: (Error & { code?: unknown }) | undefined;
  const decoded = new Transform({
    decodeStrings: true,
    encoding: 'utf8',
    transform: (bytes: Buffer, _, done) => attempt(() => decoding.push(bytes), done),
    flush: (done) => attempt(() => decoding.end(), done),
  });
  const lines = createInterface({ input: decoded, crlfDelay: Infinity });
  const close = () => lines.close();
  for (const stream of [input, decoded]) {
    stream.once('error', (error) => {
      failure ??= error;
      close();
    });
  }
  signal.addEventListener('abort', close, { once: true });
  input.pipe(decoded);
  try {
    yield* lines;
  } finally {
    signal.removeEventListener('abort', close);
    input.unpipe(decoded);
    input.pause();
  }
  if (failure instanceof AisecError) throw failure;
  if (failure !== undefined)
    throw new UsageError(`Standard input cannot be read (${codeOf(failure) ?? 'unknown reason'}).`);
}

function attempt(decode: () => string, done: TransformCallback): void {
  let text: string;
  try {
    text = decode();
  } catch (thrown) {
    done(thrown as Error);
    return;
  }
  done(null, text);
}
