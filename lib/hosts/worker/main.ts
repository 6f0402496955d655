/** Runs the worker: performs the shards and runs that other processes have queued. */

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Simulate } from '../../client/simulation.ts';
import type { StartOptions } from '../../client/types.ts';
import type { Clock } from '../../core/ports.ts';
import { catalogueEntry } from '../../manifest/command-catalogue.ts';
import { declarationsOf } from '../../manifest/describe.ts';
import { filesDirectory } from '../../node/files/unfinished.ts';
import { endedInTime, untilAborted } from '../../node/system/stop.ts';
import { type Audit, openAudit } from '../../runs/audit/audit.ts';
import { recordedCalls } from '../../runs/audit/calls.ts';
import { sharedClock, within } from '../../runs/redis/connection/clock.ts';
import { keyOf } from '../../runs/redis/connection/names.ts';
import type { RedisLink } from '../../runs/redis/connection/redis.ts';
import { checkPersistence, openQueue, type Queue, type QueueOptions } from '../../runs/redis/queue.ts';
import { RunStore } from '../../runs/redis/runs/run-store.ts';
import { RunProcessor } from '../../runs/redis/runs/run-worker.ts';
import { UnservedTenants } from '../../runs/redis/workers/tenants.ts';
import {
  CurrentJobs,
  listenForStops,
  type QueueWorker,
  type Stops,
  startWorker,
} from '../../runs/redis/workers/worker.ts';
import { reportAlive, type WorkerRecord } from '../../runs/redis/workers/workers.ts';
import { checkUnchanged, sectionFor, TenantSections, Tenants } from '../../runs/tenants.ts';
import type { Registry } from '../../runtime/engine/command.ts';
import { commandsIn, isRepeatable, ShardProcessor, slicesOf } from './perform-job.ts';
import { joinRates, type ServedTenants, servedTenants, type WorkerRates } from './sections.ts';

export interface WorkerParts {
  readonly registry: Registry;
  readonly simulated: Simulate;
  readonly version: string;
}

export interface WorkerOptions {
  readonly client: StartOptions;
  readonly queue: QueueOptions;
  /** Settings sections to serve, besides the default section. */
  readonly profiles: readonly string[];
  /** The default section; its settings may also come from the environment. */
  readonly profile: string;
  /** Concurrent shards, and concurrent runs, for each tenant. */
  readonly slots: number;
  /** Requests that all workers together may send to a tenant per second; undefined keeps the current rate. */
  readonly perSecond: number | undefined;
  /** Time for running jobs after the signal, in milliseconds. */
  readonly graceMs: number;
  /** Refuse a Redis that may forget runs. */
  readonly strict?: boolean;
  /** Path of the audit log for runs; without it, there is no audit log. */
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
/** Time between two checks of whether Redis is reachable, in milliseconds. */
const LOOK_MS = 200;

/** Works until the signal. @throws ConfigurationError or NetworkError if the queue cannot be used */
export async function runWorker(parts: WorkerParts, options: WorkerOptions, streams: WorkerStreams): Promise<void> {
  let isReady = false;
  const onReady: WorkerStreams['onReady'] = (tenants) => {
    isReady = true;
    streams.onReady(tenants);
  };
  const work = onQueue(parts, options, { ...streams, onReady }, () => isReady);
  await endedInTime(work, streams.signal, () => (isReady ? options.graceMs : 0) + LAST_MS);
}

async function onQueue(
  parts: WorkerParts,
  options: WorkerOptions,
  streams: WorkerStreams,
  isReady: () => boolean,
): Promise<void> {
  const { signal, warn } = streams;
  const queue = await openQueue(options.queue, 'waits', warn);
  // A worker that is not ready has no jobs; closing the connection ends its waits for Redis.
  void untilAborted(signal).then(() => (isReady() ? undefined : queue.close()));
  try {
    await checkPersistence(queue.link, options.strict === true, warn);
    const audit = await openAudit(options.auditFile, { registry: parts.registry, warn });
    try {
      await withFiles(queue, audit, parts, options, streams);
    } finally {
      await audit.close();
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  } finally {
    await queue.close();
  }
}

async function withFiles(
  queue: Queue,
  audit: Audit,
  parts: WorkerParts,
  options: WorkerOptions,
  streams: WorkerStreams,
): Promise<void> {
  const { directory, remove } = await filesDirectory(options.client.filesDirectory, 'aisec-worker-');
  try {
    const { client: start, profiles, profile } = options;
    const { signal, warn } = streams;
    const clock = await sharedClock(queue.link);
    const served = await servedTenants({ sections: new TenantSections(start, signal), profile, profiles, warn });
    const rates = await joinRates(queue.link, [...served.keys()], clock);
    const current = new CurrentJobs();
    await work({ ...parts, ...streams, options, queue, clock, served, rates, audit, directory, current });
  } finally {
    await remove();
  }
}

interface Host extends WorkerParts, WorkerStreams {
  readonly options: WorkerOptions;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly served: ServedTenants;
  readonly rates: WorkerRates;
  readonly audit: Audit;
  readonly directory: string;
  readonly current: CurrentJobs;
}

async function work(host: Host): Promise<void> {
  const { served, rates, onReady, signal } = host;
  const identities = [...served.keys()];
  const tenants = await openTenants(host);
  await setRate(host, identities);
  const workers = startWorkers(host, tenants);
  const endHeartbeat = await reportWorker(host, identities);
  try {
    onReady(identities);
    await untilAborted(signal);
    await finish(host, workers);
  } finally {
    await endHeartbeat();
    rates.close();
    await tenants.close();
  }
}

async function openTenants(host: Host): Promise<Tenants> {
  const { registry, simulated, options, directory, audit, clock, served, rates } = host;
  // The default section has no name here, so that its settings may come from the environment.
  const bySection = new Map([...served.values()].flat().map((section) => [section.tenant, section] as const));
  return new Tenants({
    parts: { registry, simulated, advice: ADVICE },
    start: options.client,
    directory,
    catalogue: (await declarationsOf(registry)).map(catalogueEntry),
    watch: recordedCalls({ audit, clock }),
    wrap: (name) => (transport, settings) => {
      const section = bySection.get(name);
      if (section === undefined) throw new Error(`This worker has no section "${name}".`);
      checkUnchanged(section, settings);
      return rates.wrap(section.identity, transport);
    },
  });
}

async function setRate({ queue, options: { perSecond } }: Host, identities: readonly string[]): Promise<void> {
  if (perSecond === undefined) return;
  for (const tenant of identities) await queue.link.client.set(keyOf.rate(tenant), String(perSecond));
}

function startWorkers(host: Host, tenants: Tenants): QueueWorker[] {
  const { registry, options, queue, clock, served, rates, warn, current } = host;
  const { link, seal } = queue;
  const { client, slots } = options;
  const simulates = client.simulate !== undefined && client.simulate !== false;
  const shared = { ...queue, current, warn, simulates };
  const store = new RunStore(link.client, seal);
  const performSlice = slicesOf(tenants, clock);
  const runs = { store, clock, performSlice, commandOf: commandsIn(registry), isRepeatable };
  return [...served].flatMap(([tenant, sections]) => {
    const setup = { link, tenant, slots, now: clock.elapsed };
    const own = { tenant, sectionOf: (label: string) => sectionFor(sections, label).tenant };
    const shardHandlers = new ShardProcessor({ ...shared, ...own, tenants, rates });
    const runHandlers = new RunProcessor({ ...shared, ...runs, ...own });
    return [
      startWorker({ ...setup, kind: 'shards', handlers: shardHandlers }),
      startWorker({ ...setup, kind: 'runs', handlers: runHandlers }),
    ];
  });
}

async function reportWorker(host: Host, tenants: readonly string[]): Promise<() => Promise<void>> {
  const { served, version, options, clock, warn, current, queue } = host;
  const { link } = queue;
  const labels = new Map(
    [...served].map(([tenant, sections]) => [tenant, sections.map(({ label }) => label)] as const),
  );
  return startHeartbeat({
    link,
    current,
    stops: await listenForStops(link, current),
    unserved: new UnservedTenants({ link, own: labels, warn }),
    record: { version, slots: options.slots, tenants, started: new Date(clock.now()).toISOString() },
  });
}

/** Stops the workers: shards continue elsewhere from their journals, runs get time to finish. */
async function finish({ current, queue: { link }, options: { graceMs } }: Host, workers: readonly QueueWorker[]) {
  const disconnect = () => void link.close();
  current.halt('shards');
  const halt = setTimeout(() => current.halt('runs'), Math.max(0, graceMs - LAST_MS));
  const last = setTimeout(disconnect, graceMs);
  const look = setInterval(() => {
    const { shards, runs } = current.counts();
    // Disconnect from a Redis that does not answer.
    if (link.awayMs() > 0 && shards + runs === 0) disconnect();
  }, LOOK_MS);
  await Promise.all(workers.map((worker) => worker.close()));
  clearTimeout(halt);
  clearTimeout(last);
  clearInterval(look);
}

/** Time between two heartbeats, in milliseconds. */
const ALIVE_MS = 5000;
/** Time limit for the last message to Redis, in milliseconds. */
export const LAST_MS = 500;

export interface HeartbeatParts {
  readonly link: RedisLink;
  readonly current: CurrentJobs;
  readonly stops: Stops;
  readonly unserved: UnservedTenants;
  readonly record: Pick<WorkerRecord, 'version' | 'slots' | 'tenants' | 'started'>;
}

/** Starts the heartbeat. @returns a function that ends it and removes the worker's record */
export function startHeartbeat({ link, current, stops, unserved, record }: HeartbeatParts): () => Promise<void> {
  const id = randomBytes(6).toString('hex');
  const beat = async () => {
    if (link.awayMs() > 0) return;
    await reportAlive(link.client, { ...record, id, host: hostname(), pid: process.pid, ...current.counts() });
    await stops.look();
    await unserved.look();
  };
  const tryToBeat = () => void beat().catch(() => undefined);
  tryToBeat();
  const timer = setInterval(tryToBeat, ALIVE_MS);
  return async () => {
    clearInterval(timer);
    await within(LAST_MS, () => link.client.del(keyOf.worker(id))).catch(() => undefined);
  };
}
