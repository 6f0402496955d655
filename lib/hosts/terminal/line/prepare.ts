/**
 * Turns a typed line into the invocation to run: completes names, looks up ids, reads files, and asks before a
 * deletion.
 */
import { parseLine } from '../../../client/argv.ts';
import { needsLookUp, withDeclaredNames } from '../../../client/names/aliases.ts';
import { withFullName } from '../../../client/names/command-name.ts';
import type { Runtime } from '../../../core/runtime.ts';
import type { Invocation } from '../../../runtime/arguments/lexer.ts';
import { type Command, findCommand, needFound } from '../../../runtime/engine/command.ts';
import { sanitize } from '../ui/sanitize.ts';
import { withPrintedValues } from './invocation.ts';
import { END_OF_INPUT } from './standard-input.ts';
import type { Execution } from './subcommand.ts';

/** An invocation that is ready to run, and its command. */
export interface Prepared {
  readonly command: Command;
  readonly invocation: Invocation;
  /** The invocation as typed, with its full name. */
  readonly typed: Invocation;
}

/**
 * Prepares a line. @returns undefined if the user declines the deletion
 * @throws UsageError for an unknown command
 */
export async function prepare(
  line: string | Invocation,
  execution: Execution,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<Prepared | undefined> {
  const { registry } = execution.host;
  await refuseOptions(line, execution);
  const named = withFullName(typeof line === 'string' ? parseLine(line) : line, registry);
  const command = needFound(await findCommand(registry, named.name), named.name, registry, runtime.advice.commands);
  const declared = withDeclaredNames(named, command);
  const takesNames = !execution.options.exact && needsLookUp(declared, command);
  const resolved = takesNames ? await withIds(declared, command, execution, runtime) : declared;
  const printed = withPrintedValues(resolved, command);
  const invocation = namesContent(printed) ? await contentOf(printed, command, execution, signal) : printed;
  const isWanted = await isConfirmed({ command, invocation }, execution, runtime, signal);
  return isWanted ? { command, invocation, typed: named } : undefined;
}

/** Refuses an option that should be an argument of the command: `--limit 5`. @throws UsageError */
async function refuseOptions(line: string | Invocation, { host, screen, mode }: Execution): Promise<void> {
  const isPossible =
    typeof line === 'string' ? /\s--?[a-z]/i.test(line) : line.positionals.some((word) => /^--?[a-z]/i.test(word));
  if (!isPossible) return;
  const { optionInLine } = await import('./names/option-argument.ts');
  const typed = typeof line === 'string' ? line : [line.name, ...line.positionals];
  const found = await optionInLine(typed, host.registry, mode === 'one-shot' ? screen.shell.dialect : 'room');
  if (found !== undefined) throw found;
}

/** Replaces names and id prefixes with ids. */
export async function withIds(
  typed: Invocation,
  command: Command,
  { host, session, screen, options }: Pick<Execution, 'host' | 'session' | 'screen' | 'options'>,
  runtime: Runtime,
): Promise<Invocation> {
  const [{ resolveNames }, { listValues }, { needsAnswer }] = await Promise.all([
    import('../../../client/names/names.ts'),
    import('../../../client/completion/known-values.ts'),
    import('./confirm.ts'),
  ]);
  return resolveNames(typed, command, {
    registry: host.registry,
    context: session.context(),
    list: (lookup, within) => listValues(lookup, within, host.registry, runtime),
    note: (text) => options.quiet || screen.note(sanitize(text)),
    needsFull: command.effect === 'delete' && !options.dryRun && !needsAnswer(command, options, host),
    now: runtime.clock.now(),
  });
}

/** Reads the texts that the line refers to. */
async function contentOf(
  typed: Invocation,
  command: Command,
  { session, options, screen, mode }: Execution,
  signal: AbortSignal,
): Promise<Invocation> {
  const { withContent } = await import('./content.ts');
  const onWait = () => options.quiet || screen.note(`note: reading standard input; ${END_OF_INPUT} ends it.`);
  return withContent(typed, command, { mode, input: session.input, signal, onWait });
}

/** Asks before a deletion, if a person can answer. */
async function isConfirmed(
  { command, invocation }: Omit<Prepared, 'typed'>,
  { host, options, ask }: Execution,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<boolean> {
  const { confirmed, needsAnswer, terminalAsk } = await import('./confirm.ts');
  if (!needsAnswer(command, options, host)) return true;
  const person = { ask: ask ?? terminalAsk(host), isSimulated: options.simulate, registry: host.registry, signal };
  return confirmed({ command, invocation, runtime }, person);
}

function namesContent({ pairs, positionals }: Invocation): boolean {
  return [...pairs.map(({ value }) => value), ...positionals].some((value) => /^(?:@|-$)/.test(String(value)));
}
