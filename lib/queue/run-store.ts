/** Runs in Redis: what both who start them and who work on them read and write. */
import type { Redis } from 'ioredis';
import type { Run, RunEvent, RunOwner, RunWork } from '../runs/port.ts';
import { KEEP_SECONDS, keyOf } from './names.ts';
import type { Seal } from './seal.ts';
import { unreadableRun } from './unreadable.ts';

/** Events and runs that are kept. */
const [MOST_EVENTS, MOST_RUNS] = [1000, 1000];
/** Time for which an ended run is kept, in seconds. */
const ENDED_SECONDS = 86_400;

/** Adds an event: ids count from 1. What belongs to a run lives as long as its record, also if it is written late. */
const ADD_EVENT = `
local left = redis.call('PTTL', KEYS[4])
if left <= 0 then return 0 end
local id = redis.call('INCR', KEYS[2])
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], id .. '-0', 'e', ARGV[1])
redis.call('PEXPIRE', KEYS[1], left)
redis.call('PEXPIRE', KEYS[2], left)
redis.call('PUBLISH', KEYS[3], '1')
return id
`;

/** Sets the progress of a run, for as long as its record lives. */
const SET_PROGRESS = `
local left = redis.call('PTTL', KEYS[2])
if left > 0 then redis.call('SET', KEYS[1], ARGV[1], 'PX', left) end
return left
`;

/** Everything of a run. */
const PIECES = ['run', 'work', 'progress', 'result', 'events', 'count'] as const;

/** The run, and what it does. */
export interface StoredWork {
  readonly owner: RunOwner;
  readonly work: RunWork;
  /** It is meant for the simulated service. */
  readonly simulates: boolean;
  /** Section of the settings file that it was started under; empty: none was named. */
  readonly label: string;
}

export interface RunStore {
  /** @param tenant its identity */
  create(tenant: string, run: Run, work: Omit<StoredWork, 'owner'>): Promise<void>;
  /** Reads the work of a run. @throws ConfigurationError if it was written with another key */
  work(id: string): Promise<StoredWork | undefined>;
  find(id: string): Promise<Run | undefined>;
  /** Lists the runs of a tenant without their results, the newest first. @param tenant its identity */
  list(tenant: string): Promise<readonly Run[]>;
  /** Writes the state of a run; the result is kept apart. */
  write(run: Run): Promise<void>;
  /** Writes that a run has begun, and its event. */
  begin(run: Run): Promise<void>;
  /** Writes the last state of a run, and its last event. @param isAside keeps the work for another attempt */
  end(run: Run, isAside?: boolean): Promise<void>;
  event(id: string, event: RunEvent['event'], data: unknown): Promise<void>;
  /** Writes the last line of progress, and its event. */
  progress(id: string, line: string): Promise<void>;
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
  const set = (key: string, value: unknown, seconds: number) =>
    ['set', key, seal.seal(key, JSON.stringify(value)), 'EX', seconds] as const;

  const addEvent = (id: string, name: RunEvent['event'], data: unknown) => {
    const key = keyOf.run(id, 'events');
    const sealed = seal.seal(key, JSON.stringify({ event: name, data }));
    const keys = [key, keyOf.run(id, 'count'), keyOf.bell(id), keyOf.run(id, 'run')];
    return ['eval', ADD_EVENT, keys.length, ...keys, sealed, MOST_EVENTS] as const;
  };

  /** Opens one record of a list: an unreadable record must not hide the others. */
  const listed = (id: string, created: number, tenant: string, sealed: Buffer): Run => {
    try {
      return JSON.parse(seal.open(keyOf.run(id, 'run'), sealed)) as Run;
    } catch (thrown) {
      return unreadableRun(id, created, tenant, thrown);
    }
  };

  /** Carries out several commands as one: a reader sees all of them, or none. */
  const together = async (...commands: readonly (readonly unknown[])[]) => {
    const results = await client.multi(commands.map((command) => [...command])).exec();
    const failed = results?.find(([error]) => error !== null)?.[0];
    if (failed !== null && failed !== undefined) throw failed;
  };

  const remove: RunStore['remove'] = async (id, tenant) => {
    await client.zrem(keyOf.runs(tenant), id);
    await client.unlink([...PIECES.map((piece) => keyOf.run(id, piece)), keyOf.stopped(id)]);
  };

  return {
    create: async (tenant, run, work) => {
      const { id, owner } = run;
      const index = keyOf.runs(tenant);
      await together(
        set(keyOf.run(id, 'work'), { owner, ...work } satisfies StoredWork, KEEP_SECONDS),
        set(keyOf.run(id, 'run'), run, KEEP_SECONDS),
        ['zadd', index, Date.parse(run.created), id],
        addEvent(id, 'state', run),
      );
      for (const old of await client.zrange(index, 0, String(-MOST_RUNS - 1))) await remove(old, tenant);
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
      const index = await client.zrevrange(keyOf.runs(tenant), 0, MOST_RUNS - 1, 'WITHSCORES');
      const ids = index.filter((_, at) => at % 2 === 0);
      if (ids.length === 0) return [];
      const records = await client.mgetBuffer(ids.map((id) => keyOf.run(id, 'run')));
      const expired = ids.filter((_, at) => records[at] === null);
      if (expired.length > 0) await client.zrem(keyOf.runs(tenant), ...expired);
      return ids.flatMap((id, at) => {
        const sealed = records[at] ?? null;
        return sealed === null ? [] : [listed(id, Number(index[2 * at + 1]), tenant, sealed)];
      });
    },
    write: (run) => together(set(keyOf.run(run.id, 'run'), run, KEEP_SECONDS)),
    begin: (run) => together(set(keyOf.run(run.id, 'run'), run, KEEP_SECONDS), addEvent(run.id, 'state', run)),
    end: (run, isAside = false) => {
      const { id } = run;
      const { result, ...plain } = run;
      return together(
        ...(result === undefined ? [] : [set(keyOf.run(id, 'result'), result, ENDED_SECONDS)]),
        set(keyOf.run(id, 'run'), plain, ENDED_SECONDS),
        ...[keyOf.run(id, 'progress'), keyOf.stopped(id)].map((key) => ['expire', key, ENDED_SECONDS]),
        addEvent(id, 'end', run),
        isAside ? ['expire', keyOf.run(id, 'work'), ENDED_SECONDS] : ['unlink', keyOf.run(id, 'work')],
      );
    },
    event: (id, name, data) => together(addEvent(id, name, data)),
    progress: (id, line) => {
      const keys = [keyOf.run(id, 'progress'), keyOf.run(id, 'run')] as const;
      const sealed = seal.seal(keys[0], JSON.stringify(line));
      return together(
        ['eval', SET_PROGRESS, keys.length, ...keys, sealed],
        addEvent(id, 'progress', { progress: line }),
      );
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
