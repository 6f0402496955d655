/** The native bundle: its size, and one command in a bare engine against the same command through the Node host. */
import { createContext, Script } from 'node:vm';
import { importText } from '../bundle.mjs';
import { ROOT } from '../root.mjs';
import { median, table } from './measure.mjs';

const ROUNDS = 9;

export async function measurePlatform() {
  const { platformBundle, createService, fiftyRows } = await importText(`
    export { platformBundle } from './scripts/platform-bundle.ts';
    export { createService } from './fixtures/service/index.ts';
    export { fiftyRows } from './scripts/bench/fifty-rows.ts';
  `);
  const { text } = await platformBundle(ROOT);
  const source = `(function () {${text}\n})()`;
  // The engine here keeps what it compiled, by its text; a text that differs is compiled again.
  await fiftyRows(20);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // A context of its own and no code cache: the platform, too, begins anew with each command.
    const script = timed(() => new Script(`${source} // ${round}`));
    const engine = createContext(globals(createService()));
    const run = timed(() => script.value.runInContext(engine));
    if (run.value?.Type !== 1) throw new Error('The command failed in the bare engine.');
    const node = await timedAsync(() => fiftyRows(1));
    rounds.push({ compile: script.ms / node, run: run.ms / node });
  }
  const of = (name) => median(rounds.map((round) => round[name])).toFixed(1);
  const rows = [
    ['compile the bundle', of('compile')],
    ['load it and list the topics', of('run')],
  ];
  const size = `${Math.round(Buffer.byteLength(text) / 1024)} KiB`;
  return `## In the platform's engine\n\nThe bundle has ${size}. A list through the Node host that is already running is 1.\n\n${table(['work in a bare engine', 'ratio'], rows)}`;
}

function globals(service) {
  const settings = service.settings('http://127.0.0.1:8080');
  return {
    command: 'aisec-runtime-topics-list',
    args: { limit: '50' },
    params: {
      url: settings.AISEC_BASE_URL,
      credentials: { identifier: settings.AISEC_CLIENT_ID, password: settings.AISEC_CLIENT_SECRET },
      runtime_api_key: { password: settings.AISEC_RUNTIME_API_KEY },
      tsg_id: settings.AISEC_TSG_ID,
      token_url: settings.AISEC_TOKEN_URL,
    },
    http: (url, { Method, Headers, Body = '' }) => {
      const headers = Object.fromEntries(Object.entries(Headers).map(([name, [value]]) => [name, value]));
      const { status, body } = service.handle({ method: Method, url, headers, body: Body }, Date);
      return { StatusCode: status, Status: String(status), Body: body, Headers: {} };
    },
  };
}

function timed(work) {
  const start = process.hrtime.bigint();
  const value = work();
  return { value, ms: Number(process.hrtime.bigint() - start) / 1e6 };
}

async function timedAsync(work) {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e6;
}
