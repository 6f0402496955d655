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
import { findLatest, idIn, latestOf } from '../../lib/api/find.ts';
import { path, pathText, tenant } from '../../lib/api/path.ts';
import { askedDelay, backoff, mayRepeat, RetryBudget } from '../../lib/api/retry.ts';
import { holding } from '../../lib/api/search.ts';
import { memoryTokens } from '../../lib/api/shared.ts';
import { neutralKeys, neutralTexts, toNeutral, toWire } from '../../lib/api/tokens.ts';
import { KEY_HEADER, SECRET_MEMBERS, SIMULATED_HEADER } from '../../lib/api/wire.ts';
import type { TokenFamily } from '../../lib/arguments/words.ts';
import {
  AuthError,
  ConflictError,
  NotFoundError,
  PermissionError,
  PreconditionError,
  QuotaError,
  RefusedError,
  ResponseError,
  ServiceError,
} from '../../lib/errors.ts';
import type { HttpResponse } from '../../lib/ports.ts';
import { redacting } from '../../lib/redaction/responses.ts';
import { lostConnection, refused } from '../../lib/transport/failures.ts';
import { failing, OK, type Reply, type Script, stage, token } from '../support/exchange.ts';
import { expectNone } from '../support/expect-none.ts';
import { HOSTS, TENANT } from '../support/scripted.ts';

const things = path`/v1/things`;
const read = management.get(things);
const create = management.post(things, { name: 'a' });

const always = (reply: Reply | Error) => () => reply;

/** What a failure of the service becomes. */
function failed(reply: Reply, call: Call = read, effect: 'read' | 'create' = 'read') {
  return failing(stage(always(reply)).api({ effect }).fetch(call));
}

describe('a neutral token', () => {
  const table: Record<TokenFamily, [neutral: string, wire: string][]> = {
    cloud: [
      ['cloud_a', 'aws'],
      ['cloud_b', 'azure'],
      ['cloud_c', 'gcp'],
    ],
    source: [
      ['MODEL_HUB', 'HUGGING_FACE'],
      ['LOCAL', 'LOCAL'],
      ['STORE_A', 'S3'],
      ['STORE_B', 'GCS'],
      ['STORE_C', 'AZURE'],
    ],
    vendor: [
      ['VENDOR_A', 'OPENAI'],
      ['VENDOR_B', 'HUGGING_FACE'],
      ['VENDOR_C', 'DATABRICKS'],
      ['VENDOR_D', 'BEDROCK'],
      ['VENDOR_E', 'MS_COPILOT_STUDIO'],
    ],
    outcome: [
      ['PASSED', 'ALLOWED'],
      ['FAILED', 'BLOCKED'],
    ],
    'file-result': [['FAILURE', 'FAILED']],
  };
  const rows = (Object.keys(table) as TokenFamily[]).flatMap((family) =>
    table[family].map(([neutral, wire]) => ({ family, neutral, wire })),
  );

  test.each(rows)('of $family: $neutral travels as $wire', ({ family, neutral, wire }) => {
    expect(toWire(family, neutral)).toBe(wire);
    expect(toNeutral(family, wire)).toBe(neutral);
  });

  test('passes what the table does not have, whatever its name', () => {
    for (const word of ['new', 'constructor', '']) {
      expect([toWire('cloud', word), toNeutral('cloud', word)]).toEqual([word, word]);
    }
    expect(toNeutral('file-result', 'ERROR')).toBe('FAILURE');
  });

  test('is put in place of texts in lists, and of names of members', () => {
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

  test.each([{}, { a: null }, { b: 1 }])('that replaces is none where nothing was read (%j)', (current) => {
    const run = () => replacing(current, ['a'], { a: 1 });
    expect(run).toThrow(ResponseError);
    expect(run).toThrow(
      expect.objectContaining({
        message: 'The service told nothing of what is to be changed.',
        hint: 'A change has to repeat what stays, so nothing was changed: try again.',
      }) as ResponseError,
    );
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
  const planes = [
    { words: management, url: `${HOSTS.management}/aisec/v1/things`, title: 'management API' },
    { words: scanner, url: `${HOSTS.scanner}/v1/things`, title: 'scanner API' },
    { words: dlp, url: `${HOSTS.dlp}/v1/things`, title: 'DLP API' },
    { words: modelData, url: `${HOSTS.management}/aims/data/v1/things`, title: 'model security API' },
    { words: modelManagement, url: `${HOSTS.management}/aims/mgmt/v1/things`, title: 'model security API' },
    { words: redTeamData, url: `${HOSTS.management}/ai-red-teaming/data-plane/v1/things`, title: 'red-team API' },
    { words: redTeamManagement, url: `${HOSTS.management}/ai-red-teaming/mgmt-plane/v1/things`, title: 'red-team API' },
    {
      words: networkBroker,
      url: `${HOSTS.management}/ai-red-teaming/data-plane/network-broker/v1/things`,
      title: 'network broker API',
    },
  ];

  test.each(planes)('to $url says who sends it', async ({ words, url, title }) => {
    const room = stage([OK, { status: 404 }]);
    await room.api().fetch(words.get(things));
    const [request] = room.requests;
    const isScanner = words === scanner;
    expect(request?.url).toBe(url);
    expect(request?.headers).toEqual({
      accept: 'application/json',
      ...(isScanner
        ? { [KEY_HEADER]: 'script-runtime-key' }
        : { authorization: 'Bearer access-0', 'service-name': 'api' }),
    });
    const error = await failing(room.api().fetch(words.get(things)));
    expect(error.message).toBe(`The ${title} found nothing (HTTP 404 to GET).`);
  });

  test('is one of these words', async () => {
    const words = plane('dlp');
    const query = { a: 1 };
    expect([words.post(things), words.put(things, 0), words.patch(things, null, { query })]).toStrictEqual([
      { plane: 'dlp', method: 'POST', path: things, query: {} },
      { plane: 'dlp', method: 'PUT', path: things, query: {}, body: 0 },
      { plane: 'dlp', method: 'PATCH', path: things, query, body: null },
    ]);
    expect([words.get(things), words.delete(things, query)]).toStrictEqual([
      { plane: 'dlp', method: 'GET', path: things, query: {} },
      { plane: 'dlp', method: 'DELETE', path: things, query },
    ]);
    const list = words.list(things, { items: 'rows' });
    expect(list).toStrictEqual({
      plane: 'dlp',
      method: 'GET',
      path: things,
      query: {},
      items: 'rows',
      limit: undefined,
      offset: 0,
      paging: 'skip',
      texts: false,
      array: false,
    });
    expect(words.list(things, { items: 'items' }).array).toBe(true);
    expect([isList(list), isList(words.get(things))]).toEqual([true, false]);
  });

  test('carries what its body and its file need', async () => {
    const file = { entry: 'e', name: 'n', size: 3 };
    const upload = { file, field: 'f', contentType: 'c/t', parts: [] };
    const saved = { ...file, contentType: 'application/zip' };
    const room = stage([OK, OK, OK, { file: saved }]);
    const api = room.api();
    await api.fetch(create);
    await api.fetch({ ...create, contentType: 'x/y' });
    await api.fetch({ ...read, upload });
    expect(await api.fetch({ ...read, download: 'kept' })).toEqual(saved);
    const sent = room.requests.map(({ headers, body, upload: file, download }) => [
      headers['content-type'],
      headers['accept'],
      body,
      file,
      download,
    ]);
    expect(sent).toEqual([
      ['application/json', 'application/json', '{"name":"a"}', undefined, undefined],
      ['x/y', 'application/json', '{"name":"a"}', undefined, undefined],
      [undefined, 'application/json', undefined, upload, undefined],
      [undefined, '*/*', undefined, undefined, 'kept'],
    ]);
    expect(room.requests[0]).not.toHaveProperty('upload');
    expect(api.saved()).toEqual([saved]);
  });

  test('is written as one address, whose parts stay in their places', async () => {
    const room = stage(always(OK));
    const call = management.get(path`/v1/${tenant}/x/${"a!'()*b"}`, { q: ['ä', 'b'], n: 0, f: false, u: undefined });
    await room.api().fetch(call);
    expect(room.requests[0]?.url).toBe(
      `${HOSTS.management}/aisec/v1/${TENANT}/x/a%21%27%28%29%2Ab?q=%C3%A4&q=b&n=0&f=false`,
    );
    const other = { ...room.runtime.settings, dlp_base_url: `${HOSTS.dlp}/aisec//`, url: `${HOSTS.management}/aisec/` };
    const same = stage(always(OK), { settings: other });
    await same.api().fetch(read);
    await same.api().fetch(dlp.get(things));
    expect(same.requests.map(({ url }) => url)).toEqual([
      `${HOSTS.management}/aisec/v1/things`,
      `${HOSTS.dlp}/aisec/v1/things`,
    ]);
  });

  const segment = (value: string) => pathText(path`/${value}`, () => '');
  /** Encoded so many times more. */
  const encoded = (value: string, times: number): string =>
    times === 0 ? value : encoded(value.replace(/%/g, '%25'), times - 1);
  test.each([
    '',
    ' ',
    '.',
    '..',
    '%2e',
    '%252e%252e',
    ' %2e%2e ',
    '%20',
    '%2e%20',
    encoded('%2e', 3),
    encoded('%61', 4),
  ])('cannot leave its place by "%s"', (value) => {
    expect(() => segment(value)).toThrow(
      'A name or an id that becomes part of an address must not be empty, "." or "..", nor so between slashes.',
    );
  });

  test('may hold anything else', () => {
    expect(segment('%')).toBe('/%25');
    expect(segment('...')).toBe('/...');
    expect(segment(' a ')).toBe('/%20a%20');
    expect(segment(encoded('%61', 3))).toBe(`/${encoded('%61', 4)}`);
    expect(() => segment('a\ud800')).toThrow(
      'A text that becomes part of an address holds a broken character (half of a surrogate pair).',
    );
  });

  test('is made by a dry run only where it reads, and leaves no file', async () => {
    const room = stage(always(OK), { dryRun: true });
    await room.api().fetch(read);
    for (const call of [create, { ...read, download: 'kept' }]) {
      await expect(room.api({ effect: 'create' }).fetch(call)).rejects.toMatchObject({
        name: 'Planned',
        message: 'A dry run stops here.',
      });
    }
    expect(room.requests).toHaveLength(1);
  });

  test('names every setting that it lacks at once', async () => {
    const settings = { ...stage([]).runtime.settings, url: '', client_id: '', tsg_id: undefined };
    const error = await failing(
      stage([], { settings } as never)
        .api()
        .fetch(read),
    );
    expect(error.message).toMatch(
      /^Not configured: .+ \(AISEC_BASE_URL\), .+ \(AISEC_CLIENT_ID\), .+ \(AISEC_TSG_ID\)\.$/,
    );
    expect(error.hint).toBe('Set it.');
  });
});

describe('what is known after a request', () => {
  test.each([
    { status: 200, effect: 'create', changed: true },
    { status: 302, effect: 'create', changed: true },
    { status: 400, effect: 'create', changed: false },
    { status: 499, effect: 'create', changed: false },
    { status: 500, effect: 'create', changed: true },
    { status: 200, effect: 'read', changed: false },
    { status: 500, effect: 'read', changed: false },
  ] as const)('$status of a $effect: changed is $changed', async ({ status, effect, changed }) => {
    const api = stage(always({ status })).api({ effect });
    expect([api.changed(), api.status(), api.simulated()]).toEqual([false, 0, false]);
    await api.fetch(create).catch(() => undefined);
    expect([api.changed(), api.status(), api.simulated()]).toEqual([changed, status, false]);
  });

  test('whether any answer was simulated', async () => {
    const api = stage([{ headers: { [SIMULATED_HEADER]: '1' } }, OK]).api();
    await api.fetch(read);
    await api.fetch(read);
    expect(api.simulated()).toBe(true);
  });

  test('nothing of what was only asked for ahead', async () => {
    const api = stage([OK, { status: 201 }]).api();
    await api.fetch(read);
    await api.fetch({ ...read, ahead: true });
    expect(api.status()).toBe(200);
  });
});

describe('an answer', () => {
  const answered = (body: string, call: Call = read, effect: 'read' | 'create' = 'read') =>
    stage(always({ body })).api({ effect }).fetch(call);

  test.each<{ body: string; call: Call; value: unknown }>([
    { body: '  ', call: read, value: {} },
    { body: '[1]', call: { ...read, array: true }, value: { items: [1] } },
    { body: ' gone ', call: management.delete(things), value: { message: 'gone' } },
    { body: 'gone <b>', call: management.delete(things), value: { message: 'gone <b>' } },
    { body: '"gone"', call: management.delete(things), value: { message: 'gone' } },
  ])('of $call.method that is $body is $value', async ({ body, call, value }) => {
    await expect(answered(body, call)).resolves.toEqual(value);
  });

  const hint = 'Check url: a sign-in page or a proxy may have answered in place of the service.';
  test.each<{ body: string; call: Call }>([
    { body: 'gone', call: read },
    { body: '"gone"', call: read },
    { body: '[1]', call: read },
    { body: '5', call: management.delete(things) },
    { body: '<html>', call: management.delete(things) },
    { body: '{"a"', call: management.delete(things) },
    { body: '[1', call: management.delete(things) },
  ])('of $call.method that is $body is no result', async ({ body, call }) => {
    const error = await failing(answered(body, call));
    expect(error).toBeInstanceOf(ResponseError);
    expect(error).toMatchObject({
      message: 'The management API answered with something that is no result.',
      hint,
      status: 200,
    });
  });

  test('of a change that is no result leaves its outcome unknown', async () => {
    expect((await failing(answered('<html>', create, 'create'))).hint).toBe(
      `${hint} The outcome is unknown: list what is there before you repeat the command.`,
    );
  });

  test.each([300, 199, 304])('with status %i is no success', async (status) => {
    await expect(
      stage(always({ status, json: { a: 1 } }))
        .api()
        .fetch(read),
    ).rejects.toMatchObject({ status });
  });
});

describe('an error status', () => {
  const CHECK = 'Check the arguments against what the service says.';
  test.each([
    { status: 400, make: RefusedError, text: 'refused the request', hint: CHECK },
    {
      status: 401,
      make: AuthError,
      text: 'does not accept the credentials',
      hint: 'Check API Client ID and API Client Secret, and that the client belongs to the tenant.',
    },
    {
      status: 402,
      make: QuotaError,
      text: 'says that the quota is used up',
      hint: 'Ask for more, or wait until it is renewed.',
    },
    {
      status: 403,
      make: PermissionError,
      text: 'denied access',
      hint: 'Ask the tenant for a role that permits this to the API client.',
    },
    {
      status: 404,
      make: NotFoundError,
      text: 'found nothing',
      hint: 'Check the id or the name with the list command.',
    },
    {
      status: 409,
      make: ConflictError,
      text: 'reports a conflict',
      hint: 'It exists already, changed in between, or is still in use.',
    },
    { status: 412, make: PreconditionError, text: 'says that a precondition is not met', hint: CHECK },
    { status: 413, make: RefusedError, text: 'says that the request is too large', hint: 'Send less at once.' },
    { status: 415, make: RefusedError, text: 'does not take this kind of content', hint: CHECK },
    { status: 422, make: RefusedError, text: 'refused the request', hint: CHECK },
    {
      status: 300,
      make: ServiceError,
      text: 'answered with a redirect',
      hint: 'Redirects are not followed with credentials: set the address it moved to.',
    },
    {
      status: 399,
      make: ServiceError,
      text: 'answered with a redirect',
      hint: 'Redirects are not followed with credentials: set the address it moved to.',
    },
    { status: 418, make: ServiceError, text: 'gave an unexpected answer', hint: 'Check the address of the service.' },
    { status: 199, make: ServiceError, text: 'gave an unexpected answer', hint: 'Check the address of the service.' },
    { status: 500, make: ServiceError, text: 'failed', hint: 'Try again later; if it stays, ask its support.' },
  ])('$status $text', async ({ status, make, text, hint }) => {
    const error = await failed({ status });
    expect(error).toBeInstanceOf(make);
    expect(error).toMatchObject({
      message: `The management API ${text} (HTTP ${status} to GET).`,
      hint,
      status,
      retryable: status >= 500,
    });
    expect(error.name === 'RefusedError').toBe(error.code === 'refused');
  });

  test.each([
    { status: 401, hint: 'Set the Runtime API Key.' },
    {
      status: 403,
      hint: 'The Runtime API Key is wrong, revoked or expired, or belongs to another region: check it and Scanner API Base URL.',
    },
  ])('$status of the scanner is about its key', async ({ status, hint }) => {
    expect((await failed({ status }, scanner.get(things))).hint).toBe(hint);
  });

  test.each([
    { status: 500, hint: 'The outcome is unknown: list what is there before you repeat the command.' },
    { status: 499, hint: 'Check the address of the service.' },
  ])('$status of a change is not to be repeated, and $hint', async ({ status, hint }) => {
    expect(await failed({ status }, create, 'create')).toMatchObject({ hint, retryable: false });
  });

  const long = 'a'.repeat(300);
  test.each<{ what: string; json: unknown; says: string }>([
    { what: 'a text', json: 'said', says: ': said' },
    { what: 'nothing', json: {}, says: '.' },
    { what: 'a number', json: 5, says: '.' },
    { what: 'a list', json: ['said'], says: '.' },
    { what: 'no text', json: { message: 5, detail: 6 }, says: '.' },
    { what: 'an empty text before another', json: { message: '', error_description: 'said' }, says: ': said' },
    { what: 'an error message first', json: { message: 'other', error_message: 'said' }, says: ': said' },
    { what: 'an error that is a text', json: { error: 'said', detail: 'other' }, says: ': said' },
    { what: 'an error with a message', json: { error: { message: 'said' } }, says: ': said' },
    { what: 'a detail', json: { detail: 'said' }, says: ': said' },
    {
      what: 'places',
      json: {
        detail: [
          { loc: ['body', 'a', 0], msg: 'said' },
          { loc: ['body'], msg: 'more' },
          { msg: 'last' },
          { loc: ['b', 'x'] },
        ],
      },
      says: ': a.0: said; more; last; x:',
    },
    { what: 'controls', json: { message: ' a\u0000\u001b\u009fb\n ' }, says: ': a b' },
    { what: 'three hundred characters', json: { message: long }, says: `: ${long}` },
    { what: 'more than that', json: { message: `${long}b` }, says: `: ${long}...` },
  ])('whose body says $what', async ({ json, says }) => {
    expect((await failed({ status: 409, json })).message).toBe(
      `The management API reports a conflict (HTTP 409 to GET)${says}`,
    );
  });

  test.each<{ json: unknown; make: unknown }>([
    { json: { code: 'QUOTA_EXCEEDED' }, make: QuotaError },
    { json: { error_code: 'QUOTA_EXCEEDED' }, make: QuotaError },
    { json: { error: { code: 'QUOTA_EXCEEDED' } }, make: QuotaError },
    { json: { detail: { error_code: 'QUOTA_EXCEEDED' } }, make: QuotaError },
    { json: { code: 5, detail: { code: 'QUOTA_EXCEEDED' } }, make: QuotaError },
    { json: { code: 'OTHER', detail: { code: 'QUOTA_EXCEEDED' } }, make: RefusedError },
    { json: { code: 'constructor' }, make: RefusedError },
    { json: 'QUOTA_EXCEEDED', make: RefusedError },
  ])('with the code of $json is what the code says', async ({ json, make }) => {
    expect((await failed({ status: 400, json })).constructor).toBe(make);
  });

  test('names the request, and rows that it is about', async () => {
    const payload = [{ id: 1 }, 'x', null];
    const error = await failed({
      status: 409,
      json: { payload },
      headers: { 'x-correlation-id': 'c'.repeat(101), 'request-id': 'other' },
    });
    expect([error.requestId, error.rows]).toEqual(['c'.repeat(100), [{ id: 1 }]]);
    expect(await failed({ status: 409, json: 'x' })).toMatchObject({ requestId: undefined, rows: [] });
  });

  test.each([
    { headers: {}, hint: 'Try again in a while.', waitMs: undefined },
    { headers: { 'retry-after': '90.5' }, hint: 'Try again in 91 seconds.', waitMs: 90_500 },
    ...['9'.repeat(400), '1'.padEnd(300, '0'), 'Fri, 31 Dec 9999 23:59:59 GMT'].map((header) => ({
      headers: { 'retry-after': header },
      hint: 'Try again in 31536000 seconds.',
      waitMs: 31_536_000_000,
    })),
  ])('429 tells how long to wait: $hint', async ({ headers, hint, waitMs }) => {
    const error = await failed({ status: 429, headers: { ...headers, 'x-request-id': 'r' } });
    expect(error).toMatchObject({
      message: 'The management API asks for fewer requests.',
      hint,
      waitMs,
      status: 429,
      requestId: 'r',
      retryable: true,
    });
  });
});

describe('patience', () => {
  const response = (more: Partial<HttpResponse>): HttpResponse => ({ status: 429, headers: {}, body: '', ...more });
  const now = Date.UTC(2026, 10, 21, 12);

  test.each<{ header: string; date?: string; asked: number | undefined }>([
    { header: '12', asked: 12_000 },
    { header: ' 0.25 ', asked: 250 },
    { header: 'x12', asked: undefined },
    { header: '12x', asked: undefined },
    { header: 'Sat, 21 Nov 2026 12:00:30 GMT', asked: 30_000 },
    { header: 'Sat, 21 Nov 2026 12:00:30 GMT', date: 'Sat, 21 Nov 2026 12:00:10 GMT', asked: 20_000 },
    { header: 'Sat, 21 Nov 2026 11:00:00 GMT', asked: 0 },
    { header: '', date: 'Sat, 21 Nov 2026 12:00:10 GMT', asked: undefined },
  ])('asked for by "$header" is $asked ms', ({ header, date, asked }) => {
    const headers = { 'retry-after': header, ...(date === undefined ? {} : { date }) };
    expect(askedDelay(response({ headers }), now)).toBe(asked);
  });

  test.each<{ retry_after: unknown; asked: number | undefined }>([
    { retry_after: { interval: 0 }, asked: 0 },
    { retry_after: { interval: 2 }, asked: 2000 },
    { retry_after: { interval: '2', unit: 'Minutes' }, asked: 120_000 },
    { retry_after: { interval: 2, unit: 'h' }, asked: 7_200_000 },
    { retry_after: { interval: 2, unit: 'MS' }, asked: 2 },
    { retry_after: { interval: 2, unit: 'milliseconds' }, asked: 2 },
    { retry_after: { interval: 2, unit: 'msec' }, asked: 2 },
    { retry_after: { interval: 2, unit: 'sms' }, asked: 2000 },
    { retry_after: { interval: 2, unit: 'days' }, asked: undefined },
    { retry_after: { interval: -1 }, asked: undefined },
    { retry_after: {}, asked: undefined },
    { retry_after: 5, asked: undefined },
  ])('asked for in a body by $retry_after is $asked ms', ({ retry_after, asked }) => {
    expect(askedDelay(response({ body: JSON.stringify({ retry_after }) }), now)).toBe(asked);
  });

  test('asked for by no JSON is none', () => {
    expect(askedDelay(response({ body: '{' }), now)).toBeUndefined();
  });

  test('grows with each attempt, up to ten seconds', () => {
    expect([0, 1, 2, 9].map((attempt) => backoff(attempt, 0.999))).toEqual([499, 999, 1998, 9990]);
  });

  test('is for what may pass', () => {
    const repeated = [408, 429, 500, 502, 503, 504];
    const all = Array.from({ length: 500 }, (_, at) => at + 100);
    expect(all.filter((status) => mayRepeat(status, true))).toEqual(repeated);
    expect(all.filter((status) => mayRepeat(status, false))).toEqual([429]);
  });

  test('has ten repeats, given back one for one, or one for five successes', () => {
    const budget = new RetryBudget();
    const taken = () => {
      let count = 0;
      while (count < 50 && budget.take()) count += 1;
      return count;
    };
    expect(taken()).toBe(10);
    budget.refill(true);
    expect(taken()).toBe(1);
    for (let at = 0; at < 6; at += 1) budget.refill(false);
    expect(taken()).toBe(1);
    for (let at = 0; at < 30; at += 1) budget.refill(true);
    expect(taken()).toBe(10);
  });

  test('ends where the time does, and repeats are told', async () => {
    const told: unknown[] = [];
    const log = {
      debug: (text: string, more: unknown) => told.push([text, more]),
      info: (text: string, more: unknown) => told.push([text, more]),
      warn: () => undefined,
    };
    const room = stage([{ status: 503, takesMs: 100 }, OK], { log, random: 0.5 });
    await room.api().fetch(read);
    const request = { method: 'GET', url: room.requests[0]?.url };
    expect(told.slice(1)).toEqual([
      ['request', { ...request, status: 503, ms: 100 }],
      ['repeating a request', { ...request, attempt: 1, delay: 250 }],
      ['request', { ...request, status: 200, ms: 0 }],
    ]);
    for (const [seconds, requests] of [
      [5, 1],
      [4, 2],
    ] as const) {
      const short = stage(always({ status: 429, headers: { 'retry-after': String(seconds) } }), { budgetMs: 5000 });
      await failing(short.api().fetch(read));
      expect(short.requests).toHaveLength(requests);
    }
  });

  test('is earned by successes that needed no repeat, five for one, and by nothing else', async () => {
    let status = 200;
    const room = stage(() => ({ status }));
    const { repeats } = room.runtime.shared;
    const api = room.api();
    const fetched = async (times: number) => {
      for (let at = 0; at < times; at += 1) await api.fetch(read).catch(() => undefined);
    };
    await fetched(1);
    while (repeats.take()) expect(room.requests).toHaveLength(1);
    await fetched(4);
    expect(repeats.take()).toBe(false);
    status = 400;
    await fetched(4);
    expect(repeats.take()).toBe(false);
    status = 200;
    await fetched(2);
    expect(repeats.take()).toBe(true);
  });

  test('is short for one attempt with a time of its own', async () => {
    const room = stage(always({ status: 503 }), { budgetMs: 5000 });
    for (const attemptMs of [1000, 9000]) await failing(room.api().fetch({ ...read, attemptMs }));
    expect(room.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([1000, 5000]);
    await failing(room.api().fetch({ ...read, ahead: true }));
    expect(room.requests).toHaveLength(3);
  });

  test('is none after Stop', async () => {
    const error = await failing(
      stage([], { cancelled: () => true })
        .api()
        .fetch(read),
    );
    expect([error.name, error.message]).toEqual(['CancelledError', 'Stopped.']);
  });

  const UNKNOWN = 'The outcome is unknown: list what is there before you repeat the command.';
  test('does not repeat a change whose answer was lost, and says so; one that was never sent is as it was', async () => {
    const lost = lostConnection('h');
    expect(await failing(stage(always(lost)).api({ effect: 'create' }).fetch(create))).toMatchObject({
      name: lost.name,
      message: lost.message,
      hint: `${lost.hint} ${UNKNOWN}`,
      retryable: false,
    });
    const never = refused('h');
    expect(await failing(stage(always(never)).api({ effect: 'create' }).fetch(create))).toBe(never);
  });

  test('traces what travels, without secrets', async () => {
    const told: unknown[] = [];
    const silent = () => undefined;
    const trace = (text: string, more: () => unknown) => told.push([text, more()]);
    const log = { debug: silent, info: silent, warn: silent, trace };
    const room = stage(always({ json: { said: 'hidden-word' }, headers: { x: 'hidden-word' } }), { log });
    await room
      .api({ effect: 'create', secrets: ['hidden-word', ''] })
      .fetch(management.post(things, { a: 'hidden-word' }));
    const text = JSON.stringify(told.slice(-2));
    expect(told.slice(-2)).toMatchObject([
      [
        'sending',
        { method: 'POST', url: room.requests[0]?.url, headers: { accept: 'application/json' }, upload: undefined },
      ],
      ['received', { status: 200, file: undefined }],
    ]);
    expect(text).toContain('said');
    expect(text).not.toContain('hidden-word');
  });
});

describe('the access token', () => {
  const asking = (reply: Script) => failing(stage([OK], { token: reply }).api().fetch(read));

  test.each([
    {
      status: 400,
      json: {},
      make: AuthError,
      message: 'No access token: the token address refused the client (HTTP 400)',
    },
    {
      status: 401,
      json: { error: 'why' },
      make: AuthError,
      message: 'No access token: the token address refused the client (HTTP 401): why',
    },
    { status: 404, json: {}, make: ResponseError, message: 'No access token: the token address answered HTTP 404' },
    { status: 429, json: {}, make: ResponseError, message: 'No access token: the token address answered HTTP 429' },
    {
      status: 500,
      json: { message: 'why' },
      make: ResponseError,
      message: 'No access token: the token address answered HTTP 500: why',
    },
  ])('$status: $message', async ({ status, json, make, message }) => {
    const error = await asking(always({ status, json }));
    expect(error).toBeInstanceOf(make);
    expect(error).toMatchObject({
      message,
      status,
      hint:
        make === AuthError
          ? 'Check API Client ID, API Client Secret and Tenant Services Group ID.'
          : 'Check Token URL, or try again later.',
    });
    if (make === ResponseError) expect(error.retryable).toBe(status !== 404);
  });

  test.each([{}, { access_token: '' }, { access_token: 'a b' }, { access_token: 5 }, 'x'])(
    'is not %j',
    async (json) => {
      expect(await asking(always({ json }))).toMatchObject({
        name: 'ResponseError',
        message: 'The token address answered without a token.',
        hint: 'Check Token URL.',
      });
    },
  );

  test('is asked for in a form', async () => {
    const room = stage([OK]);
    await room.api().fetch(read);
    expect(room.tokenRequests).toMatchObject([
      {
        method: 'POST',
        url: HOSTS.token,
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: `grant_type=client_credentials&client_id=script-client&client_secret=script-client-secret&scope=profile%20tsg_id%3A${TENANT}`,
      },
    ]);
  });

  test('that was refused is forgotten only if it is still the one that is kept', async () => {
    const tokens = memoryTokens();
    const first = stage([OK], { tokens });
    await first.api().fetch(read);
    const second = stage(
      () => {
        tokens.write({ ...tokens.read(), access_token: 'newer' });
        return { status: 401 };
      },
      { tokens, shared: first.runtime.shared },
    );
    await failing(second.api().fetch(read));
    expectNone(second.tokenRequests, 'requests for a token');
    expect(second.requests.map(({ headers }) => headers['authorization'])).toEqual(['Bearer access-0', 'Bearer newer']);
  });

  test('is renewed a minute before it ends', async () => {
    for (const [seconds, requests] of [
      [61, 1],
      [60, 2],
    ] as const) {
      const room = stage(always(OK), { token: always(token('t', { expires_in: seconds })) });
      await room.api().fetch(read);
      await room.api().fetch(read);
      expect(room.tokenRequests).toHaveLength(requests);
    }
  });
});

describe('secrets', () => {
  test('are these members of answers', () => {
    expect(SECRET_MEMBERS).toEqual(['api_key', 'auth_code', 'client_secret', 'access_token', 'token_preview']);
  });

  test('are taken out of what travelled, the newest token as well', () => {
    const tokens = memoryTokens();
    const { runtime } = stage([], { tokens });
    const { body, response } = redacting(runtime, ['own-secret', '']);
    const all = () => body('[script-client-secret] [script-runtime-key] [own-secret] [token-one] [token-two]');
    expect(all()).not.toMatch(/script-|own-/);
    expect(all()).toMatch(/token-one.*token-two/);
    tokens.write({ access_token: 'token-one' });
    expect(all()).not.toContain('token-one');
    expect(all()).toContain('token-two');
    tokens.write({ access_token: 'token-two' });
    expect(all()).not.toContain('token-two');
    const told = response({
      status: 200,
      headers: { a: 'own-secret', b: 'c' },
      body: '{"x":"own-s\\u0065cret","y":1}',
    });
    expect(JSON.stringify(told)).not.toMatch(/own-/);
    expect(told).toMatchObject({ status: 200, headers: { b: 'c' } });
    expect(JSON.parse(told.body)).toMatchObject({ y: 1 });
  });
});

describe('finding', () => {
  const rows = [
    { id: 'a', name: 'x', revision: 1 },
    { id: 'b', name: 'x', revision: '10' },
    { id: 'c', name: 'x', revision: 10 },
    { id: 'd', name: 'y' },
  ];
  test('takes the first of the highest revision', () => {
    expect(latestOf(rows, 'thing', { name: 'x', id: undefined })).toBe(rows[1]);
    expect(latestOf(rows, 'thing', { name: 'y' })).toBe(rows[3]);
  });

  test('says what it looked for', () => {
    const wanted = { name: 'z'.repeat(101), id: 'q', more: undefined };
    expect(() => latestOf(rows, 'thing', wanted)).toThrow(
      expect.objectContaining({
        message: `There is no thing with name=${'z'.repeat(100)} and id=q.`,
        hint: 'List them with the things list command; names are matched exactly.',
      }) as NotFoundError,
    );
  });

  test('takes no list that is not complete', async () => {
    const page = Array.from({ length: 100 }, (_, id) => ({ id }));
    const api = stage(always({ json: { rows: page } })).api();
    const list = modelData.list(things, { items: 'rows' });
    expect(await failing(findLatest(api, list, 'thing', { id: '1' }))).toMatchObject({
      name: 'ResponseError',
      message: 'The list of things is not complete: the service repeated a page of it.',
      hint: 'What is sought may be on a page that did not come: try again later.',
    });
  });

  test('takes an id as it is, and none for none', () => {
    expect([idIn({ id: 'a' }, 'id'), idIn({ id: 0 }, 'id')]).toEqual(['a', '0']);
    for (const id of [undefined, null, '', {}, true]) {
      expect(() => idIn({ id }, 'id')).toThrow(
        expect.objectContaining({
          message: 'The service answered without id, which the next request needs.',
          hint: 'An answer without it is not used: try again, and report it if it stays.',
        }) as ResponseError,
      );
    }
  });
});

describe('a list', () => {
  const ids = (start: number, count: number) => Array.from({ length: count }, (_, at) => ({ id: start + at }));

  test.each([
    { what: 'all', limit: undefined, offset: 0, kept: [0, 2, 4, 6], more: false },
    { what: 'some', limit: 2, offset: 1, kept: [2, 4], more: true },
    { what: 'the last', limit: 2, offset: 2, kept: [4, 6], more: false },
    { what: 'one of them', limit: 1, offset: 3, kept: [6], more: false },
    { what: 'none', limit: 5, offset: 9, kept: [], more: false },
  ])('with a filter of its own: $what', async ({ limit, offset, kept, more }) => {
    const only = ({ id }: Readonly<Record<string, unknown>>) => Number(id) % 2 === 0;
    const call = management.list(things, { items: 'rows', paging: 'whole', limit, offset, only });
    const service = always({ json: { rows: ids(0, 8), note: 'n' } });
    const page = await stage(service).api().list(call);
    expect(page).toMatchObject({ records: kept.map((id) => ({ id })), count: kept.length, more, total: 4 });
    expect(page.head).toEqual({ note: 'n', rows: undefined });
    const taken: unknown[] = [];
    const streamed = await stage(service)
      .api()
      .list(call, (records) => taken.push(...records));
    expect([taken, streamed.records, streamed.count]).toEqual([page.records, [], kept.length]);
  });

  test('that is repeated says nothing of how many there are', async () => {
    const call = modelData.list(things, { items: 'rows', only: () => true });
    expect(
      await stage(always({ json: { rows: ids(0, 100) } }))
        .api()
        .list(call),
    ).toMatchObject({
      repeated: true,
      more: true,
      total: undefined,
      count: 100,
    });
  });

  test.each<{
    json: Record<string, unknown>;
    page?: number;
    more: boolean;
    pages: number | undefined;
    total: number | undefined;
  }>([
    { json: { total_elements: 4 }, more: true, pages: 2, total: 4 },
    { json: { totalElements: 4, totalPages: 3 }, more: true, pages: 3, total: 4 },
    { json: { page: { total_elements: 4, total_pages: 1 } }, more: false, pages: 1, total: 4 },
    { json: { total_elements: 4 }, page: 1, more: false, pages: 2, total: 4 },
    { json: { total_elements: '4', total_pages: 9 }, page: 7, more: true, pages: 9, total: undefined },
    { json: { total_elements: '4', total_pages: 9 }, page: 8, more: false, pages: 9, total: undefined },
    { json: { last: false }, more: true, pages: undefined, total: undefined },
    { json: { last: true }, more: false, pages: undefined, total: undefined },
    { json: {}, more: false, pages: undefined, total: undefined },
  ])('by pages: $json at $page', async ({ json, page = 0, more, pages, total }) => {
    const call = dlp.list(things, { items: 'rows', limit: 2, offset: page });
    const room = stage([{ json: { rows: ids(0, 2), ...json } }]);
    expect(await room.api().list(call)).toMatchObject({ more, pages, total, count: 2, repeated: false });
    expect(room.requests[0]?.url).toMatch(new RegExp(`\\?page=${page}&size=2$`));
  });

  test.each([
    {
      what: 'a full page and no total',
      replies: [100, 3],
      limit: undefined,
      asked: ['skip=0&limit=100', 'skip=100&limit=100'],
      count: 103,
    },
    { what: 'as many as wanted', replies: [5], limit: 5, asked: ['skip=0&limit=5'], count: 5, more: true },
    { what: 'fewer than wanted', replies: [4], limit: 5, asked: ['skip=0&limit=5'], count: 4 },
    { what: 'more than wanted', replies: [7], limit: 5, asked: ['skip=0&limit=5'], count: 5, more: true },
    { what: 'nothing', replies: [0], limit: 5, asked: ['skip=0&limit=5'], count: 0 },
    { what: 'all there is', replies: [5], limit: 9, total: 5, asked: ['skip=0&limit=9'], count: 5 },
    {
      what: 'a small page of many',
      replies: [5, 4],
      limit: 9,
      total: 50,
      asked: ['skip=0&limit=9', 'skip=5&limit=4'],
      count: 9,
      more: true,
    },
  ])('by position: $what', async ({ replies, limit, total, asked, count, more = false }) => {
    let start = 0;
    const room = stage((_, at) => {
      const rows = ids(start, replies[at] ?? 0);
      start += rows.length;
      return { json: { rows, ...(total === undefined ? {} : { pagination: { total_items: total } }) } };
    });
    const page = await room.api().list(modelData.list(things, { items: 'rows', limit }));
    expect(page).toMatchObject({ count, more, total, pages: undefined });
    expect(room.requests.map(({ url }) => url.split('?')[1])).toEqual(asked);
  });

  test('of texts has a value for each, of anything else it is none', async () => {
    const list = (rows: unknown, texts: boolean) =>
      stage(always({ json: { rows } }))
        .api()
        .list(management.list(things, { items: 'rows', paging: 'whole', texts }));
    expect((await list(['a', { b: 1 }], true)).records).toEqual([{ value: 'a' }, { b: 1 }]);
    expect((await list(undefined, true)).records).toEqual([]);
    for (const [rows, texts] of [
      [['a'], false],
      [[5], true],
      ['a', true],
      [{}, false],
    ] as const) {
      expect(await failing(list(rows, texts))).toMatchObject({
        message: 'The service answered without a list at "rows".',
        hint: 'The service may have changed; report this with the command that you ran.',
      });
    }
  });
});
