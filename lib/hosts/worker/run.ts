/** Performs runs for other processes: a whole command, or one slice of a command that waits for its job. */

import type { CommandResult } from '../../client/result.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { Checkpoint } from '../../core/runtime.ts';
import { type Command, findCommand, type Registry } from '../../engine/command.ts';
import { commandOutcome, runCommand } from '../../runs/perform.ts';
import { ownerKey, type RunRequest } from '../../runs/port.ts';
import type { PerformSlice, Saved } from '../../runs/redis/runs/run-worker.ts';
import type { Tenants } from '../../runs/tenants.ts';

/** Time after which a job gives its worker back, in milliseconds. */
const SLICE_MS = 5000;

/** State that a slice leaves to the next slice. */
interface SavedSlice extends Saved {
  readonly checkpoint: Checkpoint;
  /** Outputs of the slices so far. */
  readonly outputs: CommandResult['outputs'];
}

/** Creates the function that runs commands. @param clock shared by all workers */
export function slicesOf(tenants: Tenants, clock: Clock): PerformSlice {
  return async (work, owner, reports, before) => {
    if (work.kind !== 'command') throw new ServiceError('A worker runs commands, not sessions or playbooks.');
    const saved = before as SavedSlice | undefined;
    const checkpoint = saved === undefined ? {} : { checkpoint: saved.checkpoint };
    const timeSlice = { deadline: clock.elapsed() + SLICE_MS, ...checkpoint };
    const result = await runCommand(tenants, work, owner, reports, { timeSlice, clock });
    const outputs = { ...saved?.outputs, ...result.outputs };
    const { suspension } = result;
    if (suspension === undefined) {
      return commandOutcome({ ...result, outputs }, tenants.of(owner).shelf, ownerKey(owner));
    }
    const { checkpoint: next, waitMs, progress, hasNewProgress } = suspension;
    return { waitMs, progress, hasNewProgress, saved: { checkpoint: next, outputs } satisfies SavedSlice };
  };
}

/** Creates what loads the declaration of the command of a run. */
export function commandsIn(registry: Registry): (work: RunRequest) => Promise<Command | undefined> {
  return async (work) => (work.kind === 'command' ? findCommand(registry, work.command) : undefined);
}

/** Reports whether a run may be repeated, although it may have been carried out: only if it reads. */
export function isRepeatable({ dryRun }: RunRequest, command: Command | undefined): boolean {
  return dryRun || command?.effect === 'read';
}
