/** Renders the section of docs/benchmarks.md. */
import { table } from '../bench/measure.mjs';

export function soakSection({ minutes, seed, commandsAtOnce, commands, seconds, classes, service, http, ...found }) {
  const note = `By \`npm run soak\`: ${commandsAtOnce} commands at once in one process for ${minutes} min with Node ${process.version}, against the simulated service in another
process (seed ${seed}; it answered ${service.requests} requests and was restarted ${service.renewals} times). All commands in a random mix, paging, bulk scans,
uploads, downloads and jobs; some were stopped, and faults were injected: ${faultList(service.faults)}.
Memory is sampled after a forced collection, in pauses of the traffic; growth is a linear fit over the second half. Allowed
${allowed(found.limits)}`;
  const rows = [
    ['commands', commands],
    ['different commands that succeeded', found.kinds.join(' of ')],
    ['commands per second here', (commands / seconds).toFixed(0)],
    ...Object.entries(classes)
      .sort(([one], [other]) => Number.parseInt(one, 10) - Number.parseInt(other, 10))
      .map(([kind, count]) => [`exit code and class: ${kind}`, count]),
    ['heap, median and growth, MB', trend(found.heap)],
    ['heap after closing, MB', found.last.heap.toFixed(1)],
    ['memory of the process, median and growth, MB', trend(found.rss)],
    ['most connections at once', found.mostSockets],
    ['connections after closing', found.socketsLeft],
    ['event loop delay, median and 99th percentile, ms', found.loopDelay.map((ms) => ms.toFixed(0)).join(', ')],
    ['longest time from stop to end, ms', found.slowestStop.ms.toFixed(0)],
    ['requests to `aisec serve`, each answered as expected', http.requests],
    [
      'requests of a second tenant beside them; median and 99th percentile, ms',
      `${http.neighbour.requests}; ${http.neighbour.median.toFixed(0)}, ${http.neighbour.p99.toFixed(0)}`,
    ],
    ['its memory after two fifths of the time and at the end, MB', `${http.warm.megabytes}, ${http.last.megabytes}`],
    ['its descriptors then', `${http.warm.files}, ${http.last.files}`],
    ['unhandled rejections, exceptions and warnings; unexplained outcomes', found.problems.length],
  ];
  return `## Under load\n\n${note}\n\n${table(['what', 'figure'], rows)}`;
}

function allowed({ heap, rss, socketsPerCommand }) {
  const growth = ({ share, megabytes }) => `${share * 100} % or ${megabytes} MB`;
  return `are ${growth(heap)} of the heap, ${growth(rss)} of the process, ${socketsPerCommand} connections for each command, and no unhandled rejection, exception or warning.`;
}

function trend({ median, growth }) {
  return `${median.toFixed(1)}, ${growth < 0 ? '' : '+'}${growth.toFixed(1)}`;
}

function faultList(faults) {
  const parts = Object.entries(faults).map(([kind, count]) => `${count} ${kind}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}
