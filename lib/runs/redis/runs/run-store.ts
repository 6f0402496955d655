/** Runs in Redis: what both who start them and who work on them read and write. */
import type { Redis } from 'ioredis';
import type { Run, RunEvent, RunOwner, RunWork } from '../../port.ts';
import { KEEP_SECONDS, keyOf, PREFIX, TENANTS } from '../connection/names.ts';
import { unlessPoisoned } from '../connection/redis-error.ts';
import type { Seal } from '../connection/seal.ts';
import { acceptedRuns, ownerName } from './accepted-runs.ts';
import * as scripts from './run-scripts.ts';
import { unreadableRun } from './unreadable.ts';

/** Events that are kept of a run, and runs of a list. */
const [MAX_EVENTS, MAX_LISTED] = [1000, 1000];
/** Time for which an ended run is kept, in seconds. */
const ENDED_SECONDS = 86_400;

/** The job of a run: it names what is kept of it. */
export interface RunJob {
  readonly id: string;
  /** The sealed state of a run that waits between two slices. */
  readonly checkpoint?: string;
}

/** The run, and what it does. */
export interface StoredWork {
  readonly owner: RunOwner;
  readonly work: RunWork;
  /** It is meant for the simulated service. */
  readonly simulates: boolean;
  /** Section of the settings file that it was started under; empty: none was named. */
  readonly label: string;
}

/** Work that is about to be put on the queue. */
export interface NewRun {
  readonly run: Run;
  readonly work: Omit<StoredWork, 'owner'>;
  /** Identity of its tenant. */
  readonly tenant: string;
  /** The key of its job: without the job there is no run. */
  readonly job: string;
  /** When it is too late to create it, by the clock of Redis, in milliseconds. */
  readonly deadline: number;
}

/** The arguments of `EVAL`. */
type ScriptCall = readonly [script: string, keys: number, ...values: (string | number | Buffer)[]];

export interface RunStore {
  /** Returns the script that creates a run, for the transaction that has added its job; its reply is 1, or 0 if it came too late. */
  creation(created: NewRun): ScriptCall;
  /** Counts a run before it is created. @throws QuotaError if its token has too much work waiting */
  accept(created: Pick<NewRun, 'run' | 'work' | 'tenant'>): Promise<void>;
  /** Removes a run that was refused. @returns whether no attempt of it had begun */
  withdraw(run: Run, tenant: string): Promise<boolean>;
  /** Reads the work of a run. @throws ConfigurationError if it was written with another key */
  work(id: string): Promise<StoredWork | undefined>;
  find(id: string): Promise<Run | undefined>;
  /**
   * Lists the runs of a tenant without their results, the newest first.
   * @param tenant its identity
   * @param caller limits the list to the runs of this token
   */
  list(tenant: string, caller?: string): Promise<readonly Run[]>;
  /** Puts a run back to its beginning: what an earlier attempt was is forgotten. */
  reset(run: Run): Promise<void>;
  /** Reads who works on a run: empty before the first attempt. */
  attempt(id: string): Promise<string>;
  /** Takes a run on. @param seen the attempt before @param run its new state, if it changes @returns false if another was faster */
  begin(id: string, seen: string, attempt: string, run: Run | undefined): Promise<boolean>;
  /** Writes that the end of a run is not known; the owner of the attempt may still write it. */
  doubt(run: Run, attempt: string): Promise<boolean>;
  /**
   * Writes the last state of a run, and its last event.
   * @param isAside keeps the work for another attempt
   * @returns false if the run was removed, or belongs to another attempt
   */
  end(run: Run, attempt: string, isAside?: boolean): Promise<boolean>;
  event(id: string, attempt: string, event: RunEvent['event'], data: unknown): Promise<void>;
  /** Writes the last line of progress, and its event. */
  progress(id: string, attempt: string, line: string): Promise<void>;
  /** Reads the events after one. */
  events(id: string, after: number): Promise<readonly RunEvent[]>;
  /** @param tenant its identity */
  remove(id: string, tenant: string): Promise<void>;
}

/** Opens the store. */
export function runStore(client: Redis, seal: Seal): RunStore {
  const read = async <T>(key: string): Promise<T | undefined> => {
    const sealed = await client.getBuffer(key);
    return sealed === null ? undefined : (JSON.parse(seal.open(key, sealed)) as T);
  };
  const sealed = (key: string, value: unknown) => seal.seal(key, JSON.stringify(value));
  const keysOf = (id: string) => [...scripts.SCRIPT_PIECES.map((piece) => keyOf.run(id, piece)), keyOf.bell(id)];

  /** Returns the arguments of a script. @param told name and data of its event */
  const script = (text: string, id: string, attempt: string, told: readonly [RunEvent['event'], unknown]) => {
    const [event, data] = told;
    const seconds = event === 'end' ? ENDED_SECONDS : KEEP_SECONDS;
    const common = [attempt, sealed(keyOf.run(id, 'events'), { event, data }), MAX_EVENTS, seconds];
    return (values: readonly (string | number | Buffer)[], keys: readonly string[] = []): ScriptCall => {
      const all = [...keysOf(id), ...keys];
      return [text, all.length, ...all, ...common, ...values];
    };
  };

  /** Opens one record of a list: an unreadable record must not hide the others. */
  const listed = (id: string, created: number, tenant: string, record: Buffer): Run => {
    try {
      return JSON.parse(seal.open(keyOf.run(id, 'run'), record)) as Run;
    } catch (thrown) {
      return unreadableRun(id, created, tenant, thrown);
    }
  };
  const did = async (args: ScriptCall) => Number(await client.eval(...args)) === 1;

  const accepted = acceptedRuns(client);
  /** The lists of a run: of its tenant, and of its token. */
  const listsOf = (tenant: string, caller: string) => {
    const owner = ownerName(caller);
    return [keyOf.runs(tenant), ...(['all', 'ended'] as const).map((which) => keyOf.ownRuns(tenant, owner, which))];
  };
  const drop = async (id: string, tenant: string, caller: string) => {
    for (const list of listsOf(tenant, caller)) await client.zrem(list, id);
    await client.unlink([...keysOf(id), keyOf.stopped(id)]);
  };
  /** Carries out a script after which a run counts no longer, and removes older ended ones of its token. */
  const ended = async (run: Run, at: number, call: ReturnType<typeof script>, values: readonly (string | Buffer)[]) => {
    const counts = [run.id, at, PREFIX];
    const reply: unknown = await client.eval(...call([...counts, ...values], [keyOf.accepted, keyOf.acceptedSums]));
    if (!Array.isArray(reply)) return false;
    const [tenant, owner] = reply as readonly unknown[];
    if (typeof tenant !== 'string' || typeof owner !== 'string') return true;
    for (const old of await accepted.old(tenant, owner, at - ENDED_SECONDS * 1000)) {
      await drop(old, tenant, run.owner.caller);
    }
    return true;
  };

  return {
    accept: ({ run, work, tenant }) =>
      accepted.enter(run.id, tenant, ownerName(run.owner.caller), JSON.stringify(work).length),
    creation: ({ run, work, tenant, job, deadline }) => {
      const { id, owner, created } = run;
      const stored = sealed(keyOf.run(id, 'work'), { owner, ...work } satisfies StoredWork);
      const values = [deadline, sealed(keyOf.run(id, 'run'), run), stored, id, Date.parse(created), tenant];
      const [list = '', own = ''] = listsOf(tenant, owner.caller);
      return script(scripts.CREATE, id, '', ['state', run])(values, [list, job, TENANTS, own]);
    },
    withdraw: async ({ id, owner }, tenant) => {
      const keys = [...keysOf(id), ...listsOf(tenant, owner.caller)];
      const isWithdrawn = Number(await client.eval(scripts.WITHDRAW, keys.length, ...keys, id)) === 1;
      if (isWithdrawn) await accepted.leave(id);
      return isWithdrawn;
    },
    work: (id) => read(keyOf.run(id, 'work')),
    find: async (id) => {
      const run = await read<Run>(keyOf.run(id, 'run'));
      if (run === undefined) return undefined;
      const [result, progress = run.progress] = await Promise.all([
        read(keyOf.run(id, 'result')),
        read<string>(keyOf.run(id, 'progress')),
      ]);
      return { ...run, progress, ...(result === undefined ? {} : { result }) };
    },
    list: async (tenant, caller) => {
      const key = caller === undefined ? keyOf.runs(tenant) : keyOf.ownRuns(tenant, ownerName(caller), 'all');
      const index = (await client.zrevrange(key, 0, MAX_LISTED - 1, 'WITHSCORES').catch(unlessPoisoned)) ?? [];
      const ids = index.filter((_, at) => at % 2 === 0);
      if (ids.length === 0) return [];
      const records = await client.mgetBuffer(ids.map((id) => keyOf.run(id, 'run')));
      const expired = ids.filter((_, at) => records[at] === null);
      if (expired.length > 0) await client.zrem(key, ...expired);
      const runs = ids.flatMap((id, at) => {
        const record = records[at] ?? null;
        return record === null ? [] : [listed(id, Number(index[2 * at + 1]), tenant, record)];
      });
      // The owner of an unreadable run is unreadable as well.
      return caller === undefined ? runs : runs.filter(({ state }) => state !== 'unreadable');
    },
    reset: async (run) => {
      const key = keyOf.run(run.id, 'run');
      await client.del(keyOf.run(run.id, 'attempt'));
      await client.set(key, sealed(key, run), 'EX', KEEP_SECONDS);
    },
    attempt: async (id) => (await client.get(keyOf.run(id, 'attempt'))) ?? '',
    begin: (id, seen, attempt, run) => {
      const written = run === undefined ? '' : sealed(keyOf.run(id, 'run'), run);
      return did(script(scripts.BEGIN, id, seen, ['state', run])([attempt, written]));
    },
    doubt: (run, attempt) =>
      ended(run, Date.parse(run.started ?? run.created), script(scripts.DOUBT, run.id, attempt, ['state', run]), [
        sealed(keyOf.run(run.id, 'run'), run),
      ]),
    end: (run, attempt, isAside = false) => {
      const { id } = run;
      const { result, ...plain } = run;
      const kept = result === undefined ? '' : sealed(keyOf.run(id, 'result'), result);
      const values = [sealed(keyOf.run(id, 'run'), plain), kept, isAside ? '1' : '0'];
      return ended(run, Date.parse(run.ended ?? run.created), script(scripts.END, id, attempt, ['end', run]), values);
    },
    event: async (id, attempt, name, data) => {
      await did(script(scripts.TELL, id, attempt, [name, data])(['']));
    },
    progress: async (id, attempt, line) => {
      const told = script(scripts.TELL, id, attempt, ['progress', { progress: line }]);
      await did(told([sealed(keyOf.run(id, 'progress'), line)]));
    },
    events: async (id, after) => {
      const key = keyOf.run(id, 'events');
      const entries = await client.xrangeBuffer(key, `${after + 1}-0`, '+');
      return entries.map(([entry, [, bytes]]) => ({
        id: Number.parseInt(entry.toString(), 10),
        ...(JSON.parse(seal.open(key, bytes ?? Buffer.alloc(0))) as Pick<RunEvent, 'event' | 'data'>),
      }));
    },
    remove: async (id, tenant) => {
      const run = await read<Run>(keyOf.run(id, 'run'));
      await accepted.leave(id);
      await drop(id, tenant, run?.owner.caller ?? '');
    },
  };
}
