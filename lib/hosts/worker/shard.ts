/** Does one shard of a bulk scan. */
import type { AsyncLocalStorage } from 'node:async_hooks';
import { CancelledError, ConfigurationError, ConflictError, toAisecError } from '../../engine/errors.ts';
import { keyOf } from '../../runs/redis/connection/names.ts';
import type { RedisLink } from '../../runs/redis/connection/redis.ts';
import { type Seal, UnreadableError } from '../../runs/redis/connection/seal.ts';
import type { OwnRate } from '../../runs/redis/shards/rate.ts';
import { type OwnShard, takeShard } from '../../runs/redis/shards/shard-worker.ts';
import type { ShardJob } from '../../runs/redis/shards/shards.ts';
import type { Current } from '../../runs/redis/workers/current.ts';
import { otherService } from '../../runs/redis/workers/other-service.ts';
import { HOLD_MS, type JobHandlers, type JobOutcome } from '../../runs/redis/workers/worker.ts';
import type { Tenants } from '../../runs/tenants.ts';

/** Time for one shard, in milliseconds. */
const MAX_MS = 86_400_000;
/** The coordinator has all rows: the result here needs none. */
const CONTEXT_BYTES = 2000;

export interface ShardParts {
  readonly link: RedisLink;
  readonly seal: Seal;
  readonly tenants: Tenants;
  /** Identity of the tenant. */
  readonly tenant: string;
  /** Returns the section of the settings file for work of the tenant. @throws ConfigurationError if none can be chosen */
  readonly sectionOf: (label: string) => string;
  readonly current: Current;
  /** It works on the simulated service. */
  readonly simulates: boolean;
  readonly warn: (message: string) => void;
  /** The rate of the work that a request belongs to. */
  readonly own: AsyncLocalStorage<OwnRate | undefined>;
}

/** Creates what processes shards. */
export function shardProcessor(parts: ShardParts): JobHandlers<ShardJob> {
  const { link, seal, current, tenant, sectionOf, warn } = parts;
  return {
    process: async ({ id, work }) => {
      if ((await link.client.exists(keyOf.stopped(work))) > 0) return 'done';
      if (current.isHalted('shards')) return { againInMs: 0 };
      let [shard, section]: [OwnShard | undefined, string] = [undefined, ''];
      try {
        shard = await takeShard(link, seal, id, tenant);
        if (shard !== undefined) section = sectionOf(shard.payload.tenant.label);
      } catch (thrown) {
        if (!(thrown instanceof ConfigurationError) || thrown instanceof UnreadableError) throw thrown;
        warn(`The shard ${id} waits: ${thrown.message} ${thrown.hint ?? ''}`);
        return { againInMs: HOLD_MS };
      }
      return shard === undefined ? 'done' : scan(shard, id, section, parts);
    },
    // Its coordinator finds it among the failed ones.
    onAside: async ({ id }, reason) => warn(`The shard ${id} was set aside: ${reason}`),
  };
}

async function scan(shard: OwnShard, id: string, section: string, parts: ShardParts): Promise<JobOutcome> {
  const { tenants, current, own, simulates } = parts;
  const { command, args, perSecond, work, items, simulates: isRehearsal } = shard.payload;
  if (isRehearsal !== simulates) {
    await shard.fail(otherService(simulates));
    return 'done';
  }
  const { signal, done } = current.add('shards', work);
  const rate = perSecond === undefined ? undefined : { id: work, perSecond };
  const host = { files: shard.files, shard: { name: id, items }, contextLimit: CONTEXT_BYTES };
  try {
    const call = () => tenants.of({ tenant: section }).client.call(command, args, { signal, timeoutMs: MAX_MS, host });
    const failure = await own.run(rate, call).then(
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
