/** Faults, here and there: most answers of a service are left alone, a few are late, refused, cut off or lost. */
import { createService } from '../../fixtures/service/service.ts';
import type { Service, ServiceClock, ServiceRequest, ServiceResponse } from '../../fixtures/service/types.ts';
import { byShare } from './chance.ts';

/** Shares of all requests. What never ends holds its command until that is out of time, so it is rare. */
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

type Spoilt = (typeof SHARES)[number][0];

const [EARLIEST_MS, LATEST_MS] = [500, 2000];

/** Services that refuse everything, in the words of the plane that was asked. */
const REFUSING = {
  '429': createService({ faults: ['429'] }),
  '500': createService({ faults: ['500'] }),
  '503': createService({ faults: ['503'] }),
};

export interface Spoiler {
  handle(service: Pick<Service, 'handle'>, request: ServiceRequest, clock: ServiceClock): ServiceResponse;
  /** How often each fault happened. */
  readonly counts: Readonly<Partial<Record<Spoilt, number>>>;
}

/** @param chance decides which request is struck, and how */
export function spoiler(chance: () => number): Spoiler {
  const counts: Partial<Record<Spoilt, number>> = {};
  return {
    counts,
    handle: (service, request, clock) => {
      const kind = byShare(SHARES, chance());
      // Without tokens nothing else would be seen; a token that is refused is a fault of its own.
      if (kind === undefined || request.url.startsWith('/oauth2')) return service.handle(request, clock);
      counts[kind] = (counts[kind] ?? 0) + 1;
      return spoilt(kind, chance)(service, request, clock);
    },
  };
}

function spoilt(kind: Spoilt, chance: () => number): Handle {
  switch (kind) {
    case 'late':
      return (service, request, clock) => ({
        ...service.handle(request, clock),
        latencyMs: EARLIEST_MS + chance() * LATEST_MS,
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
