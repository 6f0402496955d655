/** The greeting of the war room: what needs attention, in a moment, above the prompt. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { registry } from '../../commands/index.ts';
import { createService } from '../../fixtures/service/index.ts';
import { main } from '../../lib/cli/main.ts';
import type { SimulatedService } from '../../lib/client/simulation.ts';
import type { HttpRequest, HttpResponse } from '../../lib/core/ports.ts';
import { catalogueOf } from '../../lib/manifest/describe.ts';
import { simulatedTransport } from '../../lib/transport/simulated.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { until } from '../support/machine.ts';
import { TEST_TIME, testClock } from '../support/simulated.ts';

const CTRL_D = '\u0004';
const DAY = 86_400_000;
const inDays = (days: number) => new Date(TEST_TIME + days * DAY).toISOString();
const PROMPT = /aisec \([^\n]*?> /g;

const key = (api_key_name: string, days: number) => ({ api_key_name, expiration: inDays(days), revoked: false });
const model = (model_uri: string, at: number) => ({
  ...{ uuid: `5e9a3c07-d1b4-4f68-82c5-b7064e2f9d${10 + at}`, model_uri, eval_outcome: 'BLOCKED' },
  ...{ security_group_uuid: `g${at}`, security_group_name: 'Lab' },
});
const scan = (name: string, status: string, at = 0) => ({
  ...{ uuid: `6e4d1a7c-b3f8-4952-9ce0-a8d26f5017${10 + at}`, status, job_type: 'STATIC', target_id: name },
  ...{ target: { uuid: name, name }, created_at: inDays(-1), total: 10, completed: 4 },
});

interface Tenant {
  readonly keys?: readonly object[];
  readonly models?: readonly object[];
  readonly scans?: readonly object[];
  /** Answers in place of the lists; `hang` never does. */
  readonly refuse?: Readonly<Record<string, number | 'hang'>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly columns?: number;
  /** stdout and stderr are terminals. */
  readonly terminal?: boolean;
}

interface Wait {
  readonly milliseconds: number;
  readonly end: () => void;
}

/** Opens a war room on a tenant that has these records. */
function open(argv: readonly string[], tenant: Tenant = {}) {
  const { keys = [], models = [], scans = [], refuse = {}, environment = {}, columns = 80, terminal = true } = tenant;
  const requests: HttpRequest[] = [];
  const waits: Wait[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const [stdout, stderr] = [output(terminal, columns), output(terminal, columns)];
  const service = createService();
  const answer = async (request: HttpRequest): Promise<HttpResponse> => {
    requests.push(request);
    const { pathname } = new URL(request.url);
    const [, refused] = Object.entries(refuse).find(([part]) => pathname.includes(part)) ?? [];
    if (refused === 'hang') return untilStopped(request);
    if (refused !== undefined) return { status: refused, headers: {}, body: '{}' };
    const lists: Readonly<Record<string, object>> = {
      apikeys: { api_keys: keys },
      '/v1/scans': { scans: models, pagination: { total_items: models.length } },
      '/v1/scan': { data: scans, pagination: { total_items: scans.length } },
    };
    const [, list] = Object.entries(lists).find(([part]) => pathname.includes(part)) ?? [];
    if (list !== undefined) return { status: 200, headers: {}, body: JSON.stringify(list) };
    return simulatedTransport(service.handle, testClock()).send(request);
  };
  const simulated = async (): Promise<SimulatedService> => ({
    settings: () => service.settings('http://localhost'),
    transport: (clock) => {
      clock.now = () => TEST_TIME;
      // The deadline passes when a test says so.
      clock.wait = (milliseconds, stop) =>
        new Promise((resolve) => {
          waits.push({ milliseconds, end: resolve });
          stop?.onStop(resolve);
        });
      return { send: answer };
    },
    serve: async () => {
      throw new Error('nothing is served here');
    },
  });
  const code = main({
    ...{ argv, stdin, registry, simulated, version: '1.2.3', stdout: stdout.stream, stderr: stderr.stream },
    environment: { NO_COLOR: '1', XDG_STATE_HOME: temporaryFolder('greeting'), ...environment },
    catalogue: () => catalogueOf(registry),
    playbooks: async () => [],
    openApi: async () => '',
  });
  const shown = () => stripVTControlCharacters(stderr.text());
  const see = (what: RegExp) =>
    until(
      () => what.test(shown()),
      () => `${String(what)} was never seen in:\n${shown()}`,
    );
  const leave = async () => {
    stdin.write(CTRL_D);
    return code;
  };
  return { requests, waits, stdin, shown, raw: stderr.text, see, leave };
}

function output(isTTY: boolean, columns: number) {
  let text = '';
  const stream = Object.assign(new PassThrough(), isTTY ? { isTTY, columns, rows: 24 } : {});
  stream.on('data', (chunk) => {
    text += String(chunk);
  });
  return { stream, text: () => text };
}

const untilStopped = ({ stop }: HttpRequest) =>
  new Promise<never>((_, reject) => void stop?.onStop(() => reject(new Error('stopped'))));

/** Opens a war room, waits for the greeting, and leaves. @returns its lines, without the prompts */
async function greeted(tenant: Tenant = {}, argv: readonly string[] = ['--simulate']) {
  const room = open(argv, tenant);
  await room.see(/Try .*\n[\s\S]*> $/);
  expect(await room.leave()).toBe(0);
  return { ...room, lines: linesOf(room.shown()) };
}

/** The screen without its prompts. */
const linesOf = (shown: string) =>
  shown
    .replace(/\r/g, '')
    .replace(PROMPT, '')
    .split('\n')
    .filter((line) => line.trim() !== '');

const BANNER = 'aisec 1.2.3, tenant 1000000001, simulated';
const BEGIN = 'Try runtime-scan prompt="hi", commands or help. Tab completes, exit leaves.';

/** Lets answers that have arrived be taken. */
const settled = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('the greeting', () => {
  test('shows a key, a model and a scan, the most urgent first, with a command for each', async () => {
    const { lines, requests } = await greeted({
      keys: [key('ci-pipeline', 21)],
      models: [model('https://hub.test/org/model', 0)],
      scans: [scan('hr-assistant', 'PARTIALLY_COMPLETE')],
    });
    expect(lines).toEqual([
      BANNER,
      '✗ blocked  https://hub.test/org/model by Lab    report 5e9a3c07 --open',
      '! expires  ci-pipeline in 21 days               runtime-api-keys-list',
      '◐ partial  hr-assistant static scan 2026-11-20  redteam-scan-error-logs 6e4d1a7c',
      BEGIN,
    ]);
    expect(requests.filter(({ method }) => method === 'GET')).toHaveLength(3);
  });

  test('counts what does not fit in three lines, which have one of each kind', async () => {
    const keys = [key('old', -3), key('soon', 2), key('later', 21)];
    const { lines } = await greeted({ keys, scans: [scan('a', 'FAILED'), scan('b', 'ABORTED', 1)] });
    expect(lines.map((line) => line.trim())).toEqual([
      BANNER,
      expect.stringMatching(/^✗ expired {2}old on 2026-11-18 +runtime-api-keys-list$/),
      expect.stringMatching(/^! expires {2}soon in 2 days +runtime-api-keys-list$/),
      expect.stringMatching(/^✗ failed {3}a static scan 2026-11-20 +redteam-scan-error-logs 6e4d1a7c$/),
      '2 more: dashboard',
      BEGIN,
    ]);
  });

  test.each<{ what: string; tenant: Tenant; says: readonly string[] }>([
    { what: 'nothing needs attention', tenant: {}, says: ['Nothing needs attention.'] },
    {
      what: 'only the newest records were read',
      tenant: { scans: Array.from({ length: 101 }, (_, at) => scan(`t${at}`, 'COMPLETED')) },
      says: ['Nothing needs attention in the newest 100 red-team scans. More: dashboard'],
    },
    {
      what: 'one part may not be read',
      tenant: { refuse: { '/v1/scans': 403 } },
      says: ['Not read: model scans (no permission (HTTP 403)).'],
    },
    {
      what: 'one part may not be read, and another needs attention',
      tenant: { refuse: { '/v1/scan': 500 }, keys: [key('ci', 3)] },
      says: [
        '! expires  ci in 3 days  runtime-api-keys-list',
        'Not read: model scans (HTTP 500), red-team scans (HTTP 500).',
      ],
    },
    {
      what: 'no part may be read',
      tenant: { refuse: { '/v1/': 403 } },
      says: ['Nothing read: no permission (HTTP 403). Check with: doctor'],
    },
    {
      what: 'the token is refused',
      tenant: { refuse: { '/oauth2/': 401 } },
      says: [expect.stringMatching(/^Nothing read: No access token: /), expect.stringMatching(/Check with: doctor$/)],
    },
  ])('says so if $what', async ({ tenant, says }) => {
    const { lines } = await greeted(tenant);
    expect(lines).toEqual([BANNER, ...says, BEGIN]);
  });

  test.each([
    { what: 'the token address refuses', refuse: { '/oauth2/': 401 }, most: 1 },
    { what: 'the token address fails', refuse: { '/oauth2/': 503 }, most: 1 },
    { what: 'the service refuses every token', refuse: { '/v1/': 401 }, most: 4 },
    { what: 'the service fails', refuse: { '/v1/': 503 }, most: 4 },
    { what: 'the service limits the rate', refuse: { '/v1/': 429 }, most: 4 },
  ])('sends no request twice if $what', async ({ refuse, most }) => {
    const { requests } = await greeted({ refuse });
    expect(requests.length).toBeLessThanOrEqual(most);
  });

  test('shows what has arrived after 0.8 s, and aborts the rest', async () => {
    const room = open(['--simulate'], { keys: [key('ci', 3)], refuse: { '/v1/scans': 'hang' } });
    await until(() => room.requests.length === 4);
    const [deadline] = room.waits;
    expect(deadline?.milliseconds).toBe(800);
    expect(room.shown()).not.toContain('expires');
    await settled();
    deadline?.end();
    await room.see(/Try /);
    expect(linesOf(room.shown())).toEqual([
      BANNER,
      '! expires  ci in 3 days  runtime-api-keys-list',
      'Not read: model scans (no answer within 0.8 s).',
      BEGIN,
    ]);
    expect(room.requests.find(({ url }) => url.includes('/v1/scans'))?.stop?.stopped).toBe(true);
    expect(await room.leave()).toBe(0);
  });
});

describe('a person who types while the greeting is read', () => {
  const HANGS: Tenant = { refuse: { '/v1/': 'hang' } };
  const asked = async (tenant = HANGS) => {
    const room = open(['--simulate'], tenant);
    await until(() => room.requests.length === 4);
    return room;
  };

  test('finds the typed text below it', async () => {
    const room = await asked({ ...HANGS, columns: 60 });
    const typed = `runtime-scan prompt="${'long '.repeat(12)}"`;
    room.stdin.write(typed);
    await until(() =>
      room
        .shown()
        .replace(/[\r\n]/g, '')
        .includes(typed),
    );
    room.waits[0]?.end();
    await room.see(/Try [\s\S]*> runtime-scan prompt="/);
    const [, after = ''] = room.raw().split('exit leaves.');
    // The editor redraws the line where it stands, below the greeting.
    expect(stripVTControlCharacters(after).replace(/[\r\n]/g, '')).toContain(typed);
    room.stdin.write('\u0003');
    expect(await room.leave()).toBe(0);
  });

  test('ends it with the first command', async () => {
    const room = await asked();
    room.stdin.write('context\r');
    await until(() => room.requests.every(({ url, stop }) => url.includes('oauth2') || stop?.stopped === true));
    room.waits[0]?.end();
    expect(await room.leave()).toBe(0);
    expect(room.shown()).not.toContain('Try ');
  });

  test.each([
    { what: 'Ctrl-D', keys: CTRL_D },
    { what: 'Ctrl-C, then Ctrl-D', keys: `\u0003${CTRL_D}` },
    { what: 'exit', keys: 'exit\r' },
  ])('leaves with $what', async ({ keys }) => {
    const room = await asked();
    room.stdin.write(keys);
    expect(await room.leave()).toBe(0);
    expect(room.shown()).not.toContain('Nothing');
  });
});

describe('the setting', () => {
  const file = (text: string) => {
    const path = join(temporaryFolder('greeting'), 'settings.yml');
    writeFileSync(path, text, { mode: 0o600 });
    return ['--config', path];
  };
  /** Nothing listens there, so that every request fails at once. */
  const TENANT =
    'url: http://127.0.0.1:9\ntoken_url: http://127.0.0.1:9\nclient_id: c\nclient_secret: s\ntsg_id: "77"\n';

  test.each([
    { what: 'the environment', argv: ['--simulate'], tenant: { environment: { AISEC_GREETING: 'no' } } },
    { what: '--quiet', argv: ['--simulate', '--quiet'], tenant: {} },
    { what: 'no terminal', argv: ['--simulate'], tenant: { terminal: false } },
    { what: 'TERM=dumb', argv: ['--simulate'], tenant: { environment: { TERM: 'dumb' } } },
  ])('leads to no request: $what', async ({ argv, tenant }) => {
    const room = open(argv, { ...tenant, keys: [key('ci', 3)] });
    room.stdin.write('nothing\r');
    await room.see(/Unknown command/);
    expect(await room.leave()).toBe(0);
    expectNone(room.requests, 'requests');
    expect(room.shown()).not.toContain('expires');
  });

  test.each([
    { what: 'the top level', text: `greeting: false\n${TENANT}`, argv: [], greets: false },
    { what: 'a profile', text: `${TENANT}profiles: {a: {greeting: no}}\n`, argv: ['--profile', 'a'], greets: false },
    {
      what: 'a profile over the top level',
      text: `greeting: false\n${TENANT}profiles: {a: {greeting: yes}}\n`,
      ...{ argv: ['--profile', 'a'], greets: true },
    },
    { what: 'nothing', text: TENANT, argv: [], greets: true },
  ])('comes from the settings file: $what', async ({ text, argv, greets }) => {
    const room = open([...file(text), ...argv]);
    await room.see(/Try /);
    expect(await room.leave()).toBe(0);
    expect(room.shown().includes('Nothing read: ')).toBe(greets);
  });

  test('of the environment overrides the file', async () => {
    const room = open(file(`greeting: false\n${TENANT}`), { environment: { AISEC_GREETING: 'TRUE' } });
    await room.see(/Nothing read: [\s\S]*Try /);
    expect(await room.leave()).toBe(0);
  });

  test.each([
    {
      what: 'the file',
      argv: () => file('greeting: sometimes\n'),
      environment: {},
      says: 'the top level must have "greeting" as true, false, yes or no.',
    },
    {
      what: 'the environment',
      argv: () => ['--simulate'],
      environment: { AISEC_GREETING: 'sometimes' },
      says: 'The environment must have AISEC_GREETING as true, false, yes or no.',
    },
  ])('is refused if it is no truth in $what', async ({ argv, environment, says }) => {
    const room = open(argv(), { environment });
    await room.see(/error: /);
    expect(room.shown().replace(/\s+/g, ' ')).toContain(says);
    expect(await room.leave()).toBe(3);
  });
});

describe('the banner', () => {
  const settings = (marks: string) => {
    const path = join(temporaryFolder('greeting'), 'settings.yml');
    const text = `url: https://management.test/api\ntsg_id: "77"\ngreeting: false\n${marks}`;
    writeFileSync(path, text, { mode: 0o600 });
    return ['--config', path];
  };

  test.each([
    {
      marks: 'profiles: {live: {production: true}}\n',
      more: ['--profile', 'live'],
      tenant: 'profile live, tenant 77, production',
    },
    { marks: '', more: [], tenant: 'tenant 77' },
    { marks: 'profiles: {a: {}}\n', more: ['--profile', 'a', '--tsg-id', '88'], tenant: 'tenant 88' },
  ])('names $tenant', async ({ marks, more, tenant }) => {
    const room = open([...settings(marks), ...more]);
    await room.see(/Try /);
    expect(await room.leave()).toBe(0);
    expect(linesOf(room.shown())[0]).toBe(`aisec 1.2.3, ${tenant}, management.test`);
  });

  test('names no tenant where nothing is set, and no request is sent', async () => {
    const room = open([], { environment: { HOME: '/nowhere' } });
    await room.see(/Begin with: aisec init/);
    expect(await room.leave()).toBe(0);
    expect(linesOf(room.shown())[0]).toBe('aisec 1.2.3');
    expectNone(room.requests, 'requests');
  });
});

describe('a name of the service', () => {
  const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u202eevil\n  next\r\t"; exit';

  test('cannot move the cursor, add a line or change a command', async () => {
    const hostile = { ...model(HOSTILE, 0), uuid: 'x"; exit', security_group_name: HOSTILE };
    const { lines, raw } = await greeted({
      keys: [key(HOSTILE, 3)],
      models: [hostile],
      scans: [scan(HOSTILE, 'FAILED')],
    });
    expect(lines).toHaveLength(5);
    expectNone(
      ['\u001b[2J', '\u001b]', '\u202e', '\u0007'].filter((text) => raw().includes(text)),
      'sequences',
    );
    expect(lines.find((line) => line.includes('blocked'))).toMatch(/ dashboard$/);
  });

  test.each([60, 61, 72, 79, 80, 100, 119, 120, 160, 200])('fits a terminal of %i columns', async (columns) => {
    const long = 'über-長い名前 '.repeat(20);
    const models = [model(`https://hub.test/${'org/'.repeat(40)}model`, 0)];
    const { lines } = await greeted({ columns, models, keys: [key(long, 3)], scans: [scan(long, 'FAILED')] });
    expect(lines.length).toBeLessThanOrEqual(6);
    const { default: stringWidth } = await import('string-width');
    expectNone(
      lines.filter((line) => stringWidth(line) > columns),
      'lines that are too long',
    );
    expect(
      lines.slice(1, 4).every((line) => / {2}(report \S+ --open|runtime-\S+|redteam-.*|dashboard)$/.test(line)),
    ).toBe(true);
  });
});
