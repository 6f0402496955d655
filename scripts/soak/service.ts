/**
 * The process of the simulated service, with injected faults. The service is renewed every few seconds, so that created
 * objects do not accumulate and deleted ones come back. It prints its settings, and on SIGTERM its counts.
 */
import { startServer } from '../../fixtures/service/server.ts';
import { faultInjector } from './fault-injector.ts';
import { seededRandom } from './random.ts';
import { openRenewableService } from './renewable-service.ts';

const [seed = 1, renewSeconds = 15] = process.argv.slice(2).map(Number);
const service = await openRenewableService();
const { handle, counts } = faultInjector(seededRandom(seed + 2));
let requests = 0;
let renewals = 0;
const { origin, close } = await startServer(
  {
    settings: service.settings,
    handle: (request, clock) => {
      requests += 1;
      return handle(service, request, clock);
    },
  },
  { port: 0 },
);
const renewal = setInterval(() => {
  renewals += 1;
  void service.renew();
}, renewSeconds * 1000);

process.once('SIGTERM', () => {
  clearInterval(renewal);
  console.log(JSON.stringify({ requests, renewals, faults: counts }));
  void close().then(() => process.disconnect());
});
// The parent has exited.
process.once('disconnect', () => process.exit());
console.log(JSON.stringify(service.settings(origin)));
