/** One rate for a tenant over all workers, and one brake: a 429 anywhere slows everybody down. */
import type { Redis } from 'ioredis';
import type { Clock, Stop, Transport } from '../../../engine/ports.ts';
import { keyOf } from '../connection/names.ts';
import type { RedisLink } from '../connection/redis.ts';

/** No place is further away: what says so was not written by aisec. An hour, in milliseconds. */
const MAX_NEXT_MS = 3_600_000;

/**
 * Reserves the next moment at which a request may be sent (a leaky bucket by times, GCRA).
 * Returns the wait in milliseconds; -1 if there is no limit.
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

/** Time for which "no limit" is believed, in milliseconds. */
const NO_LIMIT_MS = 2000;
/** The brake for a 429 that does not say how long, and the longest one, in milliseconds. */
const [BRAKE_MS, MAX_BRAKE_MS] = [1000, 60_000];

/** A rate of one piece of work, beside that of its tenant. */
export interface OwnRate {
  readonly id: string;
  readonly perSecond: number;
}

export interface TenantRate {
  /** Wraps a transport. @param own returns the rate of the work that the request belongs to */
  wrap(transport: Transport, own: () => OwnRate | undefined): Transport;
  close(): void;
}

/** Joins the rate of a tenant. */
export async function joinRate(link: RedisLink, tenant: string, clock: Clock): Promise<TenantRate> {
  const { client } = link;
  const subscriber = await link.subscriber();
  let quietUntil = clock.elapsed() + brakeMs(await client.pttl(keyOf.brake(tenant)));
  let unlimitedUntil = Number.NEGATIVE_INFINITY;
  subscriber.on('message', (_, milliseconds) => {
    quietUntil = Math.max(quietUntil, clock.elapsed() + brakeMs(Number(milliseconds)));
  });
  await subscriber.subscribe(keyOf.brake(tenant));

  const reserve = (id: string, perSecond: number) =>
    client.eval(RESERVE, 2, keyOf.next(id), keyOf.rate(tenant), perSecond).then(Number);

  const wait = async (own: OwnRate | undefined, stop: Stop | undefined) => {
    const ownMs = own === undefined ? 0 : await reserve(own.id, own.perSecond);
    let tenantMs = 0;
    if (clock.elapsed() >= unlimitedUntil) {
      tenantMs = await reserve(tenant, 0);
      if (tenantMs < 0) unlimitedUntil = clock.elapsed() + NO_LIMIT_MS;
    }
    const until = clock.elapsed() + Math.max(0, ownMs, tenantMs);
    for (;;) {
      const milliseconds = Math.max(until, quietUntil) - clock.elapsed();
      if (milliseconds <= 0) return;
      await clock.wait(milliseconds, stop);
    }
  };

  return {
    wrap: (transport, own) => ({
      send: async (request) => {
        await wait(own(), request.stop);
        const response = await transport.send(request);
        if (response.status === 429) await brake(client, tenant, response.headers['retry-after']);
        return response;
      },
    }),
    close: () => subscriber.disconnect(),
  };
}

/** Limits a brake: anybody on Redis can write it, and a pause that is no number would never end. */
function brakeMs(milliseconds: number): number {
  return Number.isFinite(milliseconds) ? Math.min(MAX_BRAKE_MS, Math.max(0, milliseconds)) : 0;
}

/** Slows all workers of the tenant down. @param after seconds, as the service says */
async function brake(client: Redis, tenant: string, after: string | undefined): Promise<void> {
  const seconds = Number(after);
  const asked = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : BRAKE_MS;
  const milliseconds = Math.ceil(Math.min(MAX_BRAKE_MS, asked));
  await client.set(keyOf.brake(tenant), '1', 'PX', milliseconds);
  await client.publish(keyOf.brake(tenant), String(milliseconds));
}
