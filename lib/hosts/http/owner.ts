/** Owners: a token within its tenant. Files, sessions, runs and idempotency keys are theirs alone. */
import type { FastifyRequest } from 'fastify';
import type { CommandEntry } from '../../manifest/command-catalogue.ts';
import { mayRun } from '../../manifest/roles.ts';
import { toolset } from '../../manifest/toolsets.ts';
import type { RunOwner } from '../../runs/port.ts';
import type { Caller } from './access/authenticate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard on every route that needs a token. */
    caller: Caller | undefined;
  }
}

/** Returns the caller. The guard of its routes has let it in. */
export function callerOf({ caller }: Pick<FastifyRequest, 'caller'>): Caller {
  if (caller === undefined) throw new Error('The route has no guard.');
  return caller;
}

/** Identifies a token. A new token with the name of a revoked token has another key. */
export function callerKey({ name, since = '' }: Caller): string {
  return `${name}@${since}`;
}

/** Owners by caller: a token is the same object until its file changes. */
const owners = new WeakMap<Caller, RunOwner>();

/** Returns the caller as the owner of runs, with what its role and toolsets allow. */
export function ownerOf(caller: Caller, catalogue: readonly CommandEntry[]): RunOwner {
  const known = owners.get(caller);
  if (known !== undefined) return known;
  const limits = limitsOf(caller, catalogue);
  const owner = { tenant: caller.profile ?? '', caller: callerKey(caller), limits };
  owners.set(caller, owner);
  return owner;
}

/** Returns the limits of a caller, by its role and toolsets. @throws UsageError for an unknown toolset */
export function limitsOf({ role, toolsets }: Caller, catalogue: readonly CommandEntry[]) {
  const sets = (toolsets ?? ['all']).map(toolset);
  const commands = catalogue
    .filter((entry) => mayRun(role, entry) && sets.some((has) => has(entry.name)))
    .map(({ name }) => name);
  return { allow: { commands }, hideSecrets: role !== 'admin' };
}

/** Returns the caller of a request as the owner of runs. */
export function requestOwner(request: Pick<FastifyRequest, 'caller'>, catalogue: readonly CommandEntry[]): RunOwner {
  return ownerOf(callerOf(request), catalogue);
}
