/** The worker: does the shards and runs that others have put on the queue. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Registry } from '../../command.ts';
import type { Simulate } from '../../library/simulation.ts';
import type { StartOptions } from '../../library/types.ts';
import { entryOf } from '../../manifest/command-catalogue.ts';
import { declarationsOf } from '../../manifest/describe.ts';
import { filesDirectory } from '../../node/files-directory.ts';
import { untilAborted } from '../../node/stop.ts';
import type { QueueOptions } from '../../queue/address.ts';
import { sharedClock } from '../../queue/clock.ts';
import { newCurrent } from '../../queue/current.ts';
import { keyOf, tenantName } from '../../queue/names.ts';
import { openQueue } from '../../queue/queue.ts';
import { joinRate, type OwnRate } from '../../queue/rate.ts';
import { runStore } from '../../queue/run-store.ts';
import { runProcessor } from '../../queue/run-worker.ts';
import { listenForStops } from '../../queue/stops.ts';
import { type QueueWorker, startWorker } from '../../queue/worker.ts';
import { sayAlive } from '../../queue/workers.ts';
import { type Audit, openAudit } from '../../runs/audit/audit.ts';
import { recordedCalls } from '../../runs/audit/calls.ts';
import { openTenants } from '../../runs/tenants.ts';
import { repeatableIn, slicesOf } from './run.ts';
import { shardProcessor } from './shard.ts';

export interface WorkerParts {
  readonly registry: Registry;
  readonly simulated: Simulate;
  readonly version: string;
}

export interface WorkerOptions {
  readonly client: StartOptions;
  readonly queue: QueueOptions;
  /** The sections of the settings file that it works for; empty: the one that is used without a name. */
  readonly profiles: readonly string[];
  /** The section of the start; its settings may come from the environment too. */
  readonly profile: string;
  /** Shards, and runs, at the same time, for each tenant. */
  readonly slots: number;
  /** Requests that all workers together may send to a tenant in a second; undefined: as it is set. */
  readonly perSecond: number | undefined;
  /** Time for what runs after the signal, in milliseconds. */
  readonly graceMs: number;
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

/** Works until the signal. @throws ConfigurationError or NetworkError if the queue cannot be used */
export async function work(parts: WorkerParts, options: WorkerOptions, streams: WorkerStreams): Promise<void> {
  const queue = await openQueue(options.queue);
  try {
    const audit = await openAudit(options.auditFile, { registry: parts.registry, warn: streams.warn });
    try {
      await workWith(audit, queue, parts, options, streams);
    } finally {
      await audit.close();
    }
  } finally {
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
  // The start's own section is the tenant without a name here, so that its settings may come from the environment.
  const names = [...new Set([profile, ...profiles])];
  const own = new AsyncLocalStorage<OwnRate | undefined>();
  const rates = new Map(
    await Promise.all(names.map(async (name) => [name, await joinRate(link, tenantName(name), clock)] as const)),
  );
  const tenants = openTenants({
    parts: { registry, simulated, advice: ADVICE },
    start,
    directory,
    catalogue: commands.map(entryOf),
    watch: recordedCalls({ audit, registry, clock }),
    wrap: (tenant) => (transport) =>
      rates.get(tenant === '' ? profile : tenant)?.wrap(transport, () => own.getStore()) ?? transport,
  });
  const current = newCurrent();
  const store = runStore(link.client, seal);
  const simulates = start.simulate !== undefined && start.simulate !== false;
  const shared = { link, seal, current, warn, simulates };
  const runs = { store, clock, doSlice: slicesOf(tenants, clock), isRepeatable: repeatableIn(registry) };
  if (perSecond !== undefined) {
    for (const name of names) await link.client.set(keyOf.rate(tenantName(name)), String(perSecond));
  }
  const workers: QueueWorker[] = names.flatMap((name) => {
    const tenant = name === profile ? '' : name;
    const queues = { link, tenant: tenantName(name), slots, now: clock.elapsed };
    return [
      startWorker({ ...queues, kind: 'shards', ...shardProcessor({ ...shared, tenants, tenant, own }) }),
      startWorker({ ...queues, kind: 'runs', ...runProcessor({ ...shared, ...runs, tenant }) }),
    ];
  });
  const stops = await listenForStops(link, current);
  const alive = signsOfLife();
  try {
    onReady(names.map(tenantName));
    await untilAborted(signal);
    // Shards go on elsewhere from their journals; runs get their time.
    current.halt('shards');
    const late = setTimeout(() => current.halt('runs'), graceMs);
    await Promise.all(workers.map((worker) => worker.close()));
    clearTimeout(late);
  } finally {
    alive.end();
    await link.client.del(keyOf.worker(alive.id)).catch(() => undefined);
    for (const rate of rates.values()) rate.close();
    await tenants.close();
  }

  /** Says every few seconds that this worker is alive, and looks for stops whose message was lost. */
  function signsOfLife() {
    const id = randomBytes(6).toString('hex');
    const started = new Date(clock.now()).toISOString();
    const record = { id, host: hostname(), pid: process.pid, version, slots, tenants: names.map(tenantName), started };
    const say = async () => {
      if (link.awayMs() > 0) return;
      await sayAlive(link.client, { ...record, ...current.counts() });
      await stops.look();
    };
    const sayQuietly = () => void say().catch(() => undefined);
    sayQuietly();
    const timer = setInterval(sayQuietly, ALIVE_MS);
    return { id, end: () => clearInterval(timer) };
  }
}
