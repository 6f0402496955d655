/** Measures time and CPU of a small POST by each client, in interleaved rounds. */
import { join } from 'node:path';
import { importText } from '../bundle.mjs';
import { startProgram } from '../start-program.mjs';
import { cpuTimeOf, median, repeated, spread, table } from './measure.mjs';

const ROUNDS = 11;
const LEVELS = [
  { pending: 1, calls: 200 },
  { pending: 16, calls: 800 },
  { pending: 64, calls: 1000 },
];
const NOTE = `A POST of 0.1 kB, answered with 1.2 kB of JSON by another process on this machine. Each cell has time and CPU time of the client per call; a bare \`node:http\` with
keep-alive is 1; ${ROUNDS} rounds. The last column is the number of connections that the service counts in one round (${LEVELS.map(({ calls }) => calls).join(', ')} calls):
no more than there are calls in flight, if connections are reused.`;

export async function measureTransport() {
  const { openClients } = await importText("export { openClients } from './scripts/bench/transport-clients.ts';\n");
  const { found, stop } = await startProgram([join(import.meta.dirname, 'json-service.mjs')], {
    ready: { origin: /(http:\S+)\n/ },
  });
  const clients = openClients(`${found.origin}/call`);
  const rows = clients.map(({ title }) => ({ title, cells: [], connections: [] }));
  let absolute = '';
  for (const { pending, calls } of LEVELS) {
    const all = await roundsOf(clients, found.origin, pending, calls);
    const [base] = all;
    absolute += `${absolute === '' ? '' : ', '}${median(base.times).toFixed(0)} with ${pending}`;
    all.forEach(({ times, work, connections }, index) => {
      const against = (values, others) => spread(values.map((value, round) => value / others[round]));
      rows[index].cells.push(`${against(times, base.times)}; CPU ${against(work, base.work)}`);
      rows[index].connections.push(connections);
    });
  }
  for (const client of clients) await client.close();
  await stop();
  return section(rows, absolute);
}

/** Measures all clients. @returns for each client microseconds and CPU per call by round, and the maximum of connections */
async function roundsOf(clients, origin, pending, calls) {
  const found = clients.map(() => ({ times: [], work: [], connections: 0 }));
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [index, client] of clients.entries()) {
      await connectionsTo(origin);
      const { time, work } = await costOf(client, pending, calls);
      const connections = await connectionsTo(origin);
      // The first round is a warm-up.
      if (round < 0) continue;
      found[index].connections = Math.max(found[index].connections, connections);
      found[index].times.push(time);
      found[index].work.push(work);
    }
  }
  return found;
}

/** Returns the number of connections to the service since the last call. */
async function connectionsTo(origin) {
  return (await fetch(`${origin}/connections`, { headers: { connection: 'close' } })).json();
}

/** Measures time and CPU time of a call, in microseconds. */
async function costOf(client, width, calls) {
  const call = async () => {
    if ((await client.call()).length < 1000) throw new Error(`${client.title}: the answer is not whole`);
  };
  let seconds;
  const cpu = await cpuTimeOf(async () => {
    ({ seconds } = await repeated(call, { calls, width }));
  });
  return { time: (seconds * 1e6) / calls, work: (cpu * 1000) / calls };
}

function section(rows, absolute) {
  const columns = ['client', ...LEVELS.map(({ pending }) => `${pending} in flight`), 'connections'];
  const cells = rows.map((row) => [row.title, ...row.cells, row.connections.join(', ')]);
  return `## Transport\n\n${NOTE}\nMicroseconds of the bare \`node:http\` here: ${absolute}.\n\n${table(columns, cells)}`;
}
