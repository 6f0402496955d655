/**
 * Turns a typed line into the invocation to run: completes names, looks up ids, reads files, and asks before a
 * deletion.
 */
import { parseLine } from '../../../client/argv.ts';
import type { Runtime } from '../../../core/runtime.ts';
import type { Argument } from '../../../runtime/arguments/builders.ts';
import type { Invocation } from '../../../runtime/arguments/lexer.ts';
import { type Command, findCommand, needFound } from '../../../runtime/engine/command.ts';
import { withPrintedValues } from './invocation.ts';
import { declaredName, isId, lacksTwin } from './names/aliases.ts';
import { withFullName } from './names/command-name.ts';
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
  const takesNames = !execution.options.exact && (namesRecords(declared, command) || lacksTwin(declared, command));
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

/** Replaces short argument names, which needs no list command: `file=` with `entry_id=`, `target=` with `uuid=`. */
function withDeclaredNames(typed: Invocation, { args }: Command): Invocation {
  const declared = <Word extends { name?: string }>(word: Word): Word =>
    word.name === undefined ? word : { ...word, name: declaredName(word.name, args) };
  return { ...typed, pairs: typed.pairs.map(declared), words: typed.words?.map(declared) };
}

/** Reports whether a value may be a record's name, or a prefix of its id. */
function namesRecords({ pairs, positionals }: Invocation, { args }: Command): boolean {
  const mayName = (argument: Argument | undefined, value: unknown) =>
    argument?.lookup !== undefined && argument.lookup.takes !== 'name' && !isId(String(value).trim(), argument);
  const unnamed = Object.values(args).find(({ positional }) => positional === true);
  return (
    pairs.some(({ name, value }) => mayName(args[name], value)) || positionals.some((value) => mayName(unnamed, value))
  );
}

/** Replaces names and id prefixes with ids. */
export async function withIds(
  typed: Invocation,
  command: Command,
  { host, session, screen, options }: Pick<Execution, 'host' | 'session' | 'screen' | 'options'>,
  runtime: Runtime,
): Promise<Invocation> {
  const [{ resolveNames }, { listValues }, { needsAnswer }] = await Promise.all([
    import('./names/names.ts'),
    import('../../../client/completion/known-values.ts'),
    import('./confirm.ts'),
  ]);
  return resolveNames(typed, command, {
    registry: host.registry,
    context: session.context(),
    list: (lookup, within) => listValues(lookup, within, host.registry, runtime),
    note: (text) => options.quiet || screen.note(text),
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
