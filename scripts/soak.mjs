/**
 * `npm run soak`: puts load on `aisec serve` for ten minutes: a random mix of actions, including every command, against
 * a simulated service that is repeatedly killed and restarted, while a second tenant must not be affected. Options: `--
 * --minutes 1` for a short run, `--seed N` to repeat a run, `--lanes N` for another concurrency. Exit 1 after leaks or
 * unexpected responses.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { seededRandom } from './bench/measure.mjs';
import { importText } from './bundle.mjs';
import { ensureBuilt } from './ensure-built.mjs';
import { scratchFolder } from './scratch-folder.mjs';
import { ACTIONS, neighbour } from './soak/actions.mjs';
import { AISEC, startProgram } from './start-program.mjs';

/** Pauses in the load, to measure memory. */
const PAUSES = 20;
/** Time between two kills of the simulated service, and its latency. */
const [RENEW_MS, LATENCY_MS] = [10_000, 5];
/** Responses while the service is down, or has just lost a request's state. */
const AWAY = [502, 503, 504];
/** The tenant that creates the load, a second tenant, and a token whose permissions keep changing. */
const TOKENS = {
  load: 'token-of-the-load-test',
  neighbour: 'token-of-the-neighbour',
  narrowed: 'token-to-be-narrowed',
};

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(1 + Math.floor(Math.random() * 1e9)) },
    lanes: { type: 'string', default: '32' },
  },
});
for (const [name, text] of Object.entries(values)) {
  if (Number(text) > 0) continue;
  console.error(`--${name} is a number above 0, not ${text}`);
  process.exit(2);
}
const [minutes, seed, lanes] = [values.minutes, values.seed, values.lanes].map(Number);
console.log(`seed ${seed}, ${minutes} min, ${lanes} requests at once`);
await ensureBuilt();
const { failedChecks, LINES, SETTINGS, settingsAt } = await importText(`
  import { createService } from './fixtures/service/index.ts';
  export { SETTINGS } from './lib/core/parameters.ts';
  export { failedChecks } from './scripts/soak/checks.ts';
  export { LINES } from './tests/support/lines.ts';
  export const settingsAt = (origin) => createService().settings(origin);
`);
// Profiles stay active, because other actions need them.
const lines = Object.entries(LINES).map(([name, rest]) => ({
  name,
  line: `!${name} ${rest.replace('active=false', 'active=true')}`.trim(),
}));
const folder = scratchFolder('soak');
const [random, succeeded, problems, samples, times] = [seededRandom(seed), new Set(), [], [], []];
const counts = { requests: 0, away: 0, kills: 0 };

let simulated = await startSimulated(0);
const beside = await startSimulated(0);
const service = await startService();
const began = performance.now();
const end = began + minutes * 60_000;
const isOver = () => performance.now() >= end;
await Promise.all([load(), renewals(), noticeNothing()]);
service.agent.destroy();
await pause(1000);
samples.push(await sample());
const ended = await service.stop();
if (ended.code !== 0) problems.push(`the service ended with ${ended.code}`);
if (ended.stderr !== '') problems.push(`the service said: ${ended.stderr.slice(-2000)}`);
for (const { stop } of [simulated, beside]) await stop();

const failed = failedChecks(samples, problems);
times.sort((one, other) => one - other);
const share = (part) => `${(times[Math.floor((times.length - 1) * part)] ?? 0).toFixed(0)} ms`;
console.log(`${counts.requests} requests, ${counts.away} of them while the service was away (${counts.kills} kills)`);
console.log(`${succeeded.size} of ${lines.length} commands succeeded`);
console.log(`a second tenant: ${times.length} requests, median ${share(0.5)}, 99th percentile ${share(0.99)}`);
console.log(`memory in use: ${samples.map(({ megabytes }) => megabytes).join(', ')} MB`);
for (const problem of failed) console.error(`FAILED: ${problem}`);
if (failed.length > 0) process.exitCode = 1;
else console.log('passed');

/** Runs actions in lanes, with a pause for each sample. */
async function load() {
  const actions = Object.entries(ACTIONS);
  const context = { random, lines, succeeded, ask, narrow: service.narrow, port: service.port };
  const stretchMs = (minutes * 60_000) / PAUSES;
  while (!isOver()) {
    const until = Math.min(end, performance.now() + stretchMs);
    const lane = async () => {
      while (performance.now() < until) {
        const [name, action] = actions[Math.floor(random() * actions.length)];
        await action(context).catch((failure) => failure.isAway || problems.push(`${name}: ${failure.message}`));
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    samples.push(await sample());
  }
}

/** Kills the simulated service: requests in flight are lost, connections are refused, and its records are reset. */
async function renewals() {
  while (end - performance.now() > RENEW_MS) {
    await pause(RENEW_MS / 2 + random() * RENEW_MS);
    await simulated.stop('SIGKILL');
    simulated = await startSimulated(simulated.port);
    counts.kills += 1;
  }
}

async function noticeNothing() {
  const timed = async (path, expected, options) => {
    const since = performance.now();
    const answer = await answerOf(path, expected, { ...options, token: 'neighbour' });
    times.push(performance.now() - since);
    return answer;
  };
  await neighbour(timed, isOver).catch(({ message }) => problems.push(`the neighbour noticed: ${message}`));
}

/** Sends a request of the load. @throws Error with `isAway` if its service was down */
async function ask(path, expected, options) {
  const answer = await answerOf(path, [...expected, ...AWAY], options);
  if (!AWAY.includes(answer.status)) return answer;
  counts.away += 1;
  throw Object.assign(new Error('away'), { isAway: true });
}

/**
 * Sends a request, and checks that its status is expected.
 * @param options.token a name, or another text
 * @param options.leave closes the connection after the first part of the response
 * @returns status, text and parsed body
 */
async function answerOf(path, expected, { method = 'GET', body, headers = {}, token = 'load', leave = false } = {}) {
  counts.requests += 1;
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const authorization = `Bearer ${TOKENS[token] ?? token}`;
  const { port, agent } = service;
  const sent = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    agent,
    headers: { authorization, ...type, ...headers },
  });
  // The connection of a refused request may close after the response.
  sent.on('error', () => undefined);
  sent.end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (leave) break;
  }
  const { statusCode: status } = response;
  if (!expected.includes(status)) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
  return { status, text, json: !leave && text.startsWith('{') ? JSON.parse(text) : undefined };
}

async function startSimulated(port) {
  const words = [AISEC, 'simulate', '--port', String(port), '--latency', String(LATENCY_MS)];
  const started = await startProgram(words, { environment: { HOME: folder }, ready: { origin: /(http:\/\/[\d.:]+)/ } });
  return { ...started, origin: started.found.origin, port: new URL(started.found.origin).port };
}

async function startService() {
  const [config, tokens] = [join(folder, 'settings.json'), join(folder, 'tokens.json')];
  const named = (origin) => {
    const variables = settingsAt(origin);
    const entries = Object.entries(SETTINGS).map(([name, { environment }]) => [name, variables[environment]]);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  };
  const profiles = { neighbour: named(beside.origin) };
  writeFileSync(config, JSON.stringify({ ...named(simulated.origin), profiles }), { mode: 0o600 });
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
  const preloaded = ['--expose-gc', '--import', join(import.meta.dirname, 'soak', 'live-memory.mjs')];
  const options = '--port 0 --rate 1000000 --grace 5 --quiet'.split(' ');
  const words = [...preloaded, AISEC, 'serve', ...options, '--config', config, '--tokens', tokens];
  const { child, found, stop } = await startProgram(words, {
    environment: { HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    ready: { port: /:(\d+)\n/ },
  });
  return { child, port: Number(found.port), agent: new Agent({ keepAlive: true }), stop, narrow };
}

/** Measures the memory in use and the open descriptors of the service. */
async function sample() {
  service.child.send('measure');
  const [megabytes] = await once(service.child, 'message');
  const seconds = (performance.now() - began) / 1000;
  return { seconds, megabytes, files: readdirSync(`/proc/${service.child.pid}/fd`).length };
}
