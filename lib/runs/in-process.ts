/** Performs runs inside this process: the default, and the fastest way on one machine. The runs end with the process. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { CancelledError, toAisecError } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';
import type { Command } from '../runtime/engine/command.ts';
import { RunHistory } from './history.ts';
import {
  CallerQueueFullError,
  hasEnded,
  MAX_OWN,
  newRun,
  ownerKey,
  type PerformRun,
  type Run,
  type RunContext,
  type RunCounts,
  type RunEvent,
  type RunOwner,
  type RunRequest,
  type Runs,
  stateAfter,
  TenantQueueFullError,
} from './port.ts';

const KEEP_MS = 86_400_000;
/** Time for one run, in milliseconds: a red-team scan may take a day. */
const MAX_MS = 86_400_000;
/** Time for stopped runs to end, in milliseconds. */
const STOP_MS = 2000;
/** Minimum time between two events of progress, in milliseconds. */
const PROGRESS_MS = 100;

const LIMITS = {
  /** Maximum number of concurrent runs per tenant; further runs wait. */
  atOnce: 16,
  /** Maximum number of waiting runs per tenant. */
  maxQueued: 4000,
  /** Maximum size of the waiting requests per tenant, in characters of JSON. */
  maxQueuedCharacters: 200_000_000,
  /** Maximum number of ended runs kept per token. */
  maxKept: 1000,
  /** Maximum size of the kept results per token, in characters of JSON. */
  maxKeptCharacters: 50_000_000,
};

export interface InProcessOptions extends Partial<typeof LIMITS> {
  readonly perform: PerformRun;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
}

/** A run with its state in this process. */
interface Entry {
  run: Run;
  readonly request: RunRequest;
  readonly command: Command | undefined;
  readonly stopper: AbortController;
  readonly history: RunHistory;
  /** Size of the kept data, in characters of JSON: the request until the run ends, then its tasks and result. */
  size: number;
  /** Size of the run's task events. */
  taskSize: number;
  endedAt: number;
  lastProgress: number;
  /** Tells a line of progress that came too soon after another. */
  later: NodeJS.Timeout | undefined;
  /** Resolves when the run has ended; undefined until it begins. */
  done: Promise<void> | undefined;
}

export class InProcessRuns implements Runs {
  readonly #perform: PerformRun;
  readonly #clock: InProcessOptions['clock'];
  readonly #limits: typeof LIMITS;
  readonly #entries = new Map<string, Entry>();
  /** Tokens, ordered by their last turn. */
  readonly #turns = new Set<string>();

  constructor({ perform, clock, ...limits }: InProcessOptions) {
    this.#perform = perform;
    this.#clock = clock;
    this.#limits = { ...LIMITS, ...limits };
  }

  async start(owner: RunOwner, request: RunRequest, command?: Command): Promise<Run> {
    const entry = newEntry(owner, request, command, this.#date());
    this.#checkRoom(entry);
    this.#entries.set(entry.run.id, entry);
    entry.history.add('state', entry.run);
    this.#startNext(owner);
    return entry.run;
  }

  async find(id: string): Promise<Run | undefined> {
    this.#removeExpired();
    return this.#entries.get(id)?.run;
  }

  async list(tenant: string, caller?: string): Promise<readonly Run[]> {
    this.#removeExpired();
    const isListed = ({ owner }: Run) => owner.tenant === tenant && (caller === undefined || owner.caller === caller);
    return this.#all()
      .map(({ run }) => run)
      .filter(isListed)
      .reverse();
  }

  async stop(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#stop(entry);
  }

  async remove(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry !== undefined && hasEnded(entry.run)) this.#entries.delete(id);
  }

  events(id: string, after: number, signal: AbortSignal): AsyncIterable<RunEvent> | undefined {
    return this.#entries.get(id)?.history.follow(after, signal);
  }

  async counts(): Promise<RunCounts> {
    const queued = this.#inState('queued');
    const [first] = queued;
    return {
      queued: queued.length,
      running: this.#inState('running').length,
      oldestMs: first === undefined ? 0 : Math.max(0, this.#clock.now() - Date.parse(first.run.created)),
      workers: 1,
    };
  }

  async problem(): Promise<string | undefined> {
    return undefined;
  }

  async close(graceMs: number): Promise<void> {
    for (const entry of this.#inState('queued')) this.#stop(entry);
    const running = this.#inState('running');
    const over = new AbortController();
    const wait = (milliseconds: number) =>
      pause(milliseconds, undefined, { signal: over.signal }).catch(() => undefined);
    // A run that ignores the stop signal must not keep the process alive.
    const stopLate = async () => {
      await wait(graceMs);
      for (const entry of running) this.#stop(entry);
      await wait(STOP_MS);
    };
    await Promise.race([Promise.allSettled(running.map(async ({ done }) => done)), stopLate()]);
    over.abort();
  }

  #startNext({ tenant }: RunOwner): void {
    for (let next = this.#nextOf(tenant); next !== undefined; next = this.#nextOf(tenant)) {
      // The token has had its turn: put it last.
      this.#turns.delete(ownerKey(next.run.owner));
      this.#turns.add(ownerKey(next.run.owner));
      next.done = this.#run(next);
    }
  }

  /** Finds the next run of a tenant: from the token with the fewest running runs, taking turns. */
  #nextOf(tenant: string): Entry | undefined {
    const own = (state: Run['state']) => this.#inState(state).filter(({ run }) => run.owner.tenant === tenant);
    const running = own('running');
    if (running.length >= this.#limits.atOnce) return undefined;
    const counts = new Map<string, number>();
    for (const { run } of running) counts.set(ownerKey(run.owner), (counts.get(ownerKey(run.owner)) ?? 0) + 1);
    const turns = [...this.#turns];
    const rank = ({ run }: Entry) => {
      const key = ownerKey(run.owner);
      return { running: counts.get(key) ?? 0, turn: turns.indexOf(key) };
    };
    const ranked = own('queued').map((entry) => ({ entry, ...rank(entry) }));
    return ranked.toSorted((one, other) => one.running - other.running || one.turn - other.turn)[0]?.entry;
  }

  async #run(entry: Entry): Promise<void> {
    change(entry, { state: 'running', started: this.#date() });
    entry.history.add('state', entry.run);
    try {
      const { result, partial } = await this.#perform(entry.request, entry.run.owner, this.#contextOf(entry));
      this.#finish(entry, { state: partial ? 'partial' : 'succeeded', result });
    } catch (thrown) {
      const error = toAisecError(thrown);
      this.#finish(entry, { state: stateAfter(error), error: error.toJSON() });
    }
  }

  #contextOf(entry: Entry): RunContext {
    return {
      run: entry.run.id,
      command: entry.command,
      signal: entry.stopper.signal,
      timeoutMs: MAX_MS,
      onProgress: (line) => {
        change(entry, { progress: line });
        const left = PROGRESS_MS - (this.#clock.elapsed() - entry.lastProgress);
        if (left <= 0) this.#tellProgress(entry);
        // The last line before a long pause must not be lost.
        else entry.later ??= setTimeout(() => this.#tellProgress(entry), left).unref();
      },
      onTask: (task) => {
        entry.taskSize += JSON.stringify(task).length;
        entry.history.add('task', task);
      },
    };
  }

  #tellProgress(entry: Entry): void {
    clearTimeout(entry.later);
    entry.later = undefined;
    entry.lastProgress = this.#clock.elapsed();
    entry.history.add('progress', { progress: entry.run.progress });
  }

  #stop(entry: Entry): void {
    entry.stopper.abort();
    if (entry.run.state !== 'queued') return;
    const error = new CancelledError('Stopped before it began.', { hint: 'Nothing was sent.' });
    this.#finish(entry, { state: 'stopped', error: error.toJSON() });
  }

  #finish(entry: Entry, values: Partial<Run>): void {
    clearTimeout(entry.later);
    change(entry, { ...values, ended: this.#date() });
    entry.size = JSON.stringify(entry.run).length + entry.taskSize;
    entry.endedAt = this.#clock.elapsed();
    entry.history.end(entry.run);
    this.#removeExcess(entry.run.owner);
    this.#startNext(entry.run.owner);
  }

  /**
   * Checks the queue limits of a token and of its tenant.
   * @throws QuotaError or BusyError beyond a limit
   */
  #checkRoom({ run: { owner }, size }: Entry): void {
    const { maxQueued, maxQueuedCharacters } = this.#limits;
    const ofTenant = this.#inState('queued').filter(({ run }) => run.owner.tenant === owner.tenant);
    const own = ofTenant.filter(({ run }) => run.owner.caller === owner.caller);
    if (own.length >= MAX_OWN.runs || sizeOf(own) + size > MAX_OWN.bytes) throw new CallerQueueFullError();
    if (ofTenant.length >= maxQueued || sizeOf(ofTenant) + size > maxQueuedCharacters) throw new TenantQueueFullError();
  }

  /** Removes the oldest ended runs of a token beyond its limits; the latest is kept, however large it is. */
  #removeExcess(owner: RunOwner): void {
    const { maxKept, maxKeptCharacters } = this.#limits;
    const key = ownerKey(owner);
    const ended = this.#all()
      .filter(({ run }) => hasEnded(run) && ownerKey(run.owner) === key)
      .toSorted((one, other) => one.endedAt - other.endedAt);
    let [count, size] = [ended.length, sizeOf(ended)];
    for (const entry of ended.slice(0, -1)) {
      if (count <= maxKept && size <= maxKeptCharacters) break;
      this.#entries.delete(entry.run.id);
      count -= 1;
      size -= entry.size;
    }
  }

  #removeExpired(): void {
    const before = this.#clock.elapsed() - KEEP_MS;
    for (const { run, endedAt } of this.#all()) {
      if (hasEnded(run) && endedAt < before) this.#entries.delete(run.id);
    }
  }

  #all(): Entry[] {
    return [...this.#entries.values()];
  }

  #inState(state: Run['state']): Entry[] {
    return this.#all().filter(({ run }) => run.state === state);
  }

  #date(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

function newEntry(owner: RunOwner, request: RunRequest, command: Command | undefined, created: string): Entry {
  return {
    run: newRun(randomBytes(12).toString('hex'), owner, request, created),
    request,
    command,
    stopper: new AbortController(),
    history: new RunHistory(),
    size: JSON.stringify(request).length,
    taskSize: 0,
    endedAt: 0,
    lastProgress: Number.NEGATIVE_INFINITY,
    later: undefined,
    done: undefined,
  };
}

function change(entry: Entry, values: Partial<Run>): void {
  entry.run = { ...entry.run, ...values };
}

function sizeOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { size }) => sum + size, 0);
}
