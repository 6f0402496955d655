import fc from 'fast-check';
import { ConfigurationError, type ResponseError, ValidationError } from '../../../lib/core/errors.ts';
import {
  KEY_HEADER,
  neutralKeys,
  neutralTexts,
  SIMULATED_HEADER,
  type TokenFamily,
  toNeutral,
  toWire,
} from '../../../lib/core/wire.ts';
import { group, replacing } from '../../../lib/runtime/api/body.ts';
import {
  type Call,
  dlp,
  management,
  modelData,
  modelManagement,
  networkBroker,
  plane,
  redTeamData,
  redTeamManagement,
  scanner,
} from '../../../lib/runtime/api/call.ts';
import { textFilter } from '../../../lib/runtime/api/find.ts';
import { path, pathText, tenant } from '../../../lib/runtime/api/path.ts';
import { needSettings } from '../../../lib/runtime/settings/required.ts';
import { anyCharacter } from '../../support/characters.ts';
import { failing, OK, type Script, stage } from '../../support/exchange.ts';
import { shareOf } from '../../support/runs.ts';
import { HOSTS, TENANT } from '../../support/scripted.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { always, create, read, SOME_TEXT, scan, things } from './calls.ts';

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
  ])('to the %s has the right credentials, and a failure names the API', async (title, builders, address) => {
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

  test('has the headers for its body, upload and download', async () => {
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

  test('encodes its path and query, repeats list members, and omits undefined', async () => {
    const room = stage(always(OK));
    const call = management.get(path`/v1/${tenant}/x/${"a!'()*b"}`, {
      q: ['ä', 'x&y=#'],
      n: 0,
      f: false,
      u: undefined,
    });
    await room.api().fetch(call);
    const sent = `/aisec/v1/${TENANT}/x/a%21%27%28%29%2Ab?q=%C3%A4&q=x%26y%3D%23&n=0&f=false`;
    expect(room.requests[0]?.url).toBe(HOSTS.management + sent);
  });

  test('is encoded like a URL, and refused with a lone surrogate', async () => {
    const room = stage([OK]);
    await room.api().fetch(management.get(things, { a: "it's (1)*!" }));
    expect(room.requests[0]?.url).toMatch(/\?a=it%27s%20%281%29%2A%21$/);
    expect(new URL(room.requests[0]?.url ?? '').href).toBe(room.requests[0]?.url);
    const error = await failing(room.api().fetch(management.get(things, { a: 'half\ud800' })));
    expect(error).toMatchObject({ name: 'ValidationError', message: expect.stringContaining('surrogate') });
    expect(room.requests).toHaveLength(1);
  });

  type Optional = 'url' | 'client_id' | 'client_secret' | 'runtime_api_key' | 'tsg_id';
  test.each<{ what: string; call: Call; without: Optional[]; names: string[] }>([
    {
      what: 'a scan',
      call: scan,
      without: ['runtime_api_key'],
      names: ['Runtime API Key (AISEC_RUNTIME_API_KEY)'],
    },
    {
      what: 'a management call',
      call: read,
      without: ['client_id', 'client_secret', 'tsg_id'],
      names: ['AISEC_CLIENT_ID', 'AISEC_CLIENT_SECRET', 'AISEC_TSG_ID'],
    },
  ])('without settings ($what) is a configuration error that names each', async ({ call, without, names }) => {
    const settings = { ...stage([]).runtime.settings };
    for (const name of without) delete settings[name];
    const room = stage([], { settings });
    const error = await failing(room.api().fetch(call));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.exitCode).toBe(3);
    for (const name of names) expect(error.message).toContain(name);
    expect(room.requests.length + room.tokenRequests.length).toBe(0);
  });

  test('to the scanner needs no setting of the management API', async () => {
    const { runtime } = stage([]);
    const { scanner_base_url, dlp_base_url, token_url, insecure, proxy } = runtime.settings;
    const settings = { scanner_base_url, dlp_base_url, token_url, insecure, proxy, runtime_api_key: 'k' };
    await expect(stage([OK], { settings }).api().fetch(scan)).resolves.toEqual({});
    expect(needSettings({ ...runtime, settings }, ['runtime_api_key'])).toEqual(['k']);
  });
});

describe('a path', () => {
  const textOf = (segment: string) => pathText(path`/v1/x/${segment}/y`, () => TENANT);

  test('keeps or refuses every segment', () => {
    const hostile = fc.constantFrom(
      '.',
      '%',
      '2e',
      '%2e',
      '%25',
      '/',
      '\\',
      '?',
      '#',
      ' ',
      '\u0000',
      'é',
      '\ud800',
      ';',
      ':',
    );
    const segments = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.array(hostile).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(segments, (segment) => {
        let sent: string;
        try {
          sent = textOf(segment);
        } catch (error) {
          expect(error).toBeInstanceOf(ValidationError);
          return;
        }
        const { pathname, search, hash } = new URL(`https://h.example.com${sent}`);
        expect(pathname).toBe(sent);
        expect([search, hash]).toEqual(['', '']);
        const parts = sent.split('/');
        expect(parts.map(decodeURIComponent)).toEqual(['', 'v1', 'x', segment, 'y']);
      }),
      { numRuns: shareOf(1000) },
    );
  });

  scenario.each(
    ['', ' ', '.', '..', '%2e', '%252e%252e', '\u00a0..', '%20', '%2525252e', '%2525252561', '\ud800', 'a\udc00'].map(
      (segment) => ({
        segment,
      }),
    ),
  )('path-dots', 'with the segment "$segment" is refused, and nothing is sent', async ({ segment }) => {
    const room = stage([]);
    for (const call of [management.get(path`/v1/${segment}`), management.delete(path`/v1/x/${segment}/force`)]) {
      const error = await failing(room.api().fetch(call));
      expect(error).toBeInstanceOf(ValidationError);
      expect(error.message).toMatch(/must not be empty, "." or ".."|broken character \(half of a surrogate pair\)/);
    }
    expect(room.requests.length + room.tokenRequests.length).toBe(0);
  });

  test.each(['%', '%25252561', 'a%20b', 'A/B', '...', 'a b', "it's (1)*!", 'größe'])(
    'has the name %s as one segment',
    (name) => {
      const sent = textOf(name).split('/');
      expect(sent).toHaveLength(5);
      expect(decodeURIComponent(sent[3] ?? '')).toBe(name);
    },
  );

  test.each([
    { url: 'https://h.example.com', sent: 'https://h.example.com/aisec/v1/things' },
    { url: 'https://h.example.com//', sent: 'https://h.example.com/aisec/v1/things' },
    { url: 'https://h.example.com/aisec', sent: 'https://h.example.com/aisec/v1/things' },
    { url: 'https://h.example.com/gateway/aisec/', sent: 'https://h.example.com/gateway/aisec/v1/things' },
  ])('below $url has the prefix of the plane once', async ({ url, sent }) => {
    const { runtime } = stage([]);
    const room = stage([OK], { settings: { ...runtime.settings, url } });
    await room.api().fetch(read);
    expect(room.requests[0]?.url).toBe(sent);
  });

  test('below a DLP address with a prefix keeps that prefix', async () => {
    const settings = { ...stage([]).runtime.settings, dlp_base_url: `${HOSTS.dlp}/aisec//` };
    const room = stage([OK], { settings });
    await room.api().fetch(dlp.get(things));
    expect(room.requests[0]?.url).toBe(`${HOSTS.dlp}/aisec/v1/things`);
  });
});

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

  test.each(Object.keys(wireTokens) as TokenFamily[])('of the family %s is sent as its wire token', (family) => {
    for (const [neutral, wire] of Object.entries(wireTokens[family])) {
      expect([neutral, toWire(family, neutral)]).toEqual([neutral, wire]);
      expect([wire, toNeutral(family, wire)]).toEqual([wire, neutral]);
    }
  });

  test('without a wire token is sent unchanged', () => {
    for (const word of ['new', 'constructor', '']) {
      expect([toWire('cloud', word), toNeutral('cloud', word)]).toEqual([word, word]);
    }
    expect(toNeutral('file-result', 'ERROR')).toBe('FAILURE');
  });

  test('replaces wire tokens in lists and as names of members', () => {
    expect(neutralTexts('cloud', ['aws', ['gcp'], 1, null, 'x'])).toEqual(['cloud_a', ['cloud_c'], 1, null, 'x']);
    expect(neutralTexts('cloud', 'azure')).toBe('cloud_b');
    expect(neutralKeys('cloud', { aws: 'aws', x: 1 })).toEqual({ cloud_a: 'aws', x: 1 });
    for (const value of [null, 'aws', ['aws']]) expect(neutralKeys('cloud', value)).toEqual(value);
  });
});

describe('a body', () => {
  test('is left out when all its members are undefined', () => {
    expect(group({ a: undefined, b: 0 })).toEqual({ b: 0 });
    expect(group({ a: undefined, b: undefined })).toBeUndefined();
    expect(group({ a: null })).toEqual({ a: null });
  });

  test('of a replacement repeats unchanged members, and clears null members', () => {
    const current = { a: 1, b: 2, c: null, d: 4, other: 5 };
    expect(replacing(current, ['a', 'b', 'c', 'd', 'e'], { b: undefined, d: null, e: 6 })).toStrictEqual({
      a: 1,
      b: 2,
      d: null,
      e: 6,
    });
  });

  test.each([{}, { a: null }, { b: 1 }])('of a replacement is refused if no record was read (%j)', (current) => {
    const refusal = { code: 'response', message: SOME_TEXT, hint: expect.stringContaining('nothing was changed') };
    expect(() => replacing(current, ['a'], { a: 1 })).toThrow(expect.objectContaining(refusal) as ResponseError);
  });
});

describe('a search', () => {
  test.each<[search: string, value: unknown, matches: boolean]>([
    ['an', 'Ana', true],
    ['AN', 'ana', true],
    ['x', 'ana', false],
    ['x', ['a', { b: ['aX'] }], true],
    ['b', { b: 1 }, false],
    ['1', 1, false],
    ['null', null, false],
    ['x', undefined, false],
  ])('for %s in %j: %s', (search, value, matches) => {
    expect(textFilter(search, ['gone', 'a'])?.({ a: value, other: search })).toBe(matches);
  });

  test('for undefined has no filter', () => {
    expect(textFilter(undefined, ['a'])).toBeUndefined();
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

  test('is simulated if any response was simulated', async () => {
    const api = stage([{ headers: { [SIMULATED_HEADER]: '1' } }, OK]).api();
    for (const call of [read, read]) await api.fetch(call);
    expect(api.simulated()).toBe(true);
  });

  test('does not count a prefetch', async () => {
    const api = stage([OK, { status: 201 }]).api();
    for (const call of [read, { ...read, prefetch: true }]) await api.fetch(call);
    expect(api.status()).toBe(200);
  });
});

describe('a dry run', () => {
  const dry = (service: Script) => stage(service, { dryRun: true });

  test('sends reads, and stops at the first change without requesting a token', async () => {
    const room = dry([OK]);
    const api = room.api({ effect: 'update' });
    await api.fetch(management.get(things));
    expect(room.tokenRequests).toHaveLength(1);
    const plan = { method: 'POST', url: `${HOSTS.management}/aisec/v1/things`, body: { name: 'a' } };
    await expect(api.fetch(create)).rejects.toMatchObject({ name: 'Planned', plan });
    await expect(dry([]).api({ effect: 'delete' }).fetch(management.delete(things))).rejects.toMatchObject({
      name: 'Planned',
    });
    await expect(
      dry([])
        .api()
        .fetch({ ...read, download: 'kept' }),
    ).rejects.toMatchObject({ name: 'Planned' });
    expect(room.requests).toHaveLength(1);
  });

  test('lists a file by name and size', async () => {
    const file = { entry: '7@1', name: 'a.csv', size: 12 };
    const parts = [{ name: 'kind', contentType: 'text/plain', text: 'csv' }];
    const upload = { file, field: 'file', contentType: 'text/csv', parts };
    const call = { ...plane('red-team-data').post(things), upload };
    await expect(dry([]).api({ effect: 'create' }).fetch(call)).rejects.toMatchObject({
      plan: {
        body: [
          { part: 'kind', text: 'csv' },
          { part: 'file', file: 'a.csv', bytes: 12 },
        ],
      },
    });
  });
});
