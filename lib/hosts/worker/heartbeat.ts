/** Reports every few seconds that a worker is alive, and checks for stops whose message was lost. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { keyOf } from '../../runs/redis/connection/names.ts';
import type { RedisLink } from '../../runs/redis/connection/redis.ts';
import { within } from '../../runs/redis/connection/within.ts';
import type { CurrentJobs } from '../../runs/redis/workers/current.ts';
import type { Stops } from '../../runs/redis/workers/stops.ts';
import type { UnservedTenants } from '../../runs/redis/workers/unserved.ts';
import { reportAlive, type WorkerRecord } from '../../runs/redis/workers/workers.ts';

/** Time between two heartbeats, in milliseconds. */
const ALIVE_MS = 5000;
/** Time for the last message to Redis, in milliseconds. */
export const LAST_MS = 500;

export interface HeartbeatParts {
  readonly link: RedisLink;
  readonly current: CurrentJobs;
  readonly stops: Stops;
  readonly unserved: UnservedTenants;
  readonly record: Pick<WorkerRecord, 'version' | 'slots' | 'tenants' | 'started'>;
}

export class Heartbeat {
  readonly #parts: HeartbeatParts;
  readonly #record: Omit<WorkerRecord, 'shards' | 'runs'>;
  readonly #timer: NodeJS.Timeout;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
    this.#record = { ...parts.record, id: randomBytes(6).toString('hex'), host: hostname(), pid: process.pid };
    const beat = () => void this.#beat().catch(() => undefined);
    beat();
    this.#timer = setInterval(beat, ALIVE_MS);
  }

  /** Ends, and removes the record of the worker. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    const { client } = this.#parts.link;
    await within(LAST_MS, () => client.del(keyOf.worker(this.#record.id))).catch(() => undefined);
  }

  async #beat(): Promise<void> {
    const { link, current, stops, unserved } = this.#parts;
    if (link.awayMs() > 0) return;
    await reportAlive(link.client, { ...this.#record, ...current.counts() });
    await stops.look();
    await unserved.look();
  }
}
