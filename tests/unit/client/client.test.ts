import {
  type Aisec,
  CancelledError,
  createAisec,
  NotAllowedError,
  type StopSignal,
  UsageError,
  ValidationError,
} from '../../../bin/library.ts';
import { serve } from '../../../bin/simulator.ts';
import { TEST_TIME } from '../../support/simulated.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const clients: Aisec[] = [];
const open = (...options: Parameters<typeof createAisec>) => {
  const client = createAisec(...options);
  clients.push(client);
  return client;
};
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
const simulate = { now: TEST_TIME };

describe('run', () => {
  test('returns outputs, markdown, raw and the mark of the simulation', async () => {
    const result = await open({ simulate }).run('aisec-runtime-scan', { profile_name: 'prod', prompt: 'hi' });
    expect(result.outputs['AiSec.RuntimeScan'].action).toBe('allow');
    expect(result).toMatchObject({ command: 'aisec-runtime-scan', simulated: true, planned: false, files: [] });
    expect(result.readable).toContain('Runtime Scan');
    expect(result.failure).toBeUndefined();
  });

  test.each([
    ['a number', { limit: 2 }],
    ['its text', { limit: '2' } as const],
  ])('accepts %s for a count', async (_, args) => {
    const { outputs, truncated } = await open({ simulate }).run('aisec-runtime-topics-list', args);
    expect(outputs['AiSec.Topic']).toHaveLength(2);
    expect(truncated?.kept).toBe(2);
  });

  test.each([null, 'text', 7, [], true])('refuses the arguments %j with a ValidationError', async (args) => {
    const client = open({ simulate });
    for (const run of [client.run, client.session().run, client.call] as never as ((...all: unknown[]) => unknown)[]) {
      const failed = (async () => run('aisec-runtime-topics-list', args))();
      await expect(failed).rejects.toBeInstanceOf(ValidationError);
    }
  });

  test.each([null, undefined, 7, {}])('refuses the name %j with a ValidationError', async (name) => {
    await expect((open({ simulate }).call as (name: unknown) => Promise<unknown>)(name)).rejects.toBeInstanceOf(
      ValidationError,
    );
  });

  test('reports all invalid arguments, also as plain data', async () => {
    const failed = open({ simulate }).call('aisec-runtime-topics-list', { limit: 'many', colour: 'red' });
    await expect(failed).rejects.toBeInstanceOf(ValidationError);
    const error = (await failed.catch((thrown: unknown) => thrown)) as ValidationError;
    expect(error.problems.map(({ argument }) => argument)).toEqual(['colour', 'limit']);
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      code: 'arguments',
      command: 'aisec-runtime-topics-list',
    });
  });

  test('a dry run shows the request and changes nothing', async () => {
    const client = open({ simulate });
    const args = { topic_name: 'new', description: 'about', examples: ['one', 'two'] };
    const planned = await client.call('aisec-runtime-topics-create', args, { dryRun: true });
    expect(planned).toMatchObject({ planned: true, outputs: {}, raw: { dry_run: true, method: 'POST' } });
    const { outputs } = await client.run('aisec-runtime-topics-list');
    expect(outputs['AiSec.Topic'].map(({ topic_name }) => topic_name)).not.toContain('new');
  });

  test('null clears a clearable argument', async () => {
    const client = open({ simulate });
    const [profile] = (await client.run('aisec-runtime-dlp-profiles-list')).outputs['AiSec.DlpProfile'];
    const args = { profile_id: profile?.id ?? '', name: 'new', profile_type: 'basic', description: null } as const;
    const planned = await client.run('aisec-runtime-dlp-profiles-patch', args, { dryRun: true });
    expect(planned.raw).toMatchObject({ body: { description: null } });
  });

  test('values are data: a reference in them is not resolved', async () => {
    const prompt = 'print ${AiSec.Topic}';
    const { outputs } = await open({ simulate }).run('aisec-runtime-scan', { profile_name: 'prod', prompt });
    expect(outputs['AiSec.RuntimeScan'].prompt).toBe(prompt);
  });

  test('reads only the passed environment', async () => {
    process.env['AISEC_RUNTIME_API_KEY'] = 'from-the-process';
    try {
      const failed = open().run('aisec-runtime-scan', { profile_name: 'prod', prompt: 'hi' });
      await expect(failed).rejects.toMatchObject({ code: 'configuration' });
    } finally {
      delete process.env['AISEC_RUNTIME_API_KEY'];
    }
  });
});

describe('lines and sessions', () => {
  test('a line can refer to its context', async () => {
    const { outputs } = await open({ simulate }).line('!aisec-runtime-scan profile_name=prod prompt="${Name}"', {
      context: { Name: 'Ada' },
    });
    expect(outputs['AiSec.RuntimeScan']).toMatchObject({ prompt: 'Ada' });
  });

  test('a session keeps the context of its lines, and another session does not see it', async () => {
    const client = open({ simulate });
    const session = client.session();
    await session.run('aisec-runtime-topics-list', { limit: 1 });
    const line = '!aisec-runtime-scan profile_name=prod prompt="${AiSec.Topic.[0].topic_name}"';
    const { outputs } = await session.line(line);
    expect(outputs['AiSec.RuntimeScan']).not.toMatchObject({ prompt: expect.stringContaining('$') });
    expect(Object.keys(Object(session.context['AiSec']))).toEqual(['Topic', 'RuntimeScan']);
    await expect(client.session().line(line)).rejects.toBeInstanceOf(ValidationError);
  });
});

describe('allow', () => {
  const cases = [
    { allow: { effects: ['read'] as const }, name: 'aisec-runtime-topics-list', runs: true },
    { allow: { effects: ['read'] as const }, name: 'aisec-runtime-topics-delete', runs: false },
    { allow: { commands: ['aisec-runtime-*'] }, name: 'aisec-runtime-topics-list', runs: true },
    { allow: { commands: ['aisec-runtime-*'] }, name: 'aisec-redteam-scans-list', runs: false },
    { allow: { commands: [] }, name: 'aisec-runtime-topics-list', runs: false },
  ];
  test.each(cases)('$allow: $name runs: $runs', async ({ allow, name, runs }) => {
    const client = open({ simulate, allow });
    expect(client.commands.some((entry) => entry.name === name)).toBe(runs);
    const thrown: unknown = await client.call(name).catch((error: unknown) => error);
    expect(thrown instanceof NotAllowedError).toBe(!runs);
    expect(await client.line(`!${name}`).catch((error: unknown) => error instanceof NotAllowedError)).not.toBe(runs);
  });
});

describe('many parallel calls', () => {
  test('a stop ends only its own call', async () => {
    const client = open({ simulate: { faults: ['hang@/aisec/v1/mgmt/topics'] } });
    const stop = new AbortController();
    const hanging = client.run('aisec-runtime-topics-list', {}, { signal: stop.signal });
    const other = client.run('aisec-runtime-scan', { profile_name: 'prod', prompt: 'hi' });
    expect((await other).outputs['AiSec.RuntimeScan'].action).toBe('allow');
    stop.abort();
    await expect(hanging).rejects.toBeInstanceOf(CancelledError);
    expect((await client.run('aisec-runtime-profiles-list')).outputs['AiSec.SecurityProfile']).not.toHaveLength(0);
  });

  test('each call has its own timeout', async () => {
    const client = open({ simulate: { now: TEST_TIME, latencyMs: 1000 } });
    const short = client.run('aisec-runtime-topics-list', {}, { timeoutMs: 500 });
    const long = client.run('aisec-runtime-topics-list', {}, { timeoutMs: 60_000 });
    await expect(short).rejects.toMatchObject({ code: 'timeout' });
    expect((await long).outputs['AiSec.Topic'].length).toBeGreaterThan(0);
  });

  scenario.each([
    { timeoutMs: Number.POSITIVE_INFINITY },
    { timeoutMs: Number.NaN },
    { timeoutMs: -1 },
    { timeoutMs: 2_073_600_001 },
  ])('long-timers', 'timeoutMs: $timeoutMs is refused, for a client and for a call', async ({ timeoutMs }) => {
    const refused = { code: 'usage', argument: 'timeoutMs', message: expect.stringContaining('24 days') };
    await expect(open({ simulate, timeoutMs }).run('aisec-runtime-topics-list')).rejects.toMatchObject(refused);
    const client = open({ simulate });
    await expect(client.run('aisec-runtime-topics-list', {}, { timeoutMs })).rejects.toMatchObject(refused);
    await expect(client.check({ timeoutMs })).rejects.toMatchObject(refused);
  });

  scenario('long-timers', 'timeoutMs of 24 days works over HTTP', async () => {
    const simulator = await serve();
    const client = open({ environment: simulator.settings, timeoutMs: 2_073_600_000 });
    try {
      const { outputs } = await client.run('aisec-runtime-topics-list', { limit: 1 });
      expect(outputs['AiSec.Topic']).toHaveLength(1);
    } finally {
      await client.close();
      await simulator.close();
    }
  });

  test('removes its listeners from a signal that outlives its calls', async () => {
    let listeners = 0;
    const signal: StopSignal = {
      aborted: false,
      addEventListener: () => {
        listeners += 1;
      },
      removeEventListener: () => {
        listeners -= 1;
      },
    };
    const client = open({ simulate });
    for (let call = 0; call < 3; call += 1) await client.run('aisec-runtime-topics-list', {}, { signal });
    expect(listeners).toBe(0);
  });

  test('closing stops running calls, and no call runs afterwards', async () => {
    const client = open({ simulate: { faults: ['hang@/aisec/v1/mgmt/topics'] } });
    const hanging = client.run('aisec-runtime-topics-list').catch((error: unknown) => error);
    await client.close();
    expect(await hanging).toBeInstanceOf(CancelledError);
    await expect(client.run('aisec-runtime-topics-list')).rejects.toBeInstanceOf(UsageError);
  });
});
