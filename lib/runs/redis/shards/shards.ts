/** Shards through the queue, at the coordinator: payloads beside the queue, jobs that name them, and ends that come back. */
import { randomBytes } from 'node:crypto';
import { type Job, Queue } from 'bullmq';
import type { ShardEnd, ShardedCommand, ShardedWork, ShardItem, Shards } from '../../../bulk/shards.ts';
import { type ErrorObject, NetworkError } from '../../../engine/errors.ts';
import type { Stop } from '../../../engine/ports.ts';
import { untilStopped } from '../../../engine/stop.ts';
import { openBells } from '../connection/bells.ts';
import { KEEP_SECONDS, keyOf, PREFIX, queueName, STOPS } from '../connection/names.ts';
import type { RedisLink } from '../connection/redis.ts';
import { isPoisoned, redisError } from '../connection/redis-error.ts';
import type { Seal } from '../connection/seal.ts';
import { within } from '../connection/within.ts';
import { otherService } from '../workers/other-service.ts';
import { announceTenant, type QueueTenant } from '../workers/tenants.ts';
import { areOfOtherKind, workerCount } from '../workers/workers.ts';
import { errorFrom } from './error-object.ts';
import { readLog } from './log.ts';

/** What a worker needs of a shard. */
export interface ShardPayload extends ShardedCommand {
  /** Whose prompts they are: a job on the queue of another tenant does not change it. */
  readonly tenant: QueueTenant;
  /** It is meant for the simulated service. */
  readonly simulates: boolean;
  readonly work: string;
  readonly rows: readonly number[];
  readonly items: readonly Omit<ShardItem, 'row'>[];
}

/** The job of a shard: it names the payload. */
export interface ShardJob {
  readonly id: string;
  readonly work: string;
}

/** How a worker says that a shard has ended. */
export interface EndRecord {
  readonly failure?: ErrorObject;
}

/** Shards in flight for each slot of a worker, and at least and at most in all. */
const [FOR_EACH_SLOT, MIN_AHEAD, MAX_AHEAD] = [2, 4, 64];
/** Time between two looks at a shard that nobody tells anything about, in milliseconds. */
const LOOK_MS = 1000;
/** Time to tell Redis about the end of a run, in milliseconds. */
const STOP_MS = 2000;
/** Time without Redis after which a run ends, in milliseconds. */
const MAX_AWAY_MS = 300_000;
/** A shard that fails for a reason of its worker is tried elsewhere. */
const OPTIONS = { removeOnComplete: true, attempts: 5, backoff: { type: 'exponential', delay: 250 } } as const;
const PIECES = ['in', 'results', 'notes', 'owner', 'end'];

export interface ShardsOptions {
  readonly link: RedisLink;
  readonly seal: Seal;
  readonly tenant: QueueTenant;
  /** The shards are meant for the simulated service. */
  readonly simulates: boolean;
}

/** Creates the shards of a tenant. */
export function queueShards(options: ShardsOptions): Shards {
  return { open: (command, earlier) => openWork(options, command, earlier ?? randomBytes(12).toString('hex')) };
}

async function openWork({ link, seal, tenant, simulates }: ShardsOptions, shared: ShardedCommand, id: string) {
  const { client } = link;
  const queue = new Queue<ShardJob>(queueName('shards', tenant.identity), { connection: client, prefix: PREFIX });
  queue.on('error', ignore);
  await announceTenant(client, tenant);
  await client.del(keyOf.stopped(id));
  const bells = await openBells(link);
  const bell = await bells.listen(keyOf.bell(id));
  const out = new Map<number, Buffer>();
  let slots = await workerCount(client, tenant.identity);
  const idOf = (number: number) => `${id}-${number}`;

  const add = async (number: number) => {
    const shard = idOf(number);
    await queue.add('shard', { id: shard, work: id }, { jobId: shard, ...OPTIONS });
  };

  /** Keeps the payload, unless it is there. @returns whether it was not */
  const keep = async (number: number, payload: Buffer) => {
    const done = await client.set(keyOf.shard(idOf(number), 'in'), payload, 'EX', KEEP_SECONDS, 'NX');
    return done === 'OK';
  };

  /** Removes how the shard ended before, so that it can go on. */
  const reopen = async (number: number) => {
    const end = await endOf(link, seal, idOf(number));
    if (end?.failure !== undefined) await client.del(keyOf.shard(idOf(number), 'end'));
    const job = await queue.getJob(idOf(number));
    if ((await job?.isFailed()) === true) await job?.remove();
  };

  const result = async (number: number, rest: Pick<ShardEnd, 'failure' | 'aside'>): Promise<ShardEnd> => {
    const shard = idOf(number);
    const [payload, results, notes] = await Promise.all([
      client.getBuffer(keyOf.shard(shard, 'in')),
      readLog(client, seal, keyOf.shard(shard, 'results')),
      readLog(client, seal, keyOf.shard(shard, 'notes')),
    ]);
    // What was set aside may be what nobody can read.
    const kept = rest.aside === undefined ? (payload ?? out.get(number)) : out.get(number);
    const { rows } = JSON.parse(seal.open(keyOf.shard(shard, 'in'), kept ?? Buffer.alloc(0))) as ShardPayload;
    return { rows, results, notes, ...rest };
  };

  /** Looks whether a shard has ended, and hands it out again if Redis has lost it. */
  const look = async (number: number, isThorough: boolean): Promise<ShardEnd | undefined> => {
    const end = await endOf(link, seal, idOf(number));
    if (end !== undefined) return result(number, end.failure === undefined ? {} : { failure: errorFrom(end.failure) });
    if (!isThorough) return undefined;
    // A write tells whether Redis still takes any.
    await client.set(keyOf.alive(id), '1', 'EX', 60);
    slots = await workerCount(client, tenant.identity);
    if (slots === 0 && (await areOfOtherKind(client, simulates))) throw otherService(!simulates);
    const job: Job<ShardJob> | undefined = await queue.getJob(idOf(number));
    if (job !== undefined) {
      return (await job.isFailed()) ? result(number, { aside: asideText(job) }) : undefined;
    }
    const payload = out.get(number);
    if (payload !== undefined) await keep(number, payload);
    await add(number);
    return undefined;
  };

  const ended = async (number: number, stop: Stop | undefined): Promise<ShardEnd> => {
    for (let turn = 0; ; turn += 1) {
      const ring = bell.next();
      if (link.awayMs() > MAX_AWAY_MS) throw away(link.name);
      try {
        const found = await untilStopped(look(number, turn > 0 && !ring.isOver()), stop);
        if (found !== undefined) return found;
        const pause = timer(LOOK_MS);
        await untilStopped(Promise.race([ring.rung, pause.over]), stop).finally(pause.clear);
      } catch (thrown) {
        const sealed = out.get(number);
        if (!isPoisoned(thrown) || sealed === undefined) throw redisError(thrown, link.name);
        const { rows } = JSON.parse(seal.open(keyOf.shard(idOf(number), 'in'), sealed)) as ShardPayload;
        const aside = `the shard ${idOf(number)} cannot be read (${thrown.message.slice(0, 200)}).`;
        return { rows, results: [], notes: [], aside };
      }
    }
  };

  const work: ShardedWork = {
    id,
    ahead: () => Math.min(MAX_AHEAD, Math.max(MIN_AHEAD, slots * FOR_EACH_SLOT)),
    hand: async (number, items) => {
      const shard = idOf(number);
      const rows = items.map(({ row }) => row);
      const payload: ShardPayload = {
        ...shared,
        simulates,
        tenant,
        work: id,
        rows,
        items: items.map(({ row: _row, ...item }) => item),
      };
      const sealed = seal.seal(keyOf.shard(shard, 'in'), JSON.stringify(payload));
      out.set(number, sealed);
      try {
        const isNew = await keep(number, sealed);
        if (!isNew) await reopen(number);
        await add(number);
        return isNew;
      } catch (thrown) {
        throw redisError(thrown, link.name);
      }
    },
    ended,
    forget: async (number) => {
      out.delete(number);
      await client.unlink(PIECES.map((piece) => keyOf.shard(idOf(number), piece)));
    },
    close: async (isComplete) => {
      // A Redis that is away must not keep the end of the run.
      if (!isComplete && link.awayMs() === 0) {
        await within(STOP_MS, () => stopShards(link, queue, id, [...out.keys()].map(idOf))).catch(ignore);
      }
      bells.close();
      await within(STOP_MS, () => queue.close()).catch(ignore);
    },
  };
  return work;
}

/** Takes back what waits, and stops what runs; a later run goes on with both. */
async function stopShards({ client }: RedisLink, queue: Queue, work: string, shards: readonly string[]) {
  await client.set(keyOf.stopped(work), '1', 'EX', KEEP_SECONDS);
  await client.publish(STOPS, work);
  for (const id of shards) await (await queue.getJob(id))?.remove().catch(ignore);
}

async function endOf({ client }: RedisLink, seal: Seal, shard: string): Promise<EndRecord | undefined> {
  const key = keyOf.shard(shard, 'end');
  const sealed = await client.getBuffer(key);
  return sealed === null ? undefined : (JSON.parse(seal.open(key, sealed)) as EndRecord);
}

function asideText({ id, failedReason }: Job): string {
  return `the shard ${id} was set aside after several attempts (${failedReason.slice(0, 200)}).`;
}

function timer(milliseconds: number) {
  let timeout: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timeout = setTimeout(resolve, milliseconds);
  });
  return { over, clear: () => clearTimeout(timeout) };
}

function away(name: string): NetworkError {
  return new NetworkError(`Redis at ${name} has not answered for ${MAX_AWAY_MS / 60_000} minutes.`, {
    hint: 'Start it again with its append-only file, and resume.',
  });
}

function ignore(): void {
  // The connection tries again by itself, or the end of the run does not depend on it.
}
