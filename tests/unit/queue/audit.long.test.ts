/** Audit files of the service and of its workers, as processes: a change is recorded where it is done, or not done. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exchange } from '../../hosts/http/support.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/machine.ts';
import { program } from '../../support/program.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { type CountingService, countingService, queueProcesses } from './processes.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';

const path = program({ withCatalogue: true });
const redis = redisServer();
const TOKEN = 'token-of-this-test-0123';
const CREATE = 'aisec-runtime-topics-create';
const LIST = 'aisec-runtime-topics-list';
let service: CountingService;
const { run, worker } = queueProcesses(path, () => ({ ...service.environment, AISEC_QUEUE_URL: redis.url }));

beforeEach(async () => {
  await redis.flush();
  service = await countingService();
});
afterEach(() => service.close());

/** Starts the service with an audit file. @returns what starts a run and waits for its end */
async function serve() {
  const audit = ['--audit', join(temporaryFolder('audit'), 'service.jsonl')];
  const started = run(['serve', '--port', '0', ...audit], undefined, { AISEC_SERVE_TOKEN: TOKEN });
  await started.says('The service listens on ');
  let found: string | undefined;
  await until(() => {
    found = /AISEC_URL=(\S+)/.exec(started.printed())?.[1];
    return found !== undefined;
  });
  const send = (where: string, body?: object) =>
    exchange(new URL(where, found), {
      ...(body === undefined ? {} : { method: 'POST', body }),
      ...{ token: TOKEN, headers: { prefer: 'respond-async' } },
    });
  return async (command: string, args: object) => {
    const { id } = (await send(`/v1/commands/${command}`, args)).json as { id: string };
    let ended: Readonly<Record<string, unknown>> = {};
    await until(async () => {
      ended = (await send(`/v1/runs/${id}`)).json as typeof ended;
      return ended['ended'] !== null;
    });
    return ended;
  };
}

const TOPIC = { topic_name: 'Salaries', description: 'Pay.', examples: ['What does she earn?', 'Who earns most?'] };

describeWithRedis('The audit of a worker', () => {
  scenario('audit-complete', 'has a start and an end of each of its commands', async () => {
    const file = join(temporaryFolder('audit'), 'worker.jsonl');
    await worker(['--audit', file]);
    const send = await serve();
    expect(await send(CREATE, TOPIC)).toMatchObject({ state: 'succeeded' });
    expect(await send(LIST, { limit: 1 })).toMatchObject({ state: 'succeeded' });
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    const found = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    expect(found).toMatchObject([
      { event: 'start', command: CREATE, caller: 'start', role: 'admin', arguments: { topic_name: 'Salaries' } },
      { event: 'end', command: CREATE, outcome: 'done', call: found[0]?.['call'] },
      { event: 'start', command: LIST, arguments: { limit: 1 } },
      { event: 'end', command: LIST, outcome: 'done', call: found[2]?.['call'] },
    ]);
  });

  scenario('audit-complete', 'is required for changes if the service keeps an audit file', async () => {
    await worker();
    const send = await serve();
    const refused = await send(CREATE, TOPIC);
    expect(refused).toMatchObject({ state: 'failed', problem: { code: 'configuration' } });
    expect(JSON.stringify(refused['problem'])).toContain('aisec worker --audit FILE');
    const listed = (await send(LIST, {})) as { result?: { records?: readonly { topic_name: string }[] } };
    expect(JSON.stringify(listed)).not.toContain('Salaries');
  });
});
