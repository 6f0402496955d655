/** The client: commands by name or line, over one program, within limits. */

import { GrowingContext } from '../output/merge.ts';
import { type Allow, allowsEntry } from './allow.ts';
import { Calls } from './calls.ts';
import { checkOptions } from './check-options.ts';
import { invocationOf, parsed, type RunInvocation } from './invocation.ts';
import type { ClientParts } from './open.ts';
import { structured } from './result.ts';
import { joinSession, sessionIn } from './session.ts';
import type { CallOptions, Client, ClientOptions, HostCallOptions, LimitedClient, Limits } from './types.ts';

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
 * Runs commands within limits, over calls that it shares. Its methods need no `this`, so callers may destructure it.
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

  readonly verifyLine: LimitedClient<Commands>['verifyLine'] = async (text, { context = {}, command } = {}) =>
    this.#calls.verify(this.#limits, await parsed(text), { context, command });

  readonly rehearse: LimitedClient<Commands>['rehearse'] = async (playbook, options = {}) => {
    const { rehearse } = await import('./rehearse.ts');
    const calls = this.#calls;
    const parts = { run: this.#run, now: () => calls.now(), secrets: await calls.secrets() };
    return rehearse({ registry: calls.parts.registry, ...parts }, playbook, options);
  };

  readonly limited = (further: Limits): LimitedClient<Commands> =>
    new SharedClient<Commands>(this.#calls, [...this.#limits, further]);

  get commands() {
    const allowed = this.#limits.flatMap(({ allow }): Allow[] => (allow === undefined ? [] : [allow]));
    return this.#calls.parts.catalogue().filter((entry) => allowed.every((allow) => allowsEntry(allow, entry)));
  }
}
