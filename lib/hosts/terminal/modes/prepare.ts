/** Turns a typed line into the invocation that runs: full names, ids for names, content of files, and the answer before a deletion. */
import type { Invocation } from '../../../arguments/lexer.ts';
import { type Command, findCommand } from '../../../engine/command.ts';
import type { Runtime } from '../../../engine/runtime.ts';
import { declaredName, FILE } from '../complete/aliases.ts';
import { withFullName } from '../complete/command-name.ts';
import type { Execution } from './execution.ts';

/** @returns undefined if the person does not want the deletion */
export async function prepare(
  line: string | Invocation,
  execution: Execution,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<Invocation | undefined> {
  const named = withFullName(typeof line === 'string' ? await parsed(line) : line, execution.host.registry);
  const resolved =
    execution.takesNames === true ? await withIds(named, execution, runtime) : await withFileName(named, execution);
  return prepared(resolved, execution, runtime, signal);
}

async function parsed(line: string): Promise<Invocation> {
  const { parseLine } = await import('../../../arguments/argv.ts');
  return parseLine(line);
}

/** Replaces `file=` by the declared name, in scripts as well: unlike a short name of an id, it needs no list command. */
async function withFileName(typed: Invocation, { host }: Execution): Promise<Invocation> {
  if (!typed.pairs.some(({ name }) => name === FILE)) return typed;
  const args = (await findCommand(host.registry, typed.name))?.args ?? {};
  const pairs = typed.pairs.map(({ name, value }) => ({
    name: name === FILE ? declaredName(name, args) : name,
    value,
  }));
  return { ...typed, pairs };
}

/** Replaces names and prefixes of ids by ids. */
export async function withIds(
  typed: Invocation,
  { host, session, screen, options }: Pick<Execution, 'host' | 'session' | 'screen' | 'options'>,
  runtime: Runtime,
): Promise<Invocation> {
  const [{ resolveNames }, { fetchValues }] = await Promise.all([
    import('../complete/names.ts'),
    import('../complete/known-values.ts'),
  ]);
  return resolveNames(typed, {
    registry: host.registry,
    context: session.context(),
    list: (lookup) => fetchValues(lookup, host.registry, runtime),
    note: (text) => options.quiet || screen.note(text),
  });
}

/** Reads the content that the line names, and asks before a deletion. @returns undefined when the answer was no */
async function prepared(
  typed: Invocation,
  { host, session, options, screen, mode, ask }: Execution,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<Invocation | undefined> {
  const command = await findCommand(host.registry, typed.name);
  if (command === undefined) return typed;
  const invocation = namesContent(typed) ? await contentOf(typed, command) : typed;
  const { confirmed, needsAnswer, terminalAsk } = await import('./confirm.ts');
  if (!needsAnswer(command, options, host)) return invocation;
  const person = { ask: ask ?? terminalAsk(host), isSimulated: options.simulate, signal };
  return (await confirmed({ command, invocation, runtime }, person)) ? invocation : undefined;

  async function contentOf(line: Invocation, declared: Command): Promise<Invocation> {
    const { withContent } = await import('../input/content.ts');
    const onWait = () => options.quiet || screen.note('note: reading standard input; Ctrl-D ends it.');
    return withContent(line, declared, { mode, input: session.input, signal, onWait });
  }
}

function namesContent({ pairs, positionals }: Invocation): boolean {
  return [...pairs.map(({ value }) => value), ...positionals].some((value) => String(value).startsWith('@'));
}
