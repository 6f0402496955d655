/**
 * A process of its own with a simulated service that has its faults. Every few seconds it begins anew, so that what the
 * traffic creates does not pile up and what it deletes is there again. It says how to reach it, and on SIGTERM what it was asked.
 */
import { startServer } from '../../fixtures/service/server.ts';
import { chanceOf } from './chance.ts';
import { spoiler } from './spoil.ts';
import { openWorlds } from './worlds.ts';

const [seed = 1, renewSeconds = 15] = process.argv.slice(2).map(Number);
const worlds = await openWorlds();
const { handle, counts } = spoiler(chanceOf(seed + 2));
let requests = 0;
let renewals = 0;
const { origin, close } = await startServer(
  {
    settings: worlds.settings,
    handle: (request, clock) => {
      requests += 1;
      return handle(worlds, request, clock);
    },
  },
  { port: 0 },
);
const renewal = setInterval(() => {
  renewals += 1;
  void worlds.renew();
}, renewSeconds * 1000);

process.once('SIGTERM', () => {
  clearInterval(renewal);
  console.log(JSON.stringify({ requests, renewals, faults: counts }));
  void close().then(() => process.disconnect());
});
// Whoever started it is gone.
process.once('disconnect', () => process.exit());
console.log(JSON.stringify(worlds.settings(origin)));
