/**
 * Finds callers' rights: a token's owner within its tenant, and the commands that it may run now. Files, sessions, runs
 * and idempotency keys are scoped to the owner.
 */
import type { FastifyRequest } from 'fastify';
import { NotAllowedError } from '../../../core/errors.ts';
import type { CommandEntry } from '../../../manifest/command-catalogue.ts';
import { leastRole, mayRun, ROLES } from '../../../manifest/roles.ts';
import { toolset } from '../../../manifest/toolsets.ts';
import type { RunOwner } from '../../../runs/port.ts';
import { permits } from '../../../runs/rights.ts';
import { HttpError } from '../problems.ts';
import type { Authenticate, Caller } from './authenticate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the access check on every route that needs a token. */
    caller: Caller | undefined;
  }
}

/** Returns the caller, which the access check has admitted. */
export function callerOf({ caller }: Pick<FastifyRequest, 'caller'>): Caller {
  if (caller === undefined) throw new Error('The route has no guard.');
  return caller;
}

/** Identifies a token. A new token with the name of a revoked token has another key. */
export function callerKey({ name, since = '' }: Caller): string {
  return `${name}@${since}`;
}

/** Owners by caller: a token stays the same object until its file changes. */
const owners = new WeakMap<Caller, RunOwner>();

/** Returns the caller as an owner of runs, with the rights of its role and toolsets. */
export function ownerOf(caller: Caller, catalogue: readonly CommandEntry[]): RunOwner {
  const known = owners.get(caller);
  if (known !== undefined) return known;
  const limits = limitsOf(caller, catalogue);
  const owner = { tenant: caller.profile ?? '', caller: callerKey(caller), limits };
  owners.set(caller, owner);
  return owner;
}

/** Returns a caller's limits, from its role and toolsets. @throws UsageError for an unknown toolset */
export function limitsOf({ role, toolsets }: Caller, catalogue: readonly CommandEntry[]) {
  const sets = (toolsets ?? ['all']).map(toolset);
  const commands = catalogue
    .filter((entry) => mayRun(role, entry) && sets.some((has) => has(entry.name)))
    .map(({ name }) => name);
  return { allow: { commands }, hideSecrets: role !== 'admin' };
}

/** Returns a request's caller as an owner of runs. */
export function requestOwner(request: Pick<FastifyRequest, 'caller'>, catalogue: readonly CommandEntry[]): RunOwner {
  return ownerOf(callerOf(request), catalogue);
}

/** Finds a caller in the current token file. @returns undefined if its token has ended */
export function callerNow({ find }: Authenticate, { profile, ...caller }: Caller): Promise<Caller | undefined> {
  const key = callerKey(caller);
  return find((each) => callerKey(each) === key && each.profile === profile);
}

/** Says which role a refused command needs, if the role of the caller refuses it. @returns the same error */
export function withNeededRole<T>(thrown: T, { origin }: RunOwner, catalogue: readonly CommandEntry[]): T {
  if (!(thrown instanceof NotAllowedError)) return thrown;
  const role = ROLES.find((each) => each === origin?.role);
  const entry = catalogue.find(({ name }) => name === thrown.command);
  if (role !== undefined && entry !== undefined && !mayRun(role, entry)) {
    thrown.hint = `This token has the role ${role}; the command needs the role ${leastRole(entry)}.`;
  }
  return thrown;
}

/** What a request in progress depends on. */
interface OpenAccess {
  readonly authenticate: Authenticate;
  readonly logins: { hasEnded(request: FastifyRequest): boolean };
}

/** Finds the caller of a request in progress. @returns the reason if its token or the login that it used has ended */
export async function callerStill(
  { authenticate, logins }: OpenAccess,
  request: FastifyRequest,
): Promise<Caller | HttpError> {
  if (logins.hasEnded(request)) return new HttpError(401, 'token', 'The login has ended.', { hint: 'Log in again.' });
  return (await callerNow(authenticate, callerOf(request))) ?? tokenEnded();
}

function tokenEnded(): HttpError {
  return new HttpError(401, 'token', 'The token was revoked or has expired.', {
    hint: 'Ask for a new token: aisec serve token NAME.',
  });
}

/** Returns a check of an owner's current rights, for commands that wait before they start. */
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
    // If the command was never allowed, the client refuses it.
    if (!isKnown || !permits(owner.limits, catalogue)(command) || permits(limits, catalogue)(command)) return;
    throw new NotAllowedError(`${command} is not allowed for this client.`, {
      command,
      hint: 'The rights of its token are narrower now than when it asked for this.',
    });
  };
}
