/** Turns a typed line into the invocation that runs: full names, ids for names, content of files, and the answer before a deletion. */
import { parseLine } from '../../../arguments/argv.ts';
import type { Invocation } from '../../../arguments/lexer.ts';
import type { Runtime } from '../../../core/runtime.ts';
import { type Command, findCommand, needFound } from '../../../engine/command.ts';
import { declaredName, FILE } from '../complete/aliases.ts';
import { withFullName } from '../complete/command-name.ts';
import { withPrintedValues } from '../input/printed-values.ts';
import type { Execution } from './execution.ts';

/** A call that can run, and its command. */
export interface Prepared {
  readonly command: Command;
  readonly invocation: Invocation;
}

/**
 * Prepares a line.
 * @returns undefined if the person declines the deletion
 * @throws UsageError for an unknown command
 */
export async function prepare(
  line: string | Invocation,
  execution: Execution,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<Prepared | undefined> {
  const { registry } = execution.host;
  const named = withFullName(typeof line === 'string' ? parseLine(line) : line, registry);
  const command = needFound(await findCommand(registry, named.name), named.name, registry, runtime.advice.commands);
  const resolved =
    execution.takesNames === true ? await withIds(named, command, execution, runtime) : withFileName(named, command);
  const declared = withPrintedValues(resolved, command);
  const invocation = namesContent(declared) ? await contentOf(declared, command, execution, signal) : declared;
  const isWanted = await isConfirmed({ command, invocation }, execution, runtime, signal);
  return isWanted ? { command, invocation } : undefined;
}

/** Replaces `file=` by the declared name, in scripts as well: unlike a short name of an id, it needs no list command. */
function withFileName(typed: Invocation, { args }: Command): Invocation {
  const pairs = typed.pairs.map((pair) => (pair.name === FILE ? { ...pair, name: declaredName(FILE, args) } : pair));
  return { ...typed, pairs };
}

/** Replaces names and prefixes of ids by ids. */
export async function withIds(
  typed: Invocation,
  command: Command,
  { host, session, screen, options }: Pick<Execution, 'host' | 'session' | 'screen' | 'options'>,
  runtime: Runtime,
): Promise<Invocation> {
  const [{ resolveNames }, { fetchValues }] = await Promise.all([
    import('../complete/names.ts'),
    import('../complete/known-values.ts'),
  ]);
  return resolveNames(typed, command, {
    registry: host.registry,
    context: session.context(),
    list: (lookup) => fetchValues(lookup, host.registry, runtime),
    note: (text) => options.quiet || screen.note(text),
  });
}

/** Reads the texts that the line names. */
async function contentOf(
  typed: Invocation,
  command: Command,
  { session, options, screen, mode }: Execution,
  signal: AbortSignal,
): Promise<Invocation> {
  const { withContent } = await import('../input/content.ts');
  const onWait = () => options.quiet || screen.note('note: reading standard input; Ctrl-D ends it.');
  return withContent(typed, command, { mode, input: session.input, signal, onWait });
}

/** Asks before a deletion, if a person can answer. */
async function isConfirmed(
  { command, invocation }: Prepared,
  { host, options, ask }: Execution,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<boolean> {
  const { confirmed, needsAnswer, terminalAsk } = await import('./confirm.ts');
  if (!needsAnswer(command, options, host)) return true;
  const person = { ask: ask ?? terminalAsk(host), isSimulated: options.simulate, signal };
  return confirmed({ command, invocation, runtime }, person);
}

function namesContent({ pairs, positionals }: Invocation): boolean {
  return [...pairs.map(({ value }) => value), ...positionals].some((value) => String(value).startsWith('@'));
}
