/** Runs in Redis: what both who start them and who work on them read and write. */
import type { Redis } from 'ioredis';
import type { Run, RunEvent, RunOwner, RunWork } from '../runs/port.ts';
import { KEEP_SECONDS, keyOf, tenantName } from './names.ts';
import type { Seal } from './seal.ts';

/** Events and runs that are kept. */
const [MOST_EVENTS, MOST_RUNS] = [1000, 1000];
/** Time for which an ended run is kept, in seconds. */
const ENDED_SECONDS = 86_400;

/** Adds an event: ids count from 1. */
const ADD_EVENT = `
local id = redis.call('INCR', KEYS[2])
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], id .. '-0', 'e', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[3])
redis.call('PUBLISH', KEYS[3], '1')
return id
`;

/** Everything of a run. */
const PIECES = ['run', 'work', 'progress', 'result', 'events', 'count'] as const;

/** The run, and what it does. */
export interface StoredWork {
  readonly owner: RunOwner;
  readonly work: RunWork;
  /** It is meant for the simulated service. */
  readonly simulates: boolean;
}

export interface RunStore {
  create(run: Run, work: Omit<StoredWork, 'owner'>): Promise<void>;
  /** Reads the work of a run. @throws ConfigurationError if it was written with another key */
  work(id: string): Promise<StoredWork | undefined>;
  find(id: string): Promise<Run | undefined>;
  /** Lists the runs of a tenant without their results, the newest first. */
  list(tenant: string): Promise<readonly Run[]>;
  /** Writes the state of a run; the result is kept apart. */
  write(run: Run): Promise<void>;
  /** Writes the last state of a run, and its last event. @param isAside keeps the work for another attempt */
  end(run: Run, isAside?: boolean): Promise<void>;
  event(id: string, event: RunEvent['event'], data: unknown): Promise<void>;
  /** Writes the last line of progress, and its event. */
  progress(id: string, line: string): Promise<void>;
  /** Reads the events after one. */
  events(id: string, after: number): Promise<readonly RunEvent[]>;
  remove(id: string, tenant: string): Promise<void>;
}

/** Opens the store. */
export function runStore(client: Redis, seal: Seal): RunStore {
  const read = async <T>(key: string): Promise<T | undefined> => {
    const sealed = await client.getBuffer(key);
    return sealed === null ? undefined : (JSON.parse(seal.open(key, sealed)) as T);
  };
  const write = (key: string, value: unknown, seconds: number) =>
    client.set(key, seal.seal(key, JSON.stringify(value)), 'EX', seconds);

  const event: RunStore['event'] = async (id, name, data) => {
    const key = keyOf.run(id, 'events');
    const sealed = seal.seal(key, JSON.stringify({ event: name, data }));
    const keys = [key, keyOf.run(id, 'count'), keyOf.bell(id)];
    await client.eval(ADD_EVENT, keys.length, ...keys, sealed, String(MOST_EVENTS), String(KEEP_SECONDS));
  };

  const remove: RunStore['remove'] = async (id, tenant) => {
    await client.zrem(keyOf.runs(tenantName(tenant)), id);
    await client.unlink([...PIECES.map((piece) => keyOf.run(id, piece)), keyOf.stopped(id)]);
  };

  return {
    create: async (run, work) => {
      const { id, owner } = run;
      const index = keyOf.runs(tenantName(owner.tenant));
      await write(keyOf.run(id, 'work'), { owner, ...work } satisfies StoredWork, KEEP_SECONDS);
      await write(keyOf.run(id, 'run'), run, KEEP_SECONDS);
      await client.zadd(index, Date.parse(run.created), id);
      await event(id, 'state', run);
      for (const old of await client.zrange(index, 0, String(-MOST_RUNS - 1))) await remove(old, owner.tenant);
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
    list: async (tenant) => {
      const ids = await client.zrevrange(keyOf.runs(tenantName(tenant)), 0, MOST_RUNS - 1);
      const runs = await Promise.all(ids.map((id) => read<Run>(keyOf.run(id, 'run'))));
      return runs.filter((run) => run !== undefined);
    },
    write: async (run) => {
      await write(keyOf.run(run.id, 'run'), run, KEEP_SECONDS);
    },
    end: async (run, isAside = false) => {
      const { result, ...plain } = run;
      if (result !== undefined) await write(keyOf.run(run.id, 'result'), result, ENDED_SECONDS);
      await write(keyOf.run(run.id, 'run'), plain, ENDED_SECONDS);
      await event(run.id, 'end', run);
      if (!isAside) await client.unlink(keyOf.run(run.id, 'work'));
      await client.expire(keyOf.run(run.id, 'progress'), ENDED_SECONDS);
    },
    event,
    progress: async (id, line) => {
      await write(keyOf.run(id, 'progress'), line, KEEP_SECONDS);
      await event(id, 'progress', { progress: line });
    },
    events: async (id, after) => {
      const key = keyOf.run(id, 'events');
      const entries = await client.xrangeBuffer(key, `${after + 1}-0`, '+');
      return entries.map(([entry, [, sealed]]) => ({
        id: Number.parseInt(entry.toString(), 10),
        ...(JSON.parse(seal.open(key, sealed ?? Buffer.alloc(0))) as Pick<RunEvent, 'event' | 'data'>),
      }));
    },
    remove,
  };
}
