/** Ids and names of a tenant's records, as each caller may list them. */
import {
  type Listed,
  type LiveValues,
  liveValues,
  MAX_VALUES,
  valuesOf,
} from '../../../client/completion/known-values.ts';
import type { HostCallOptions, LimitedClient, StopSignal } from '../../../client/types.ts';
import type { RunOwner } from '../../../runs/port.ts';
import type { Tenants } from '../../../runs/tenants.ts';
import type { Lookup } from '../../../runtime/arguments/builders.ts';
import type { Pair } from '../../../runtime/arguments/lexer.ts';

/** Time limit of one list command, in milliseconds. */
const LIST_MS = 10_000;

interface Kept {
  readonly values: LiveValues;
  /** Changes of the tenant when the values were last known to be right. */
  changes: number;
}

/** Keeps the values of each owner for a minute, or until a command changes its tenant. */
export class OwnValues {
  readonly #tenants: Pick<Tenants, 'clientFor'>;
  readonly #halting: StopSignal;
  /** An owner is another object once its rights may have changed. */
  readonly #kept = new WeakMap<RunOwner, Kept>();
  readonly #changes = new Map<string, number>();

  constructor(tenants: Pick<Tenants, 'clientFor'>, halting: StopSignal) {
    this.#tenants = tenants;
    this.#halting = halting;
  }

  /** Returns the values that an owner may see. A list that it may not run has none, and is not asked. */
  of(owner: RunOwner): LiveValues {
    const changes = this.#changes.get(owner.tenant) ?? 0;
    const kept = this.#kept.get(owner) ?? { values: this.#open(owner), changes };
    this.#kept.set(owner, kept);
    if (kept.changes !== changes) kept.values.forget();
    kept.changes = changes;
    return kept.values;
  }

  /** Notes that a command has changed a tenant. */
  changed({ tenant }: Pick<RunOwner, 'tenant'>): void {
    this.#changes.set(tenant, (this.#changes.get(tenant) ?? 0) + 1);
  }

  #open(owner: RunOwner): LiveValues {
    return liveValues(async (lookup) => {
      const client = this.#tenants.clientFor(owner);
      const mayList = client.commands.some(({ name }) => name === lookup.command);
      return mayList ? (await listFor(client, lookup, [], { signal: this.#halting })).values : [];
    });
  }
}

/** Lists records for a caller. @param within arguments that the list requires @throws AisecError if the caller may not list them */
export async function listFor(
  client: Pick<LimitedClient<object>, 'call' | 'commands'>,
  lookup: Lookup,
  within: readonly Pair[],
  call: HostCallOptions,
): Promise<Listed> {
  const list = client.commands.find(({ name }) => name === lookup.command);
  const { properties = {} } = (list?.inputSchema ?? {}) as { readonly properties?: object };
  const given = Object.fromEntries(within.map(({ name, value }) => [name, value]));
  const args = { ...given, ...('limit' in properties ? { limit: MAX_VALUES } : {}) };
  const { raw, truncated, failure } = await client.call(lookup.command, args, { timeoutMs: LIST_MS, ...call });
  const values = valuesOf(raw, lookup);
  return { values, isCut: truncated !== undefined || failure !== undefined || values.length >= MAX_VALUES };
}
