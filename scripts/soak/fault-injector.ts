/** Injects faults at random: a few responses are late, refused, truncated or lost. */
import { createService } from '../../fixtures/service/service.ts';
import type { Service, ServiceClock, ServiceRequest, ServiceResponse } from '../../fixtures/service/types.ts';
import { pickWeighted } from './random.ts';

/** Shares of all requests. Faults that never end are rare, because they hold a command until its timeout. */
const SHARES = [
  ['late', 0.02],
  ['expired-token', 0.001],
  ['429', 0.005],
  ['500', 0.005],
  ['503', 0.005],
  ['reset', 0.003],
  ['drop', 0.003],
  ['truncate', 0.005],
  ['hang', 0.0002],
  ['stall', 0.0002],
  ['drip', 0.0002],
] as const;

type FaultKind = (typeof SHARES)[number][0];

const [EARLIEST_MS, LATEST_MS] = [500, 2000];

/** Services that refuse every request, with the error format of each plane. */
const REFUSING = {
  '429': createService({ faults: ['429'] }),
  '500': createService({ faults: ['500'] }),
  '503': createService({ faults: ['503'] }),
};

export interface FaultInjector {
  handle(service: Pick<Service, 'handle'>, request: ServiceRequest, clock: ServiceClock): ServiceResponse;
  /** Number of injected faults by kind. */
  readonly counts: Readonly<Partial<Record<FaultKind, number>>>;
}

/** Creates an injector. @param random source of random numbers */
export function faultInjector(random: () => number): FaultInjector {
  const counts: Partial<Record<FaultKind, number>> = {};
  return {
    counts,
    handle: (service, request, clock) => {
      const kind = pickWeighted(SHARES, random());
      // Token requests are spared, because nothing works without tokens; a refused token is a separate fault.
      if (kind === undefined || request.url.startsWith('/oauth2')) return service.handle(request, clock);
      counts[kind] = (counts[kind] ?? 0) + 1;
      return withFault(kind, random)(service, request, clock);
    },
  };
}

function withFault(kind: FaultKind, random: () => number): Handle {
  switch (kind) {
    case 'late':
      return (service, request, clock) => ({
        ...service.handle(request, clock),
        latencyMs: EARLIEST_MS + random() * LATEST_MS,
      });
    case 'expired-token':
      return (service, request, clock) => service.handle({ ...request, headers: expired(request.headers) }, clock);
    case '429':
    case '500':
    case '503':
      return (_, request, clock) => REFUSING[kind].handle(request, clock);
    default:
      return (service, request, clock) => ({ ...service.handle(request, clock), fault: kind });
  }
}

type Handle = (service: Pick<Service, 'handle'>, request: ServiceRequest, clock: ServiceClock) => ServiceResponse;

function expired(headers: ServiceRequest['headers']): ServiceRequest['headers'] {
  return headers['authorization'] === undefined ? headers : { ...headers, authorization: 'Bearer expired' };
}
