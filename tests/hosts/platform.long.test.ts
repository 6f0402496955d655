import { createService } from '../../fixtures/service/index.ts';
import { platformRuntime } from '../../lib/hosts/platform/runtime.ts';
import { runChecks } from '../../lib/runtime/engine/checks.ts';
import { type PlatformBundle, platformBundle } from '../../scripts/platform-bundle/bundle.ts';
import { checkEs5 } from '../../scripts/platform-bundle/es5-gate.ts';
import { type Engine, enginesFor, type OpenEngine, plain } from '../support/engine.ts';
import { expectNone } from '../support/expect-none.ts';
import { HANDED_BACK, raise } from '../support/handed-back.ts';
import { sharedBundle } from '../support/platform-bundle.ts';
import { ROOT } from '../support/program.ts';
import { testClock, warRoom } from '../support/simulated.ts';
import { scenario } from '../system/scenarios/claims.ts';

const create = { topic_name: 'one', description: 'd', examples: 'one,two' };

let bundle: PlatformBundle;
let engine: OpenEngine;

beforeAll(async () => {
  bundle = await sharedBundle();
  engine = enginesFor(bundle);
});

describe('the native bundle', () => {
  test('is a function body of ES5', () => {
    expect(() => checkEs5(bundle.text)).not.toThrow();
  });

  test('is reproducible', async () => {
    expect((await platformBundle(ROOT)).text).toBe(bundle.text);
  });

  test('can be read by reviewers of a pack, names its source, and runs', async () => {
    const readable = await platformBundle(ROOT, { isReadable: true });
    const lines = readable.text.split('\n');
    expect(lines.filter((line) => line.length > 1000)).toEqual([]);
    expect(lines.length).toBeGreaterThan(10_000);
    expect(readable.text).toMatch(/^\/\*\n.*from bin\/platform\.ts of aisec \d+\.\d+\.\d+/);
    expect(enginesFor(readable)().run('test-module')).toBe('ok');
  });

  test('contains ajv as its only library, and no module that needs Node', () => {
    const packages = bundle.inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    expect([...new Set(packages)]).toEqual(['ajv']);
    expectNone(
      bundle.inputs.filter((path) => /^node:|lib\/(?!core\/|runtime\/|hosts\/platform\/)/.test(path)),
      'modules that need Node',
    );
  });

  test('stays below 460 kB', () => {
    expect(Buffer.byteLength(bundle.text)).toBeLessThan(460_000);
  });

  test('omits texts of the documentation', () => {
    const documented = ['streaming_response_json', 'Whether a prompt injection'];
    expectNone(
      documented.filter((text) => bundle.text.includes(text)),
      'documented members',
    );
  });

  test('does not compile code from text', () => {
    expect(bundle.text).not.toMatch(/\bFunction\(|\beval\(/);
  });

  test.each([
    ['an arrow function', 'return (() => 1)();'],
    ['a constant', 'const x = 1; return x;'],
    ['a named group', 'return /(?<year>x)/;'],
    ['the Unicode flag', 'return /x/u;'],
    ['a promise', 'return Promise.resolve(1);'],
    ['a timer', 'setTimeout(function () {}, 1);'],
    ['a later method', 'return [2, 1].toSorted();'],
  ])('is refused by the ES5 gate with %s', (_what, text) => {
    expect(() => checkEs5(text)).toThrow();
  });

  test.each([
    ['a variable of its own', 'var Promise = 1; return Promise;'],
    ['a parameter', 'return (function (fetch) { return fetch; })(1);'],
    ['a member with that name', 'return { fetch: 1 }.fetch;'],
    ['a global that is checked first', "return typeof Iterator === 'function' ? Iterator : Object;"],
  ])('passes the gate with %s', (_what, text) => {
    expect(() => checkEs5(text)).not.toThrow();
  });
});

describe('a command on the platform', () => {
  test('accepts typed values of a playbook', () => {
    const { run } = engine();
    expect(run('aisec-runtime-profiles-list', { limit: 1 })).toMatchObject({ Type: 1 });
    // A filter returns a list even if only one entry remains.
    expect(run('aisec-runtime-scan', { profile_name: ['prod'], prompt: ['hello'] })).toMatchObject({ Type: 1 });
    expect(run('aisec-runtime-scan', { profile_name: 'prod', prompt: ['a', 'b'] })).toMatchObject({ Type: 4 });
    const create = { topic_name: 'a', description: 'b', examples: ['one', 'two, three'], active: true };
    expect(plain(run('aisec-runtime-topics-create', create))).toMatchObject({
      EntryContext: {
        'AiSec.TopicCreate(val.topic_id && val.topic_id == obj.topic_id)': { examples: ['one', 'two, three'] },
      },
    });
  });

  test('waits with the platform, then continues', () => {
    const { run, waits } = engine({ faults: ['429x2@/aisec'] });
    expect(run('aisec-runtime-profiles-list')).toMatchObject({ Type: 1 });
    expect(waits).toEqual([1, 1]);
  });

  const lost = [
    { fault: 'drop', says: 'was lost before the response arrived' },
    { fault: 'truncate', says: 'was lost before the response arrived' },
    { fault: 'hang', says: 'Timed out after' },
    { fault: 'drip', says: 'Timed out after' },
    { fault: '503', says: 'failed (HTTP 503' },
    { fault: 'html', says: 'returned an invalid response' },
  ];
  scenario.each(lost)(
    'retry-post-never-blind',
    'a create that gets $fault is sent once, and its outcome is unknown',
    ({ fault, says }) => {
      const { run, urls } = engine({ faults: [`${fault}@/aisec/v1/mgmt/topic`] });
      const entry = run('aisec-runtime-topics-create', create);
      expect(plain(entry)).toMatchObject({ Type: 4, Contents: expect.stringContaining(says) });
      expect(plain(entry)).toMatchObject({ Contents: expect.stringContaining('outcome is unknown') });
      expect(urls.filter((url) => url.endsWith('/topic'))).toHaveLength(1);
    },
  );

  scenario('retry-get-503', 'a read is retried after 503 and 503', () => {
    const { run, urls } = engine({ faults: ['503x2@/aisec'] });
    expect(run('aisec-runtime-profiles-list')).toMatchObject({ Type: 1 });
    expect(urls).toHaveLength(4);
  });

  test('logs its requests without secrets', async () => {
    const lines: string[] = [];
    const globals = {
      params: { credentials: { identifier: 'me', password: 'hush-hush' }, runtime_api_key: 'quiet-key' },
      args: {},
      command: '',
      http: () => ({}),
      logDebug: (text: string) => lines.push(text),
    };
    const { log } = platformRuntime(globals, true, testClock().now);
    log.debug('request', { url: 'https://x/?key=quiet-key', authorization: 'Bearer abc', note: 'hush-hush' });
    expect(lines).toEqual([expect.stringContaining('aisec: request {"url":"https://x/?key=***"')]);
    expect(lines.join()).not.toMatch(/hush-hush|abc|quiet-key/);
    const deaf = platformRuntime({ ...globals, logDebug: () => raise('no log') }, true, testClock().now);
    expect(() => deaf.log.warn('still alive')).not.toThrow();
  });

  scenario(
    'large-page',
    'accepts one page of 200,000 records',
    () => {
      const { run } = engine();
      const keys = `{"keys":[${'"key",'.repeat(199_999)}"last"],"pagination":{"total_items":200000}}`;
      const http = (url: string) => ({
        StatusCode: 200,
        Body: url.includes('oauth2') ? '{"access_token":"t","expires_in":900}' : keys,
      });
      const [entry] = run('aisec-model-security-labels-keys', { limit: '200000' }, { http }) as { Type: number }[];
      expect(entry?.Type).toBe(1);
    },
    120_000,
  );

  test('an internal error says how to report it, has its stack in the debug log, and shows no secret', () => {
    const { run, logged, params } = engine({ faults: ['429@/aisec'] });
    const { password } = params['credentials'] as { password: string };
    const wait = () => raise(`no wait for ${password}`);
    expect(plain(run('aisec-runtime-profiles-list', {}, { wait }))).toEqual({
      Type: 4,
      ContentsFormat: 'text',
      Contents: expect.stringMatching(/^Unexpected failure: no wait for \*\*\*\n.* report it with the debug log/),
    });
    expect(logged.join('\n')).toMatch(/aisec: Unexpected failure: no wait for \*\*\*\n +at /);
    expect(logged.join('\n')).not.toContain(password);
  });

  test('runs without the optional functions of the platform', () => {
    const absent = { log: undefined, logDebug: undefined, wait: undefined, getIntegrationContext: undefined };
    expect(engine().run('aisec-runtime-profiles-list', {}, absent)).toMatchObject({ Type: 1 });
  });
});

describe('the token of an instance', () => {
  const tokens = ({ urls }: Engine) => urls.filter((url) => url.includes('/oauth2/')).length;
  const list = ({ run }: Engine, overrides = {}) => plain(run('aisec-runtime-topics-list', {}, overrides));

  test('is stored as strings, with its expiry and a digest of its owner, and no credentials', () => {
    const instance = engine();
    list(instance);
    expect(plain(instance.kept.context)).toEqual({
      access_token: expect.stringMatching(/^sim\./),
      valid_until: String(instance.clock.now() + 900_000),
      owner: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    const { credentials, runtime_api_key } = instance.params;
    const secrets = [credentials, runtime_api_key].flatMap((value) => Object.values(value as object)).filter(Boolean);
    expect(secrets).toHaveLength(3);
    for (const secret of secrets) expect(JSON.stringify(instance.kept.context)).not.toContain(secret);
  });

  test('is reused until a minute before its expiry', () => {
    const instance = engine();
    for (const [later, count] of [
      [0, 1],
      [830_000, 1],
      [11_000, 2],
      [1000, 2],
    ] as const) {
      instance.clock.advance(later);
      expect(list(instance)).toMatchObject({ Type: 1 });
      expect(tokens(instance)).toBe(count);
    }
  });

  test.each([
    { what: 'another client', params: { credentials: { identifier: 'other', password: 'other' } }, type: 4 },
    { what: 'another tenant', params: { tsg_id: '2000000002' }, type: 4 },
    { what: 'another address', params: { token_url: 'https://localhost:1/oauth2/access_token' }, type: 1 },
  ])('is not used for $what', ({ params, type }) => {
    const instance = engine();
    list(instance);
    const before = instance.urls.length;
    expect(list(instance, { params: { ...instance.params, ...params } })).toMatchObject({ Type: type });
    expect(tokens(instance)).toBe(2);
    expect(instance.urls).toHaveLength(before + (type === 1 ? 2 : 1));
  });

  test.each([
    { what: 'without an owner', change: { owner: undefined } },
    { what: 'of another owner', change: { owner: '0123456789abcdef' } },
    { what: 'without an expiry', change: { valid_until: 'soon' } },
    { what: 'that is not text', change: { access_token: 7 } },
  ])('is requested again if the context has a token $what', ({ change }) => {
    const instance = engine();
    list(instance);
    instance.kept.context = { ...(instance.kept.context as object), ...change };
    expect(list(instance)).toMatchObject({ Type: 1 });
    expect(tokens(instance)).toBe(2);
  });

  test('is neither read nor stored by the connection test', () => {
    const instance = engine();
    const touched: string[] = [];
    const watched = {
      getIntegrationContext: () => touched.push('read'),
      setIntegrationContext: () => touched.push('written'),
    };
    expect(instance.run('test-module', {}, watched)).toBe('ok');
    expectNone(touched, 'uses of the context of the integration');
  });

  test('is requested for each command if the integration context is not available', () => {
    const { run, urls } = engine();
    const refuse = () => {
      throw new Error('not here');
    };
    const without = { getIntegrationContext: refuse, setIntegrationContext: refuse };
    for (const _ of ['first', 'second']) {
      expect(run('aisec-runtime-profiles-list', {}, without)).toMatchObject({ Type: 1 });
    }
    expect(urls.filter((url) => url.includes('oauth2'))).toHaveLength(2);
  });
});

/** Values of the required settings of an instance that only scans. */
const ONLY_SCANS = { url: '-', credentials: { identifier: '-', password: '-' }, tsg_id: '-' };

describe('an instance that only scans, with dashes in the other fields', () => {
  const scans = () => {
    const one = engine();
    return { ...one, params: { ...one.params, ...ONLY_SCANS } };
  };

  test('passes its connection test and scans', () => {
    const { run, params } = scans();
    expect(run('test-module', {}, { params })).toBe('ok');
    const entry = plain(run('aisec-runtime-scan', { profile_name: 'prod', prompt: 'hello' }, { params }));
    expect(entry).toMatchObject({ Type: 1 });
  });

  test('gets a configuration error from other commands', () => {
    const { run, params } = scans();
    const entry = plain(run('aisec-runtime-profiles-list', {}, { params }));
    expect(entry).toMatchObject({ Type: 4, Contents: expect.stringMatching(/^Not configured: .*API Client ID/) });
  });
});

describe('the connection test of the platform', () => {
  test.each([
    {
      what: 'the token',
      fault: '401@/oauth2',
      reach:
        'Reached: scanner API. Not reached: Access token (failed), management API (not tested), DLP API (not tested), ' +
        'red-team API (not tested), model security API (not tested).',
    },
    {
      what: 'the scanner',
      fault: '401@/v1/scan/results',
      reach: 'Not reached: scanner API (failed).',
    },
    {
      what: 'the scanner, and DLP as well',
      fault: '403@/v',
      reach: 'Not reached: scanner API (failed), DLP API (not available).',
    },
  ])('lists the planes that it reached if $what fails', ({ fault, reach }) => {
    const { run, logged } = engine({ faults: [fault] });
    const text = String(run('test-module'));
    const [message, ...others] = text.split('\n');
    expect(message).not.toBe('');
    expect(others.at(-1)).toContain(reach);
    expect(logged.join()).toContain(reach);
  });

  test('logs the planes that it reached if it passes', () => {
    const { run, logged } = engine({ faults: ['403@/v2'] });
    expect(run('test-module')).toBe('ok');
    expect(logged.join()).toContain('Not reached: DLP API (not available).');
  });

  const scannerAnswers = (status: number, body: string) => {
    const service = createService();
    const handle: typeof service.handle = (request, clock) =>
      request.url.includes('/v1/scan/results')
        ? { status, headers: {}, body, latencyMs: 0 }
        : service.handle(request, clock);
    return { ...service, handle };
  };

  scenario.each([
    { status: 200, body: '[]' },
    { status: 200, body: '[{"scan_id": "1", "status": "complete"}]' },
    { status: 200, body: '{}' },
    { status: 200, body: '' },
    { status: 202, body: 'queued' },
    { status: 204, body: '' },
    { status: 400, body: '{"message": "no such scan"}' },
    { status: 404, body: '' },
  ])('scanner-alive', 'accepts a scanner that answers $status with "$body"', async ({ status, body }) => {
    expect(engine({}, scannerAnswers(status, body)).run('test-module')).toBe('ok');
    const { runtime } = warRoom({}, {}, scannerAnswers(status, body));
    const scanner = (await runChecks(runtime)).filter(({ check }) => check.plane === 'scanner');
    expect(scanner).toMatchObject([{ state: 'passed' }]);
  });

  scenario.each([{ status: 401 }, { status: 403 }])(
    'scanner-alive',
    'rejects a scanner that answers $status with a list',
    ({ status }) => {
      expect(engine({}, scannerAnswers(status, '[]')).run('test-module')).toMatch(/scanner API \(failed\)/);
    },
  );

  test.each([
    ['a wrong secret', { credentials: { identifier: 'x', password: 'y' } }, /token address refused/],
    ['an invalid address', { url: 'management.example.com' }, /Server URL.* must be an absolute address/],
    ['plain http', { url: 'http://management.example.com' }, /Server URL.*https/],
    ['a tenant that is not a number', { tsg_id: 'abc' }, /digits/],
    ['a wrong runtime key', { runtime_api_key: 'wrong' }, /Runtime API Key/],
    ['no credentials', { credentials: {} }, /API Client ID/],
    [
      'dashes for all settings',
      { ...ONLY_SCANS, runtime_api_key: { password: '-' } },
      /^Not configured: .*API Client ID/,
    ],
    ['a dash for one of several settings', { tsg_id: '-' }, /^Not configured: .*Tenant Services Group ID/],
    ['a key that a scan would need', { ...ONLY_SCANS, runtime_api_key: 'wrong' }, /Runtime API Key/],
  ])('returns a text that names %s', (_what, params, text) => {
    const service = createService();
    const settings = service.settings('http://127.0.0.1:8080');
    const good = {
      url: settings['AISEC_BASE_URL'],
      credentials: { identifier: settings['AISEC_CLIENT_ID'], password: settings['AISEC_CLIENT_SECRET'] },
      runtime_api_key: settings['AISEC_RUNTIME_API_KEY'],
      tsg_id: settings['AISEC_TSG_ID'],
      scanner_base_url: settings['AISEC_SCANNER_BASE_URL'],
      token_url: settings['AISEC_TOKEN_URL'],
    };
    expect(engine().run('test-module', {}, { params: { ...good, ...params } })).toEqual(expect.stringMatching(text));
    expect(engine().run('test-module', {}, { params: good })).toBe('ok');
  });
});

scenario.each(HANDED_BACK)(
  'retry-post-never-blind',
  'the outcome of a create that gets $what is unknown',
  ({ http }) => {
    const service = createService();
    const good = engine({}, service);
    good.run('aisec-runtime-topics-list');
    const calls: string[] = [];
    const lost = (url: string) => {
      calls.push(url);
      return http();
    };
    const entry = plain(good.run('aisec-runtime-topics-create', create, { http: lost }));
    expect(entry).toMatchObject({ Type: 4, Contents: expect.stringContaining('got no response') });
    expect(entry).toMatchObject({ Contents: expect.stringContaining('outcome is unknown') });
    expect(JSON.stringify(entry)).not.toMatch(/hush|Unexpected/);
    expect(calls).toHaveLength(1);
  },
);
