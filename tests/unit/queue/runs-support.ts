/** Runs in a test's Redis, and workers for them. */
import { createHash, randomBytes } from 'node:crypto';
import { ServiceError } from '../../../lib/core/errors.ts';
import { nodeClock } from '../../../lib/node/system/clock.ts';
import { InProcessRuns } from '../../../lib/runs/in-process.ts';
import type { PerformRun, Runs } from '../../../lib/runs/port.ts';
import { openQueue, type Queue } from '../../../lib/runs/redis/queue.ts';
import { RunStore } from '../../../lib/runs/redis/runs/run-store.ts';
import { type PerformSlice, RunProcessor, type RunProcessorParts } from '../../../lib/runs/redis/runs/run-worker.ts';
import { QueuedRuns } from '../../../lib/runs/redis/runs/runs.ts';
import { CurrentJobs, listenForStops, startWorker } from '../../../lib/runs/redis/workers/worker.ts';
import { reportAlive } from '../../../lib/runs/redis/workers/workers.ts';
import { machineClock } from '../../support/machine.ts';
import type { RedisServer } from './redis-server.ts';

const clock = nodeClock();

/** Work of this process, which no test requests. */
const noWork: PerformRun = () => Promise.reject(new ServiceError('Nothing is done here.'));

/** Returns the identity of a made-up tenant. */
export function identityOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}

/** Opens runs for a separate tenant. */
export async function runsOn(
  url: string,
  profile: string,
  maxQueued?: number,
  key?: string,
): Promise<Runs & { disconnect(): Promise<void>; end(): Promise<void> }> {
  const { link, seal, close } = await openQueue({ url, key });
  const runs = await QueuedRuns.open({
    ...{ link, seal, clock, profile, simulates: true },
    local: new InProcessRuns({ perform: noWork, clock }),
    identityOf: async (tenant) => identityOf(tenant === '' ? profile : tenant),
    isLocal: ({ kind }) => kind !== 'command',
    ...(maxQueued === undefined ? {} : { maxQueued }),
  });
  const end = async () => {
    await runs.close(0);
    await close();
  };
  return Object.assign(runs, { disconnect: close, end });
}

/** A worker that the queue does not know: the test assigns its jobs, as the queue does after a lock was lost. */
export function processorOf(
  { link, seal }: Pick<Queue, 'link' | 'seal'>,
  performSlice: PerformSlice,
  parts: Partial<RunProcessorParts> & Pick<RunProcessorParts, 'tenant'>,
  isRepeatable = true,
) {
  const warnings: string[] = [];
  const every: RunProcessorParts = {
    ...{ link, seal, clock, performSlice, simulates: true, sectionOf: () => '' },
    ...{ store: new RunStore(link.client, seal), current: new CurrentJobs(), commandOf: async () => undefined },
    ...{ isRepeatable: () => isRepeatable, warn: (text: string) => void warnings.push(text) },
    ...parts,
  };
  return Object.assign(new RunProcessor(every), { current: every.current, warnings });
}

/** Starts a worker for a tenant. */
export async function workOn(
  url: string,
  profile: string,
  performSlice: PerformSlice,
  slots: number,
  isRepeatable = true,
) {
  const { link, seal, close } = await openQueue({ url });
  const tenant = identityOf(profile);
  const handlers = processorOf({ link, seal }, performSlice, { tenant }, isRepeatable);
  const stops = await listenForStops(link, handlers.current);
  const worker = startWorker({ link, kind: 'runs', tenant, slots, now: machineClock.now, handlers });
  const record = { host: 'test', pid: 1, version: '0', slots, tenants: [tenant], started: '', shards: 0, runs: 0 };
  const id = randomBytes(6).toString('hex');
  await reportAlive(link.client, { id, ...record });
  return {
    close: async () => {
      handlers.current.halt('runs');
      await worker.close();
      stops.close();
      await link.client.del(`aisec:worker:${id}`);
      await close();
    },
  };
}

/** A connection to an empty Redis for each test. */
export function queueForEach(redis: RedisServer): Queue {
  const queue = {} as Queue;
  beforeEach(async () => {
    await redis.flush();
    Object.assign(queue, await openQueue({ url: redis.url }));
  });
  afterEach(() => queue.close());
  return queue;
}

let count = 0;
/** Names a new tenant. */
export function newProfile(): string {
  count += 1;
  return `tenant-${count}`;
}
