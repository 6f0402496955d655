/**
 * Rights of callers: the owner that a token is within its tenant, and what it may run now. Files, sessions, runs and
 * idempotency keys are its own.
 */
import type { FastifyRequest } from 'fastify';
import { NotAllowedError } from '../../../core/errors.ts';
import type { CommandEntry } from '../../../manifest/command-catalogue.ts';
import { mayRun } from '../../../manifest/roles.ts';
import { toolset } from '../../../manifest/toolsets.ts';
import type { RunOwner } from '../../../runs/port.ts';
import { permits } from '../../../runs/rights.ts';
import { HttpError } from '../problems.ts';
import type { Authenticate, Caller } from './authenticate.ts';

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

/** Finds a caller in the current token file. @returns undefined if its token has ended */
export function callerNow({ find }: Authenticate, { profile, ...caller }: Caller): Promise<Caller | undefined> {
  const key = callerKey(caller);
  return find((each) => callerKey(each) === key && each.profile === profile);
}

/** Returns the problem of a token that has ended. */
export function tokenEnded(): HttpError {
  return new HttpError(401, 'token', 'The token was revoked or has expired.', {
    hint: 'Ask for a new token: aisec serve token NAME.',
  });
}

/** Returns a check of the current rights of an owner, for commands that waited before they start. */
export function currentRights({ find }: Authenticate, catalogue: readonly CommandEntry[]) {
  return async (owner: RunOwner, command: string): Promise<void> => {
    const caller = await find((each) => callerKey(each) === owner.caller && (each.profile ?? '') === owner.tenant);
    if (caller === undefined) {
      throw new NotAllowedError('The token that asked for this was revoked or has expired.', {
        hint: 'Ask for a new token: aisec serve token NAME.',
      });
    }
    const { limits } = ownerOf(caller, catalogue);
    const isKnown = catalogue.some(({ name }) => name === command);
    // Leave the refusal to the client if the command was never allowed.
    if (!isKnown || !permits(owner.limits, catalogue)(command) || permits(limits, catalogue)(command)) return;
    throw new NotAllowedError(`${command} is not allowed for this client.`, {
      command,
      hint: 'The rights of its token are narrower now than when it asked for this.',
    });
  };
}
