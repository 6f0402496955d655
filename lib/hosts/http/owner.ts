/** Owners: a token within its tenant. Files, sessions, runs and idempotency keys are theirs alone. */
import type { CommandEntry } from '../../manifest/command-catalogue.ts';
import type { RunOwner } from '../../runs/port.ts';
import type { Caller } from './access/authenticate.ts';
import { limitsOf } from './access/limits.ts';

/** Identifies a token: one that gets the name of a revoked one is another. */
export function callerKey({ name, since = '' }: Caller): string {
  return `${name}@${since}`;
}

/** Owners by caller: a token is the same object until its file changes. */
const owners = new WeakMap<Caller, RunOwner>();

/** Returns the caller as the owner of runs, with what its role and toolsets allow. */
export function ownerOf(caller: Caller, catalogue: readonly CommandEntry[]): RunOwner {
  const owner = owners.get(caller) ?? newOwner(caller, catalogue);
  owners.set(caller, owner);
  return owner;
}

function newOwner(caller: Caller, catalogue: readonly CommandEntry[]): RunOwner {
  const { allow, hideSecrets } = limitsOf(caller, catalogue);
  return { tenant: caller.profile ?? '', caller: callerKey(caller), limits: { allow, hideSecrets } };
}
