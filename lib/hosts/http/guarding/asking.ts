/** Finds the caller that asks for a decision, and checks its right to scan. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StopSignal } from '../../../client/types.ts';
import { NotAllowedError } from '../../../core/errors.ts';
import { checkRights } from '../../../runs/rights.ts';
import { requestOwner } from '../access/rights.ts';
import { originOf, stopping } from '../responses/answer.ts';
import type { Service } from '../service.ts';
import type { Asking } from './guards.ts';

/** The command that a guard runs: its right is the right to use the guard. */
export const SCAN = 'aisec-runtime-scan';

/**
 * Returns a request's caller in the guard's form.
 * @throws HttpError while the service stops; NotAllowedError if the token may not scan
 */
export function askingOf(service: Service, request: FastifyRequest, profile: string, ownTimeMs?: number): Asking {
  const { catalogue, tenants, limits } = service;
  if (service.stopping.aborted) throw stopping();
  const owner = requestOwner(request, catalogue);
  checkRights(owner.limits, [SCAN], catalogue);
  const client = tenants.clientFor({ ...owner, origin: originOf(request, service) });
  return { tenant: owner.tenant, profile, client, request: request.id, timeoutMs: ownTimeMs ?? limits.guardScanMs };
}

/** Returns the error for a token that may not scan. */
export function mayNotScan(): NotAllowedError {
  return new NotAllowedError(`${SCAN} is not allowed for this client.`, { command: SCAN });
}

/** Returns a signal that aborts if the client leaves before its response, or the service's shutdown time is up. */
export function untilGone({ raw }: FastifyReply, halting: StopSignal): { signal: AbortSignal; release(): void } {
  const gone = new AbortController();
  const abort = () => gone.abort();
  const closed = () => {
    if (!raw.writableFinished) abort();
  };
  raw.once('close', closed);
  halting.addEventListener('abort', abort);
  if (raw.destroyed || halting.aborted) abort();
  return { signal: gone.signal, release: () => halting.removeEventListener('abort', abort) };
}
