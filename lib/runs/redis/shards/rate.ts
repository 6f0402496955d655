/** Shares one rate limit and one brake across a tenant's workers: a 429 anywhere slows down all workers. */
import type { Redis } from 'ioredis';
import type { Clock, Stop, Transport } from '../../../core/ports.ts';
import { retryAfterOf } from '../../../runtime/api/retry.ts';
import { keyOf } from '../connection/names.ts';
import type { RedisLink } from '../connection/redis.ts';

/** Maximum wait for the next request, in milliseconds: aisec never writes a longer wait. */
const MAX_NEXT_MS = 3_600_000;

/**
 * Reserves the next moment at which a request may be sent (a leaky bucket, GCRA). Returns the wait in milliseconds; -1
 * if there is no limit.
 */
const RESERVE = `
local function number(key, most)
  local text = redis.pcall('GET', key)
  local found = type(text) == 'string' and tonumber(text) or 0
  if found ~= found or found > most then return 0 end
  return found
end
local rate = tonumber(ARGV[1])
if rate == 0 then rate = number(KEYS[2], 1000000) end
if rate <= 0 then return '-1' end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
local gap = 1000 / rate
local slack = gap * math.max(1, rate / 50)
local next = number(KEYS[1], now + ${MAX_NEXT_MS})
if next < now then next = now end
redis.call('SET', KEYS[1], string.format('%.3f', next + gap), 'PX', math.ceil(next + gap - now + 60000))
return tostring(math.max(0, next - slack - now))
`;

/** Time between two reads of the limit, in milliseconds. */
const NO_LIMIT_MS = 2000;
/** Default brake for a 429 without a delay, and the maximum, in milliseconds. */
const [BRAKE_MS, MAX_BRAKE_MS] = [1000, 60_000];

/** The rate of one scan, in addition to its tenant's. */
export interface OwnRate {
  readonly id: string;
  readonly perSecond: number;
}

export class TenantRate {
  readonly #client: Redis;
  readonly #subscriber: Redis;
  readonly #tenant: string;
  readonly #clock: Clock;
  #quietUntil: number;
  #unlimitedUntil = Number.NEGATIVE_INFINITY;

  private constructor(link: RedisLink, tenant: string, clock: Clock, subscriber: Redis, quietMs: number) {
    this.#client = link.client;
    this.#subscriber = subscriber;
    this.#tenant = tenant;
    this.#clock = clock;
    this.#quietUntil = clock.elapsed() + quietMs;
    subscriber.on('message', (_, milliseconds) => {
      this.#quietUntil = Math.max(this.#quietUntil, clock.elapsed() + brakeMs(Number(milliseconds)));
    });
  }

  /** Joins a tenant's shared rate. */
  static async join(link: RedisLink, tenant: string, clock: Clock): Promise<TenantRate> {
    const subscriber = await link.subscriber();
    const quietMs = brakeMs(await link.client.pttl(keyOf.brake(tenant)));
    const rate = new TenantRate(link, tenant, clock, subscriber, quietMs);
    await subscriber.subscribe(keyOf.brake(tenant));
    return rate;
  }

  /** Wraps a transport, so that requests keep to the rate. @param own returns the rate of the request's scan */
  wrap(transport: Transport, own: () => OwnRate | undefined): Transport {
    return {
      send: async (request) => {
        await this.#wait(own(), request.stop);
        const response = await transport.send(request);
        if (response.status === 429) await this.#brake(retryAfterOf(response, this.#clock.now()));
        return response;
      },
    };
  }

  close(): void {
    this.#subscriber.disconnect();
  }

  async #wait(own: OwnRate | undefined, stop: Stop | undefined): Promise<void> {
    const clock = this.#clock;
    const ownMs = own === undefined ? 0 : await this.#reserve(own.id, own.perSecond);
    let tenantMs = 0;
    if (clock.elapsed() >= this.#unlimitedUntil) {
      tenantMs = await this.#reserve(this.#tenant, 0);
      if (tenantMs < 0) this.#unlimitedUntil = clock.elapsed() + NO_LIMIT_MS;
    }
    const until = clock.elapsed() + Math.max(0, ownMs, tenantMs);
    for (;;) {
      const milliseconds = Math.max(until, this.#quietUntil) - clock.elapsed();
      if (milliseconds <= 0) return;
      await clock.wait(milliseconds, stop);
    }
  }

  async #reserve(id: string, perSecond: number): Promise<number> {
    return Number(await this.#client.eval(RESERVE, 2, keyOf.next(id), keyOf.rate(this.#tenant), perSecond));
  }

  /** Slows down all workers of the tenant. @param asked delay that the service asked for, in milliseconds */
  async #brake(asked: number | undefined): Promise<void> {
    const milliseconds = Math.ceil(Math.min(MAX_BRAKE_MS, asked || BRAKE_MS));
    await this.#client.set(keyOf.brake(this.#tenant), '1', 'PX', milliseconds);
    await this.#client.publish(keyOf.brake(this.#tenant), String(milliseconds));
  }
}

/** Limits the pause of a brake: any Redis client can write it, and a pause that is not a number would never end. */
function brakeMs(milliseconds: number): number {
  return Number.isFinite(milliseconds) ? Math.min(MAX_BRAKE_MS, Math.max(0, milliseconds)) : 0;
}
