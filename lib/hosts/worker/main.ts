/** The worker: does the shards and runs that others have put on the queue. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Simulate } from '../../client/simulation.ts';
import type { StartOptions } from '../../client/types.ts';
import type { Registry } from '../../engine/command.ts';
import { entryOf } from '../../manifest/command-catalogue.ts';
import { declarationsOf } from '../../manifest/describe.ts';
import { filesDirectory } from '../../node/files/files-directory.ts';
import { untilAborted } from '../../node/stop.ts';
import { type Audit, openAudit } from '../../runs/audit/audit.ts';
import { recordedCalls } from '../../runs/audit/calls.ts';
import type { QueueOptions } from '../../runs/redis/connection/address.ts';
import { sharedClock } from '../../runs/redis/connection/clock.ts';
import { keyOf } from '../../runs/redis/connection/names.ts';
import { checkPersistence } from '../../runs/redis/connection/persistence.ts';
import type { RedisLink } from '../../runs/redis/connection/redis.ts';
import { within } from '../../runs/redis/connection/within.ts';
import { openQueue } from '../../runs/redis/queue.ts';
import { runStore } from '../../runs/redis/runs/run-store.ts';
import { runProcessor } from '../../runs/redis/runs/run-worker.ts';
import { joinRate, type OwnRate } from '../../runs/redis/shards/rate.ts';
import { type Current, newCurrent } from '../../runs/redis/workers/current.ts';
import { listenForStops } from '../../runs/redis/workers/stops.ts';
import { unservedTenants } from '../../runs/redis/workers/unserved.ts';
import { type QueueWorker, startWorker } from '../../runs/redis/workers/worker.ts';
import { sayAlive } from '../../runs/redis/workers/workers.ts';
import { checkUnchanged, sectionFor, tenantSections } from '../../runs/tenant-sections.ts';
import { openTenants } from '../../runs/tenants.ts';
import { repeatableIn, slicesOf } from './run.ts';
import { servedTenants } from './sections.ts';
import { shardProcessor } from './shard.ts';

export interface WorkerParts {
  readonly registry: Registry;
  readonly simulated: Simulate;
  readonly version: string;
}

export interface WorkerOptions {
  readonly client: StartOptions;
  readonly queue: QueueOptions;
  /** The sections of the settings file that it works for, beside that of the start. */
  readonly profiles: readonly string[];
  /** The section of the start; its settings may come from the environment too. */
  readonly profile: string;
  /** Shards, and runs, at the same time, for each tenant. */
  readonly slots: number;
  /** Requests that all workers together may send to a tenant in a second; undefined: as it is set. */
  readonly perSecond: number | undefined;
  /** Time for what runs after the signal, in milliseconds. */
  readonly graceMs: number;
  /** Refuse a Redis that may forget runs. */
  readonly strict?: boolean;
  /** File for the audit lines of runs; none are written without it. */
  readonly auditFile?: string | undefined;
}

export interface WorkerStreams {
  readonly onReady: (tenants: readonly string[]) => void;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

const ADVICE = {
  settings: 'Set it for the worker: in its environment or its settings file.',
  time: 'Give it more time with its timeout argument.',
  commands: 'See all with: aisec commands',
};
/** Time between two signs of life, in milliseconds. */
const ALIVE_MS = 5000;
/** Time for the last words to Redis, and between two looks whether it is there, in milliseconds. */
const [LAST_MS, LOOK_MS] = [500, 200];

/** Works until the signal. @throws ConfigurationError or NetworkError if the queue cannot be used */
export async function work(parts: WorkerParts, options: WorkerOptions, streams: WorkerStreams): Promise<void> {
  const queue = await openQueue(options.queue);
  const unready = new AbortController();
  // Whatever waits for Redis before the worker is ready must not keep a stopped process.
  streams.signal.addEventListener('abort', () => void queue.close(), { signal: unready.signal });
  const onReady: WorkerStreams['onReady'] = (tenants) => {
    unready.abort();
    streams.onReady(tenants);
  };
  try {
    await checkPersistence(queue.link, options.strict === true, streams.warn);
    const audit = await openAudit(options.auditFile, { registry: parts.registry, warn: streams.warn });
    try {
      await workWith(audit, queue, parts, options, { ...streams, onReady });
    } finally {
      await audit.close();
    }
  } catch (thrown) {
    if (!streams.signal.aborted) throw thrown;
  } finally {
    unready.abort();
    await queue.close();
  }
}

async function workWith(
  audit: Audit,
  queue: Awaited<ReturnType<typeof openQueue>>,
  parts: WorkerParts,
  options: WorkerOptions,
  streams: WorkerStreams,
): Promise<void> {
  const { directory, remove } = await filesDirectory(options.client.filesDirectory, 'aisec-worker-');
  try {
    await workIn({ directory, audit }, queue, parts, options, streams);
  } finally {
    await remove();
  }
}

async function workIn(
  { directory, audit }: { directory: string; audit: Audit },
  { link, seal }: Awaited<ReturnType<typeof openQueue>>,
  { registry, simulated, version }: WorkerParts,
  { client: start, profiles, profile, slots, perSecond, graceMs }: WorkerOptions,
  { onReady, warn, signal }: WorkerStreams,
): Promise<void> {
  const clock = await sharedClock(link);
  const commands = await declarationsOf(registry);
  const served = await servedTenants({ sections: tenantSections(start, signal), profile, profiles, warn });
  const identities = [...served.keys()];
  // The start's own section has no name here, so that its settings may come from the environment.
  const bySection = new Map([...served.values()].flat().map((section) => [section.tenant, section] as const));
  const rate = new AsyncLocalStorage<OwnRate | undefined>();
  const rates = new Map(
    await Promise.all(identities.map(async (tenant) => [tenant, await joinRate(link, tenant, clock)] as const)),
  );
  const tenants = openTenants({
    parts: { registry, simulated, advice: ADVICE },
    start,
    directory,
    catalogue: commands.map(entryOf),
    watch: recordedCalls({ audit, registry, clock }),
    wrap: (tenant) => (transport, settings) => {
      const section = bySection.get(tenant);
      const limited = rates.get(section?.identity ?? '');
      if (section === undefined || limited === undefined) throw new Error(`This worker has no section "${tenant}".`);
      checkUnchanged(section, settings);
      return limited.wrap(transport, () => rate.getStore());
    },
  });
  const current = newCurrent();
  const store = runStore(link.client, seal);
  const simulates = start.simulate !== undefined && start.simulate !== false;
  const shared = { link, seal, current, warn, simulates };
  const runs = { store, clock, doSlice: slicesOf(tenants, clock), isRepeatable: repeatableIn(registry) };
  if (perSecond !== undefined) {
    for (const tenant of identities) await link.client.set(keyOf.rate(tenant), String(perSecond));
  }
  const workers: QueueWorker[] = [...served].flatMap(([tenant, sections]) => {
    const queues = { link, tenant, slots, now: clock.elapsed };
    const own = { tenant, sectionOf: (label: string) => sectionFor(sections, label).tenant };
    return [
      startWorker({ ...queues, kind: 'shards', ...shardProcessor({ ...shared, ...own, tenants, own: rate }) }),
      startWorker({ ...queues, kind: 'runs', ...runProcessor({ ...shared, ...runs, ...own }) }),
    ];
  });
  const stops = await listenForStops(link, current);
  const labels = new Map(
    [...served].map(([tenant, sections]) => [tenant, sections.map(({ label }) => label)] as const),
  );
  const unserved = unservedTenants({ link, own: labels, warn });
  const alive = signsOfLife();
  try {
    onReady(identities);
    await untilAborted(signal);
    // Shards go on elsewhere from their journals; runs get their time.
    current.halt('shards');
    const late = lateEnd({ link, current, graceMs });
    await Promise.all(workers.map((worker) => worker.close()));
    late.clear();
  } finally {
    alive.end();
    await within(LAST_MS, () => link.client.del(keyOf.worker(alive.id))).catch(() => undefined);
    for (const rate of rates.values()) rate.close();
    await tenants.close();
  }

  /** Says every few seconds that this worker is alive, and looks for stops whose message was lost. */
  function signsOfLife() {
    const id = randomBytes(6).toString('hex');
    const started = new Date(clock.now()).toISOString();
    const record = { id, host: hostname(), pid: process.pid, version, slots, tenants: identities, started };
    const say = async () => {
      if (link.awayMs() > 0) return;
      await sayAlive(link.client, { ...record, ...current.counts() });
      await stops.look();
      await unserved.look();
    };
    const sayQuietly = () => void say().catch(() => undefined);
    sayQuietly();
    const timer = setInterval(sayQuietly, ALIVE_MS);
    return { id, end: () => clearInterval(timer) };
  }
}

/** Stops what runs when its time is up, and lets go of a Redis that does not answer. */
function lateEnd({ link, current, graceMs }: { link: RedisLink; current: Current; graceMs: number }) {
  const disconnect = () => void link.close();
  const halt = setTimeout(() => current.halt('runs'), Math.max(0, graceMs - LAST_MS));
  const last = setTimeout(disconnect, graceMs);
  const look = setInterval(() => {
    const { shards, runs } = current.counts();
    if (link.awayMs() > 0 && shards + runs === 0) disconnect();
  }, LOOK_MS);
  return {
    clear: () => {
      clearTimeout(halt);
      clearTimeout(last);
      clearInterval(look);
    },
  };
}
