/** Runs the command on the command line, or the commands on standard input, one per line. */
import { addAbortSignal } from 'node:stream';
import { shortName } from '../../../client/names/command-name.ts';
import type { CommandInfo } from '../../../manifest/catalogue.ts';
import { decodedText } from '../../../node/files/decode-text.ts';
import { MASKED } from '../../../runtime/arguments/masked-line.ts';
import { lineReader } from '../../../runtime/bulk/lines.ts';
import type { Options } from '../line/cli-options.ts';
import { typedInvocation } from '../line/invocation.ts';
import { openSession } from '../line/session.ts';
import { HOLDS_COMMANDS } from '../line/standard-input.ts';
import type { CliContext, Execution } from '../line/subcommand.ts';
import { execute } from '../result/execute.ts';
import type { TerminalInput } from '../ui/host.ts';
import { sanitize } from '../ui/sanitize.ts';

/**
 * Runs the lines of a pipe in order; they share one context.
 * @returns 0, or the exit code of the first line that failed
 */
async function runPipe(
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

/** Prints lines as they are read; a line that may contain a secret is masked as in the history. */
async function echoing({ host, screen }: Execution): Promise<(line: string) => void> {
  const [catalogue, { historyEntry }] = await Promise.all([host.catalogue(), import('../room/history.ts')]);
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
  const reader = lineReader(decodedText(addAbortSignal(signal, input), 'Standard input'), { keepsRest: true });
  try {
    for (let line = await reader.next(); line !== undefined; line = await reader.next()) yield line;
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  } finally {
    await reader.close();
  }
}

/** @param words of one command; empty if the commands are on standard input @returns the exit code */
export async function runLines(cli: CliContext, words: readonly string[], signal: AbortSignal): Promise<number> {
  const isOneShot = words.length > 0;
  if (!isOneShot) cli.input.reserve(HOLDS_COMMANDS);
  const invocation = isOneShot ? typedInvocation(words) : undefined;
  const session = await openSession({ ...cli, signal });
  try {
    const shared = { ...cli, session };
    if (invocation === undefined) {
      return await runPipe({ ...shared, mode: 'pipe' }, cli.options, signal);
    }
    return await execute(invocation, { ...shared, mode: 'one-shot' }, signal);
  } finally {
    await session.close();
  }
}
