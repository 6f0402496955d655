/** A service whose data can be renewed while its clients keep their tokens. */
import type { Service, ServiceClock, ServiceRequest, ServiceResponse } from '../../fixtures/service/types.ts';
import { lineService } from '../../tests/support/lines.ts';
import { testClock, warRoom } from '../../tests/support/simulated.ts';

/** Latency of a remote service, so that commands wait concurrently. */
const LATENCY_MS = 300;
/** Number of topics: more than two pages. */
const TOPICS = 230;
const TOKEN_PATH = '/oauth2/';

interface Instance {
  readonly service: Service;
  /** The only valid token. */
  readonly token: string;
}

export interface RenewableService {
  handle(request: ServiceRequest, clock: ServiceClock): ServiceResponse;
  settings(origin: string): Record<string, string>;
  /** Replaces the service by a new one. */
  renew(): Promise<void>;
}

export async function openRenewableService(): Promise<RenewableService> {
  const issued = new Set<string>();
  let instance = await createInstance();
  let count = 0;
  return {
    settings: (origin) => instance.service.settings(origin),
    renew: async () => {
      instance = await createInstance();
    },
    handle: (request, clock) => {
      if (!request.url.startsWith(TOKEN_PATH)) {
        return instance.service.handle(authorized(request, issued, instance.token), clock);
      }
      const answer = instance.service.handle(request, clock);
      if (answer.status !== 200) return answer;
      count += 1;
      const token = `soak-${count}`;
      issued.add(token);
      return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), access_token: token }) };
    },
  };
}

/** Replaces an issued token by that of the current instance; other tokens are refused. */
function authorized(request: ServiceRequest, issued: ReadonlySet<string>, token: string): ServiceRequest {
  const presented = /^Bearer (.+)$/.exec(request.headers['authorization'] ?? '')?.[1] ?? '';
  return issued.has(presented)
    ? { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }
    : request;
}

async function createInstance(): Promise<Instance> {
  // Clients use the machine's clock, by which the token must be valid.
  const clock = testClock(Date.now());
  const service = lineService({ latencyMs: LATENCY_MS, jobSeconds: 1, processingMs: 200 }, clock);
  const room = warRoom({}, {}, service, clock);
  for (let number = 1; number <= TOPICS; number += 1) {
    const line = `!aisec-runtime-topics-create topic_name=many-${number} description=One. examples="one thing,another"`;
    await room.run(line);
    room.context = {};
  }
  return { service, token: room.runtime.shared.token ?? '' };
}
