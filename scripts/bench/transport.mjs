/** Measures time and CPU of a small POST by this project's transport and by two others, in interleaved rounds. */
import http from 'node:http';
import { join } from 'node:path';
import ky from 'ky';
import { importText } from '../bundle.mjs';
import { startProgram } from '../start-program.mjs';
import { cpuTimeOf, interleaved, median, over, repeated, spread, table } from './measure.mjs';

const ROUNDS = 11;
const LEVELS = [
  { pending: 1, calls: 200 },
  { pending: 16, calls: 800 },
  { pending: 64, calls: 1000 },
];
const NOTE = `A POST of 0.1 kB, answered with 1.2 kB of JSON by another process on this machine. Each cell has time and CPU time of the client per call; a bare \`node:http\` with
keep-alive is 1; ${ROUNDS} rounds. The last column is the number of connections that the service counts in one round (${LEVELS.map(({ calls }) => calls).join(', ')} calls):
no more than there are calls in flight, if connections are reused.`;

const headers = {
  'content-type': 'application/json',
  accept: 'application/json',
  authorization: 'Bearer not-a-secret',
};
const body = JSON.stringify({ prompt: 'Please summarise the attached report for the regional sales meeting.' });

export async function measureTransport() {
  const { nodeTransport } = await importText("export { nodeTransport } from './lib/transport/node.ts';\n");
  const { found, stop } = await startProgram([join(import.meta.dirname, 'json-service.mjs')], {
    ready: { origin: /(http:\S+)\n/ },
  });
  const url = `${found.origin}/call`;
  const agent = new http.Agent({ keepAlive: true, scheduling: 'lifo', timeout: 4000 });
  const transport = nodeTransport({ insecure: false, proxy: false });
  // The others are compared with the first one.
  const clients = [
    { title: 'bare `node:http`', call: () => bare(url, agent) },
    {
      title: 'AiSec',
      call: async () => (await transport.send({ method: 'POST', url, headers, body, timeoutMs: 60_000 })).body,
    },
    {
      title: 'ky over the global `fetch`',
      call: () => ky.post(url, { headers, body, retry: 0, timeout: 60_000 }).text(),
    },
  ];
  const levels = [];
  for (const level of LEVELS) {
    levels.push(await interleaved(clients, ROUNDS, (client) => costOf(client, level, found.origin)));
  }
  agent.destroy();
  await transport.close();
  await stop();
  return section(clients, levels);
}

/** The base of the transport: no ky, timeouts, cancellation, size limits or detailed errors. */
function bare(url, agent) {
  return new Promise((resolve, reject) => {
    const sent = http.request(url, { method: 'POST', headers, agent }, (answer) => {
      const pieces = [];
      answer.on('data', (piece) => pieces.push(piece));
      answer.on('end', () => resolve(Buffer.concat(pieces).toString('utf8')));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Measures time and CPU time of a call, in microseconds, and the connections of all calls. */
async function costOf(client, { pending, calls }, origin) {
  const call = async () => {
    if ((await client.call()).length < 1000) throw new Error(`${client.title}: the answer is not whole`);
  };
  await connectionsTo(origin);
  let seconds;
  const cpu = await cpuTimeOf(async () => {
    ({ seconds } = await repeated(call, { calls, width: pending }));
  });
  return { time: (seconds * 1e6) / calls, work: (cpu * 1000) / calls, connections: await connectionsTo(origin) };
}

/** Returns the number of connections to the service since the last call. */
async function connectionsTo(origin) {
  return (await fetch(`${origin}/connections`, { headers: { connection: 'close' } })).json();
}

/** @param levels figures of each client by round, for each level */
function section(clients, levels) {
  const of = (rounds, figure) => rounds.map((round) => round[figure]);
  const rows = clients.map(({ title }, client) => {
    const cells = levels.map((all) => {
      const against = (figure) => spread(over(of(all[client], figure), of(all[0], figure)));
      return `${against('time')}; CPU ${against('work')}`;
    });
    const connections = levels.map((all) => Math.max(...of(all[client], 'connections')));
    return [title, ...cells, connections.join(', ')];
  });
  const absolute = levels.map(([base], at) => `${median(of(base, 'time')).toFixed(0)} with ${LEVELS[at].pending}`);
  const columns = ['client', ...LEVELS.map(({ pending }) => `${pending} in flight`), 'connections'];
  return `## Transport\n\n${NOTE}\nMicroseconds of the bare \`node:http\` here: ${absolute.join(', ')}.\n\n${table(columns, rows)}`;
}
