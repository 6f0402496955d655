/** What one call costs: time and CPU of a small POST, by the transport and by what it is compared with, in turns. */
import { importText } from '../bundle.mjs';
import { withJsonService } from './json-client.mjs';
import { median, spread, table } from './measure.mjs';

const ROUNDS = 11;
const LEVELS = [
  { underWay: 1, calls: 200 },
  { underWay: 16, calls: 800 },
  { underWay: 64, calls: 1000 },
];
const NOTE = `A POST of 0.1 kB, answered with 1.2 kB of JSON by a process of its own on this machine. Each cell: time and CPU of the client per call,
a bare \`node:http\` with kept connections is 1; medians of ${ROUNDS} rounds that take turns, and where the middle half lies. The last column: on how many connections the calls of
one turn (${LEVELS.map(({ calls }) => calls).join(', ')}) came, as the service counts them: no more than there are calls under way means that each is used again.`;

const WHY = `HTTP/2 is not used. It saves
about a tenth of a millisecond for each of many calls at once, of calls that take a hundred or more; loading it would cost each run of the program
about a tenth of an empty process.\n`;

export async function measureTransport() {
  const { openClients } = await importText("export { openClients } from './scripts/bench/transport-clients.ts';\n");
  return withJsonService(0, async (service) => {
    const clients = openClients(service);
    const rows = clients.map(({ title }) => ({ title, cells: [], connections: [] }));
    let absolute = '';
    for (const { underWay, calls } of LEVELS) {
      const found = await roundsOf(clients, service, underWay, calls);
      const [base] = found;
      absolute += `${absolute === '' ? '' : ', '}${median(base.times).toFixed(0)} with ${underWay}`;
      found.forEach(({ times, work, connections }, index) => {
        const against = (values, others) => spread(values.map((value, round) => value / others[round]));
        rows[index].cells.push(`${against(times, base.times)}; CPU ${against(work, base.work)}`);
        rows[index].connections.push(connections);
      });
    }
    for (const client of clients) await client.close();
    return section(rows, absolute);
  });
}

/** @returns for each client microseconds per call, and those of CPU, by round; and the most connections of one turn */
async function roundsOf(clients, { seen }, underWay, calls) {
  const found = clients.map(() => ({ times: [], work: [], connections: 0 }));
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [index, client] of clients.entries()) {
      await seen();
      const { time, work } = await costOf(client, underWay, calls);
      const { connections } = await seen();
      // The first lets the engine see the code.
      if (round < 0) continue;
      found[index].connections = Math.max(found[index].connections, connections);
      found[index].times.push(time);
      found[index].work.push(work);
    }
  }
  return found;
}

async function costOf(client, underWay, calls) {
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  let left = calls;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      if ((await client.call()).length < 1000) throw new Error(`${client.title}: the answer is not whole`);
    }
  };
  await Promise.all(Array.from({ length: underWay }, lane));
  const time = Number(process.hrtime.bigint() - start) / 1000 / calls;
  const { user, system } = process.cpuUsage(cpu);
  return { time, work: (user + system) / calls };
}

function section(rows, absolute) {
  const columns = ['client', ...LEVELS.map(({ underWay }) => `${underWay} under way`), 'connections'];
  const cells = rows.map((row) => [row.title, ...row.cells, row.connections.join(', ')]);
  return `## Transport\n\n${NOTE}\nMicroseconds of the bare \`node:http\` here: ${absolute}.\n\n${table(columns, cells)}\n${WHY}`;
}
