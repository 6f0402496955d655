/** Runs in Redis: what both who start them and who work on them read and write. */
import type { Redis } from 'ioredis';
import type { Run, RunEvent, RunOwner, RunWork } from '../runs/port.ts';
import { acceptedRuns, ownerName } from './accepted-runs.ts';
import { KEEP_SECONDS, keyOf } from './names.ts';
import type { Seal } from './seal.ts';

/** Events that are kept of a run, and runs of a list. */
const [MOST_EVENTS, MOST_LISTED] = [1000, 1000];
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
  /**
   * Keeps a run and its work.
   * @param tenant its name in the queue
   * @throws QuotaError if its token has too much work waiting; then nothing is kept
   */
  create(tenant: string, run: Run, work: Omit<StoredWork, 'owner'>): Promise<void>;
  /** Reads the work of a run. @throws ConfigurationError if it was written with another key */
  work(id: string): Promise<StoredWork | undefined>;
  find(id: string): Promise<Run | undefined>;
  /**
   * Lists the runs of a tenant without their results, the newest first.
   * @param tenant its name in the queue
   * @param caller limits the list to the runs of this token
   */
  list(tenant: string, caller?: string): Promise<readonly Run[]>;
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
  /** @param tenant its name in the queue */
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
    const keys = [key, keyOf.run(id, 'count'), keyOf.bell(id)];
    return ['eval', ADD_EVENT, keys.length, ...keys, sealed, MOST_EVENTS, KEEP_SECONDS] as const;
  };

  /** Carries out several commands as one: a reader sees all of them, or none. */
  const together = async (...commands: readonly (readonly unknown[])[]) => {
    const results = await client.multi(commands.map((command) => [...command])).exec();
    const failed = results?.find(([error]) => error !== null)?.[0];
    if (failed !== null && failed !== undefined) throw failed;
  };

  const accepted = acceptedRuns(client, ENDED_SECONDS * 1000);

  const drop = async (id: string, tenant: string, caller: string) => {
    const owner = ownerName(caller);
    const own = (['all', 'ended'] as const).map((which) => keyOf.ownRuns(tenant, owner, which));
    for (const index of [keyOf.runs(tenant), ...own]) await client.zrem(index, id);
    await client.unlink([...PIECES.map((piece) => keyOf.run(id, piece)), keyOf.stopped(id)]);
  };

  return {
    create: async (tenant, run, work) => {
      const { id, owner } = run;
      const [name, created] = [ownerName(owner.caller), Date.parse(run.created)];
      await accepted.enter(id, tenant, name, JSON.stringify(work).length);
      await together(
        set(keyOf.run(id, 'work'), { owner, ...work } satisfies StoredWork, KEEP_SECONDS),
        set(keyOf.run(id, 'run'), run, KEEP_SECONDS),
        ['zadd', keyOf.runs(tenant), created, id],
        ['zadd', keyOf.ownRuns(tenant, name, 'all'), created, id],
        addEvent(id, 'state', run),
      ).catch(async (thrown: unknown) => {
        await accepted.leave(id).catch(() => undefined);
        throw thrown;
      });
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
      const index = caller === undefined ? keyOf.runs(tenant) : keyOf.ownRuns(tenant, ownerName(caller), 'all');
      const ids = await client.zrevrange(index, 0, MOST_LISTED - 1);
      const runs = await Promise.all(ids.map((id) => read<Run>(keyOf.run(id, 'run'))));
      return runs.filter((run) => run !== undefined);
    },
    write: (run) => together(set(keyOf.run(run.id, 'run'), run, KEEP_SECONDS)),
    begin: (run) => together(set(keyOf.run(run.id, 'run'), run, KEEP_SECONDS), addEvent(run.id, 'state', run)),
    end: async (run, isAside = false) => {
      const { id } = run;
      const { result, ...plain } = run;
      await together(
        ...(result === undefined ? [] : [set(keyOf.run(id, 'result'), result, ENDED_SECONDS)]),
        set(keyOf.run(id, 'run'), plain, ENDED_SECONDS),
        ['expire', keyOf.run(id, 'progress'), ENDED_SECONDS],
        addEvent(id, 'end', run),
        ...(isAside ? [] : [['unlink', keyOf.run(id, 'work')]]),
      );
      const left = await accepted.ended(id, Date.parse(run.ended ?? run.created));
      for (const old of left?.old ?? []) await drop(old, left?.tenant ?? '', run.owner.caller);
    },
    event: (id, name, data) => together(addEvent(id, name, data)),
    progress: (id, line) =>
      together(set(keyOf.run(id, 'progress'), line, KEEP_SECONDS), addEvent(id, 'progress', { progress: line })),
    events: async (id, after) => {
      const key = keyOf.run(id, 'events');
      const entries = await client.xrangeBuffer(key, `${after + 1}-0`, '+');
      return entries.map(([entry, [, sealed]]) => ({
        id: Number.parseInt(entry.toString(), 10),
        ...(JSON.parse(seal.open(key, sealed ?? Buffer.alloc(0))) as Pick<RunEvent, 'event' | 'data'>),
      }));
    },
    remove: async (id, tenant) => {
      const run = await read<Run>(keyOf.run(id, 'run'));
      await accepted.leave(id);
      await drop(id, tenant, run?.owner.caller ?? '');
    },
  };
}
