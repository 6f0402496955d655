/** Serves a simulated service with latencies. Prints its settings, and on SIGTERM the number of requests. */
import { createService } from '../../fixtures/service/index.ts';
import { startServer } from '../../fixtures/service/server.ts';

const [sync = '0', submit = '0', poll = '0', processing = '0'] = process.argv.slice(2);
const service = createService({
  faults: [`latency:${sync}@/v1/scan/sync`, `latency:${submit}@/v1/scan/async`, `latency:${poll}@/v1/scan/results`],
  processingMs: Number(processing),
});
let requests = 0;
const { origin, close } = await startServer(
  {
    ...service,
    handle: (request, clock) => {
      requests += 1;
      return service.handle(request, clock);
    },
  },
  { port: 0 },
);
process.once('SIGTERM', () => {
  console.log(JSON.stringify({ requests }));
  void close();
});
console.log(JSON.stringify(service.settings(origin)));
