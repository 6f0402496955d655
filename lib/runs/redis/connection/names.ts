/** Names of keys and channels in Redis. docs/scale.md lists them. */

/** Prefix of all keys. */
export const PREFIX = 'aisec';
/** Lifetime of unused keys, in seconds. */
export const KEEP_SECONDS = 7 * 86_400;

/** A tenant has two queues, so that long shards do not keep its runs waiting. */
export const KINDS = ['shards', 'runs'] as const;
export type Kind = (typeof KINDS)[number];

export function queueName(kind: Kind, tenant: string): string {
  return `${kind}.${tenant}`;
}

/** Stored pieces of a shard. `lost` is set after Redis lost the other pieces: any of its prompts may have been sent. */
export const SHARD_PIECES = ['in', 'results', 'notes', 'owner', 'end', 'lost'] as const;

/** Identities of all tenants that have ever used the queue. */
export const TENANTS = `${PREFIX}:tenants`;
/** The channel of stop requests; a message is the id of a scan or a run. */
export const STOPS = `${PREFIX}:stops`;

export const keyOf = {
  /** Sections of settings files that name a tenant. */
  labels: (tenant: string) => `${PREFIX}:labels:${tenant}`,
  /** One of `SHARD_PIECES`. */
  shard: (id: string, piece: string) => `${PREFIX}:shard:${id}:${piece}`,
  /** Set while a stop is requested for a scan or a run. */
  stopped: (id: string) => `${PREFIX}:stopped:${id}`,
  /** The channel that announces changes to a scan or a run. */
  bell: (id: string) => `${PREFIX}:bell:${id}`,
  /** Requests that a tenant may send per second. */
  rate: (tenant: string) => `${PREFIX}:rate:${tenant}`,
  /** When the next request of a tenant, or of one scan, may be sent. */
  next: (id: string) => `${PREFIX}:next:${id}`,
  /** Set while the service throttles the tenant; also the channel that announces it. */
  brake: (tenant: string) => `${PREFIX}:brake:${tenant}`,
  /** Written by a waiting coordinator. */
  alive: (id: string) => `${PREFIX}:alive:${id}`,
  worker: (id: string) => `${PREFIX}:worker:${id}`,
  /** A piece of a run: `run`, `work` (its request), `result` or `events`. */
  run: (id: string, piece: string) => `${PREFIX}:run:${id}:${piece}`,
  /** Ids of a tenant's runs, by start time. */
  runs: (tenant: string) => `${PREFIX}:runs:${tenant}`,
  /** Ids of a token's runs within its tenant: `all` by creation time, `ended` by end time. */
  ownRuns: (tenant: string, owner: string, which: 'all' | 'ended') => `${PREFIX}:runs:${tenant}:${owner}:${which}`,
  /** Accepted runs that have not ended, with their tenant, their token and the bytes of their requests. */
  accepted: `${PREFIX}:accepted`,
  /** The last turn of each token with queued runs. */
  turns: (tenant: string) => `${PREFIX}:turns:${tenant}`,
  /** Number and bytes of the accepted runs of each token. */
  acceptedSums: `${PREFIX}:accepted-sums`,
};
