/**
 * Requests of callers, and of strangers without a token, each with its expected responses; while the simulated service
 * restarts, a response may also say that it is down.
 */
import { connect } from 'node:net';

const LIST = '/v1/commands/aisec-runtime-topics-list';
const SCAN = '/v1/commands/aisec-runtime-scan';
const CREATE = '/v1/commands/aisec-runtime-topics-create?dry_run=true';
const PROMPT = { profile_name: 'prod', prompt: 'hello' };
const TOPIC = {
  topic_name: 'Salaries',
  description: 'Pay of people.',
  examples: ['What does she earn?', 'Who earns most?'],
};
const LATER = { prefer: 'respond-async' };
const DELETE = { method: 'DELETE' };
const FILE = 'prompt\nhello\n';
const SLOW_MS = 5000;
/** Actions that keep the service busy, or that it throttles, are rare. */
const RARE = 0.02;
const LINES_OF_SESSION = 8;
/** Responses to a line whose record is missing, in another state, or refused; 500 is a bug. */
const EXPLAINED = [200, 400, 404, 409, 429];

const raw = (body, headers = {}) => ({ method: 'POST', body, headers });
const post = (body, headers = {}) => raw(JSON.stringify(body), headers);
const csv = (text) => raw(text, { 'content-type': 'text/csv' });

const MEMBERS = `{${Array.from({ length: 60_000 }, (_, at) => `"k${at}":1`).join()}}`;
const ALIASES = `a0: &a0 [x]\n${Array.from({ length: 200 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`).join('\n')}\n`;

/** Actions by name; each gets `ask`, which sends a request: path, accepted statuses, options. */
export const ACTIONS = {
  scan: ({ ask }) => ask(SCAN, [200], post(PROMPT)),
  list: ({ ask }) => ask(LIST, [200], post({ limit: 1 })),
  async commands({ ask, random, lines, succeeded }) {
    const { json, status } = await ask('/v1/sessions', [201], post({}));
    if (status !== 201) return;
    for (let count = 0; count < LINES_OF_SESSION; count += 1) {
      const { name, line } = lines[Math.floor(random() * lines.length)];
      const answer = await ask(`${json.url}/lines`, EXPLAINED, post({ line }));
      if (answer.status === 200) succeeded.add(name);
      if (['error', 'response'].includes(answer.json?.code)) throw new Error(`${name}: ${answer.text.slice(0, 300)}`);
    }
    await ask(json.url, [204], DELETE);
  },
  async repeat({ ask, random }) {
    const sent = post(PROMPT, { 'idempotency-key': `key-${random()}` });
    const [one, two] = await Promise.all([ask(SCAN, [200], sent), ask(SCAN, [200], sent)]);
    if (one.status === 200 && two.status === 200 && one.text !== two.text)
      throw new Error('a repeated request got a different response');
  },
  async run({ ask, random }) {
    const { json } = await ask(LIST, [202], post({}, LATER));
    if (random() < 0.3) await ask(json.eventsUrl, [200], { leave: true });
    if (random() < 0.3) await ask(json.url, [202, 204], DELETE);
    const { status } = await ask(json.url, [200, 404]);
    if (status === 404) return;
    const { text } = await ask(json.eventsUrl, [200]);
    if (!text.includes('event: end')) throw new Error(`a stream without an end: ${text.slice(-300)}`);
    await ask(json.url, [204], DELETE);
  },
  async file({ ask, random }) {
    const text = FILE.repeat(1 + Math.floor(random() * 1000));
    const { json } = await ask('/v1/files?name=a.csv', [201], csv(text));
    if ((await ask(json.url, [200])).text !== text) throw new Error('another file');
    await ask(json.url, [204], DELETE);
  },
  broken: ({ ask }) => ask(LIST, [400], raw('{')),
  unknown: ({ ask }) => ask('/v1/nothing', [404]),
  async 'wrong token'({ ask, random }) {
    if (random() < RARE) await ask('/v1/runs', [401, 429], { token: 'wrong-token-of-the-test' });
  },
  'deep body': ({ ask }) => ask(LIST, [400], raw('['.repeat(100_000))),
  'many members': ({ ask }) => ask(LIST, [413], raw(MEMBERS)),
  aliases: ({ ask }) => ask('/v1/playbooks/rehearse', [400, 413], post({ playbook: ALIASES })),
  'endless retries': ({ ask }) => ask(LIST, [400], post({ 'retry-count': 1_000_000_000 })),
  async 'large event'({ ask, random }) {
    if (random() > RARE) return;
    // The same scan cannot run twice at once.
    const prompts = Array.from({ length: 150 }, () => `${random()} ${'hello '.repeat(1500)}`);
    const args = { profile_name: 'prod', prompts_csv: prompts.join('\n') };
    const { json } = await ask('/v1/commands/aisec-runtime-bulk-scan', [202], post(args, LATER));
    const { text } = await ask(json.eventsUrl, [200]);
    if (!/"resultUrl"|"state":"(?:failed|partial|unknown)"/.test(text))
      throw new Error(`no result: ${text.slice(-300)}`);
    await ask(json.url, [204], DELETE);
  },
  'refused at once': ({ ask }) => ask(LIST, [400], post({ limit: 'many' }, LATER)),
  async 'narrowed token'({ ask, random, narrow }) {
    narrow(random() < 0.5 ? 'read' : 'operate');
    await ask(CREATE, [200, 403], { ...post(TOPIC), token: 'narrowed' });
  },
  'slow stranger': async ({ port, random }) => holdSocket(port, 1 + random() * SLOW_MS),
};

/**
 * Holds a connection with a request that never ends, without a token. The lane continues, so hundreds are held at once.
 */
function holdSocket(port, milliseconds) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('POST /v1/commands/aisec-runtime-scan HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n');
  const drip = setInterval(() => socket.write('X-A: b\r\n'), 200);
  setTimeout(() => socket.destroy(), milliseconds).unref();
  socket.once('close', () => clearInterval(drip));
}

/**
 * A second tenant during the load, with its own service: all its requests must succeed as if there were no load. It
 * keeps a file, a session and a run from beginning to end.
 */
export async function neighbour(ask, isOver) {
  const file = await ask('/v1/files?name=kept.csv', [201], csv(FILE));
  const session = await ask('/v1/sessions', [201], post({}));
  const run = await ask(LIST, [202], post({}, LATER));
  while (!isOver()) {
    await ask(LIST, [200], post({ limit: 1 }));
    await ask(SCAN, [200], post(PROMPT));
    await ask(`${session.json.url}/lines`, [200], post({ line: '!aisec-runtime-topics-list limit=1' }));
    const { json } = await ask(LIST, [202], post({ limit: 1 }, LATER));
    await ask(json.url, [202, 204], DELETE);
    await ask('/healthz', [200]);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if ((await ask(file.json.url, [200])).text !== FILE) throw new Error('its file has changed');
  if ((await ask(session.json.url, [200])).json.lines < 1) throw new Error('its session lost its lines');
  const { state } = (await ask(run.json.url, [200])).json;
  if (state !== 'succeeded') throw new Error(`its first run is ${state}`);
}
