/** Measures the HTTP service: scans a second against the library and against a bare route, times, and memory. */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnvironment, measuredOn, spread, table } from './measure.mjs';
import { AISEC, collected } from './processes.mjs';

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
  const folder = mkdtempSync(join(tmpdir(), 'aisec-bench-http-'));
  const children = [];
  try {
    const service = await startService(folder);
    const size = (await call(service, newAgent(1))).length;
    const bare = await startChild('bare', String(size));
    const library = await startChild('library');
    children.push(service, bare, library);
    const rates = await ratesOf(service, bare, library);
    const memory = await memoryOf(service);
    const [, , load] = loadavg();
    const busy = load > cpus().length ? ' The machine was busy with other work: all figures spread.' : '';
    const note = `\`aisec serve\` as it is built, on the simulated service without latency; clients and service share the machine.\n${measuredOn()}${busy}`;
    return `## HTTP\n\n${note}\n\n${rates}\n${memory}`;
  } finally {
    for (const { child } of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startService(folder) {
  const environment = cleanEnvironment({ HOME: folder, AISEC_SERVE_TOKEN: TOKEN });
  const args = [AISEC, '--simulate', 'serve', '--port', '0', '--rate', '1000000'];
  const child = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  const stdout = collected(child.stdout);
  while (!stdout.text.includes('\n')) await once(child.stdout, 'data');
  return { child, port: Number(/:(\d+)\n/.exec(stdout.text)?.[1]) };
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

/** Sends scans, of which so many are under way. @returns calls a second, and the time of each in milliseconds */
async function rate(target, width, calls = CALLS) {
  const agent = newAgent(width);
  const times = [];
  let left = calls;
  const start = process.hrtime.bigint();
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      const since = process.hrtime.bigint();
      await call(target, agent);
      times.push(Number(process.hrtime.bigint() - since) / 1e6);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  agent.destroy();
  return { rate: calls / (Number(process.hrtime.bigint() - start) / 1e9), times };
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
