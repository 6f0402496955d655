/**
 * Serves a simulated service with latencies. Prints its settings, and on SIGTERM the number of requests; with a fifth argument
 * also how many prompts came, and how many of them once more, and the fewest and the most requests in any ten seconds between the
 * first second and the last. Prompts are told apart by the number in them.
 */
import { createService } from '../../fixtures/service/index.ts';
import { startServer } from '../../fixtures/service/server.ts';

const [sync = '0', submit = '0', poll = '0', processing = '0', most = '0'] = process.argv.slice(2);
const service = createService({
  faults: [`latency:${sync}@/v1/scan/sync`, `latency:${submit}@/v1/scan/async`, `latency:${poll}@/v1/scan/results`],
  processingMs: Number(processing),
  // A shard whose worker was killed is polled seconds later.
  ...(most === '0' ? {} : { keptPrompts: 300_000 }),
});
const seen = new Uint8Array(Number(most) + 1);
let [requests, prompts, repeats] = [0, 0, 0];
/** Requests in each tenth of a second. */
const tenths: number[] = [];
const started = performance.now();

function count(body: string): void {
  for (const [, number] of body.matchAll(/"prompt":"[^"]*?, part (\d+),/g)) {
    prompts += 1;
    if (seen[Number(number)] === 1) repeats += 1;
    seen[Number(number)] = 1;
  }
}

function tally(): void {
  const at = Math.floor((performance.now() - started) / 100);
  while (tenths.length <= at) tenths.push(0);
  tenths[at] = (tenths[at] ?? 0) + 1;
}

function inTenSeconds(): { fewest: number; most: number } {
  const from = tenths.findIndex((count) => count > 0) + 10;
  const sums: number[] = [];
  for (let at = from; at + 110 <= tenths.length; at += 1) {
    sums.push(tenths.slice(at, at + 100).reduce((sum, count) => sum + count, 0));
  }
  return { fewest: Math.min(...sums), most: Math.max(...sums) };
}

const { origin, close } = await startServer(
  {
    ...service,
    handle: (request, clock) => {
      requests += 1;
      if (most !== '0') tally();
      if (most !== '0' && request.method === 'POST') count(request.body);
      return service.handle(request, clock);
    },
  },
  { port: 0 },
);
process.once('SIGTERM', () => {
  console.log(JSON.stringify({ requests, prompts, repeats, tenSeconds: inTenSeconds() }));
  void close();
});
console.log(JSON.stringify(service.settings(origin)));
