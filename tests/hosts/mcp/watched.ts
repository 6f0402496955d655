/** A simulated service whose requests are watched, for servers of the tests. */
import type { Service, ServiceRequest } from '../../../fixtures/service/types.ts';
import type { Simulate } from '../../../lib/client/simulation.ts';
import { simulatedTransport } from '../../../lib/transport/simulated.ts';
import { lineService } from '../../support/lines.ts';

const INSIDE = 'http://localhost';

/** A request without its host. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export interface Watched {
  /** Takes the place of the program's own. */
  readonly simulated: Simulate;
  /** Requests that reached the service, those for the token left out. */
  readonly seen: SeenRequest[];
  /** Puts the service back into its first state, and forgets what was seen. */
  renew(): void;
}

/** Watches a service. @param create one on which each of the lines succeeds, unless another is given */
export function watched(create: () => Pick<Service, 'handle' | 'settings'> = lineService): Watched {
  let service = create();
  const seen: SeenRequest[] = [];
  const handle: Service['handle'] = (request, clock) => {
    const path = pathOf(request);
    if (!path.startsWith('/oauth2/')) seen.push({ method: request.method, path, body: request.body });
    return service.handle(request, clock);
  };
  return {
    seen,
    renew: () => {
      service = create();
      seen.splice(0);
    },
    simulated: async () => ({
      transport: (clock, host) => simulatedTransport(handle, clock, host),
      settings: () => service.settings(INSIDE),
      serve: async () => {
        throw new Error('nothing to serve');
      },
    }),
  };
}

function pathOf({ url }: ServiceRequest): string {
  return new URL(url, INSIDE).pathname;
}
