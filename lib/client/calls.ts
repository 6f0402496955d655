/** Runs the calls of one client over one program, each with its own cancellation and timeout. */

import { UsageError } from '../core/errors.ts';
import { isObject, setOwn } from '../core/json.ts';
import type { Files, Stop } from '../core/ports.ts';
import type { Runtime } from '../core/runtime.ts';
import { checkTimeLimit, newStop, stopped, untilStopped } from '../core/stop.ts';
import type { Invocation } from '../runtime/arguments/lexer.ts';
import { resolveReferences } from '../runtime/arguments/references.ts';
import { type Command, findCommand, needFound } from '../runtime/engine/command.ts';
import { MASK, maskSecrets } from '../runtime/output/mask.ts';
import type { Readable } from '../runtime/output/readable.ts';
import type { RecordType } from '../runtime/output/record.ts';
import type { ContextWrite, Result } from '../runtime/output/result.ts';
import { recordsOf } from '../runtime/select/result.ts';
import { checkAllowed } from './allow.ts';
import type { InvocationOptions, RunInvocation } from './invocation.ts';
import { observing } from './observed.ts';
import { type ClientParts, openFor } from './open.ts';
import type { Program } from './program.ts';
import type { TenantTitle } from './report-pages.ts';
import type { CallOptions, ClientOptions, Limits, LineOptions, PlaneCheck, StopSignal, WatchedCall } from './types.ts';

/** The calls of a client: they share the client's program, and end with it. If there are several limits, all of them apply. */
export class Calls {
  readonly parts: ClientParts;
  readonly #options: ClientOptions;
  readonly #closing = newStop();
  readonly #running = new Set<Promise<unknown>>();
  #opened: Promise<Program> | undefined;

  constructor(parts: ClientParts, options: ClientOptions) {
    this.parts = parts;
    this.#options = options;
  }

  /** Runs one invocation. */
  run(limits: readonly Limits[], ...[invocation, call, context]: Parameters<RunInvocation>): Promise<Result> {
    return this.#tracked(async () => {
      const command = call.command ?? (await findCommand(this.parts.registry, invocation.name));
      return watched(limits, { command, invocation, call, context }, () =>
        this.#within(call.signal, (stop) => this.#dispatch(limits, { command, invocation, call, context, stop })),
      );
    });
  }

  /** Checks an invocation as `run` does, without running it. */
  verify(
    limits: readonly Limits[],
    invocation: Invocation,
    { command: given, context }: Pick<LineOptions, 'command' | 'context'>,
  ): Promise<void> {
    return this.#tracked(async () => {
      const { registry } = this.parts;
      const command = given ?? (await findCommand(registry, invocation.name));
      checkLimits(limits, command);
      const [{ verify }, program] = await Promise.all([import('../runtime/engine/dispatch.ts'), this.#open()]);
      const runtime = await program.runtime(undefined, context === undefined ? {} : { context });
      const found = needFound(command, invocation.name, registry, runtime.advice.commands);
      await verify(found, withNullTexts(invocation, found), runtime);
    });
  }

  /** Tests the connection with one request per plane. */
  check({ signal, timeoutMs }: Pick<CallOptions, 'signal' | 'timeoutMs'> = {}): Promise<readonly PlaneCheck[]> {
    return this.#tracked(() =>
      this.#within(signal, async (stop) => {
        const { runChecks } = await import('../runtime/engine/checks.ts');
        const outcomes = await runChecks(await this.#runtime(stop, { timeoutMs }));
        return outcomes.map(({ check: { plane, required }, state, detail }) => ({ plane, state, detail, required }));
      }),
    );
  }

  /** Returns the time of the tenant, in milliseconds since 1970. */
  async now(): Promise<number> {
    return (await (await this.#open()).runtime(undefined, {})).clock.now();
  }

  /** Returns the tenant of the settings. */
  async title(): Promise<TenantTitle> {
    return (await this.#open()).title;
  }

  /** Returns a function that lists the values to redact. */
  async secrets(): Promise<() => readonly string[]> {
    return (await this.#open()).secrets;
  }

  /** Cancels running calls, and closes the program. */
  async close(): Promise<void> {
    this.#closing.now();
    await Promise.allSettled([...this.#running]);
    await (await this.#opened?.catch(() => undefined))?.close();
  }

  #open(): Promise<Program> {
    if (this.#opened === undefined) {
      const { stopping } = this.parts;
      const ended = new AbortController();
      this.#closing.stop.onStop(() => ended.abort());
      const signal = stopping === undefined ? ended.signal : AbortSignal.any([ended.signal, stopping]);
      this.#opened = openFor(this.parts, this.#options, signal);
    }
    return this.#opened;
  }

  async #tracked<T>(start: () => Promise<T>): Promise<T> {
    if (this.#closing.stop.stopped) throw new UsageError('The client is closed.');
    const work = start();
    this.#running.add(work);
    const done = () => void this.#running.delete(work);
    work.then(done, done);
    return work;
  }

  /** Runs a call. The caller's signal stops it, and so does closing the client. */
  async #within<T>(signal: StopSignal | undefined, run: (stop: Stop) => Promise<T>): Promise<T> {
    const { stop, now } = newStop();
    const closing = this.#closing.stop;
    const leave = closing.onStop(now);
    signal?.addEventListener('abort', now);
    if (closing.stopped || signal?.aborted === true) now();
    try {
      return await run(stop);
    } finally {
      leave();
      signal?.removeEventListener('abort', now);
    }
  }

  /** Creates the runtime of one call. */
  async #runtime(stop: Stop, { timeoutMs, dryRun, onProgress, context }: LineOptions) {
    checkTimeLimit('timeoutMs', timeoutMs);
    // The settings may come from a named pipe: other calls continue to wait for it.
    const program = await untilStopped(this.#open(), stop);
    return program.runtime(stop, {
      dryRun: dryRun === true,
      ...(timeoutMs === undefined ? {} : { budgetMs: timeoutMs }),
      ...(onProgress === undefined ? {} : { progress: onProgress }),
      ...(context === undefined ? {} : { context }),
    });
  }

  async #dispatch(limits: readonly Limits[], { command, invocation, call, context, stop }: Watchable & { stop: Stop }) {
    checkLimits(limits, command);
    if (stop.stopped) throw stopped();
    const [{ dispatchFound }, { secretSource, ...runtime }] = await Promise.all([
      import('../runtime/engine/dispatch.ts'),
      this.#runtime(stop, { ...call, context }),
    ]);
    const found = needFound(command, invocation.name, this.parts.registry, runtime.advice.commands);
    const { observe, ...host } = call.host ?? {};
    const limited: Runtime = {
      ...runtime,
      files: limitedFiles(runtime.files, limits),
      beforeRetry: () => {
        for (const { beforeRetry } of limits) beforeRetry?.();
      },
      ...host,
      ...(observe === undefined ? {} : { observe: observing(runtime.clock, observe) }),
      ...(secretSource === undefined || call.secretSources === false ? {} : { secretSource }),
    };
    const result = await dispatchFound(found, withNullTexts(invocation, found), limited);
    return limits.some(({ hideSecrets: hides }) => hides === true) ? hideSecrets(result, found) : result;
  }
}

/** @throws NotAllowedError if the command may not run; an unknown command is rejected later, with a similar name */
function checkLimits(limits: readonly Limits[], command: Command | undefined): void {
  for (const { allow } of limits) if (command !== undefined && allow) checkAllowed(allow, command);
}

/** Finds files by the names under which a limited client's callers know them. */
function limitedFiles(files: Files, limits: readonly Limits[]): Files {
  const finders = limits.flatMap(({ findFile }) => (findFile === undefined ? [] : [findFile]));
  if (finders.length === 0) return files;
  return {
    ...files,
    find: async (entry) => files.find(finders.reduceRight((name, findFile) => findFile(name), entry)),
  };
}

/** Replaces null with the string `null`, which clears an argument on a command line. */
function withNullTexts(invocation: Invocation, { args }: Command): Invocation {
  const pairs = invocation.pairs.map((pair) =>
    pair.value === null && args[pair.name]?.clearable === true ? { ...pair, value: 'null' } : pair,
  );
  return { ...invocation, pairs };
}

/** Returns the result with these secrets masked, including their copies in tables and notes. */
export function hideSecrets(result: Result, command: Command): Result {
  const records = recordsOf(command);
  const masked = result.writes.map((write): ContextWrite => {
    const value = records.reduce((all, record) => maskSecrets(all, record), write.value);
    return value === write.value ? write : { ...write, value };
  });
  const hidden = [...new Set(result.writes.flatMap(({ value }, at) => difference(value, masked[at]?.value)))];
  if (hidden.length === 0) return result;
  const hide = (text: string) => hidden.reduce((all, secret) => all.split(secret).join(MASK), text);
  return {
    ...result,
    writes: masked,
    readable: withTexts(result.readable, (text) => corrected(hide(text), records)),
    warnings: result.warnings.map(hide),
  };
}

/** Corrects a note about where in the context a secret is. */
function corrected(note: string, records: readonly RecordType[]): string {
  for (const { path, fields } of records) {
    const name = Object.keys(fields).find((field) => note.endsWith(` in the context, at ${path}.${field}.`));
    if (name !== undefined) return `${name} is hidden from this client; the person who runs it can allow secrets.`;
  }
  return note;
}

/** Lists the strings that were masked, longest first, because a string may be part of another. */
function difference(value: unknown, masked: unknown): string[] {
  if (value === masked) return [];
  if (masked === MASK) return textsOf(value);
  if (Array.isArray(value) && Array.isArray(masked))
    return value.flatMap((item, at) => difference(item, (masked as unknown[])[at]));
  if (!isObject(value) || !isObject(masked)) return [];
  return Object.keys(value)
    .flatMap((name) => difference(value[name], masked[name]))
    .sort((one, other) => other.length - one.length);
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function withTexts(readable: Readable, change: (text: string) => string): Readable {
  return {
    ...readable,
    tables: readable.tables.map((table) => ({ ...table, rows: table.rows.map((row) => row.map(change)) })),
    notes: readable.notes.map(change),
  };
}

/** One invocation, with its options and the context of its references. */
export interface Watchable {
  readonly command: Command | undefined;
  readonly invocation: Invocation;
  readonly call: InvocationOptions;
  readonly context: Readonly<Record<string, unknown>> | undefined;
}

/** Runs a command inside the `watch` functions of the limits, with the latest limit innermost. */
export function watched(
  limits: readonly Limits[],
  { command, invocation, call, context }: Watchable,
  run: () => Promise<Result>,
): Promise<Result> {
  const watches = limits.flatMap(({ watch }) => (watch === undefined ? [] : [watch]));
  if (watches.length === 0) return run();
  const seen: WatchedCall = {
    name: invocation.name,
    command,
    args: argumentsOf(invocation, context),
    dryRun: call.dryRun === true,
    resumes: call.host?.timeSlice?.checkpoint !== undefined,
  };
  return watches.reduceRight((next, watch) => () => watch(seen, next), run)();
}

/** Key for a value without a name; no argument has this name. */
const POSITIONAL = '(positional)';

function argumentsOf({ pairs, positionals }: Invocation, context: unknown): Readonly<Record<string, unknown>> {
  const args: Record<string, unknown> = {};
  for (const { name, value } of pairs) setOwn(args, name, context === undefined ? value : identified(value, context));
  if (positionals.length > 0) setOwn(args, POSITIONAL, positionals.join(' '));
  return args;
}

const IDENTIFIER = /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{1,15})$/i;

/** Resolves references to identifiers only: other values of the context may be secrets or prompts. */
function identified(value: unknown, context: unknown): unknown {
  if (typeof value !== 'string' || !value.includes('${')) return value;
  const found = resolveReferences(value, context, () => undefined);
  return (typeof found === 'string' || typeof found === 'number') && IDENTIFIER.test(String(found)) ? found : value;
}
