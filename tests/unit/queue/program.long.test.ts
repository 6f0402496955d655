/** The queue from the command line: workers, a service and bulk scans as processes, some of which are killed. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { exchange } from '../../hosts/http/support.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/machine.ts';
import { ended, onPath, program, ROOT } from '../../support/program.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { type CountingService, countingService, queueProcesses, repeatsIn } from './processes.ts';
import { describeWithRedis, redisServer } from './redis-server.ts';

const path = program({ withCatalogue: true });
const redis = redisServer();
const TOKEN = 'token-of-this-test-0123';
const [CREATE, LIST] = ['aisec-runtime-topics-create', 'aisec-runtime-topics-list'] as const;
let service: CountingService;
const { run, worker: startWorker } = queueProcesses(path, () => ({
  ...service.environment,
  AISEC_QUEUE_URL: redis.url,
}));
const worker = (...words: string[]) => startWorker(words);

/** Starts the service. @returns its process, and a function that sends it a request */
async function serve(words: readonly string[] = [], environment: Record<string, string> = {}) {
  const started = run(['serve', '--port', '0', ...words], undefined, { AISEC_SERVE_TOKEN: TOKEN, ...environment });
  await started.says('AISEC_URL=');
  const url = () => /AISEC_URL=(\S+)\n/.exec(started.printed())?.[1];
  await until(() => url() !== undefined);
  const send = (where: string, body?: object) =>
    exchange(new URL(where, url()), {
      ...(body === undefined ? {} : { method: 'POST', body }),
      ...{ token: TOKEN, headers: { prefer: 'respond-async' } },
    });
  return { ...started, send };
}

beforeEach(async () => {
  await redis.flush();
  service = await countingService();
});
afterEach(async () => {
  await service.close();
});

describeWithRedis('From the command line', () => {
  it('a bulk scan has every prompt once after a kill -9 of worker and coordinator, and counts repeats', async () => {
    const count = 3000;
    const folder = temporaryFolder('queue');
    writeFileSync(join(folder, 'in.txt'), Array.from({ length: count }, (_, at) => `Prompt ${at + 1}`).join('\n'));
    const line = (more: string) =>
      `!aisec-runtime-bulk-scan profile_name=prod prompts_csv=f entry_id=in.txt output_file=out.jsonl ${more}`;
    const first = await worker();
    let requests = 0;
    service.meet = () => {
      requests += 1;
      if (requests === 20) first.child.kill('SIGKILL');
      if (requests === 60) coordinator.child.kill('SIGKILL');
      return undefined;
    };
    const coordinator = run([line('')], folder);
    await first.end;
    await worker();
    await coordinator.end;
    const { code, stderr } = await run([line('resume=true')], folder).end;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const lines = readFileSync(join(folder, 'out.jsonl'), 'utf8').trimEnd().split('\n');
    const rows = lines.map((each) => JSON.parse(each) as { row?: number; prompt?: string; repeated_scans?: number });
    const end = rows.pop();
    expect(rows.map(({ row, prompt }) => [row, prompt])).toEqual(
      Array.from({ length: count }, (_, at) => [at + 1, `Prompt ${at + 1}`]),
    );
    expect(repeatsIn(service)).toBeLessThanOrEqual(end?.repeated_scans ?? 0);
    expect(end?.repeated_scans).toBeLessThanOrEqual(3 * 1000);
  });

  it('runs of the service outlive it, and a later worker performs them', async () => {
    const queue = [['--queue', redis.url], { AISEC_QUEUE_URL: '' }] as const;
    const before = await serve(...queue);
    const { id } = (await before.send(`/v1/commands/${LIST}`, {})).json as { id: string };
    before.child.kill('SIGKILL');
    await before.end;
    await worker();
    const after = await serve(...queue);
    const get = async (where: string) => (await after.send(where)).text;
    await until(async () => (await get(`/v1/runs/${id}`)).includes('"succeeded"'));
    expect(JSON.parse(await get(`/v1/runs/${id}`))).toMatchObject({ result: { command: LIST } });
    const metrics = await get('/metrics');
    for (const line of ['aisec_queue_depth 0', 'aisec_queue_oldest_seconds 0', 'aisec_workers 1']) {
      expect(metrics).toContain(line);
    }
  });

  it.each(['docs/operate.md', 'docs/scale.md'])('the three lines of %s scan a file', async (document) => {
    const lines = /^```\n(redis-server [\s\S]*?)^```/m.exec(readFileSync(join(ROOT, document), 'utf8'))?.[1] ?? '';
    expect(lines).toContain('redis-server');
    const folder = temporaryFolder('queue');
    const data = join(folder, 'redis');
    mkdirSync(data);
    writeFileSync(join(folder, 'prompts.csv'), `prompt\n${'hello\n'.repeat(30)}`);
    // Redis of the other tests passes its port to the Redis of the document.
    await redis.kill();
    const script = lines
      .replaceAll('6379', String(redis.port))
      .replace('redis-server', `redis-server --bind 127.0.0.1 --port ${redis.port} --dir '${data}'`);
    const env = { PATH: `${onPath(path)}:${process.env['PATH']}`, HOME: folder };
    // The machine's time, because Redis has no other; and a separate process group, because the workers continue after
    // the shell has ended.
    const options = { cwd: folder, env: { ...env, ...service.environment }, detached: true } as const;
    const shell = spawn('bash', ['-euc', script], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const end = ended(shell);
    try {
      await until(() => shell.exitCode !== null);
      expect(shell.exitCode).toBe(0);
      const rows = readFileSync(join(folder, 'rows.jsonl'), 'utf8').trimEnd().split('\n');
      expect(rows).toHaveLength(31);
      expect(rows.at(-1)).toContain('"aisec":"bulk-end"');
    } finally {
      process.kill(-(shell.pid ?? 0), 'SIGKILL');
      // It does not answer, and is not asked again.
      const client = new Redis(redis.url, { retryStrategy: () => null });
      await client.shutdown('NOSAVE').catch(() => undefined);
      await end;
      await redis.start();
    }
  });

  it('shows the queue, for people and for programs', async () => {
    await worker('--slots', '7', '--requests-per-second', '50');
    await run(['!aisec-runtime-bulk-scan profile_name=prod prompts_csv=hello']).end;
    const [shown, printed] = [
      await run(['queue', '--output', 'table']).end,
      await run(['queue', '--output', 'json']).end,
    ];
    expect(shown).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/no profile \([0-9a-f]{8}\) +shards +0[^\n]*50\/s/) as string,
    });
    expect(JSON.parse(printed.stdout)).toMatchObject({
      workers: [{ slots: 7, tenants: [expect.stringMatching(/^[0-9a-f]{32}$/)] }],
      aside: [],
    });
  });

  it.each([
    ['no address', ['worker'], { AISEC_QUEUE_URL: '' }, 2, 'AISEC_QUEUE_URL'],
    ['no Redis', ['worker', '--queue', 'redis://127.0.0.1:1'], {}, 9, 'redis-server'],
    ['another kind of address', ['queue', '--queue', 'http://127.0.0.1'], {}, 3, 'not a Redis address'],
    ['another machine without TLS', ['worker', '--queue', 'redis://10.0.0.1'], {}, 3, 'TLS'],
    ['an invalid key', ['worker'], { AISEC_QUEUE_KEY: 'hunter2' }, 3, 'AISEC_QUEUE_KEY'],
    ['a missing job', ['queue', 'drop', 'nothing'], {}, 2, 'was set aside'],
    ['an unknown subcommand', ['queue', 'empty'], {}, 2, 'aisec queue drop ID'],
    [
      'a bulk scan without Redis',
      ['--queue', 'redis://127.0.0.1:1', '!aisec-runtime-bulk-scan profile_name=a prompts_csv=b'],
      {},
      9,
      'Redis',
    ],
  ])('reports %s, with what to do', async (_what, words, environment, code, text) => {
    const ending = await run(words, temporaryFolder('queue'), environment).end;
    expect(ending.stderr).toContain(text);
    expect(ending.code).toBe(code);
    expect(ending.stderr).not.toContain('hunter2');
  });

  it('a worker ends with 0 on SIGTERM', async () => {
    const other = await worker('--simulate');
    other.child.kill('SIGTERM');
    expect((await other.end).code).toBe(0);
  });
});

const TOPIC = { topic_name: 'Salaries', description: 'Pay.', examples: ['What does she earn?', 'Who earns most?'] };

/** Starts the service with an audit file. @returns a function that starts a run and waits for its end */
async function audited() {
  const { send } = await serve(['--audit', join(temporaryFolder('audit'), 'service.jsonl')]);
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

describeWithRedis('The audit of a worker', () => {
  scenario('audit-complete', 'has a start and an end of each of its commands', async () => {
    const file = join(temporaryFolder('audit'), 'worker.jsonl');
    await worker('--audit', file);
    const send = await audited();
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
    const send = await audited();
    const refused = await send(CREATE, TOPIC);
    expect(refused).toMatchObject({ state: 'failed', problem: { code: 'configuration' } });
    expect(JSON.stringify(refused['problem'])).toContain('aisec worker --audit FILE');
    const listed = (await send(LIST, {})) as { result?: { records?: readonly { topic_name: string }[] } };
    expect(JSON.stringify(listed)).not.toContain('Salaries');
  });
});
