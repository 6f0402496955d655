/** Measures the HTTP service: scans a second against the library and against a bare route, times, and memory. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { importText } from '../bundle.mjs';
import { scratchFolder } from '../scratch-folder.mjs';
import { AISEC, killAll, startProgram } from '../start-program.mjs';
import { interleaved, measuredOn, over, repeated, spread, table } from './measure.mjs';

const TOKEN = 'token-of-the-benchmark';
const ROUNDS = 5;
const CLIENTS = [1, 16, 64];
/** Calls of one round, for each number of clients. */
const CALLS = 2000;
const MEMORY_CALLS = 100_000;
const WARM_CALLS = 20_000;
/** Growth of the memory after it is warm that is allowed, in MB. */
const GROWTH_LIMIT = 40;
/** Share of the bare route's rate that the service has to reach with 64 clients. */
const RATE_LIMIT = 0.05;
const PATH = '/v1/commands/aisec-runtime-scan';
const INPUT = { profile_name: 'prod', prompt: 'hello' };
const BODY = JSON.stringify(INPUT);

export async function measureHttp() {
  try {
    const service = await started([AISEC, '--simulate', 'serve', '--port', '0', '--rate', '1000000']);
    const size = (await call(service, newAgent(1))).length;
    const bare = await started([join(import.meta.dirname, 'bare-route.mjs'), String(size)]);
    const rates = await ratesOf(service, bare);
    const memory = await memoryOf(service);
    const note = `\`aisec serve\` as it is built, on the simulated service without latency; clients and service share the machine.\n${measuredOn()}`;
    return `## HTTP\n\n${note}\n\n${rates}\n${memory}`;
  } finally {
    killAll();
  }
}

async function started(words) {
  const { child, found } = await startProgram(words, {
    environment: { HOME: scratchFolder('bench-http'), AISEC_SERVE_TOKEN: TOKEN },
    ready: { port: /:(\d+)\n/ },
  });
  return { child, port: Number(found.port) };
}

async function ratesOf(service, bare) {
  const { createAisec } = await importText("export { createAisec } from './bin/library.ts';\n");
  const aisec = createAisec({ simulate: true });
  const scan = () => aisec.run('aisec-runtime-scan', INPUT);
  const rows = [];
  for (const width of CLIENTS) {
    const works = [() => rate(service, width), () => rate(bare, width), () => repeated(scan, { calls: CALLS, width })];
    const measured = await interleaved(works, ROUNDS, (work) => work());
    const [own, floor, library] = measured.map((rounds) => rounds.map((round) => round.rate));
    const times = measured[0].flatMap((round) => round.times).sort((one, other) => one - other);
    const at = (share) => times[Math.floor((times.length - 1) * share)].toFixed(1);
    const limit = width === CLIENTS.at(-1) ? String(RATE_LIMIT) : '';
    rows.push([
      String(width),
      spread(own, 0),
      spread(over(own, library)),
      spread(over(own, floor)),
      limit,
      at(0.5),
      at(0.99),
    ]);
  }
  await aisec.close();
  const columns = [
    'clients',
    'scans a second here',
    'relative to the library in a process',
    'relative to a bare route',
    'limit',
    'p50, ms here',
    'p99, ms here',
  ];
  return `${ROUNDS} rounds of ${CALLS} scans each, interleaved. The bare route of the same server parses the same body and returns as many bytes; the library runs the same command. Each round opens new connections: the highest times are those of the first requests of many clients, because Node accepts one connection in each round of its event loop.\n\n${table(columns, rows)}`;
}

/** Sends scans with a fixed concurrency. */
async function rate(target, width, calls = CALLS) {
  const agent = newAgent(width);
  const measured = await repeated(() => call(target, agent), { calls, width });
  agent.destroy();
  return measured;
}

function newAgent(maxSockets) {
  return new Agent({ keepAlive: true, maxSockets });
}

function call({ port }, agent) {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      'content-length': BODY.length,
    };
    const sent = request({ host: '127.0.0.1', port, path: PATH, method: 'POST', headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))));
    });
    sent.on('error', reject);
    sent.end(BODY);
  });
}

async function memoryOf(service) {
  await rate(service, 16, WARM_CALLS);
  const warm = memoryIn(service);
  await rate(service, 16, MEMORY_CALLS - WARM_CALLS);
  const end = memoryIn(service);
  const growth = end - warm;
  if (!(growth <= GROWTH_LIMIT)) throw new Error(`Memory grew by ${growth} MB.`);
  const rows = [
    [`${WARM_CALLS} scans`, String(warm), ''],
    [`${MEMORY_CALLS} scans`, String(end), `${warm + GROWTH_LIMIT}`],
  ];
  return `Memory of the process, in MB, after scans by 16 clients.\n\n${table(['after', 'MB', 'limit'], rows)}`;
}

function memoryIn({ child }) {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}
