/**
 * Keeps the service's guards: one per tenant, profile and policy, so that verdicts are remembered. Every decision is
 * counted and logged.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { LimitedClient, StartOptions } from '../../../client/types.ts';
import { NotAllowedError, PermissionError } from '../../../core/errors.ts';
import { decisionLine } from '../../../guard/cause-words.ts';
import { createGuard } from '../../../guard/guard.ts';
import { LONGEST_WAIT_MS } from '../../../guard/options.ts';
import type { Decision, Guard, Scanner } from '../../../guard/types.ts';
import { createLog } from '../../../node/log/log.ts';
import type { Metrics } from '../metrics.ts';
import { HttpError } from '../problems.ts';

/** Set at the start of the service. */
export interface GuardPolicy {
  /** The action for text without a complete verdict. */
  readonly onError: 'block' | 'allow';
  /** Kinds of content whose masked text may pass. */
  readonly mask: readonly ('input' | 'output')[];
}

/** The default: nothing passes without a verdict, and nothing is masked instead of being blocked. */
export const STRICT: GuardPolicy = { onError: 'block', mask: [] };

/** The caller's overrides; undefined keeps the operator's policy. */
export interface Wish {
  readonly on_error?: 'block' | 'allow' | undefined;
  readonly mask?: boolean | undefined;
  readonly timeout_ms?: number | undefined;
}

/**
 * Applies the caller's overrides.
 * @throws HttpError for an override weaker than the policy: ignoring it would surprise the caller
 */
export function policyFor(policy: GuardPolicy, { on_error, mask, timeout_ms }: Wish): GuardPolicy {
  if (on_error === 'allow' && policy.onError === 'block') throw weaker('on_error', '--guard-on-error allow');
  if (mask === true && policy.mask.length === 0) throw weaker('mask', '--guard-mask input,output');
  return {
    // A caller could set a limit of one millisecond, so that no scan finishes and every text passes.
    onError: timeout_ms === undefined ? (on_error ?? policy.onError) : 'block',
    mask: mask === false ? [] : policy.mask,
  };
}

function weaker(member: string, option: string): HttpError {
  return new HttpError(403, 'not-allowed', `${member} is weaker than the policy of the service's operator.`, {
    hint: `Omit ${member}. The operator can start the service with ${option}.`,
  });
}

/** Guards of one tenant; the least recently used guard is dropped first, with its verdicts. */
const MAX_GUARDS = 50;
/** Number of verdicts that one guard remembers. */
const MAX_VERDICTS = 2000;

/** The caller that asks for a decision. A tenant's tokens share a guard, but each scan runs for one token. */
export interface Asking {
  /** Settings profile; empty for the service's default tenant. */
  readonly tenant: string;
  /** Name of the requested security profile. */
  readonly profile: string;
  /** A client that has the token's rights and records its calls. */
  readonly client: Pick<LimitedClient<object>, 'call'>;
  /** Id of the request. */
  readonly request: string;
  /** Time limit of one scan. */
  readonly timeoutMs: number;
}

interface GuardsOptions {
  readonly policy: GuardPolicy;
  /** Receives every decision, with its caller. */
  readonly onDecision: (decision: Decision, asking: Asking) => void;
}

export class Guards {
  /** Policy of the operator. */
  readonly policy: GuardPolicy;
  readonly #onDecision: GuardsOptions['onDecision'];
  readonly #tenants = new Map<string, Map<string, Guard>>();
  readonly #asking = new AsyncLocalStorage<Asking>();

  constructor({ policy, onDecision }: GuardsOptions) {
    this.policy = policy;
    this.#onDecision = onDecision;
  }

  /** Does work with a guard on behalf of a caller. Everything that `work` starts runs with the caller's rights. */
  for<T>(asking: Asking, policy: GuardPolicy, work: (guard: Guard) => T): T {
    const guard = this.#find(asking, policy);
    return this.#asking.run(asking, () => work(guard));
  }

  #find({ tenant, profile }: Asking, policy: GuardPolicy): Guard {
    const guards = this.#tenants.get(tenant) ?? new Map<string, Guard>();
    this.#tenants.set(tenant, guards);
    const key = JSON.stringify([profile, policy.onError, policy.mask]);
    const guard = guards.get(key) ?? this.#create(profile, policy);
    guards.delete(key);
    guards.set(key, guard);
    for (const oldest of guards.keys()) {
      if (guards.size <= MAX_GUARDS) break;
      guards.delete(oldest);
    }
    return guard;
  }

  #create(profile: string, { onError, mask }: GuardPolicy): Guard {
    return createGuard(this.#scanner, {
      profile,
      onError,
      // The client enforces the caller's time limit.
      timeoutMs: LONGEST_WAIT_MS,
      mask: { input: mask.includes('input'), output: mask.includes('output') },
      cache: { entries: MAX_VERDICTS },
      onDecision: (decision) => this.#onDecision(decision, this.#now()),
    });
  }

  readonly #scanner: Scanner = {
    call: async (name, args, options) => {
      const { client, timeoutMs } = this.#now();
      try {
        return await client.call(name, args, { ...options, timeoutMs });
      } catch (thrown) {
        // The token lost the right during its request.
        if (thrown instanceof NotAllowedError) throw new PermissionError(thrown.message, { hint: thrown.hint });
        throw thrown;
      }
    },
  };

  #now(): Asking {
    const asking = this.#asking.getStore();
    if (asking === undefined) throw new Error('A guard works only for a caller.');
    return asking;
  }
}

interface Parts {
  readonly policy?: GuardPolicy | undefined;
  readonly metrics: Pick<Metrics, 'decided'>;
  readonly log: StartOptions['log'];
}

export function guardsOf({ policy = STRICT, metrics, log: options }: Parts): Guards {
  // The line has no secrets: no text, no argument and no setting.
  const log = options === undefined ? undefined : createLog({ ...options, secrets: () => [] });
  return new Guards({
    policy,
    onDecision: (decision, { tenant, profile, request }) => {
      metrics.decided(decision);
      const { level, message, fields } = decisionLine(decision);
      log?.[level](message, { profile, ...fields, request, ...(tenant === '' ? {} : { tenant }) });
    },
  });
}
