/** The client: commands by name or line, over one program, within limits. */

import { UsageError } from '../core/errors.ts';
import {
  checkTypes,
  type Group,
  type Leaf,
  NUMBER,
  OBJECT,
  oneOfValues,
  TEXT,
  TEXTS,
  TRUTH,
} from '../core/typed-options.ts';
import { outputOf } from '../runtime/engine/command-port.ts';
import { GrowingContext } from '../runtime/output/merge.ts';
import type { Result } from '../runtime/output/result.ts';
import { type Allow, allowsEntry } from './allow.ts';
import { Calls } from './calls.ts';
import { invocationOf, parsed, type RunInvocation } from './invocation.ts';
import type { ClientParts } from './open.ts';
import { structured } from './result.ts';
import type { CallOptions, Client, ClientOptions, HostCallOptions, LimitedClient, Limits, Session } from './types.ts';

/** Creates a client. Nothing is read or opened before its first call. */
export function clientOf<Commands extends object>(parts: ClientParts, options: ClientOptions): Client<Commands> {
  checkOptions(options);
  const { allow = {}, hideSecrets = false } = options;
  const calls = new Calls(parts, options);
  return Object.assign(new SharedClient<Commands>(calls, [{ allow, hideSecrets }]), {
    check: (call?: Parameters<Calls['check']>[0]) => calls.check(call),
    close: () => calls.close(),
  });
}

/**
 * Runs commands within limits, over shared calls. The client's methods need no `this`, so callers may destructure it.
 */
class SharedClient<Commands extends object> implements LimitedClient<Commands> {
  readonly #calls: Calls;
  readonly #limits: readonly Limits[];
  readonly #run: RunInvocation;

  constructor(calls: Calls, limits: readonly Limits[]) {
    this.#calls = calls;
    this.#limits = limits;
    this.#run = (invocation, call, context) => calls.run(limits, invocation, call, context);
  }

  readonly run = async (name: string, ...[args, call]: readonly unknown[]) =>
    (await this.call(name, args as object, call as CallOptions)) as never;

  readonly call = async (name: string, args: object = {}, call: HostCallOptions | null = {}) =>
    structured(await this.#run(invocationOf(name, args), call ?? {}));

  readonly line: LimitedClient<Commands>['line'] = async (text, { context = {}, ...call } = {}) =>
    structured(await this.#run(await parsed(text), call, context));

  readonly session = (context: Readonly<Record<string, unknown>> = {}) =>
    sessionIn<Commands>(this.#run, new GrowingContext(context));

  readonly join = (session: object) => joinSession<Commands>(this.#run, session);

  readonly verify: LimitedClient<Commands>['verify'] = async (name, args = {}, call = {}) =>
    this.#calls.verify(this.#limits, invocationOf(name, args), call);

  readonly verifyLine: LimitedClient<Commands>['verifyLine'] = async (text, { context = {}, command, meaning } = {}) =>
    this.#calls.verify(this.#limits, await (meaning?.(context) ?? parsed(text)), { context, command });

  readonly rehearse: LimitedClient<Commands>['rehearse'] = async (playbook, options = {}) => {
    const { rehearse } = await import('./rehearse.ts');
    const calls = this.#calls;
    const parts = { run: this.#run, now: () => calls.now(), secrets: await calls.secrets() };
    return rehearse({ registry: calls.parts.registry, ...parts }, playbook, options);
  };

  readonly collection: LimitedClient<Commands>['collection'] = async (call) => ({
    createdAt: await this.#calls.now(),
    run: async (name, args) => {
      const untruncated = { ...call, host: { contextLimit: Number.POSITIVE_INFINITY } };
      return outputOf(await this.#run(invocationOf(name, args), untruncated));
    },
  });

  readonly title = () => this.#calls.title();

  readonly limited = (further: Limits): LimitedClient<Commands> =>
    new SharedClient<Commands>(this.#calls, [...this.#limits, further]);

  get commands() {
    const allowed = this.#limits.flatMap(({ allow }): Allow[] => (allow === undefined ? [] : [allow]));
    return this.#calls.parts.catalogue().filter((entry) => allowed.every((allow) => allowsEntry(allow, entry)));
  }
}

const WRITER: Leaf = {
  words: 'a stream to write to',
  fits: (value) => typeof (value as { write?: unknown } | null)?.write === 'function',
};

const OPTIONS: Group & { readonly members: Readonly<Record<keyof ClientOptions, Leaf | Group>> } = {
  members: {
    settings: OBJECT,
    environment: OBJECT,
    configFile: TEXT,
    profile: TEXT,
    simulate: {
      members: {
        latencyMs: NUMBER,
        faults: TEXTS,
        quirks: TEXTS,
        seed: NUMBER,
        now: NUMBER,
      },
      or: [true, false],
    },
    allow: { members: { commands: TEXTS, effects: TEXTS, readOnly: TRUTH } },
    confined: TRUTH,
    hideSecrets: TRUTH,
    log: { members: { level: oneOfValues('trace', 'debug', 'info', 'warn'), stream: WRITER, content: TRUTH } },
    filesDirectory: TEXT,
    // Each call checks the range.
    timeoutMs: { ...NUMBER, fits: (value) => typeof value === 'number' },
    queue: { members: { url: TEXT, key: TEXT } },
    resultLimit: NUMBER,
  },
};

/** @throws TypeError for an option of the wrong type or an unknown name */
export function checkOptions(options: ClientOptions): void {
  checkTypes('the client', options, OPTIONS);
}

/** Rooms by session: clients with different limits can work in the same room. */
const rooms = new WeakMap<object, GrowingContext>();

/** Continues a session with another function that runs commands. @throws UsageError for an object that is not a session */
export function joinSession<Commands extends object>(run: RunInvocation, session: object): Session<Commands> {
  const room = rooms.get(session);
  if (room === undefined) throw new UsageError('Only a session of this library can be joined.');
  return sessionIn(run, room);
}

/** Opens a session in a room: results are merged into its context in order of completion. */
export function sessionIn<Commands extends object>(run: RunInvocation, room: GrowingContext): Session<Commands> {
  const merged = (result: Result) => {
    room.add(result.writes);
    return structured(result);
  };
  const session: Session<Commands> = {
    get context() {
      return room.value;
    },
    // Typed values are data, so references in them are not resolved.
    run: async (name: string, ...[args, call]: readonly unknown[]) => {
      room.checkRoom();
      return merged(await run(invocationOf(name, args === undefined ? {} : args), call ?? {})) as never;
    },
    line: async (text, call = {}) => {
      room.checkRoom();
      const context = room.value;
      const result = await run(await (call.meaning?.(context) ?? parsed(text)), call, context);
      call.onResult?.(result);
      return merged(result);
    },
  };
  rooms.set(session, room);
  return session;
}
