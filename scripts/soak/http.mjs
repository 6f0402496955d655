/**
 * Load on `aisec serve`: a random mix of actions (http-actions.mjs), beside a second tenant that must notice nothing. Looks for
 * answers that are not explained, runs without an end, and growth of memory and descriptors.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { importText } from '../bundle.mjs';
import { ensureBuilt } from '../ensure-built.mjs';
import { scratchFolder } from '../scratch-folder.mjs';
import { AISEC, startProgram } from '../start-program.mjs';
import { ACTIONS } from './http-actions.mjs';
import { neighbour } from './http-neighbour.mjs';

const AT_ONCE = 32;
/** Share of the time after which memory and descriptors are measured for the first time. */
const WARM = 0.4;
const GROWTH_MB = 80;
/** Maximum memory in use, in MB. It is about 240 when the bounds on kept runs, responses and files are reached, after about 40 s. */
const KEPT_MB = 300;
/** Kept runs, responses and files reach their bounds within this time: growth before then is not a leak. */
const FILLED_MS = 60_000;
const GROWTH_FILES = 60;
/** A tenant that makes the load, its neighbour, and a token whose rights change all the time. */
const TOKENS = {
  load: 'token-of-the-load-test',
  neighbour: 'token-of-the-neighbour',
  narrowed: 'token-to-be-narrowed',
};

/** Runs the load. @returns rows of figures, and `problems` */
export async function soakHttp({ minutes, seed }) {
  await ensureBuilt();
  const { seededRandom } = await importText("export { seededRandom } from './scripts/soak/random.ts';\n");
  const random = seededRandom(seed);
  const service = await startService(scratchFolder('soak-http'));
  const problems = [];
  let requests = 0;
  const ask = (...call) => {
    requests += 1;
    return answerOf(service, ...call);
  };
  const began = Date.now();
  const end = began + minutes * 60_000;
  const warmAt = began + (end - began) * WARM;
  let warm;
  const actions = Object.entries(ACTIONS);
  const lane = async () => {
    while (Date.now() < end) {
      const [name, action] = actions[Math.floor(random() * actions.length)];
      await action({ ask, random, service }).catch((failure) => problems.push(`${name}: ${failure.message}`));
      if (Date.now() > warmAt) warm ??= measured(service);
    }
  };
  let times = [];
  const beside = async () => {
    try {
      times = await neighbour(
        (path, expected, options) => ask(path, expected, { ...options, token: TOKENS.neighbour }),
        () => Date.now() >= end,
      );
    } catch (failure) {
      problems.push(`the neighbour noticed: ${failure.message}`);
    }
  };
  await Promise.all([...Array.from({ length: AT_ONCE }, lane), beside()]);
  service.agent.destroy();
  await pause(1000);
  const [first, last] = await Promise.all([warm, measured(service)]);
  await service.stop();
  const isFilled = warmAt - began > FILLED_MS;
  if (last.megabytes > KEPT_MB || (isFilled && last.megabytes - first.megabytes > GROWTH_MB))
    problems.push(`memory: ${JSON.stringify([first, last])}`);
  if (last.files - first.files > GROWTH_FILES) problems.push(`descriptors: ${JSON.stringify([first, last])}`);
  const at = (share) => (times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(0);
  const figures = [
    ['requests to `aisec serve`, each answered as expected', requests],
    [
      'requests of a second tenant beside them; median and 99th percentile, ms',
      `${times.length}; ${at(0.5)}, ${at(0.99)}`,
    ],
    ['its memory after two fifths of the time and at the end, MB', `${first.megabytes}, ${last.megabytes}`],
    ['its descriptors then', `${first.files}, ${last.files}`],
  ];
  return { figures, problems };
}

async function startService(folder) {
  const config = join(folder, 'settings.json');
  writeFileSync(config, JSON.stringify({ profiles: { neighbour: {} } }), { mode: 0o600 });
  const tokens = join(folder, 'tokens.json');
  /** Gives the third token another role. */
  const narrow = (role) => {
    const entries = [
      { name: 'load', role: 'admin' },
      { name: 'neighbour', role: 'admin', profile: 'neighbour' },
      { name: 'narrowed', role },
    ].map((entry) => ({
      ...entry,
      sha256: createHash('sha256').update(TOKENS[entry.name]).digest('hex'),
      created: '2026-01-01T00:00:00.000Z',
    }));
    writeFileSync(`${tokens}.new`, JSON.stringify({ tokens: entries }), { mode: 0o600 });
    renameSync(`${tokens}.new`, tokens);
  };
  narrow('operate');
  const preloaded = ['--expose-gc', '--import', join(import.meta.dirname, 'live-memory.mjs')];
  const options = '--port 0 --rate 1000000 --latency 5 --grace 5 --quiet'.split(' ');
  const { child, found, stop } = await startProgram(
    [...preloaded, AISEC, '--simulate', 'serve', ...options, '--config', config, '--tokens', tokens],
    {
      environment: { HOME: folder },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      ready: { port: /:(\d+)\n/ },
    },
  );
  return { child, port: Number(found.port), agent: new Agent({ keepAlive: true }), stop, narrow };
}

/** Measures the memory in use, in MB, and the open descriptors. */
async function measured({ child }) {
  child.send('measure');
  const [megabytes] = await once(child, 'message');
  return { megabytes, files: readdirSync(`/proc/${child.pid}/fd`).length };
}

/**
 * Sends a request, and checks that its status is one of those that explain it.
 * @param options.token a name, or another text
 * @param options.leave closes the connection after the first part of the response
 * @returns status and parsed body
 */
async function answerOf({ port, agent }, path, expected, options = {}) {
  const { method = 'GET', body, headers = {}, token = 'load', leave = false } = options;
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = request({
    ...{ host: '127.0.0.1', port, path, method, agent },
    headers: { authorization: `Bearer ${TOKENS[token] ?? token}`, ...type, ...headers },
  });
  // A refused request may break off after its response.
  sent.on('error', () => undefined);
  sent.end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (leave) break;
  }
  const status = response.statusCode;
  if (!expected.includes(status)) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
  return { status, text, json: !leave && text.startsWith('{') ? JSON.parse(text) : undefined };
}
