/** The client: concurrent calls over one program, each with its own cancellation and timeout. */
import type { Invocation } from '../arguments/lexer.ts';
import { type Command, findCommand, type Registry } from '../engine/command.ts';
import { UsageError } from '../engine/errors.ts';
import type { Files, Stop } from '../engine/ports.ts';
import type { Result } from '../engine/result.ts';
import { newStop, stopped, untilStopped } from '../engine/stop.ts';
import { checkTimeLimit } from '../engine/time-limit.ts';
import { type Allow, allowsEntry, checkAllowed } from './allow.ts';
import { hideSecrets } from './hide-secrets.ts';
import { type InvocationOptions, invocationOf, parsed, type RunInvocation } from './invocation.ts';
import { openFor } from './open.ts';
import type { ClientParts } from './parts.ts';
import type { Program } from './program.ts';
import { structured } from './result.ts';
import { joinSession, openSession } from './session.ts';
import { callStop } from './stop.ts';
import type { CallOptions, Client, ClientOptions, LimitedClient, Limits, LineOptions } from './types.ts';
import { watched } from './watch.ts';

/** Creates a client. Nothing is read or opened before its first call. */
export function clientOf<Commands extends object>(parts: ClientParts, options: ClientOptions): Client<Commands> {
  const calls = openCalls(parts, options);
  const { allow = {}, hideSecrets: hides = false } = options;
  const { check, close } = calls;
  return Object.assign(limitedTo<Commands>(calls, [{ allow, hideSecrets: hides }]), { check, close });
}

/** The calls of one client: they share its program, and end with it. */
interface Calls extends Pick<ClientParts, 'registry' | 'catalogue'> {
  /** Runs one invocation within limits, of which each applies. */
  run(limits: readonly Limits[], ...call: Parameters<RunInvocation>): Promise<Result>;
  /** Checks an invocation as `run` does, and runs nothing. */
  verify(limits: readonly Limits[], invocation: Invocation, context?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Values to redact; empty before the first call. */
  secrets(): Promise<() => readonly string[]>;
  /** The time of the tenant, in milliseconds since 1970. */
  now(): Promise<number>;
  check: Client<object>['check'];
  close(): Promise<void>;
}

function openCalls(parts: ClientParts, options: ClientOptions): Calls {
  const { registry, catalogue, stopping } = parts;
  const closing = newStop();
  const ended = new AbortController();
  closing.stop.onStop(() => ended.abort());
  let opened: Promise<Program> | undefined;
  const open = () => {
    opened ??= openFor(parts, options, anyOf(ended.signal, stopping));
    return opened;
  };
  const running = new Set<Promise<unknown>>();
  const tracked = async <T>(start: () => Promise<T>): Promise<T> => {
    if (closing.stop.stopped) throw new UsageError('The client is closed.');
    const work = start();
    running.add(work);
    const done = () => void running.delete(work);
    work.then(done, done);
    return work;
  };
  const allowedCommand = async (limits: readonly Limits[], name: string) => {
    const command = await findCommand(registry, name);
    for (const { allow } of limits) if (command !== undefined && allow) checkAllowed(allow, command);
    return command;
  };
  const run: Calls['run'] = async (limits, invocation, call, context) => {
    const command = await allowedCommand(limits, invocation.name);
    const result = await dispatchWith(registry, withNullTexts(invocation, command), {
      open,
      closing: closing.stop,
      limits,
      call,
      context,
    });
    const hides = limits.some((each) => each.hideSecrets === true);
    return hides && command !== undefined ? hideSecrets(result, command) : result;
  };
  return {
    registry,
    catalogue,
    run: (limits, invocation, call, context) =>
      tracked(() => watched(limits, invocation, { call, context }, () => run(limits, invocation, call, context))),
    verify: (limits, invocation, context) =>
      tracked(async () => {
        const command = await allowedCommand(limits, invocation.name);
        const [{ verify }, program] = await Promise.all([import('../engine/dispatch.ts'), open()]);
        const runtime = await program.runtime(undefined, context === undefined ? {} : { context });
        await verify(withNullTexts(invocation, command), registry, runtime);
      }),
    check: ({ signal, timeoutMs: budgetMs } = {}) =>
      tracked(async () => {
        checkTimeLimit('timeoutMs', budgetMs);
        const { stop, release } = callStop(signal, closing.stop);
        try {
          const [{ runChecks }, program] = await Promise.all([
            import('../engine/checks.ts'),
            untilStopped(open(), stop),
          ]);
          const runtime = await program.runtime(stop, budgetMs === undefined ? {} : { budgetMs });
          const outcomes = await runChecks(runtime);
          return outcomes.map(({ check: { plane, required }, state, detail }) => ({ plane, state, detail, required }));
        } finally {
          release();
        }
      }),
    now: async () => (await (await open()).runtime(undefined, {})).clock.now(),
    secrets: async () => (await open()).secrets,
    close: async () => {
      closing.now();
      await Promise.allSettled([...running]);
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}

function limitedTo<Commands extends object>(calls: Calls, limits: readonly Limits[]): LimitedClient<Commands> {
  const { registry, catalogue } = calls;
  const runInvocation: RunInvocation = (invocation, call, context) => calls.run(limits, invocation, call, context);
  const run = async (name: unknown, args: unknown = {}, call: CallOptions | null = {}) =>
    structured(await runInvocation(invocationOf(name, args), call ?? {}));
  return {
    run: (name: string, ...[args, call]: readonly unknown[]) => run(name, args, call as CallOptions) as never,
    call: (name, args, call) => run(name, args, call),
    line: async (text, { context = {}, ...call }: LineOptions = {}) =>
      structured(await runInvocation(await parsed(text), call, context)),
    session: (context = {}) => openSession<Commands>(runInvocation, context),
    join: (session) => joinSession<Commands>(runInvocation, session),
    verify: async (name, args = {}) => calls.verify(limits, invocationOf(name, args)),
    verifyLine: async (text, { context = {} } = {}) => calls.verify(limits, await parsed(text), context),
    rehearse: async (playbook, options = {}) => {
      const { rehearse } = await import('./rehearse.ts');
      return rehearse(
        { registry, run: runInvocation, now: calls.now, secrets: await calls.secrets() },
        playbook,
        options,
      );
    },
    limited: (further) => limitedTo<Commands>(calls, [...limits, further]),
    get commands() {
      const allowed = limits.flatMap(({ allow }): Allow[] => (allow === undefined ? [] : [allow]));
      return catalogue().filter((entry) => allowed.every((allow) => allowsEntry(allow, entry)));
    },
  };
}

function anyOf(signal: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? signal : AbortSignal.any([signal, other]);
}

interface DispatchOptions {
  readonly open: () => Promise<Program>;
  /** Stops all calls of the client. */
  readonly closing: Stop;
  readonly limits: readonly Limits[];
  readonly call: InvocationOptions;
  readonly context: Readonly<Record<string, unknown>> | undefined;
}

async function dispatchWith(
  registry: Registry,
  invocation: Invocation,
  { open, closing, limits, call, context }: DispatchOptions,
) {
  const { stop, release } = callStop(call.signal, closing);
  try {
    if (stop.stopped) throw stopped();
    checkTimeLimit('timeoutMs', call.timeoutMs);
    // The settings may be a named pipe, for which other calls go on waiting.
    const [{ dispatch }, program] = await Promise.all([import('../engine/dispatch.ts'), untilStopped(open(), stop)]);
    const { secretSource, ...runtime } = await program.runtime(stop, {
      dryRun: call.dryRun === true,
      ...(call.timeoutMs === undefined ? {} : { budgetMs: call.timeoutMs }),
      ...(call.onProgress === undefined ? {} : { progress: call.onProgress }),
      ...(context === undefined ? {} : { context }),
    });
    return await dispatch(invocation, registry, {
      ...runtime,
      files: limitedFiles(runtime.files, limits),
      beforeRetry: () => {
        for (const { beforeRetry } of limits) beforeRetry?.();
      },
      ...call.host,
      ...(secretSource === undefined || call.secretSources === false ? {} : { secretSource }),
    });
  } finally {
    release();
  }
}

/** Finds files by the names that the callers of a limited client know. */
function limitedFiles(files: Files, limits: readonly Limits[]): Files {
  const finders = limits.flatMap(({ findFile }) => (findFile === undefined ? [] : [findFile]));
  if (finders.length === 0) return files;
  return {
    ...files,
    find: async (entry) => files.find(finders.reduceRight((name, findFile) => findFile(name), entry)),
  };
}

/** Replaces null by the text `null`, which clears an argument on a command line. */
function withNullTexts(invocation: Invocation, command: Command | undefined): Invocation {
  const pairs = invocation.pairs.map((pair) =>
    pair.value === null && command?.args[pair.name]?.clearable === true ? { ...pair, value: 'null' } : pair,
  );
  return { ...invocation, pairs };
}
