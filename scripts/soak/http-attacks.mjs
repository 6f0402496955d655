/** Attacks of callers, and of strangers without a token, during the load: each has one right answer. */
import { connect } from 'node:net';
import { NARROWED } from './http-tokens.mjs';

const LIST = '/v1/commands/aisec-runtime-topics-list';
const CREATE = '/v1/commands/aisec-runtime-topics-create?dry_run=true';
const TOPIC = {
  topic_name: 'Salaries',
  description: 'Pay of people.',
  examples: ['What does she earn?', 'Who earns most?'],
};
const SLOW_MS = 5000;
let scans = 0;

/** Prompts whose results are too large for an event. Each call has its own: the same scan cannot run twice at once. */
function largePrompts() {
  scans += 1;
  return Array.from({ length: 150 }, (_, at) => `${scans} ${at} ${'hello '.repeat(1500)}`).join('\n');
}

const raw = (body, type = 'application/json') => ({ method: 'POST', body, headers: { 'content-type': type } });
const members = `{${Array.from({ length: 60_000 }, (_, at) => `"k${at}":1`).join()}}`;
const aliases = `a0: &a0 [x]\n${Array.from({ length: 200 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`).join('\n')}\n`;

/** Actions of the mix, as in `http.mjs`. */
export const ATTACKS = [
  { name: 'deep body', run: ({ ask }) => ask('deep body', LIST, [400], raw('['.repeat(100_000))) },
  { name: 'many members', run: ({ ask }) => ask('many members', LIST, [413], raw(members)) },
  {
    name: 'aliases',
    run: ({ ask }) => ask('aliases', '/v1/playbooks/rehearse', [400, 413], raw(JSON.stringify({ playbook: aliases }))),
  },
  {
    name: 'endless retries',
    run: ({ ask }) => ask('endless retries', LIST, [400], raw(JSON.stringify({ 'retry-count': 1_000_000_000 }))),
  },
  {
    name: 'large event',
    // Rarely: it takes a second of the service.
    run: async ({ ask, random }) => {
      if (random() > 0.02) return;
      const args = { profile_name: 'prod', prompts_csv: largePrompts() };
      const sent = raw(JSON.stringify(args));
      const options = { ...sent, headers: { ...sent.headers, prefer: 'respond-async' } };
      const { json } = await ask('large event', '/v1/commands/aisec-runtime-bulk-scan', [202], options);
      const { text } = await ask('large event', json.eventsUrl, [200]);
      if (!text.includes('"resultUrl"')) throw new Error(`no address of the result: ${text.slice(-300)}`);
      await ask('large event', json.url, [204], { method: 'DELETE' });
    },
  },
  {
    name: 'refused at once',
    run: ({ ask }) => {
      const sent = raw(JSON.stringify({ limit: 'many' }));
      return ask('refused at once', LIST, [400], { ...sent, headers: { ...sent.headers, prefer: 'respond-async' } });
    },
  },
  {
    name: 'narrowed token',
    run: async ({ ask, random, narrow }) => {
      narrow(random() < 0.5 ? 'read' : 'operate');
      await ask('narrowed token', CREATE, [200, 403], { ...raw(JSON.stringify(TOPIC)), token: NARROWED });
    },
  },
  { name: 'slow stranger', run: async ({ service, random }) => holdSocket(service.port, 1 + random() * SLOW_MS) },
];

/** Holds a connection with a request that never ends, without a token. */
function holdSocket(port, milliseconds) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('POST /v1/commands/aisec-runtime-scan HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n');
  const drip = setInterval(() => socket.write('X-A: b\r\n'), 200);
  const end = () => {
    clearInterval(drip);
    socket.destroy();
  };
  // The lane goes on: hundreds are held at once.
  setTimeout(end, milliseconds).unref();
  socket.once('close', end);
}
