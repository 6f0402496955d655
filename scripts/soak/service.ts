/**
 * The process of the simulated service. A few responses are late, refused, truncated or lost. The service is replaced every few
 * seconds, so that created objects do not accumulate and deleted ones come back; its clients then need a new token. It prints its
 * settings, and on SIGTERM its counts.
 */
import { startServer } from '../../fixtures/service/server.ts';
import { createService } from '../../fixtures/service/service.ts';
import type { CarrierFault, Service } from '../../fixtures/service/types.ts';
import { lineService } from '../../tests/support/lines.ts';
import { testClock, warRoom } from '../../tests/support/simulated.ts';
import { pickWeighted, seededRandom } from './random.ts';

const RENEW_MS = 15_000;
/** Latency of a remote service, so that commands wait concurrently. */
const LATENCY_MS = 300;
const [LATE_MS, LATER_MS] = [500, 2000];
/** Number of topics: more than two pages. */
const TOPICS = 230;

const [seed = 1] = process.argv.slice(2).map(Number);
const random = seededRandom(seed + 2);
let service = await newService();
const handle: Service['handle'] = (request, clock) => service.handle(request, clock);

/** Answers in place of the service, by kind, and their shares of all requests. */
const FAULTS: readonly (readonly [readonly [string, Service['handle']], number])[] = [
  [['late', (...call) => ({ ...handle(...call), latencyMs: LATE_MS + random() * LATER_MS })], 0.02],
  [['expired-token', ({ headers, ...rest }, clock) => handle({ ...rest, headers: expired(headers) }, clock)], 0.001],
  [refused('429'), 0.005],
  [refused('500'), 0.005],
  [refused('503'), 0.005],
  [lost('reset'), 0.003],
  [lost('drop'), 0.003],
  [lost('truncate'), 0.005],
  // Faults that never end are rare, because they hold a command until its timeout.
  [lost('hang'), 0.0002],
  [lost('stall'), 0.0002],
  [lost('drip'), 0.0002],
];

const faults: Record<string, number> = {};
let [requests, renewals] = [0, 0];
const { origin, close } = await startServer(
  {
    settings: service.settings,
    handle: (request, clock) => {
      requests += 1;
      const [kind, answer] = pickWeighted(FAULTS, random()) ?? [];
      // Token requests are spared, because nothing works without tokens; a refused token is a separate fault.
      if (answer === undefined || request.url.startsWith('/oauth2')) return handle(request, clock);
      faults[kind ?? ''] = (faults[kind ?? ''] ?? 0) + 1;
      return answer(request, clock);
    },
  },
  { port: 0 },
);
const renewal = setInterval(() => void renew(), RENEW_MS);

process.once('SIGTERM', () => {
  clearInterval(renewal);
  console.log(JSON.stringify({ requests, renewals, faults }));
  void close().then(() => process.disconnect());
});
// The parent has exited.
process.once('disconnect', () => process.exit());
console.log(JSON.stringify(service.settings(origin)));

async function renew(): Promise<void> {
  service = await newService();
  renewals += 1;
}

async function newService(): Promise<Service> {
  // Clients use the machine's clock, by which the token must be valid.
  const clock = testClock(Date.now());
  const created = lineService({ latencyMs: LATENCY_MS, jobSeconds: 1, processingMs: 200 }, clock);
  const room = warRoom({}, {}, created, clock);
  for (let number = 1; number <= TOPICS; number += 1) {
    await room.run(
      `!aisec-runtime-topics-create topic_name=many-${number} description=One. examples="one thing,another"`,
    );
    room.context = {};
  }
  return created;
}

/** A refusal in the error format of the plane. */
function refused(status: string): [string, Service['handle']] {
  return [status, createService({ faults: [status] }).handle];
}

function lost(fault: CarrierFault): [string, Service['handle']] {
  return [fault, (request, clock) => ({ ...handle(request, clock), fault })];
}

function expired(headers: Readonly<Record<string, string>>): Record<string, string> {
  return { ...headers, ...(headers['authorization'] === undefined ? {} : { authorization: 'Bearer expired' }) };
}
