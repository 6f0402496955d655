/** The tables and notes of `aisec queue`. */

import { plural } from '../../../../core/text/numbers.ts';
import type { QueueStatus } from '../../../../runs/redis/status.ts';
import { tenantTitle } from '../../../../runs/redis/workers/tenants.ts';
import { tableOf } from '../../../../runtime/output/readable.ts';
import { sanitize } from '../../ui/sanitize.ts';

const MEGABYTE = 1_000_000;

export function tablesOf({ queues, workers, aside }: QueueStatus) {
  const shown = queues.map(({ tenant, labels, kind, waiting, active, delayed, failed, oldestSeconds, rate }) => ({
    ...{ tenant: tenantTitle(tenant, labels), kind, waiting, active, delayed },
    aside: failed,
    oldest: oldestSeconds === 0 ? '' : `${oldestSeconds} s`,
    rate: rate === null ? '' : `${rate}/s`,
  }));
  const people = workers.map(({ host, pid, slots, shards, runs, started }) => {
    return { worker: `${host}:${pid}`, slots, shards, runs, started };
  });
  const jobs = aside.map(({ id, tenant, reason, since }) => {
    const labels = queues.find((queue) => queue.tenant === tenant)?.labels ?? [];
    return { id, tenant: tenantTitle(tenant, labels), reason, since };
  });
  return [shown, people, jobs].filter((rows) => rows.length > 0).map((rows) => tableOf(rows));
}

export function queueNotes({ redis, memory, queues, workers, aside }: QueueStatus): string[] {
  const used = `${(memory / MEGABYTE).toFixed(1)} MB`;
  return [
    `Redis at ${redis} uses ${used}; ${workers.length === 0 ? 'no worker is alive' : `${plural(workers.length, 'worker')} alive`}.`,
    ...unservedOf({ queues, workers }).map((title) => `No worker has the tenant ${sanitize(title)}, whose work waits.`),
    ...(queues.length === 0 ? ['Nothing was ever put on this queue.'] : []),
    ...(aside.length === 0
      ? []
      : ['Set aside: try again with aisec queue retry ID, or forget with aisec queue drop ID.']),
  ];
}

/** Names the tenants with waiting work but no worker. */
function unservedOf({ queues, workers }: Pick<QueueStatus, 'queues' | 'workers'>): string[] {
  const served = new Set(workers.flatMap(({ tenants }) => tenants));
  const waiting = queues.filter(({ tenant, waiting }) => waiting > 0 && !served.has(tenant));
  return [...new Set(waiting.map(({ tenant, labels }) => tenantTitle(tenant, labels)))];
}
