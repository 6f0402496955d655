/** The figures of a run, as a section of docs/benchmarks.md. */
import { table } from '../bench/measure.mjs';

export function soakSection({ minutes, seed, commandsAtOnce, commands, seconds, classes, service, ...found }) {
  const note = `By \`npm run soak\`: ${commandsAtOnce} commands at once in one process for ${minutes} min with Node ${process.version}, against the simulated service in another
process (seed ${seed}; it answered ${service.requests} requests and was restarted ${service.renewals} times). All commands in a random mix, paging, bulk scans,
uploads, downloads and jobs; some were stopped, and some answers spoilt: ${said(service.faults)}.
Memory is looked at after a forced collection, while next to nothing runs; what it grew by is a straight line through the second half. Allowed
${allowed(found.bounds)}`;
  const rows = [
    ['commands', commands],
    ['different commands that succeeded', found.kinds.join(' of ')],
    ['commands a second here', (commands / seconds).toFixed(0)],
    ...Object.entries(classes)
      .sort(([one], [other]) => Number.parseInt(one, 10) - Number.parseInt(other, 10))
      .map(([kind, count]) => [`exit code and class: ${kind}`, count]),
    ['heap, median and growth, MB', trend(found.heap)],
    ['heap after all was closed, MB', found.last.heap.toFixed(1)],
    ['memory of the process, median and growth, MB', trend(found.rss)],
    ['connections at once, at most', found.mostSockets],
    ['connections after all was closed', found.socketsLeft],
    ['event loop late by, median and 99th percentile, ms', found.lateness.map((ms) => ms.toFixed(0)).join(', ')],
    ['longest from stop to end, ms', found.slowestStop.ms.toFixed(0)],
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

function said(faults) {
  const words = Object.entries(faults).map(([kind, count]) => `${count} ${kind}`);
  return words.length === 0 ? 'none' : words.join(', ');
}
