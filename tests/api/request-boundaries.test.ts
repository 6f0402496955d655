import { group, replacing } from '../../lib/api/body.ts';
import {
  type Call,
  dlp,
  isList,
  management,
  modelData,
  modelManagement,
  networkBroker,
  plane,
  redTeamData,
  redTeamManagement,
  scanner,
} from '../../lib/api/call.ts';
import { RefusedError } from '../../lib/api/failures.ts';
import { path, pathText, tenant } from '../../lib/api/path.ts';
import { holding } from '../../lib/api/search.ts';
import { neutralKeys, neutralTexts, toNeutral, toWire } from '../../lib/api/tokens.ts';
import { KEY_HEADER, SIMULATED_HEADER } from '../../lib/api/wire.ts';
import type { TokenFamily } from '../../lib/arguments/words.ts';
import {
  AuthError,
  ConflictError,
  NotFoundError,
  PermissionError,
  PreconditionError,
  QuotaError,
  type ResponseError,
  ServiceError,
} from '../../lib/errors.ts';
import { failing, OK, type Reply, stage } from '../support/exchange.ts';
import { HOSTS, TENANT } from '../support/scripted.ts';

const things = path`/v1/things`;
const read = management.get(things);
const create = management.post(things, { name: 'a' });
const UNKNOWN = 'outcome is unknown';
const SOME_TEXT = expect.stringMatching(/\w/) as string;

const always = (reply: Reply | Error) => () => reply;

/** Gives the error that a reply of the service becomes. */
function failed(reply: Reply, call: Call = read, effect: 'read' | 'create' = 'read') {
  return failing(stage(always(reply)).api({ effect }).fetch(call));
}

describe('a neutral token', () => {
  const wireTokens: Record<TokenFamily, Record<string, string>> = {
    cloud: { cloud_a: 'aws', cloud_b: 'azure', cloud_c: 'gcp' },
    source: { MODEL_HUB: 'HUGGING_FACE', LOCAL: 'LOCAL', STORE_A: 'S3', STORE_B: 'GCS', STORE_C: 'AZURE' },
    vendor: {
      VENDOR_A: 'OPENAI',
      VENDOR_B: 'HUGGING_FACE',
      VENDOR_C: 'DATABRICKS',
      VENDOR_D: 'BEDROCK',
      VENDOR_E: 'MS_COPILOT_STUDIO',
    },
    outcome: { PASSED: 'ALLOWED', FAILED: 'BLOCKED' },
    'file-result': { FAILURE: 'FAILED' },
  };

  test.each(Object.keys(wireTokens) as TokenFamily[])('of the family %s travels as its wire token', (family) => {
    for (const [neutral, wire] of Object.entries(wireTokens[family])) {
      expect([neutral, toWire(family, neutral)]).toEqual([neutral, wire]);
      expect([wire, toNeutral(family, wire)]).toEqual([wire, neutral]);
    }
  });

  test('that no table has stays as it is', () => {
    for (const word of ['new', 'constructor', '']) {
      expect([toWire('cloud', word), toNeutral('cloud', word)]).toEqual([word, word]);
    }
    expect(toNeutral('file-result', 'ERROR')).toBe('FAILURE');
  });

  test('replaces texts in lists, and names of members', () => {
    expect(neutralTexts('cloud', ['aws', ['gcp'], 1, null, 'x'])).toEqual(['cloud_a', ['cloud_c'], 1, null, 'x']);
    expect(neutralTexts('cloud', 'azure')).toBe('cloud_b');
    expect(neutralKeys('cloud', { aws: 'aws', x: 1 })).toEqual({ cloud_a: 'aws', x: 1 });
    for (const value of [null, 'aws', ['aws']]) expect(neutralKeys('cloud', value)).toEqual(value);
  });
});

describe('a body', () => {
  test('is left out when nothing of it is given', () => {
    expect(group({ a: undefined, b: 0 })).toEqual({ b: 0 });
    expect(group({ a: undefined, b: undefined })).toBeUndefined();
    expect(group({ a: null })).toEqual({ a: null });
  });

  test('that replaces repeats what stays, and clears what is null', () => {
    const current = { a: 1, b: 2, c: null, d: 4, other: 5 };
    expect(replacing(current, ['a', 'b', 'c', 'd', 'e'], { b: undefined, d: null, e: 6 })).toStrictEqual({
      a: 1,
      b: 2,
      d: null,
      e: 6,
    });
  });

  test.each([{}, { a: null }, { b: 1 }])('that replaces is refused where nothing was read (%j)', (current) => {
    const refusal = { code: 'response', message: SOME_TEXT, hint: expect.stringContaining('nothing was changed') };
    expect(() => replacing(current, ['a'], { a: 1 })).toThrow(expect.objectContaining(refusal) as ResponseError);
  });
});

describe('a search', () => {
  test.each<[sought: string, value: unknown, found: boolean]>([
    ['an', 'Ana', true],
    ['AN', 'ana', true],
    ['x', 'ana', false],
    ['x', ['a', { b: ['aX'] }], true],
    ['b', { b: 1 }, false],
    ['1', 1, false],
    ['null', null, false],
    ['x', undefined, false],
  ])('for %s in %j: %s', (sought, value, found) => {
    expect(holding(sought, ['gone', 'a'])?.({ a: value, other: sought })).toBe(found);
  });

  test('is none where nothing is sought', () => {
    expect(holding(undefined, ['a'])).toBeUndefined();
  });
});

describe('a request', () => {
  const redTeam = `${HOSTS.management}/ai-red-teaming`;
  test.each<[title: string, builders: ReturnType<typeof plane>, address: string]>([
    ['management API', management, `${HOSTS.management}/aisec`],
    ['scanner API', scanner, HOSTS.scanner],
    ['DLP API', dlp, HOSTS.dlp],
    ['model security API', modelData, `${HOSTS.management}/aims/data`],
    ['model security API', modelManagement, `${HOSTS.management}/aims/mgmt`],
    ['red-team API', redTeamData, `${redTeam}/data-plane`],
    ['red-team API', redTeamManagement, `${redTeam}/mgmt-plane`],
    ['network broker API', networkBroker, `${redTeam}/data-plane/network-broker`],
  ])('to the %s carries its credentials, and a failure names the API', async (title, builders, address) => {
    const room = stage([OK, { status: 404 }]);
    await room.api().fetch(builders.get(things));
    const key = { [KEY_HEADER]: 'script-runtime-key' };
    const bearer = { authorization: 'Bearer access-0', 'service-name': 'api' };
    const headers = { accept: 'application/json', ...(builders === scanner ? key : bearer) };
    expect(room.requests).toMatchObject([{ url: `${address}/v1/things` }]);
    expect(room.requests[0]?.headers).toEqual(headers);
    const error = await failing(room.api().fetch(builders.get(things)));
    expect(error.message).toMatch(new RegExp(`^The ${title} .*\\(HTTP 404 to GET\\)`));
  });

  test('is declared by the builders of its plane', () => {
    const builders = plane('dlp');
    const [base, query] = [{ plane: 'dlp', path: things, query: {} }, { a: 1 }];
    expect(builders.post(things)).toStrictEqual({ ...base, method: 'POST' });
    expect(builders.put(things, 0)).toStrictEqual({ ...base, method: 'PUT', body: 0 });
    expect(builders.patch(things, null, { query })).toStrictEqual({ ...base, method: 'PATCH', query, body: null });
    expect(builders.get(things)).toStrictEqual({ ...base, method: 'GET' });
    expect(builders.delete(things, query)).toStrictEqual({ ...base, method: 'DELETE', query });
    const list = builders.list(things, { items: 'rows' });
    const window = { limit: undefined, offset: 0, paging: 'skip', texts: false, array: false };
    expect(list).toStrictEqual({ ...base, method: 'GET', items: 'rows', ...window });
    expect(builders.list(things, { items: 'items' }).array).toBe(true);
    expect([isList(list), isList(builders.get(things))]).toEqual([true, false]);
  });

  test('has the headers that its body, its upload and its download need', async () => {
    const file = { entry: 'e', name: 'n', size: 3 };
    const upload = { file, field: 'f', contentType: 'c/t', parts: [] };
    const saved = { ...file, contentType: 'application/zip' };
    const room = stage([OK, OK, OK, { file: saved }]);
    const api = room.api();
    for (const call of [create, { ...create, contentType: 'x/y' }, { ...read, upload }]) await api.fetch(call);
    expect(await api.fetch({ ...read, download: 'kept' })).toEqual(saved);
    expect(api.saved()).toEqual([saved]);
    const sent = room.requests.map(({ headers, body }) => [headers['content-type'], headers['accept'], body]);
    expect(sent).toEqual([
      ['application/json', 'application/json', '{"name":"a"}'],
      ['x/y', 'application/json', '{"name":"a"}'],
      [undefined, 'application/json', undefined],
      [undefined, '*/*', undefined],
    ]);
    expect(room.requests.map((request) => request.upload)).toEqual([undefined, undefined, upload, undefined]);
    expect(room.requests.map(({ download }) => download)).toEqual([undefined, undefined, undefined, 'kept']);
    expect(room.requests[0]).not.toHaveProperty('upload');
  });

  test('encodes the parts of its path and its query', async () => {
    const room = stage(always(OK));
    const call = management.get(path`/v1/${tenant}/x/${"a!'()*b"}`, { q: ['ä', 'b'], n: 0, f: false, u: undefined });
    await room.api().fetch(call);
    const sent = `/aisec/v1/${TENANT}/x/a%21%27%28%29%2Ab?q=%C3%A4&q=b&n=0&f=false`;
    expect(room.requests[0]?.url).toBe(HOSTS.management + sent);
  });

  test('has the prefix of its plane once, and no second slash', async () => {
    const settings = { ...stage([]).runtime.settings, dlp_base_url: `${HOSTS.dlp}/aisec//` };
    const room = stage(always(OK), { settings: { ...settings, url: `${HOSTS.management}/aisec/` } });
    for (const call of [read, dlp.get(things)]) await room.api().fetch(call);
    const urls = room.requests.map(({ url }) => url);
    expect(urls).toEqual([`${HOSTS.management}/aisec/v1/things`, `${HOSTS.dlp}/aisec/v1/things`]);
  });

  const segment = (value: string) => pathText(path`/${value}`, () => '');
  /** Percent-encodes a text so many times more. */
  const encoded = (value: string, times: number): string =>
    times === 0 ? value : encoded(value.replace(/%/g, '%25'), times - 1);
  test.each(['', '..', ' %2e%2e ', '%20', '%2e%20', encoded('%2e', 3), encoded('%61', 4)])(
    'refuses "%s" as a part of its path',
    (value) => {
      expect(() => segment(value)).toThrow('must not be empty, "." or ".."');
    },
  );

  test('takes any other part, except a broken character', () => {
    expect(segment('%')).toBe('/%25');
    expect(segment('...')).toBe('/...');
    expect(segment(' a ')).toBe('/%20a%20');
    expect(segment(encoded('%61', 3))).toBe(`/${encoded('%61', 4)}`);
    expect(() => segment('a\ud800')).toThrow('broken character (half of a surrogate pair)');
  });

  test('of a dry run is sent only if it reads and saves no file', async () => {
    const room = stage(always(OK), { dryRun: true });
    await room.api().fetch(read);
    for (const call of [create, { ...read, download: 'kept' }]) {
      const planned = { name: 'Planned', message: SOME_TEXT };
      await expect(room.api({ effect: 'create' }).fetch(call)).rejects.toMatchObject(planned);
    }
    expect(room.requests).toHaveLength(1);
  });

  test('names every missing setting at once', async () => {
    const { tsg_id: _, ...settings } = { ...stage([]).runtime.settings, url: '', client_id: '' };
    const error = await failing(stage([], { settings }).api().fetch(read));
    expect(error.message).toMatch(
      /^Not configured: .+ \(AISEC_BASE_URL\), .+ \(AISEC_CLIENT_ID\), .+ \(AISEC_TSG_ID\)\./,
    );
    expect(error.hint).toMatch(/\w/);
  });
});

describe('the state after a request', () => {
  test.each<[status: number, effect: 'create' | 'read', changed: boolean]>([
    [200, 'create', true],
    [302, 'create', true],
    [400, 'create', false],
    [499, 'create', false],
    [500, 'create', true],
    [200, 'read', false],
    [500, 'read', false],
  ])('after %i to a %s: changed is %s', async (status, effect, changed) => {
    const api = stage(always({ status })).api({ effect });
    expect([api.changed(), api.status(), api.simulated()]).toEqual([false, 0, false]);
    await api.fetch(create).catch(() => undefined);
    expect([api.changed(), api.status(), api.simulated()]).toEqual([changed, status, false]);
  });

  test('is simulated if any answer was', async () => {
    const api = stage([{ headers: { [SIMULATED_HEADER]: '1' } }, OK]).api();
    for (const call of [read, read]) await api.fetch(call);
    expect(api.simulated()).toBe(true);
  });

  test('does not count a prefetch', async () => {
    const api = stage([OK, { status: 201 }]).api();
    for (const call of [read, { ...read, ahead: true }]) await api.fetch(call);
    expect(api.status()).toBe(200);
  });
});

describe('an answer', () => {
  const answered = (body: string, call: Call = read, effect: 'read' | 'create' = 'read') =>
    stage(always({ body })).api({ effect }).fetch(call);
  const remove = management.delete(things);

  test.each<[body: string, call: Call, value: unknown]>([
    ['  ', read, {}],
    ['[1]', { ...read, array: true }, { items: [1] }],
    [' gone ', remove, { message: 'gone' }],
    ['gone <b>', remove, { message: 'gone <b>' }],
    ['"gone"', remove, { message: 'gone' }],
  ])('"%s" to %j becomes %j', async (body, call, value) => {
    await expect(answered(body, call)).resolves.toEqual(value);
  });

  test.each<[body: string, call: Call]>([
    ['gone', read],
    ['"gone"', read],
    ['[1]', read],
    ['5', remove],
    ['<html>', remove],
    ['{"a"', remove],
    ['[1', remove],
  ])('"%s" to %j is refused as no result', async (body, call) => {
    const error = await failing(answered(body, call));
    expect(error).toMatchObject({ code: 'response', status: 200, hint: expect.stringContaining('proxy') });
    expect(error.message).toContain('no result');
    expect(error.hint).not.toContain(UNKNOWN);
  });

  test('that is no result leaves the outcome of a change unknown', async () => {
    expect((await failing(answered('<html>', create, 'create'))).hint).toMatch(/proxy .*outcome is unknown/);
  });

  test.each([300, 199, 304])('with status %i is a failure', async (status) => {
    expect(await failed({ status, json: { a: 1 } })).toMatchObject({ status });
  });
});

describe('an error status', () => {
  test.each<[status: number, type: unknown, message: string, hint: string]>([
    [400, RefusedError, 'refused the request', 'Check the arguments'],
    [401, AuthError, 'does not accept the credentials', 'API Client Secret'],
    [402, QuotaError, 'quota is used up', 'wait'],
    [403, PermissionError, 'denied access', 'role'],
    [404, NotFoundError, 'found nothing', 'list command'],
    [409, ConflictError, 'conflict', 'in use'],
    [412, PreconditionError, 'precondition is not met', 'Check the arguments'],
    [413, RefusedError, 'too large', 'Send less'],
    [415, RefusedError, 'kind of content', 'Check the arguments'],
    [422, RefusedError, 'refused the request', 'Check the arguments'],
    [300, ServiceError, 'redirect', 'Redirects are not followed'],
    [399, ServiceError, 'redirect', 'Redirects are not followed'],
    [418, ServiceError, 'unexpected answer', 'Check the address'],
    [199, ServiceError, 'unexpected answer', 'Check the address'],
    [500, ServiceError, 'failed', 'Try again later'],
  ])('%i is a %p', async (status, type, message, hint) => {
    const error = await failed({ status });
    expect(error.constructor).toBe(type);
    expect(error).toMatchObject({ status, retryable: status >= 500, hint: expect.stringContaining(hint) });
    expect(error.message).toMatch(new RegExp(`^The management API .*${message} \\(HTTP ${status} to GET\\)\\.$`));
    expect(error.name === 'RefusedError').toBe(error.code === 'refused');
  });

  test.each([
    [401, 'Set the Runtime API Key'],
    [403, 'Scanner API Base URL'],
  ])('%i of the scanner is about its key', async (status, hint) => {
    expect((await failed({ status }, scanner.get(things))).hint).toContain(hint);
  });

  test.each([
    [500, true],
    [499, false],
  ])('%i to a change is not retryable; its outcome is unknown: %s', async (status, unknown) => {
    const error = await failed({ status }, create, 'create');
    expect([error.retryable, error.hint?.includes(UNKNOWN)]).toEqual([false, unknown]);
  });

  const long = 'a'.repeat(300);
  const places = [{ loc: ['body', 'a', 0], msg: 'said' }, { loc: ['body'], msg: 'more' }, { msg: 'last' }];
  test.each<[what: string, json: unknown, shown: string]>([
    ['a text', 'said', ': said'],
    ['nothing', {}, '.'],
    ['a number', 5, '.'],
    ['a list', ['said'], '.'],
    ['no text', { message: 5, detail: 6 }, '.'],
    ['an empty text before another', { message: '', error_description: 'said' }, ': said'],
    ['an error message first', { message: 'other', error_message: 'said' }, ': said'],
    ['an error that is a text', { error: 'said', detail: 'other' }, ': said'],
    ['an error with a message', { error: { message: 'said' } }, ': said'],
    ['a detail', { detail: 'said' }, ': said'],
    ['places', { detail: [...places, { loc: ['b', 'x'] }] }, ': a.0: said; more; last; x:'],
    ['controls', { message: ' a\u0000\u001b\u009fb\n ' }, ': a b'],
    ['three hundred characters', { message: long }, `: ${long}`],
    ['more than that', { message: `${long}b` }, `: ${long}...`],
  ])('whose body has %s ends the message with it', async (_, json, shown) => {
    const { message } = await failed({ status: 409, json });
    expect(message.slice(message.indexOf(')') + 1)).toBe(shown);
  });

  const code = 'QUOTA_EXCEEDED';
  test.each<[json: unknown, type: unknown]>([
    [{ code }, QuotaError],
    [{ error_code: code }, QuotaError],
    [{ error: { code } }, QuotaError],
    [{ detail: { error_code: code } }, QuotaError],
    [{ code: 5, detail: { code } }, QuotaError],
    [{ code: 'OTHER', detail: { code } }, RefusedError],
    [{ code: 'constructor' }, RefusedError],
    [code, RefusedError],
  ])('400 with the body %j is a %p', async (json, type) => {
    expect((await failed({ status: 400, json })).constructor).toBe(type);
  });

  test('names the request, and the rows that it is about', async () => {
    const payload = [{ id: 1 }, 'x', null];
    const headers = { 'x-correlation-id': 'c'.repeat(101), 'request-id': 'other' };
    const error = await failed({ status: 409, json: { payload }, headers });
    expect([error.requestId, error.rows]).toEqual(['c'.repeat(100), [{ id: 1 }]]);
    expect(await failed({ status: 409, json: 'x' })).toMatchObject({ requestId: undefined, rows: [] });
  });

  const YEAR = [31_536_000_000, '31536000 seconds'] as const;
  test.each<[header: string | undefined, waitMs: number | undefined, hint: string]>([
    [undefined, undefined, 'in a while'],
    ['90.5', 90_500, '91 seconds'],
    ['9'.repeat(400), ...YEAR],
    ['1'.padEnd(300, '0'), ...YEAR],
    ['Fri, 31 Dec 9999 23:59:59 GMT', ...YEAR],
  ])('429 with retry-after %s asks to wait %p ms', async (header, waitMs, hint) => {
    const headers = { 'x-request-id': 'r', ...(header === undefined ? {} : { 'retry-after': header }) };
    const error = await failed({ status: 429, headers });
    expect(error).toMatchObject({ code: 'rate-limit', waitMs, status: 429, requestId: 'r', retryable: true });
    expect(error.message).toContain('management API');
    expect(error.hint).toContain(hint);
  });
});
