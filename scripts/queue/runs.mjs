/** Measures what the queue adds to a run of the HTTP service. */
import { join } from 'node:path';
import { spread, table } from '../bench/measure.mjs';
import { NONE } from '../bench/processes.mjs';
import { openCluster, pause } from './cluster.mjs';

const [ROUNDS, RUNS] = [10, 20];
const TOKEN = 'token-of-the-benchmark-0123';
const ROUTE = '/v1/commands/aisec-runtime-topics-list';
const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', prefer: 'respond-async' };

/** Times runs from the request that starts them to the answer that has their result. @returns a paragraph and a table */
export async function measureRuns({ folder: root, openService }) {
  const service = await openService(NONE);
  const environment = { ...service.settings, AISEC_SERVE_TOKEN: TOKEN };
  const cluster = await openCluster({ folder: join(root, 'runs'), environment });
  try {
    await cluster.redis();
    await cluster.worker(1);
    const hosts = [
      ['in the service', await cluster.serve('alone', { AISEC_QUEUE_URL: '' }), []],
      ['through the queue', await cluster.serve('queue', {}), []],
    ];
    for (const [, url] of hosts) await timeOf(url);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [, url, times] of hosts) {
        for (let run = 0; run < RUNS; run += 1) times.push(await timeOf(url));
      }
    }
    const rows = hosts.map(([title, , times]) => [title, spread(times, 1)]);
    return `A run of \`aisec serve\`, from the request to the answer with its result, asked for every two milliseconds; ${ROUNDS} rounds of ${RUNS}, interleaved:

${table(['run', 'milliseconds here'], rows)}`;
  } finally {
    await cluster.close();
    await service.close();
  }
}

async function timeOf(url) {
  const since = performance.now();
  const asked = await fetch(new URL(ROUTE, url), { method: 'POST', headers, body: '{}' });
  const { id } = await asked.json();
  for (;;) {
    const answer = await fetch(new URL(`/v1/runs/${id}`, url), { headers });
    const { state } = await answer.json();
    if (state === 'succeeded') return performance.now() - since;
    if (state === 'failed' || !answer.ok) throw new Error(`the run is ${state}`);
    await pause(2);
  }
}
