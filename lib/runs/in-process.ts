/** Runs inside this process: the default, and the fastest for one machine. They end with it. */
import { randomBytes } from 'node:crypto';
import { CancelledError, toAisecError } from '../engine/errors.ts';
import type { Clock } from '../engine/ports.ts';
import { type History, newHistory } from './history.ts';
import {
  CallerQueueFullError,
  type DoWork,
  hasEnded,
  newRun,
  OWN_WORK,
  ownerKey,
  type Run,
  type RunOwner,
  type Runs,
  type RunWork,
  stateAfter,
  TenantQueueFullError,
} from './port.ts';

/** Runs of one tenant at the same time; the others wait. */
const AT_ONCE = 16;
/** Runs of one tenant that may wait. */
const MAX_QUEUED = 4000;
const MAX_QUEUED_CHARACTERS = 200_000_000;
const MAX_KEPT = 1000;
const KEEP_MS = 86_400_000;
const MAX_KEPT_CHARACTERS = 50_000_000;
/** Time for one run, in milliseconds: a red-team scan may take a day. */
const MAX_MS = 86_400_000;
/** Time for stopped work to end, in milliseconds. */
const STOP_MS = 2000;
/** Least time between two events of progress, in milliseconds. */
const PROGRESS_MS = 100;

export interface InProcessOptions {
  readonly work: DoWork;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  /** Default: 16 for each tenant. */
  readonly atOnce?: number;
  /** Default: 4000 for each tenant. */
  readonly mostQueued?: number;
  /** Size of the waiting work of one tenant, in characters of JSON. Default: 200 million. */
  readonly mostQueuedCharacters?: number;
  /** Runs of one token that are kept after their end. Default: 1000. */
  readonly mostKept?: number;
  /** Size of the kept results of one token, in characters of JSON. Default: 50 million. */
  readonly mostKeptCharacters?: number;
}

/** A run with what belongs to it. */
interface Entry {
  run: Run;
  readonly work: RunWork;
  readonly stopper: AbortController;
  readonly history: History;
  /** Size of what is kept: the work until it ends, then its tasks and result. In characters of JSON. */
  size: number;
  /** Size of the events of its tasks. */
  taskSize: number;
  endedAt: number;
  lastProgress: number;
  /** Resolves when its work has ended; undefined until it begins. */
  done: Promise<void> | undefined;
}

/** Creates the runs. */
export function inProcessRuns(options: InProcessOptions): Runs {
  const { atOnce = AT_ONCE, mostQueued = MAX_QUEUED, mostKept = MAX_KEPT, clock } = options;
  const { mostQueuedCharacters = MAX_QUEUED_CHARACTERS, mostKeptCharacters = MAX_KEPT_CHARACTERS } = options;
  const entries = new Map<string, Entry>();
  const all = () => [...entries.values()];
  const date = () => new Date(clock.now()).toISOString();
  const inState = (state: Run['state']) => all().filter(({ run }) => run.state === state);

  const forget = ({ run: { owner } }: Entry) => {
    const key = ownerKey(owner);
    const own = all().filter((entry) => ownerKey(entry.run.owner) === key);
    for (const id of excessOf(own, { mostKept, mostKeptCharacters })) entries.delete(id);
  };
  const forgetExpired = () => {
    const before = clock.elapsed() - KEEP_MS;
    for (const { run, endedAt } of all()) if (hasEnded(run) && endedAt < before) entries.delete(run.id);
  };

  const change = (entry: Entry, values: Partial<Run>) => {
    entry.run = { ...entry.run, ...values };
  };

  const finish = (entry: Entry, values: Partial<Run>) => {
    change(entry, { ...values, ended: date() });
    entry.size = JSON.stringify(entry.run).length + entry.taskSize;
    entry.endedAt = clock.elapsed();
    entry.history.end(entry.run);
    forget(entry);
    startNext(entry.run.owner);
  };

  const perform = async (entry: Entry) => {
    change(entry, { state: 'running', started: date() });
    entry.history.add('state', entry.run);
    try {
      const { result, partial } = await options.work(entry.work, entry.run.owner, {
        signal: entry.stopper.signal,
        onProgress: (line) => {
          change(entry, { progress: line });
          if (clock.elapsed() - entry.lastProgress < PROGRESS_MS) return;
          entry.lastProgress = clock.elapsed();
          entry.history.add('progress', { progress: line });
        },
        onTask: (task) => {
          entry.taskSize += JSON.stringify(task).length;
          entry.history.add('task', task);
        },
        timeoutMs: MAX_MS,
      });
      finish(entry, { state: partial ? 'partial' : 'succeeded', result });
    } catch (thrown) {
      const error = toAisecError(thrown);
      finish(entry, { state: stateAfter(error), error: error.toJSON() });
    }
  };

  const startNext = ({ tenant }: RunOwner) => {
    const own = (entry: Entry) => entry.run.owner.tenant === tenant;
    const free = atOnce - inState('running').filter(own).length;
    for (const entry of inState('queued').filter(own).slice(0, free)) entry.done = perform(entry);
  };

  const stop = (entry: Entry) => {
    entry.stopper.abort();
    if (entry.run.state !== 'queued') return;
    const error = new CancelledError('Stopped before it began.', { hint: 'Nothing was sent.' });
    finish(entry, { state: 'stopped', error: error.toJSON() });
  };

  return {
    start: async (owner, work) => {
      const entry = entryOf(owner, work, date());
      checkRoom(inState('queued'), entry, { mostQueued, mostQueuedCharacters });
      entries.set(entry.run.id, entry);
      entry.history.add('state', entry.run);
      startNext(owner);
      return entry.run;
    },
    find: async (id) => {
      forgetExpired();
      return entries.get(id)?.run;
    },
    list: async (tenant, caller) => {
      forgetExpired();
      const runs = all().map(({ run }) => run);
      const isListed = ({ owner }: Run) => owner.tenant === tenant && (caller === undefined || owner.caller === caller);
      return runs.filter(isListed).reverse();
    },
    stop: async (id) => {
      const entry = entries.get(id);
      if (entry !== undefined) stop(entry);
    },
    remove: async (id) => {
      const entry = entries.get(id);
      if (entry !== undefined && hasEnded(entry.run)) entries.delete(id);
    },
    events: (id, after, signal) => entries.get(id)?.history.follow(after, signal),
    counts: async () => {
      const [first] = inState('queued');
      return {
        queued: inState('queued').length,
        running: inState('running').length,
        oldestMs: first === undefined ? 0 : Math.max(0, clock.now() - Date.parse(first.run.created)),
        workers: 1,
      };
    },
    problem: async () => undefined,
    close: async (graceMs) => {
      for (const entry of inState('queued')) stop(entry);
      const running = inState('running');
      let timer: NodeJS.Timeout | undefined;
      const after = (milliseconds: number) =>
        new Promise<void>((resolve) => {
          timer = setTimeout(resolve, milliseconds);
        });
      // Work that does not heed its stop must not keep the process.
      const late = after(graceMs).then(() => {
        for (const entry of running) stop(entry);
        return after(STOP_MS);
      });
      await Promise.race([Promise.allSettled(running.map(async ({ done }) => done)), late]);
      clearTimeout(timer);
    },
  };
}

function entryOf(owner: RunOwner, work: RunWork, created: string): Entry {
  const id = randomBytes(12).toString('hex');
  return {
    run: newRun(id, owner, work, created),
    work,
    stopper: new AbortController(),
    history: newHistory(),
    size: JSON.stringify(work).length,
    taskSize: 0,
    endedAt: 0,
    lastProgress: Number.NEGATIVE_INFINITY,
    done: undefined,
  };
}

/** @throws QuotaError or BusyError if the work would exceed what may wait, of its token or of its tenant */
function checkRoom(
  queued: readonly Entry[],
  { run: { owner }, size }: Entry,
  most: Required<Pick<InProcessOptions, 'mostQueued' | 'mostQueuedCharacters'>>,
): void {
  const ofTenant = queued.filter(({ run }) => run.owner.tenant === owner.tenant);
  const own = ofTenant.filter(({ run }) => run.owner.caller === owner.caller);
  if (own.length >= OWN_WORK.runs || sizeOf(own) + size > OWN_WORK.bytes) throw new CallerQueueFullError();
  if (ofTenant.length >= most.mostQueued || sizeOf(ofTenant) + size > most.mostQueuedCharacters)
    throw new TenantQueueFullError();
}

function sizeOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { size }) => sum + size, 0);
}

/** Returns the oldest ended runs of one token beyond its limits; the last one is kept, however large it is. */
function excessOf(
  own: readonly Entry[],
  { mostKept, mostKeptCharacters }: Required<Pick<InProcessOptions, 'mostKept' | 'mostKeptCharacters'>>,
): string[] {
  const ended = own.filter(({ run }) => hasEnded(run)).toSorted((one, other) => one.endedAt - other.endedAt);
  let [count, size] = [ended.length, sizeOf(ended)];
  const excess: string[] = [];
  for (const entry of ended.slice(0, -1)) {
    if (count <= mostKept && size <= mostKeptCharacters) break;
    excess.push(entry.run.id);
    count -= 1;
    size -= entry.size;
  }
  return excess;
}
