/**
 * Sends shards through the queue, at the coordinator: stores payloads next to the queue, adds jobs that name them, and
 * collects their ends.
 */
import { randomBytes } from 'node:crypto';
import type { Job, Queue } from 'bullmq';
import { type ErrorObject, NetworkError } from '../../../core/errors.ts';
import type { Stop } from '../../../core/ports.ts';
import { untilStopped } from '../../../core/stop.ts';
import type { ShardEnd, ShardedCommand, ShardedScan, ShardItem, Shards } from '../../../runtime/bulk/shards.ts';
import { type Bell, Bells, rungWithin } from '../connection/bells.ts';
import { within } from '../connection/clock.ts';
import { KEEP_SECONDS, keyOf, SHARD_PIECES, STOPS } from '../connection/names.ts';
import { jobQueue, type RedisLink } from '../connection/redis.ts';
import { errorFrom, isPoisoned, redisError } from '../connection/redis-error.ts';
import type { Seal } from '../connection/seal.ts';
import { announceTenant, type QueueTenant } from '../workers/tenants.ts';
import { areOfOtherKind, otherService, workerCount } from '../workers/workers.ts';
import { readLog } from './log.ts';

/** The payload of a shard. */
export interface ShardPayload extends ShardedCommand {
  /** Tenant that owns the prompts, whatever queue the job is in. */
  readonly tenant: QueueTenant;
  /** Whether the shard is meant for the simulated service. */
  readonly simulates: boolean;
  /** Id of the scan. */
  readonly work: string;
  readonly rows: readonly number[];
  readonly items: readonly Omit<ShardItem, 'row'>[];
}

/** The job of a shard: it names the payload. */
export interface ShardJob {
  readonly id: string;
  /** Id of the scan. */
  readonly work: string;
}

/** How a worker reports that a shard has ended. */
export interface EndRecord {
  readonly failure?: ErrorObject;
}

/** Shards in flight per worker slot, with the minimum and maximum in total. */
const [FOR_EACH_SLOT, MIN_AHEAD, MAX_AHEAD] = [2, 4, 64];
/** Time between two checks of a shard without a message, in milliseconds. */
const LOOK_MS = 1000;
/** Time to record the end of a scan in Redis, in milliseconds. */
const STOP_MS = 2000;
/** Time without Redis after which a scan ends, in milliseconds. */
const MAX_AWAY_MS = 300_000;
/** A shard that fails because of its worker is retried on another. */
const OPTIONS = { removeOnComplete: true, attempts: 5, backoff: { type: 'exponential', delay: 250 } } as const;

export interface ShardsOptions {
  readonly link: RedisLink;
  readonly seal: Seal;
  readonly tenant: QueueTenant;
  /** Whether the shards are meant for the simulated service. */
  readonly simulates: boolean;
}

/** Creates the shards of a tenant. */
export function queueShards(options: ShardsOptions): Shards {
  return {
    open: (command, earlier) => QueuedScan.open(options, command, earlier ?? randomBytes(12).toString('hex')),
  };
}

interface ScanParts extends ShardsOptions {
  readonly id: string;
  readonly command: ShardedCommand;
  readonly queue: Queue<ShardJob>;
  readonly bells: Bells;
  readonly bell: Bell;
}

class QueuedScan implements ShardedScan {
  readonly id: string;
  readonly #parts: ScanParts;
  /** Sealed payloads of the shards in flight, by number. */
  readonly #out = new Map<number, Buffer>();
  #slots: number;

  private constructor(parts: ScanParts, slots: number) {
    this.id = parts.id;
    this.#parts = parts;
    this.#slots = slots;
  }

  static async open(options: ShardsOptions, command: ShardedCommand, id: string): Promise<QueuedScan> {
    const { link, tenant } = options;
    const { client } = link;
    const queue = jobQueue<ShardJob>(link, 'shards', tenant.identity);
    await announceTenant(client, tenant);
    await client.del(keyOf.stopped(id));
    const bells = await Bells.open(link);
    const bell = await bells.listen(keyOf.bell(id));
    const slots = await workerCount(client, tenant.identity);
    return new QueuedScan({ ...options, command, id, queue, bells, bell }, slots);
  }

  ahead(): number {
    return Math.min(MAX_AHEAD, Math.max(MIN_AHEAD, this.#slots * FOR_EACH_SLOT));
  }

  async hand(number: number, items: readonly ShardItem[]): Promise<boolean> {
    const { link, seal, tenant, simulates } = this.#parts;
    const payload: ShardPayload = {
      ...this.#parts.command,
      simulates,
      tenant,
      work: this.id,
      rows: items.map(({ row }) => row),
      items: items.map(({ row: _row, ...item }) => item),
    };
    const sealed = seal.seal(this.#key(number, 'in'), JSON.stringify(payload));
    this.#out.set(number, sealed);
    try {
      const isNew = await this.#keep(number, sealed);
      if (!isNew) await this.#reopen(number);
      await this.#add(number);
      return isNew;
    } catch (thrown) {
      throw redisError(thrown, link.name);
    }
  }

  async ended(number: number, stop: Stop | undefined): Promise<ShardEnd> {
    const { link } = this.#parts;
    for (let turn = 0; ; turn += 1) {
      const ring = this.#parts.bell.next();
      if (link.awayMs() > MAX_AWAY_MS) throw away(link.name);
      try {
        const found = await untilStopped(this.#look(number, turn > 0 && !ring.isOver()), stop);
        if (found !== undefined) return found;
        await untilStopped(rungWithin(ring, LOOK_MS), stop);
      } catch (thrown) {
        const sealed = this.#out.get(number);
        if (!isPoisoned(thrown) || sealed === undefined) throw redisError(thrown, link.name);
        const aside = `the shard ${this.#name(number)} cannot be read (${thrown.message.slice(0, 200)}).`;
        return { rows: this.#rowsOf(number, sealed), results: [], notes: [], aside };
      }
    }
  }

  async forget(number: number): Promise<void> {
    this.#out.delete(number);
    await this.#parts.link.client.unlink(SHARD_PIECES.map((piece) => this.#key(number, piece)));
  }

  async close(isComplete: boolean): Promise<void> {
    // An unreachable Redis must not delay the end of the scan.
    if (!isComplete && this.#parts.link.awayMs() === 0) await within(STOP_MS, () => this.#stop()).catch(ignore);
    this.#parts.bells.close();
    await within(STOP_MS, () => this.#parts.queue.close()).catch(ignore);
  }

  /** Checks whether a shard has ended, and queues it again if Redis has lost it. */
  async #look(number: number, isThorough: boolean): Promise<ShardEnd | undefined> {
    const { link, tenant, simulates } = this.#parts;
    const end = await this.#endOf(number);
    if (end?.failure !== undefined) return this.#result(number, { failure: errorFrom(end.failure) });
    if (end !== undefined) return this.#result(number, {});
    if (!isThorough) return undefined;
    // Write something to check that Redis still accepts writes.
    await link.client.set(keyOf.alive(this.id), '1', 'EX', 60);
    this.#slots = await workerCount(link.client, tenant.identity);
    if (this.#slots === 0 && (await areOfOtherKind(link.client, simulates))) throw otherService(!simulates);
    const job: Job<ShardJob> | undefined = await this.#parts.queue.getJob(this.#name(number));
    if (job !== undefined) {
      return (await job.isFailed()) ? this.#result(number, { aside: asideText(job) }) : undefined;
    }
    const payload = this.#out.get(number);
    if (payload !== undefined) await this.#keepAgain(number, payload);
    await this.#add(number);
    return undefined;
  }

  async #result(number: number, rest: Pick<ShardEnd, 'failure' | 'aside'>): Promise<ShardEnd> {
    const { link, seal } = this.#parts;
    const [payload, results, notes] = await Promise.all([
      link.client.getBuffer(this.#key(number, 'in')),
      readLog(link.client, seal, this.#key(number, 'results')),
      readLog(link.client, seal, this.#key(number, 'notes')),
    ]);
    // A failed shard's payload may be unreadable.
    const own = this.#out.get(number);
    const kept = rest.aside === undefined ? (payload ?? own) : own;
    return { rows: this.#rowsOf(number, kept ?? Buffer.alloc(0)), results, notes, ...rest };
  }

  #rowsOf(number: number, sealed: Buffer): readonly number[] {
    return (JSON.parse(this.#parts.seal.open(this.#key(number, 'in'), sealed)) as ShardPayload).rows;
  }

  async #endOf(number: number): Promise<EndRecord | undefined> {
    const { link, seal } = this.#parts;
    const key = this.#key(number, 'end');
    const sealed = await link.client.getBuffer(key);
    return sealed === null ? undefined : (JSON.parse(seal.open(key, sealed)) as EndRecord);
  }

  async #add(number: number): Promise<void> {
    const id = this.#name(number);
    await this.#parts.queue.add('shard', { id, work: this.id }, { jobId: id, ...OPTIONS });
  }

  /** Stores the payload if it is missing. @returns true if it was missing */
  async #keep(number: number, payload: Buffer): Promise<boolean> {
    const { client } = this.#parts.link;
    return (await client.set(this.#key(number, 'in'), payload, 'EX', KEEP_SECONDS, 'NX')) === 'OK';
  }

  /**
   * Stores a payload that Redis may have lost. Mark it as lost first: a worker may have sent its prompts, and its notes
   * are lost too.
   */
  async #keepAgain(number: number, payload: Buffer): Promise<void> {
    const { client } = this.#parts.link;
    if ((await client.exists(this.#key(number, 'in'))) > 0) return;
    await client.set(this.#key(number, 'lost'), '1', 'EX', KEEP_SECONDS);
    await this.#keep(number, payload);
  }

  /** Removes the shard's earlier end, so that it can continue. */
  async #reopen(number: number): Promise<void> {
    const end = await this.#endOf(number);
    if (end?.failure !== undefined) await this.#parts.link.client.del(this.#key(number, 'end'));
    const job = await this.#parts.queue.getJob(this.#name(number));
    if ((await job?.isFailed()) === true) await job?.remove();
  }

  /** Withdraws queued shards and stops running shards; resuming the scan continues both. */
  async #stop(): Promise<void> {
    const { client } = this.#parts.link;
    await client.set(keyOf.stopped(this.id), '1', 'EX', KEEP_SECONDS);
    await client.publish(STOPS, this.id);
    for (const number of this.#out.keys()) {
      await (await this.#parts.queue.getJob(this.#name(number)))?.remove().catch(ignore);
    }
  }

  #name(number: number): string {
    return `${this.id}-${number}`;
  }

  #key(number: number, piece: string): string {
    return keyOf.shard(this.#name(number), piece);
  }
}

function asideText({ id, failedReason }: Job): string {
  return `the shard ${id} was set aside after several attempts (${failedReason.slice(0, 200)}).`;
}

function away(name: string): NetworkError {
  return new NetworkError(`Redis at ${name} has not answered for ${MAX_AWAY_MS / 60_000} minutes.`, {
    hint: 'Start it again with its append-only file, and resume.',
  });
}

function ignore(): void {
  // The connection retries by itself, or the end of the scan does not depend on it.
}
