import { UsageError } from '../engine/errors.ts';
import { isForPrograms } from '../hosts/terminal/options/options.ts';
import { neededQueue } from '../hosts/terminal/options/queue-address.ts';
import { jsonText } from '../hosts/terminal/render/json.ts';
import { measureFor } from '../hosts/terminal/render/measure.ts';
import { sanitize } from '../hosts/terminal/render/sanitize.ts';
import { renderReadable } from '../hosts/terminal/render/table.ts';
import type { SubcommandContext } from '../hosts/terminal/subcommand.ts';
import { markdown } from '../output/markdown.ts';
import { tableOf } from '../output/readable.ts';
import type { QueueStatus } from '../runs/redis/status.ts';
import { tenantTitle } from '../runs/redis/workers/tenants.ts';
import { plural } from '../text/numbers.ts';

const USAGE = 'Usage: aisec queue, aisec queue retry ID, or aisec queue drop ID';
const MEGABYTE = 1_000_000;

/** `aisec queue`: shows what waits, what works and what was set aside; `retry` and `drop` act on the last. */
export async function queue({ host, options, format, screen, signal, words }: SubcommandContext): Promise<number> {
  const { queueService: service, environment } = host;
  if (service === undefined) throw new UsageError('This build of aisec has no queue.');
  const address = neededQueue(options, environment);
  const [word, id] = words;
  if (word === 'retry' && id !== undefined) {
    await service.retry(address, id, options.dryRun);
    if (options.dryRun) screen.note(`Dry run: ${sanitize(id)} would wait for its turn again. Nothing was changed.`);
    else if (!options.quiet) screen.note(`${sanitize(id)} waits for its turn again.`);
    return 0;
  }
  if (word === 'drop' && id !== undefined) {
    await service.drop(address, id, options.dryRun);
    if (options.dryRun) screen.note(`Dry run: ${sanitize(id)} would be dropped. Nothing was changed.`);
    else if (!options.quiet) screen.note(`${sanitize(id)} is gone.`);
    return 0;
  }
  if (word !== undefined) {
    const text = [word, id].join(' ').trim().slice(0, 60);
    throw new UsageError(`aisec queue does not know "${text}".`, { hint: USAGE });
  }
  const report = await service.report(address);
  if (isForPrograms(format)) {
    screen.result(jsonText(report, screen.terminal));
    return 0;
  }
  const readable = { title: 'Queue', simulated: false, tables: tablesOf(report), notes: [] };
  const page = { width: screen.width, style: screen.style, signal, measure: await measureFor(readable) };
  screen.result(format === 'markdown' ? markdown(readable).trimEnd() : await renderReadable(readable, page));
  if (!options.quiet) for (const note of notesOf(report)) screen.note(note);
  return 0;
}

function tablesOf({ queues, workers, aside }: QueueStatus) {
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

function notesOf({ redis, memory, queues, workers, aside }: QueueStatus): string[] {
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

/** Names the tenants whose work waits without a worker. */
function unservedOf({ queues, workers }: Pick<QueueStatus, 'queues' | 'workers'>): string[] {
  const served = new Set(workers.flatMap(({ tenants }) => tenants));
  const waiting = queues.filter(({ tenant, waiting }) => waiting > 0 && !served.has(tenant));
  return [...new Set(waiting.map(({ tenant, labels }) => tenantTitle(tenant, labels)))];
}
