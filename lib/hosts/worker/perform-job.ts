/**
 * Performs the jobs of a worker: shards of bulk scans, and runs of other processes (a whole command, or one slice of
 * a command that waits for its job).
 */

import type { CommandResult } from '../../client/result.ts';
import { CancelledError, ConfigurationError, ConflictError, ServiceError, toAisecError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import type { Checkpoint } from '../../core/runtime.ts';
import { commandOutcome, performCommand } from '../../runs/perform.ts';
import { ownerKey, type RunRequest } from '../../runs/port.ts';
import { keyOf } from '../../runs/redis/connection/names.ts';
import type { RedisLink } from '../../runs/redis/connection/redis.ts';
import { type Seal, UnreadableError } from '../../runs/redis/connection/seal.ts';
import type { PerformSlice, Saved } from '../../runs/redis/runs/run-worker.ts';
import { OwnShard } from '../../runs/redis/shards/shard-worker.ts';
import type { ShardJob } from '../../runs/redis/shards/shards.ts';
import { type CurrentJobs, HOLD_MS, type JobHandlers, type JobOutcome } from '../../runs/redis/workers/worker.ts';
import { otherService } from '../../runs/redis/workers/workers.ts';
import type { Tenants } from '../../runs/tenants.ts';
import { SHARD, type Shard } from '../../runtime/bulk/shards.ts';
import { type Command, findCommand, type Registry } from '../../runtime/engine/command.ts';
import type { WorkerRates } from './sections.ts';

/** Time after which a job releases its worker, in milliseconds. */
const SLICE_MS = 5000;

/** State that a slice passes to the next slice. */
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
    const result = await performCommand(tenants, work, owner, reports, { timeSlice, clock });
    const outputs = { ...saved?.outputs, ...result.outputs };
    const { suspension } = result;
    if (suspension === undefined) {
      return commandOutcome({ ...result, outputs }, tenants.of(owner).shelf, ownerKey(owner));
    }
    const { checkpoint: next, waitMs, progress, hasNewProgress } = suspension;
    return { waitMs, progress, hasNewProgress, saved: { checkpoint: next, outputs } satisfies SavedSlice };
  };
}

/** Creates the function that loads the declaration of a run's command. */
export function commandsIn(registry: Registry): (work: RunRequest) => Promise<Command | undefined> {
  return async (work) => (work.kind === 'command' ? findCommand(registry, work.command) : undefined);
}

/** Reports whether a run may be repeated even if it may already have been carried out: only if it changes nothing. */
export function isRepeatable({ dryRun }: RunRequest, command: Command | undefined): boolean {
  return dryRun || command?.effect === 'read';
}

/** Time limit for one shard, in milliseconds. */
const MAX_MS = 86_400_000;
/** The coordinator has all rows, so the result here omits them. */
const CONTEXT_BYTES = 2000;

export interface ShardProcessorParts {
  readonly link: RedisLink;
  readonly seal: Seal;
  readonly tenants: Tenants;
  /** Identity of the tenant. */
  readonly tenant: string;
  /**
   * Returns the section of the settings file for a scan of the tenant.
   * @throws ConfigurationError if no section can be chosen
   */
  readonly sectionOf: (label: string) => string;
  readonly current: CurrentJobs;
  /** Whether the worker uses the simulated service. */
  readonly simulates: boolean;
  readonly warn: (message: string) => void;
  readonly rates: WorkerRates;
}

export class ShardProcessor implements JobHandlers<ShardJob> {
  readonly #parts: ShardProcessorParts;

  constructor(parts: ShardProcessorParts) {
    this.#parts = parts;
  }

  async process({ id, work: scan }: ShardJob): Promise<JobOutcome> {
    const { link, seal, current, tenant, sectionOf, warn } = this.#parts;
    if ((await link.client.exists(keyOf.stopped(scan))) > 0) return 'done';
    if (current.isHalted('shards')) return { againInMs: 0 };
    let [shard, section]: [OwnShard | undefined, string] = [undefined, ''];
    try {
      shard = await OwnShard.take(link, seal, id, tenant);
      if (shard !== undefined) section = sectionOf(shard.payload.tenant.label);
    } catch (thrown) {
      if (!(thrown instanceof ConfigurationError) || thrown instanceof UnreadableError) throw thrown;
      warn(`The shard ${id} waits: ${thrown.message} ${thrown.hint ?? ''}`);
      return { againInMs: HOLD_MS };
    }
    return shard === undefined ? 'done' : this.#scan(shard, id, section);
  }

  /** The coordinator finds the shard among the failed jobs. */
  async onAside({ id }: ShardJob, reason: string): Promise<void> {
    this.#parts.warn(`The shard ${id} was set aside: ${reason}`);
  }

  async #scan(shard: OwnShard, id: string, section: string): Promise<JobOutcome> {
    const { tenants, current, rates, simulates } = this.#parts;
    const { command, args, perSecond, work: scan, items, simulates: isRehearsal } = shard.payload;
    if (isRehearsal !== simulates) {
      await shard.fail(otherService(simulates));
      return 'done';
    }
    const { signal, done } = current.add('shards', scan);
    const ports = { [SHARD.name]: { name: id, items } satisfies Shard };
    const host = { files: shard.files, ports, contextLimit: CONTEXT_BYTES };
    const { client } = tenants.of({ tenant: section });
    const call = () => client.call(command, args, { signal, timeoutMs: MAX_MS, host });
    try {
      const failure = await rates.within(perSecond === undefined ? undefined : { id: scan, perSecond }, call).then(
        (result) => result.failure,
        (thrown: unknown) => toAisecError(thrown),
      );
      if (shard.trouble() !== undefined) return { againInMs: HOLD_MS };
      if (shard.isCommitted() || failure instanceof ConflictError) return 'done';
      if (failure instanceof CancelledError) return current.isHalted('shards') ? { againInMs: 0 } : 'done';
      await shard.fail(failure ?? toAisecError(new Error('the shard ended without its last row')));
      return 'done';
    } finally {
      done();
    }
  }
}
