/** Commands from standard input, one a line. */
import { createInterface } from 'node:readline';
import { UsageError } from '../../errors.ts';
import { clean } from './clean.ts';
import { type Execution, execute } from './execute.ts';
import type { Options } from './given.ts';
import type { TerminalInput } from './host.ts';
import { stopped } from './interrupt.ts';

/**
 * Runs the lines of a pipe in turn. The context of each is there for the next.
 * @returns 0, or the exit code of the first line that failed
 */
export async function runPipe(
  execution: Execution,
  { keepGoing, echo }: Pick<Options, 'keepGoing' | 'echo'>,
  signal: AbortSignal,
): Promise<number> {
  const { host, screen, report } = execution;
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
  if (firstFailure !== 0 || screen.closed.aborted) return firstFailure;
  if (signal.aborted) return report(stopped());
  if (count === 0 && !execution.quiet) screen.note('note: no command on standard input. See: aisec --help');
  return 0;
}

/** Shows lines as they are read; the values of secret arguments are left out. */
async function echoing({ host, screen }: Execution): Promise<(line: string) => void> {
  const catalogue = await host.catalogue();
  const secrets = catalogue.flatMap((command) =>
    command.arguments.filter(({ secret }) => secret).map(({ name }) => name),
  );
  const values = new RegExp(`(\\s(?:${[...new Set(secrets)].join('|')})=)("[^"]*"|'[^']*'|\`[^\`]*\`|\\S+)`, 'g');
  return (line) => {
    const shown = secrets.length === 0 ? line : line.replace(values, '$1***');
    const { dim, bold } = screen.style;
    screen.result(line.startsWith('#') ? dim(clean(shown)) : `${bold(clean(shown))}\n`);
  };
}

async function* linesOf(input: TerminalInput, signal: AbortSignal): AsyncGenerator<string> {
  const lines = createInterface({ input, crlfDelay: Infinity });
  const close = () => lines.close();
  let failure: NodeJS.ErrnoException | undefined;
  input.once('error', (error) => {
    failure = error;
    close();
  });
  signal.addEventListener('abort', close, { once: true });
  let first = true;
  for await (const line of lines) {
    yield first ? line.replace(/^\ufeff/, '') : line;
    first = false;
  }
  signal.removeEventListener('abort', close);
  if (failure === undefined) return;
  throw new UsageError(`Standard input cannot be read (${failure.code ?? 'unknown reason'}).`);
}
