/**
 * Serves a simulated service with latencies. Prints its settings, and on SIGTERM the number of requests; with a fifth argument
 * also the numbers of prompts and of repeated prompts, which it recognises by the number in their text.
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

function count(body: string): void {
  for (const [, number] of body.matchAll(/"prompt":"[^"]*?, part (\d+),/g)) {
    prompts += 1;
    if (seen[Number(number)] === 1) repeats += 1;
    seen[Number(number)] = 1;
  }
}

const { origin, close } = await startServer(
  {
    ...service,
    handle: (request, clock) => {
      requests += 1;
      if (most !== '0' && request.method === 'POST') count(request.body);
      return service.handle(request, clock);
    },
  },
  { port: 0 },
);
process.once('SIGTERM', () => {
  console.log(JSON.stringify({ requests, prompts, repeats }));
  void close();
});
console.log(JSON.stringify(service.settings(origin)));
