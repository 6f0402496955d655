/** The client: concurrent calls over one program, each with its own cancellation and timeout. */
import type { Invocation } from '../arguments/lexer.ts';
import { type Command, findCommand, type Registry } from '../command.ts';
import { UsageError } from '../errors.ts';
import type { Stop } from '../ports.ts';
import { newStop, stopped } from '../stop.ts';
import { allowsEntry, checkAllowed } from './allow.ts';
import { hideSecrets } from './hide-secrets.ts';
import { invocationOf, parsed, type RunInvocation } from './invocation.ts';
import { openFor } from './open.ts';
import type { ClientParts } from './parts.ts';
import type { Program } from './program.ts';
import { structured } from './result.ts';
import { openSession } from './session.ts';
import { callStop } from './stop.ts';
import type { CallOptions, Client, ClientOptions, LineOptions } from './types.ts';

/** Creates a client. Nothing is read or opened before its first call. */
export function clientOf<Commands extends object>(parts: ClientParts, options: ClientOptions): Client<Commands> {
  const { registry } = parts;
  const allow = options.allow ?? {};
  const closing = newStop();
  let opened: Promise<Program> | undefined;
  const running = new Set<Promise<unknown>>();
  const runInvocation: RunInvocation = (invocation, call, context) => {
    if (closing.stop.stopped) return Promise.reject(new UsageError('The client is closed.'));
    const work = (async () => {
      const command = await findCommand(registry, invocation.name);
      if (command !== undefined) checkAllowed(allow, command);
      opened ??= openFor(parts, options);
      const result = await dispatchWith(registry, withNullTexts(invocation, command), {
        program: await opened,
        closing: closing.stop,
        call,
        context,
      });
      return options.hideSecrets === true && command !== undefined ? hideSecrets(result, command) : result;
    })();
    running.add(work);
    const done = () => void running.delete(work);
    work.then(done, done);
    return work;
  };
  const run = async (name: string, args: object = {}, call: CallOptions = {}) =>
    structured(await runInvocation(invocationOf(name, args), call));
  return {
    run: (name: string, ...[args, call]: readonly unknown[]) => run(name, args as object, call as CallOptions) as never,
    call: (name, args, call) => run(name, args, call),
    line: async (text, { context = {}, ...call }: LineOptions = {}) =>
      structured(await runInvocation(await parsed(text), call, context)),
    session: (context = {}) => openSession<Commands>(runInvocation, context),
    get commands() {
      return parts.catalogue().filter((entry) => allowsEntry(allow, entry));
    },
    close: async () => {
      closing.now();
      await Promise.allSettled([...running]);
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

interface DispatchOptions {
  readonly program: Program;
  /** Stops all calls of the client. */
  readonly closing: Stop;
  readonly call: CallOptions;
  readonly context: Readonly<Record<string, unknown>> | undefined;
}

async function dispatchWith(
  registry: Registry,
  invocation: Invocation,
  { program, closing, call, context }: DispatchOptions,
) {
  const { stop, release } = callStop(call.signal, closing);
  try {
    if (stop.stopped) throw stopped();
    const { dispatch } = await import('../dispatch.ts');
    const runtime = await program.runtime(stop, {
      dryRun: call.dryRun === true,
      ...(call.timeoutMs === undefined ? {} : { budgetMs: call.timeoutMs }),
      ...(call.onProgress === undefined ? {} : { progress: call.onProgress }),
      ...(context === undefined ? {} : { context }),
    });
    return await dispatch(invocation, registry, runtime);
  } finally {
    release();
  }
}

/** Replaces null by the text `null`, which clears an argument on a command line. */
function withNullTexts(invocation: Invocation, command: Command | undefined): Invocation {
  const pairs = invocation.pairs.map((pair) =>
    pair.value === null && command?.args[pair.name]?.clearable === true ? { ...pair, value: 'null' } : pair,
  );
  return { ...invocation, pairs };
}
