/** The client: any number of calls at once over one program, each with its own stop and its own time. */
import type { Invocation } from '../arguments/lexer.ts';
import type { Command, Registry } from '../command.ts';
import { CancelledError, UsageError } from '../errors.ts';
import type { CommandEntry } from '../manifest/command-catalogue.ts';
import { isOwn } from '../text/own.ts';
import { allows, checkAllowed } from './allow.ts';
import { invocationOf, parsed, type RunInvocation } from './invocation.ts';
import { openFor } from './open.ts';
import type { Program } from './program.ts';
import { structured } from './result.ts';
import { openSession } from './session.ts';
import type { Simulate } from './simulation.ts';
import { followed } from './stop.ts';
import type { CallOptions, Client, ClientOptions, LineOptions } from './types.ts';

/** What the library is handed, because it knows no command and no fixture. */
export interface ClientParts {
  readonly registry: Registry;
  readonly simulated: Simulate;
  /** All commands with their schemas. */
  readonly catalogue: () => readonly CommandEntry[];
}

/** Makes a client. Nothing is read or opened before its first call. */
export function clientOf<Commands extends object>(parts: ClientParts, options: ClientOptions): Client<Commands> {
  const { registry } = parts;
  const allow = options.allow ?? {};
  const closing = new AbortController();
  let opened: Promise<Program> | undefined;
  const running = new Set<Promise<unknown>>();
  const runInvocation: RunInvocation = (invocation, call, context) => {
    if (closing.signal.aborted) return Promise.reject(new UsageError('The client is closed.'));
    const work = (async () => {
      const command = await find(registry, invocation.name);
      if (command !== undefined) checkAllowed(allow, command.name, command.effect);
      opened ??= openFor(parts, options);
      return dispatched(registry, cleared(invocation, command), {
        program: await opened,
        closing: closing.signal,
        call,
        context,
      });
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
      return parts.catalogue().filter(({ name, effect }) => allows(allow, name, effect));
    },
    close: async () => {
      closing.abort();
      await Promise.allSettled([...running]);
      await (await opened?.catch(() => undefined))?.flush();
    },
  };
}

interface Dispatched {
  readonly program: Program;
  /** Stops all calls of the client. */
  readonly closing: AbortSignal;
  readonly call: CallOptions;
  readonly context: Readonly<Record<string, unknown>> | undefined;
}

async function dispatched(registry: Registry, invocation: Invocation, { program, closing, call, context }: Dispatched) {
  const stop = followed(call.signal, closing);
  if (stop.signal.aborted) {
    stop.release();
    throw new CancelledError('Stopped.', { command: invocation.name });
  }
  const lease = await program.connections.lease(stop.signal);
  try {
    const { dispatch } = await import('../dispatch.ts');
    const runtime = program.runtime(lease, stop.signal, {
      dryRun: call.dryRun === true,
      ...(call.timeoutMs === undefined ? {} : { budgetMs: call.timeoutMs }),
      ...(call.onProgress === undefined ? {} : { progress: call.onProgress }),
      ...(context === undefined ? {} : { context }),
    });
    return await dispatch(invocation, registry, runtime);
  } finally {
    await lease.release();
    stop.release();
  }
}

async function find(registry: Registry, name: string): Promise<Command | undefined> {
  return isOwn(registry, name) ? registry[name]?.() : undefined;
}

/** In JSON, null clears what can be cleared; in a line the text `null` does. */
function cleared(invocation: Invocation, command: Command | undefined): Invocation {
  const pairs = invocation.pairs.map((pair) =>
    pair.value === null && command?.args[pair.name]?.clearable === true ? { ...pair, value: 'null' } : pair,
  );
  return { ...invocation, pairs };
}
