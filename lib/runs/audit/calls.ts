/** Records every command of an owner in the audit: a line before it starts, and a line when it has ended. */
import { randomUUID } from 'node:crypto';
import { changesNothing } from '../../client/allow.ts';
import type { Watch, WatchedCall, WatchedResult } from '../../client/types.ts';
import { ConfigurationError, toAisecError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { RunOwner } from '../port.ts';
import type { Audit } from './audit.ts';

export interface CallAuditParts {
  readonly audit: Audit;
  readonly clock: Pick<Clock, 'now'>;
  /** Checks the owner's current rights. @throws NotAllowedError */
  readonly checkNow?: (owner: RunOwner, command: string) => Promise<void>;
}

/** Creates the observer of an owner's commands. A process's clients run every command through it. */
export function recordedCalls({ audit, clock, checkNow }: CallAuditParts): (owner: RunOwner) => Watch {
  return (owner) => {
    if (!audit.isKept) {
      return async (call, run) => {
        if (owner.origin?.audited === true && mayChange(call)) throw unrecorded();
        await checkNow?.(owner, call.name);
        return run();
      };
    }
    const { request = randomUUID(), caller = owner.caller.replace(/@.*/s, ''), role, remote } = owner.origin ?? {};
    let count = 0;
    return async (call, run) => {
      count += 1;
      // A job's slices have the same number on every worker, because each slice is its client's first call.
      const ids = { call: `${request}.${count}`, request };
      const who = { caller, role, ...(owner.tenant === '' ? {} : { tenant: owner.tenant }), remote };
      const started = clock.now();
      const since = call.resumes ? (owner.origin?.since ?? started) : started;
      const changes = mayChange(call);
      const time = () => new Date(clock.now()).toISOString();
      const command = { command: call.name, declaration: call.command };
      if (!call.resumes) {
        const what = { ...command, arguments: call.args, ...(call.dryRun ? { dryRun: true } : {}) };
        await audit.begin({ time: time(), event: 'start', ...ids, ...who, ...what }, changes);
      }
      const end = (outcome: string) =>
        audit.write({ time: time(), event: 'end', ...ids, caller, ...command, outcome, ms: clock.now() - since });
      try {
        await checkNow?.(owner, call.name);
        const result = await run();
        // A suspended job has not ended.
        if (result.suspension === undefined) await end(outcomeOf(result));
        return result;
      } catch (thrown) {
        await end(toAisecError(thrown).code);
        throw thrown;
      }
    };
  };
}

function outcomeOf({ failure }: WatchedResult): string {
  return failure === undefined ? 'done' : `partial: ${failure.code}`;
}

function mayChange({ command, dryRun }: WatchedCall): boolean {
  return !dryRun && command !== undefined && !changesNothing(command);
}

/** Returns the error for a change that must be recorded, in a process without an audit file. */
function unrecorded(): ConfigurationError {
  return new ConfigurationError('The worker keeps no audit file, so it changes nothing for a service that keeps one.', {
    hint: 'Start it with: aisec worker --audit FILE',
  });
}
