/**
 * Load on `aisec serve`: commands, repeats, runs with readers that leave, files, sessions, wrong tokens, broken and hostile requests,
 * in a random mix, beside a second tenant that must notice nothing. Looks for answers that are not explained, runs without an end,
 * and growth of memory and descriptors.
 */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { importText } from '../bundle.mjs';
import { ensureBuilt } from '../ensure-built.mjs';
import { ROOT } from '../root.mjs';
import { scratchFolder } from '../scratch-folder.mjs';
import { AISEC, startProgram } from '../start-program.mjs';
import { ATTACKS } from './http-attacks.mjs';
import { neighbour } from './http-neighbour.mjs';
import { TOKEN, writeTokens } from './http-tokens.mjs';

const LIVE_MEMORY = join(ROOT, 'scripts', 'soak', 'live-memory.mjs');
const AT_ONCE = 32;
const PER_MINUTE = 60_000;
/** Share of the time after which memory and descriptors are measured for the first time. */
const WARM = 0.4;
const GROWTH_MB = 80;
/** Maximum memory in use, in MB. It is about 240 when the bounds on kept runs, responses and files are reached, after about 40 s. */
const KEPT_MB = 300;
/** Kept runs, responses and files reach their bounds within this time: growth before is no leak. */
const FILLED_MS = 60_000;
const GROWTH_FILES = 60;
const LIST = 'aisec-runtime-topics-list';
const SCAN = { profile_name: 'prod', prompt: 'hello' };

/**
 * Runs the load.
 * @returns `requests`, counts of answers by what was asked and their status, `memory`, the neighbour's median and 99th percentile in
 *   milliseconds, and `problems`
 */
export async function soakHttp({ minutes, seed }) {
  await ensureBuilt();
  const folder = scratchFolder('soak-http');
  const { seededRandom } = await importText("export { seededRandom } from './scripts/soak/random.ts';\n");
  const tokens = writeTokens(folder);
  const service = await startService(folder, tokens);
  const { narrow } = tokens;
  const state = { random: seededRandom(seed), problems: [], answers: new Map(), requests: 0, service, narrow };
  state.ask = (...call) => ask(state, ...call);
  const began = Date.now();
  const end = began + minutes * PER_MINUTE;
  let warm;
  const lane = async () => {
    while (Date.now() < end) {
      const { name, run } = ACTIONS[Math.floor(state.random() * ACTIONS.length)];
      await run(state).catch((failure) => state.problems.push(`${name}: ${failure.message}`));
      if (warm === undefined && Date.now() > began + (end - began) * WARM) warm = measured(service);
    }
  };
  try {
    let times = [];
    const beside = neighbour(state.ask, () => Date.now() >= end).then(
      (found) => {
        times = found;
      },
      (failure) => state.problems.push(`the neighbour noticed: ${failure.message}`),
    );
    await Promise.all([...Array.from({ length: AT_ONCE }, lane), beside]);
    service.agent.destroy();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const [first, last] = await Promise.all([warm, measured(service)]);
    const filled = (end - began) * WARM > FILLED_MS;
    if (last.megabytes > KEPT_MB || (filled && last.megabytes - first.megabytes > GROWTH_MB))
      state.problems.push(`memory: ${JSON.stringify([first, last])}`);
    if (last.files - first.files > GROWTH_FILES) state.problems.push(`descriptors: ${JSON.stringify([first, last])}`);
    const { requests, problems, answers } = state;
    const at = (share) => times[Math.floor((times.length - 1) * share)] ?? 0;
    const found = { requests, problems, answers: Object.fromEntries([...answers].sort()), warm: first, last };
    return { ...found, neighbour: { requests: times.length, median: at(0.5), p99: at(0.99) } };
  } finally {
    await service.stop();
  }
}

async function startService(folder, { config, path }) {
  const words = [
    '--simulate',
    'serve',
    '--port',
    '0',
    '--rate',
    '1000000',
    '--latency',
    '5',
    '--grace',
    '5',
    '--quiet',
  ];
  const program = ['--expose-gc', '--import', LIVE_MEMORY, AISEC, ...words, '--config', config, '--tokens', path];
  const { child, found, stop } = await startProgram(program, {
    environment: { HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    ready: { port: /:(\d+)\n/ },
  });
  return { child, port: Number(found.port), agent: new Agent({ keepAlive: true }), stop };
}

/** Measures the memory in use, in MB, and the open descriptors. */
async function measured({ child }) {
  child.send('measure');
  const [megabytes] = await once(child, 'message');
  return { megabytes, files: readdirSync(`/proc/${child.pid}/fd`).length };
}

/** Sends a request, and checks that its status is one of those that explain it. @returns status and parsed body */
async function ask(
  state,
  what,
  path,
  expected,
  { method = 'GET', body, headers = {}, token = TOKEN, leave = false } = {},
) {
  const { port, agent } = state.service;
  const all = {
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
  const { status, text } = await new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, method, headers: all, agent: leave ? false : agent },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
          if (leave) sent.destroy();
        });
        response.on('error', () => resolve({ status: response.statusCode, text }));
        response.on('close', () => resolve({ status: response.statusCode, text }));
      },
    );
    sent.on('error', (failure) => (leave ? resolve({ status: 200, text: '' }) : reject(failure)));
    sent.end(body);
  });
  state.requests += 1;
  const kind = `${what} ${status}`;
  state.answers.set(kind, (state.answers.get(kind) ?? 0) + 1);
  if (!expected.includes(status)) throw new Error(`${status} ${text.slice(0, 300)}`);
  return { status, text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
}

const post = (body, headers = {}) => ({ method: 'POST', body: JSON.stringify(body), headers });
const LATER = { prefer: 'respond-async' };

/** Follows a run to its end. */
async function end(state, { eventsUrl, url }) {
  const { text } = await ask(state, 'events', eventsUrl, [200]);
  if (!text.includes('event: end')) throw new Error(`a stream without an end: ${text.slice(-300)}`);
  await ask(state, 'forget a run', url, [204], { method: 'DELETE' });
}

const ACTIONS = [
  ...ATTACKS,
  { name: 'scan', run: (state) => ask(state, 'scan', '/v1/commands/aisec-runtime-scan', [200], post(SCAN)) },
  { name: 'list', run: (state) => ask(state, 'list', `/v1/commands/${LIST}`, [200], post({ limit: 1 })) },
  {
    name: 'repeat',
    run: async (state) => {
      const sent = post(SCAN, { 'idempotency-key': `key-${state.random()}` });
      const path = '/v1/commands/aisec-runtime-scan';
      const [one, two] = await Promise.all([
        ask(state, 'first', path, [200], sent),
        ask(state, 'repeat', path, [200], sent),
      ]);
      if (one.text !== two.text) throw new Error('a repeat with another answer');
    },
  },
  {
    name: 'run',
    run: async (state) => {
      const { json } = await ask(state, 'run', `/v1/commands/${LIST}`, [202], post({}, LATER));
      if (state.random() < 0.3) await ask(state, 'leave', json.eventsUrl, [200], { leave: true });
      if (state.random() < 0.3) await ask(state, 'stop', json.url, [202, 204], { method: 'DELETE' });
      const { status } = await ask(state, 'look', json.url, [200, 404]);
      if (status === 200) await end(state, json);
    },
  },
  {
    name: 'session',
    run: async (state) => {
      const { json } = await ask(state, 'session', '/v1/sessions', [201], post({}));
      await ask(state, 'line', `${json.url}/lines`, [200], post({ line: `!${LIST} limit=1` }));
      await ask(state, 'line', `${json.url}/lines`, [400], post({ line: '!aisec-nothing' }));
      await ask(state, 'close', json.url, [204], { method: 'DELETE' });
    },
  },
  {
    name: 'file',
    run: async (state) => {
      const text = 'prompt\nhello\n'.repeat(1 + Math.floor(state.random() * 1000));
      const sent = { method: 'POST', body: text, headers: { 'content-type': 'text/csv' } };
      const { json } = await ask(state, 'send a file', '/v1/files?name=a.csv', [201], sent);
      const got = await ask(state, 'fetch a file', json.url, [200]);
      if (got.text !== text) throw new Error('another file');
      await ask(state, 'remove a file', json.url, [204], { method: 'DELETE' });
    },
  },
  {
    name: 'broken',
    run: (state) => ask(state, 'broken', `/v1/commands/${LIST}`, [400], { method: 'POST', body: '{' }),
  },
  { name: 'unknown', run: (state) => ask(state, 'unknown', '/v1/nothing', [404]) },
  {
    name: 'wrong token',
    // Rarely: it is slowed down.
    run: async (state) => {
      if (state.random() < 0.02)
        await ask(state, 'wrong token', '/v1/runs', [401, 429], { token: 'wrong-token-of-the-test' });
    },
  },
];
