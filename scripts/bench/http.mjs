/** Measures the HTTP service: scans a second against the library and against a bare route, times, and memory. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { scratchFolder } from '../scratch-folder.mjs';
import { AISEC, cleanEnvironment, startProgram } from '../start-program.mjs';
import { measuredOn, repeated, spread, table } from './measure.mjs';

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
const BODY = JSON.stringify({ profile_name: 'prod', prompt: 'hello' });

export async function measureHttp() {
  const children = [];
  try {
    const service = await startService();
    const size = (await call(service, newAgent(1))).length;
    const bare = await startChild('bare', String(size));
    const library = await startChild('library');
    children.push(service, bare, library);
    const rates = await ratesOf(service, bare, library);
    const memory = await memoryOf(service);
    const note = `\`aisec serve\` as it is built, on the simulated service without latency; clients and service share the machine.\n${measuredOn()}`;
    return `## HTTP\n\n${note}\n\n${rates}\n${memory}`;
  } finally {
    for (const { child } of children) child.kill('SIGKILL');
  }
}

async function startService() {
  const { child, found } = await startProgram([AISEC, '--simulate', 'serve', '--port', '0', '--rate', '1000000'], {
    environment: { HOME: scratchFolder('bench-http'), AISEC_SERVE_TOKEN: TOKEN },
    ready: { port: /:(\d+)\n/ },
  });
  return { child, port: Number(found.port) };
}

/** Starts a process of `http-child.mjs`. */
async function startChild(...args) {
  const child = fork(join(import.meta.dirname, 'http-child.mjs'), args, { env: cleanEnvironment() });
  const [port] = await once(child, 'message');
  return { child, port };
}

async function ratesOf(service, bare, library) {
  const rows = [];
  for (const width of CLIENTS) {
    const [own, floor, direct] = [[], [], []];
    const times = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const measured = [await rate(service, width), await rate(bare, width), await libraryRate(library, width)];
      // The first round warms up.
      if (round === 0) continue;
      own.push(measured[0].rate);
      floor.push(measured[0].rate / measured[1].rate);
      direct.push(measured[0].rate / measured[2]);
      times.push(...measured[0].times);
    }
    times.sort((one, other) => one - other);
    const at = (share) => times[Math.floor((times.length - 1) * share)].toFixed(1);
    const limit = width === CLIENTS.at(-1) ? String(RATE_LIMIT) : '';
    rows.push([String(width), spread(own, 0), spread(direct), spread(floor), limit, at(0.5), at(0.99)]);
  }
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

/** Sends scans, of which so many are under way. */
async function rate(target, width, calls = CALLS) {
  const agent = newAgent(width);
  const measured = await repeated(() => call(target, agent), { calls, width });
  agent.destroy();
  return measured;
}

async function libraryRate({ child }, width) {
  child.send({ calls: CALLS, width });
  const [found] = await once(child, 'message');
  return found;
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
