/** Performs the runs that need only their tenant: commands, and rehearsals of playbooks. */
import type { CommandResult } from '../client/result.ts';
import type { HostCallOptions } from '../client/types.ts';
import { ownerKey, type RunContext, type RunOutcome, type RunOwner, type RunRequest } from './port.ts';
import { commandOutcome, rehearsalOutcome } from './results.ts';
import type { Tenants } from './tenants.ts';

/** Runs a command for its owner. @param host overrides of the host for this call */
export function runCommand(
  tenants: Tenants,
  { command, args, dryRun }: Extract<RunRequest, { kind: 'command' }>,
  owner: RunOwner,
  reports: RunContext,
  host: HostCallOptions['host'] = {},
): Promise<CommandResult> {
  const call = { ...reports, dryRun, host };
  return tenants.clientFor(owner).call(command, args as Record<string, unknown>, call);
}

/** Returns the outcome of a command, with its files on the shelf of its tenant. */
export function outcomeOf(tenants: Tenants, owner: RunOwner, result: CommandResult): RunOutcome {
  return commandOutcome(result, tenants.of(owner).shelf, ownerKey(owner));
}

/** Rehearses a playbook for its owner. */
export async function rehearsePlaybook(
  tenants: Tenants,
  { playbook, inputs, dryRun }: Extract<RunRequest, { kind: 'playbook' }>,
  owner: RunOwner,
  reports: RunContext,
): Promise<RunOutcome> {
  return rehearsalOutcome(await tenants.clientFor(owner).rehearse(playbook, { ...reports, inputs, dryRun }));
}
