/** One service after the other, behind tokens that outlive them: what was created and deleted is forgotten, a client is not. */
import type { Service, ServiceClock, ServiceRequest, ServiceResponse } from '../../fixtures/service/types.ts';
import { lineService } from '../../tests/support/lines.ts';
import { testClock, warRoom } from '../../tests/support/simulated.ts';

/** As long as a service far away takes: so the commands wait at once, rather than for each other. */
const LATENCY_MS = 300;
/** More than two pages of them. */
const TOPICS = 230;
const TOKEN_PATH = '/oauth2/';

interface World {
  readonly service: Service;
  /** The only token that it knows. */
  readonly token: string;
}

export interface Worlds {
  handle(request: ServiceRequest, clock: ServiceClock): ServiceResponse;
  settings(origin: string): Record<string, string>;
  /** Begins anew. */
  renew(): Promise<void>;
}

export async function openWorlds(): Promise<Worlds> {
  const issued = new Set<string>();
  let world = await freshWorld();
  let count = 0;
  return {
    settings: (origin) => world.service.settings(origin),
    renew: async () => {
      world = await freshWorld();
    },
    handle: (request, clock) => {
      if (!request.url.startsWith(TOKEN_PATH)) {
        return world.service.handle(admitted(request, issued, world.token), clock);
      }
      const answer = world.service.handle(request, clock);
      if (answer.status !== 200) return answer;
      count += 1;
      const token = `soak-${count}`;
      issued.add(token);
      return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), access_token: token }) };
    },
  };
}

/** A token that was given out opens the present world; any other one is left to be refused. */
function admitted(request: ServiceRequest, issued: ReadonlySet<string>, token: string): ServiceRequest {
  const given = /^Bearer (.+)$/.exec(request.headers['authorization'] ?? '')?.[1] ?? '';
  return issued.has(given)
    ? { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }
    : request;
}

async function freshWorld(): Promise<World> {
  // Its token has to be valid for the clients, whose clock is the machine's.
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
