/** A process of its own with a simulated service that takes its time; it says on its output how to reach it. */
import { createService } from '../../fixtures/service/index.ts';
import { startServer } from '../../fixtures/service/server.ts';

const [sync = '0', submit = '0', look = '0', processing = '0'] = process.argv.slice(2);
const service = createService({
  faults: [`latency:${sync}@/v1/scan/sync`, `latency:${submit}@/v1/scan/async`, `latency:${look}@/v1/scan/results`],
  processingMs: Number(processing),
});
const { origin } = await startServer(service, { port: 0 });
console.log(JSON.stringify(service.settings(origin)));
