/** Stores runs in Redis, for processes that start runs and workers that perform them. */
import type { Redis } from 'ioredis';
import { ConfigurationError } from '../../../core/errors.ts';
import type { Run, RunEvent, RunOwner, RunRequest } from '../../port.ts';
import { KEEP_SECONDS, keyOf, PREFIX, TENANTS } from '../connection/names.ts';
import { unlessPoisoned } from '../connection/redis-error.ts';
import type { Seal } from '../connection/seal.ts';
import { AcceptedRuns, lostRun, ownerName } from './accepted-runs.ts';
import * as scripts from './run-scripts.ts';

/** Maximum number of events kept for a run, and maximum number of runs kept in a list. */
const [MAX_EVENTS, MAX_LISTED] = [1000, 1000];
/** Lifetime of an ended run, in seconds. */
const ENDED_SECONDS = 86_400;
/** Largest valid date. */
const MAX_MS = 8.64e15;

/** The job of a run: it names the stored run. */
export interface RunJob {
  readonly id: string;
  /** The sealed state of a run between two slices. */
  readonly checkpoint?: string;
}

/** The stored request of a run. */
export interface StoredRequest {
  readonly owner: RunOwner;
  readonly work: RunRequest;
  /** Whether the run is meant for the simulated service. */
  readonly simulates: boolean;
  /** Section of the settings file under which the run was started; empty if unnamed. */
  readonly label: string;
}

/** A run about to be queued. */
export interface NewRun {
  readonly run: Run;
  readonly work: Omit<StoredRequest, 'owner'>;
  /** Identity of its tenant. */
  readonly tenant: string;
  /** The key of its job: without the job, the run is not created. */
  readonly job: string;
  /** Deadline for its creation, by the Redis clock, in milliseconds. */
  readonly deadline: number;
}

type Value = string | number | Buffer;
/** The arguments of `EVAL`. */
type ScriptCall = readonly [script: string, keys: number, ...values: Value[]];

/** Inputs of a script besides the pieces of its run. */
interface ScriptInput {
  /** Name and data of the event that it adds. */
  readonly event: readonly [RunEvent['event'], unknown];
  readonly values: readonly Value[];
  readonly keys?: readonly string[];
}

export class RunStore {
  readonly #client: Redis;
  readonly #seal: Seal;
  readonly #accepted: AcceptedRuns;

  constructor(client: Redis, seal: Seal) {
    this.#client = client;
    this.#seal = seal;
    this.#accepted = new AcceptedRuns(client);
  }

  /** Counts a run before it is created. @throws QuotaError if its token has too many waiting runs */
  async accept({ run, work, tenant }: Pick<NewRun, 'run' | 'work' | 'tenant'>): Promise<void> {
    await this.#accepted.enter(run.id, tenant, ownerName(run.owner.caller), JSON.stringify(work).length);
  }

  /**
   * Returns the script that creates a run, for the transaction that adds its job; its reply is 1, or 0 if it was too
   * late.
   */
  creation({ run, work, tenant, job, deadline }: NewRun): ScriptCall {
    const { id, owner, created } = run;
    const stored = this.#sealed(keyOf.run(id, 'work'), { owner, ...work } satisfies StoredRequest);
    const [list = '', own = ''] = listsOf(tenant, owner.caller);
    return this.#script(scripts.CREATE, id, '', {
      event: ['state', run],
      values: [deadline, this.#sealed(keyOf.run(id, 'run'), run), stored, id, Date.parse(created), tenant],
      keys: [list, job, TENANTS, own],
    });
  }

  /** Removes a run that was refused. @returns whether the run had not begun */
  async withdraw({ id, owner }: Run, tenant: string): Promise<boolean> {
    const keys = [...keysOf(id), ...listsOf(tenant, owner.caller)];
    const isWithdrawn = await this.#did([scripts.WITHDRAW, keys.length, ...keys, id]);
    if (isWithdrawn) await this.#accepted.leave(id);
    return isWithdrawn;
  }

  /** Reads the request of a run. @throws ConfigurationError if it was written with another key */
  request(id: string): Promise<StoredRequest | undefined> {
    return this.#read(keyOf.run(id, 'work'));
  }

  async find(id: string): Promise<Run | undefined> {
    const run = await this.#read<Run>(keyOf.run(id, 'run'));
    if (run === undefined) return undefined;
    const [result, progress = run.progress] = await Promise.all([
      this.#read(keyOf.run(id, 'result')),
      this.#read<string>(keyOf.run(id, 'progress')),
    ]);
    return { ...run, progress, ...(result === undefined ? {} : { result }) };
  }

  /**
   * Lists the runs of a tenant without their results, the newest first.
   * @param tenant its identity
   * @param caller limits the list to the runs of this token
   */
  async list(tenant: string, caller?: string): Promise<readonly Run[]> {
    const key = caller === undefined ? keyOf.runs(tenant) : keyOf.ownRuns(tenant, ownerName(caller), 'all');
    const index = (await this.#client.zrevrange(key, 0, MAX_LISTED - 1, 'WITHSCORES').catch(unlessPoisoned)) ?? [];
    const ids = index.filter((_, at) => at % 2 === 0);
    if (ids.length === 0) return [];
    const records = await this.#client.mgetBuffer(ids.map((id) => keyOf.run(id, 'run')));
    const expired = ids.filter((_, at) => records[at] === null);
    if (expired.length > 0) await this.#client.zrem(key, ...expired);
    const runs = ids.flatMap((id, at) => {
      const record = records[at] ?? null;
      return record === null ? [] : [this.#listed(id, Number(index[2 * at + 1]), tenant, record)];
    });
    // The owner of an unreadable run is unreadable as well.
    return caller === undefined ? runs : runs.filter(({ state }) => state !== 'unreadable');
  }

  /** Resets a run, and forgets its earlier attempt. */
  async reset(run: Run): Promise<void> {
    const key = keyOf.run(run.id, 'run');
    await this.#client.del(keyOf.run(run.id, 'attempt'));
    await this.#client.set(key, this.#sealed(key, run), 'EX', KEEP_SECONDS);
  }

  /** Reads the current attempt of a run: empty before the first. */
  async attempt(id: string): Promise<string> {
    return (await this.#client.get(keyOf.run(id, 'attempt'))) ?? '';
  }

  /**
   * Takes on a run.
   * @param seen the expected attempt
   * @param run its new state, if it changes
   * @returns false if another attempt was faster
   */
  begin(id: string, seen: string, attempt: string, run: Run | undefined): Promise<boolean> {
    const written = run === undefined ? '' : this.#sealed(keyOf.run(id, 'run'), run);
    return this.#did(this.#script(scripts.BEGIN, id, seen, { event: ['state', run], values: [attempt, written] }));
  }

  /** Records that a run's outcome is unknown: only the lost attempt knows it, and may still write it. */
  doubt(lost: Run, attempt: string, why: string): Promise<boolean> {
    const run: Run = { ...lost, state: 'unknown', error: lostRun(lost, why).toJSON() };
    return this.#conclude(scripts.DOUBT, run, attempt, {
      event: ['state', run],
      at: Date.parse(run.started ?? run.created),
      values: [this.#sealed(keyOf.run(run.id, 'run'), run)],
    });
  }

  /**
   * Writes the last state of a run, and its last event.
   * @param isAside keeps the request for another attempt
   * @returns false if the run was removed, or belongs to another attempt
   */
  end(run: Run, attempt: string, isAside = false): Promise<boolean> {
    const { id } = run;
    const { result, ...plain } = run;
    const kept = result === undefined ? '' : this.#sealed(keyOf.run(id, 'result'), result);
    return this.#conclude(scripts.END, run, attempt, {
      event: ['end', run],
      at: Date.parse(run.ended ?? run.created),
      values: [this.#sealed(keyOf.run(id, 'run'), plain), kept, isAside ? '1' : '0'],
    });
  }

  async event(id: string, attempt: string, name: RunEvent['event'], data: unknown): Promise<void> {
    await this.#did(this.#script(scripts.TELL, id, attempt, { event: [name, data], values: [''] }));
  }

  /** Writes the last line of progress, and its event. */
  async progress(id: string, attempt: string, line: string): Promise<void> {
    const values = [this.#sealed(keyOf.run(id, 'progress'), line)];
    await this.#did(this.#script(scripts.TELL, id, attempt, { event: ['progress', { progress: line }], values }));
  }

  /** Reads the events after an id. */
  async events(id: string, after: number): Promise<readonly RunEvent[]> {
    const key = keyOf.run(id, 'events');
    const entries = await this.#client.xrangeBuffer(key, `${after + 1}-0`, '+');
    return entries.map(([entry, [, bytes]]) => ({
      id: Number.parseInt(entry.toString(), 10),
      ...(JSON.parse(this.#seal.open(key, bytes ?? Buffer.alloc(0))) as Pick<RunEvent, 'event' | 'data'>),
    }));
  }

  /** @param tenant its identity */
  async remove(id: string, tenant: string): Promise<void> {
    const run = await this.#read<Run>(keyOf.run(id, 'run'));
    await this.#accepted.leave(id);
    await this.#drop(id, tenant, run?.owner.caller ?? '');
  }

  async #drop(id: string, tenant: string, caller: string): Promise<void> {
    for (const list of listsOf(tenant, caller)) await this.#client.zrem(list, id);
    await this.#client.unlink([...keysOf(id), keyOf.stopped(id)]);
  }

  /** Runs a script that stops counting a run, and removes older ended runs of its token. */
  async #conclude(
    script: string,
    run: Run,
    attempt: string,
    { at, values, event }: ScriptInput & { readonly at: number },
  ): Promise<boolean> {
    const reply: unknown = await this.#client.eval(
      ...this.#script(script, run.id, attempt, {
        event,
        values: [run.id, at, PREFIX, ...values],
        keys: [keyOf.accepted, keyOf.acceptedSums],
      }),
    );
    if (!Array.isArray(reply)) return false;
    const [tenant, owner] = reply as readonly unknown[];
    if (typeof tenant !== 'string' || typeof owner !== 'string') return true;
    for (const old of await this.#accepted.old(tenant, owner, at - ENDED_SECONDS * 1000)) {
      await this.#drop(old, tenant, run.owner.caller);
    }
    return true;
  }

  #script(text: string, id: string, attempt: string, { event: [event, data], values, keys = [] }: ScriptInput) {
    const all = [...keysOf(id), ...keys];
    const seconds = event === 'end' ? ENDED_SECONDS : KEEP_SECONDS;
    const sealed = this.#sealed(keyOf.run(id, 'events'), { event, data });
    return [text, all.length, ...all, attempt, sealed, MAX_EVENTS, seconds, ...values] satisfies ScriptCall;
  }

  async #did(call: ScriptCall): Promise<boolean> {
    return Number(await this.#client.eval(...call)) === 1;
  }

  /** Opens one record of a list: an unreadable record must not hide the others. */
  #listed(id: string, created: number, tenant: string, record: Buffer): Run {
    try {
      return JSON.parse(this.#seal.open(keyOf.run(id, 'run'), record)) as Run;
    } catch (thrown) {
      return unreadableRun(id, created, tenant, thrown);
    }
  }

  async #read<T>(key: string): Promise<T | undefined> {
    const sealed = await this.#client.getBuffer(key);
    return sealed === null ? undefined : (JSON.parse(this.#seal.open(key, sealed)) as T);
  }

  #sealed(key: string, value: unknown): Buffer {
    return this.#seal.seal(key, JSON.stringify(value));
  }
}

/** Returns the keys that every script receives. */
function keysOf(id: string): string[] {
  return [...scripts.SCRIPT_PIECES.map((piece) => keyOf.run(id, piece)), keyOf.bell(id)];
}

/** Returns the lists that hold a run: its tenant's and its token's. */
function listsOf(tenant: string, caller: string): string[] {
  const owner = ownerName(caller);
  return [keyOf.runs(tenant), ...(['all', 'ended'] as const).map((which) => keyOf.ownRuns(tenant, owner, which))];
}

/**
 * Lists a placeholder for an unreadable record, for example after a key was replaced. The owner is unknown, so only the
 * tenant's administrators see it.
 */
export function unreadableRun(id: string, created: number, identity: string, thrown: unknown): Run {
  return {
    id,
    owner: { tenant: '', caller: '', identity, limits: {} },
    command: '',
    state: 'unreadable',
    created: new Date(Math.abs(created) < MAX_MS ? created : 0).toISOString(),
    started: null,
    ended: null,
    progress: null,
    error: (thrown instanceof ConfigurationError ? thrown : damaged()).toJSON(),
  };
}

/** Hide the parser's message, because it would quote the record. */
function damaged(): ConfigurationError {
  return new ConfigurationError('The record of this run is damaged.', {
    hint: 'Check which other programs write to this Redis. The record expires within two weeks.',
  });
}
