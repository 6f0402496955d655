import { getEventListeners } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import {
  AisecError,
  CancelledError,
  ConfigurationError,
  NetworkError,
  ProxyError,
  ResponseError,
  TimeoutError,
  TlsError,
} from '../../lib/errors.ts';
import { stopOf } from '../../lib/node/stop.ts';
import type { HttpRequest, KeepBytes } from '../../lib/ports.ts';
import { newStop } from '../../lib/stop.ts';
import { proxyFor } from '../../lib/transport/node/proxy.ts';
import { type NodeTransportOptions, nodeTransport } from '../../lib/transport/node.ts';
import { scenario } from '../scenarios/claims.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { until, withLimits } from '../support/machine.ts';
import { useNock } from '../support/nock.ts';
import { makeCertificate } from './certificate.ts';
import {
  closedPort,
  closeServersAfterEach,
  serveHttp,
  serveHttps,
  serveProxy,
  serveSockets,
  serveTls,
} from './servers.ts';

const CANARY = 'canary-5ecret';
/** Never over before the test is, even on a machine that is busy. */
const LONG_MS = 60_000;
const open: { close(): Promise<void> }[] = [];

function client(options: Partial<NodeTransportOptions> = {}) {
  const transport = nodeTransport({ insecure: false, proxy: false, ...options });
  open.push(transport);
  return transport;
}

/** A download that is not kept is read as text, and everything holds for it as well. */
const CARRIERS: { carrier: string; by: Partial<HttpRequest> }[] = [
  { carrier: 'text', by: {} },
  { carrier: 'files', by: { download: 'report.zip' } },
];
let by: Partial<HttpRequest> = {};

/** What both carriers hold to. */
function describeBoth(what: string, tests: () => void): void {
  describe.each(CARRIERS)(`${what} (carrier of $carrier)`, (row) => {
    beforeAll(() => {
      by = row.by;
    });
    afterAll(() => {
      by = {};
    });
    tests();
  });
}

function get(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'GET', url, headers: { authorization: `Bearer ${CANARY}` }, timeoutMs: LONG_MS, ...by, ...more };
}

async function failure(sending: Promise<unknown>): Promise<AisecError> {
  const thrown: unknown = await sending.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof AisecError) return thrown;
  throw new Error(`expected an error of ours, got ${inspect(thrown)}`);
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((transport) => transport.close()));
});

describeBoth('an exchange', () => {
  const nock = useNock();
  const service = 'https://service.example.test';

  test('sends method, headers and body as they are, and returns status, lower-case headers and text', async () => {
    nock(service, { reqheaders: { 'x-own': 'a', 'content-type': 'application/json' } })
      .post('/v1/things?limit=2', '{"a":1}')
      .reply(201, '{"id":"7"}', { 'X-Request-Id': 'r1', 'Content-Type': 'application/json' });
    const headers = { 'x-own': 'a', 'content-type': 'application/json' };
    const url = `${service}/v1/things?limit=2`;
    const answer = await client().send({ ...by, method: 'POST', url, headers, body: '{"a":1}', timeoutMs: LONG_MS });
    expect(answer).toEqual({
      status: 201,
      headers: { 'x-request-id': 'r1', 'content-type': 'application/json' },
      body: '{"id":"7"}',
    });
  });

  test.each([204, 304, 400, 401, 404, 429, 500, 503])('returns status %i and asks once', async (status) => {
    nock(service).get('/x').reply(status);
    await expect(client().send(get(`${service}/x`))).resolves.toMatchObject({ status, body: '' });
  });

  scenario('key-separation', 'returns a redirect as it is and asks no other host', async () => {
    nock(service).get('/x').reply(302, '', { location: 'https://elsewhere.example.test/' });
    const answer = await client().send(get(`${service}/x`));
    expect(answer).toMatchObject({ status: 302, headers: { location: 'https://elsewhere.example.test/' } });
  });

  test.each([
    ['ENOTFOUND', 'could not be resolved', false],
    ['EAI_AGAIN', 'could not be resolved', true],
    ['EHOSTUNREACH', 'no route', true],
    ['ECONNRESET', 'was lost before the answer', true],
    ['CERT_HAS_EXPIRED', 'has a certificate that has expired', false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'has a certificate for another host name', false],
  ])('names the host when the system says %s', async (code, words, retryable) => {
    nock(service)
      .get('/x')
      .replyWithError(Object.assign(new Error('from the system'), { code }));
    const error = await failure(client().send(get(`${service}/x`)));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error.message).toContain(words);
    expect(error.message).toContain('service.example.test');
    expect(error).toMatchObject({ retryable, exitCode: 9 });
  });

  test.each([
    { code: 'EMFILE', call: undefined, words: 'could be opened (EMFILE)', sent: false },
    { code: 'EMFILE', call: 'connect', words: 'could be opened (EMFILE)', sent: false },
    { code: 'EMFILE', call: 'getaddrinfo', words: 'could be opened (EMFILE)', sent: false },
    { code: 'ENFILE', call: 'connect', words: 'could be opened (ENFILE)', sent: false },
    { code: 'EADDRNOTAVAIL', call: 'connect', words: 'could be opened (EADDRNOTAVAIL)', sent: false },
    { code: 'ENOBUFS', call: undefined, words: 'could be opened (ENOBUFS)', sent: false },
    { code: 'ETIMEDOUT', call: 'connect', words: 'could be opened (ETIMEDOUT)', sent: false },
    { code: 'EACCES', call: 'connect', words: 'could be opened (EACCES)', sent: false },
    { code: 'ETIMEDOUT', call: 'read', words: 'was lost before the answer', sent: true },
    { code: 'EHOSTUNREACH', call: 'read', words: 'was lost before the answer', sent: true },
    { code: 'ENOBUFS', call: 'write', words: 'failed (ENOBUFS)', sent: true },
  ])('knows whether anything was sent when $call fails with $code', async ({ code, call, words, sent }) => {
    nock(service)
      .get('/x')
      .replyWithError(Object.assign(new Error('from the system'), { code, syscall: call }));
    const error = await failure(client().send(get(`${service}/x`)));
    expect(error.message).toContain(words);
    expect(error).toMatchObject({ sent, name: 'NetworkError' });
    // What sent nothing may be run again as it is, like a connection that was refused.
    if (!sent) expect(error.retryable).toBe(true);
  });

  test('knows that no address of a host could be reached', async () => {
    const errors = ['EMFILE', 'EMFILE'].map((code) => Object.assign(new Error(code), { code, syscall: 'connect' }));
    nock(service)
      .get('/x')
      .replyWithError(Object.assign(new AggregateError(errors), { code: 'ETIMEDOUT' }));
    expect(await failure(client().send(get(`${service}/x`)))).toMatchObject({ sent: false, retryable: true });
  });

  test('refuses a header that cannot be sent without repeating its value', async () => {
    const error = await failure(client().send(get(service, { headers: { authorization: `Bearer ${CANARY}\n` } })));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(inspect(error)).not.toContain(CANARY);
    expect(error.message).toContain('authorization');
  });
});

describeBoth('failures of a connection', () => {
  closeServersAfterEach();

  test('names the host that refuses the connection', async () => {
    const port = await closedPort();
    const error = await failure(client().send(get(`http://127.0.0.1:${port}/`)));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ message: `127.0.0.1:${port} refused the connection.`, retryable: true });
  });

  test('a connection that ends before the answer is lost, and may be tried again', async () => {
    const server = await serveHttp((request) => request.socket.destroy());
    const error = await failure(client().send(get(`http://${server.host}/`)));
    expect(error).toMatchObject({ name: 'NetworkError', retryable: true });
    expect(error.message).toBe(`The connection to ${server.host} was lost before the answer came.`);
  });

  const half: { name: string; headers: Record<string, string | number> }[] = [
    { name: 'of known length', headers: { 'content-length': 100 } },
    { name: 'in chunks', headers: {} },
  ];
  scenario.each(half)('network-reset-mid-body', 'an answer $name that ends too soon is broken', async ({ headers }) => {
    const server = await serveHttp((request, response) => {
      response.writeHead(200, headers).write('half');
      setTimeout(() => request.socket.destroy(), 20);
    });
    const error = await failure(client().send(get(`http://${server.host}/`)));
    expect(error).toMatchObject({ name: 'NetworkError', retryable: true });
    expect(error.message).toBe(`The answer of ${server.host} broke off before its end.`);
  });

  test('an answer that cannot be decompressed is broken', async () => {
    const server = await serveHttp((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('text'),
    );
    const error = await failure(client().send(get(`http://${server.host}/`)));
    expect(error.message).toBe(`The answer of ${server.host} broke off before its end.`);
  });

  test('what is not HTTP is said to be so', async () => {
    const server = await serveSockets((socket) => socket.write('SSH-2.0-x\r\n'));
    expect((await failure(client().send(get(`http://${server.host}/`)))).message).toContain('is not HTTP');
    const error = await failure(client().send(get(`https://${server.host}/`)));
    expect(error).toBeInstanceOf(TlsError);
    expect(error.message).toContain('does not speak TLS');
  });

  const large = 'x'.repeat(5000);
  test.each([
    { name: 'plain', headers: {}, body: large },
    { name: 'compressed', headers: { 'content-encoding': 'gzip' }, body: gzipSync(large) },
  ])('stops a $name answer at the limit', async ({ headers, body }) => {
    const server = await serveHttp((_, response) => response.writeHead(200, headers).end(body));
    const url = `http://${server.host}/`;
    const error = await failure(client({ maxResponseBytes: 4999 }).send(get(url)));
    expect(error).toBeInstanceOf(ResponseError);
    expect(error.message).toBe(`The answer of ${server.host} is larger than the limit of 4999 bytes.`);
    await expect(client({ maxResponseBytes: 5000 }).send(get(url))).resolves.toMatchObject({ body: large });
  });

  test('text that is cut within a character by the network arrives whole', async () => {
    const bytes = Buffer.from('añ€😀');
    const server = await serveHttp(async (_, response) => {
      for (const byte of bytes) {
        response.write(Buffer.from([byte]));
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      response.end();
    });
    await expect(client().send(get(`http://${server.host}/`))).resolves.toMatchObject({ body: 'añ€😀' });
  });
});

describeBoth('time and cancelling', () => {
  closeServersAfterEach();

  const stalls = [
    {
      phase: 'connecting to',
      serve: () => serveSockets(() => undefined),
      scheme: 'https',
    },
    {
      phase: 'waiting for the answer of',
      serve: () => serveHttp(() => undefined),
      scheme: 'http',
    },
    {
      phase: 'reading the answer of',
      serve: () => serveHttp((_, response) => response.writeHead(200).write('half')),
      scheme: 'http',
    },
  ];
  scenario.each(stalls)(
    'timeout-budget',
    'a stall while $phase the service ends in time',
    async ({ phase, serve, scheme }) => {
      await withLimits(async (timeoutMs) => {
        const server = await serve();
        const transport = client();
        const error = await failure(transport.send(get(`${scheme}://${server.host}/`, { timeoutMs })));
        expect(error).toBeInstanceOf(TimeoutError);
        expect(error.message).toBe(`Timed out after ${timeoutMs / 1000} s while ${phase} ${server.host}.`);
        expect(error).toMatchObject({ retryable: true, exitCode: 9 });
        await until(() => server.open() === 0);
        expect(server.open()).toBe(0);
      });
    },
  );

  test('a time that is over before the request sets out ends it all the same', async () => {
    const server = await serveHttp(() => undefined);
    expect(await failure(client().send(get(`http://${server.host}/`, { timeoutMs: 0 })))).toBeInstanceOf(TimeoutError);
    await until(() => server.open() === 0);
    expect(server.open()).toBe(0);
  });

  scenario('timeout-budget', 'a request that is given up leaves the others of its host alone', async () => {
    const server = await serveHttp((request, response) => {
      if (request.url === '/slow') setTimeout(() => response.end('done'), 300);
    });
    const transport = client();
    const slow = transport.send(get(`http://${server.host}/slow`));
    await failure(transport.send(get(`http://${server.host}/never`, { timeoutMs: 100 })));
    await expect(slow).resolves.toMatchObject({ body: 'done' });
  });

  test('one signal stops more requests at once than it has room for listeners, and keeps none of them', async () => {
    const server = await serveHttp((request, response) => {
      if (request.url === '/answers') response.end('ok');
    });
    const controller = new AbortController();
    const transport = client();
    const stop = stopOf(controller.signal);
    await transport.send(get(`http://${server.host}/answers`, { stop }));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    const all = Array.from({ length: 30 }, () => failure(transport.send(get(`http://${server.host}/`, { stop }))));
    await until(() => server.open() === 30);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    controller.abort();
    const names = (await Promise.all(all)).map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(['CancelledError']));
  });

  test.each(['before', 'while'])('the user stops a request %s it runs', async (when) => {
    const server = await serveHttp(() => undefined);
    const stopper = newStop();
    if (when === 'before') stopper.now();
    else setTimeout(() => stopper.now(), 50);
    const error = await failure(client().send(get(`http://${server.host}/`, { stop: stopper.stop })));
    expect(error).toBeInstanceOf(CancelledError);
    await until(() => server.open() === 0);
    expect(server.open()).toBe(0);
  });

  test('closing ends what is on its way and every kept connection', async () => {
    let asked = '';
    const server = await serveHttp((request, response) => {
      asked = request.url ?? '';
      if (asked === '/answers') response.end('ok');
    });
    const transport = client();
    await transport.send(get(`http://${server.host}/answers`));
    expect(server.open()).toBe(1);
    const stuck = failure(transport.send(get(`http://${server.host}/never`)));
    await until(() => asked === '/never');
    await transport.close();
    expect(await stuck).toBeInstanceOf(NetworkError);
    await until(() => server.open() === 0);
    expect(server.open()).toBe(0);
  });

  test('a transport that never sent anything closes at once', async () => {
    await expect(client().close()).resolves.toBeUndefined();
  });
});

describeBoth('connections', () => {
  closeServersAfterEach();

  /** A server that knows on which connections it was asked. */
  async function counting(leave: (socket: Socket, count: number) => void = () => undefined) {
    const used = new Set<Socket>();
    let count = 0;
    const server = await serveHttp((request, response) => {
      used.add(request.socket);
      count += 1;
      const asked = count;
      response.on('finish', () => leave(request.socket, asked));
      response.end(`answer ${asked}`);
    });
    return { ...server, url: `http://${server.host}/`, used };
  }

  test('are used again by fifty requests one after the other', async () => {
    const server = await counting();
    const transport = client();
    for (let count = 1; count <= 50; count += 1) {
      await expect(transport.send(get(server.url))).resolves.toMatchObject({ body: `answer ${count}` });
    }
    expect(server.used.size).toBe(1);
  });

  test('are no more for forty requests than for the eight of them that are under way', async () => {
    const server = await counting();
    const transport = client();
    const together = () => Promise.all(Array.from({ length: 8 }, () => transport.send(get(server.url))));
    for (let round = 0; round < 5; round += 1) await together();
    expect(server.used.size).toBe(8);
  });

  const ways: { how: string; leave: (socket: Socket) => void }[] = [
    { how: 'properly', leave: (socket) => socket.end() },
    { how: 'by a reset', leave: (socket) => socket.resetAndDestroy() },
  ];
  test.each(ways)('that the server has ended $how are not used again', async ({ leave }) => {
    const server = await counting((socket, count) => {
      if (count === 1) setTimeout(() => leave(socket), 10);
    });
    const transport = client();
    await transport.send(get(server.url));
    await until(() => server.open() === 0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(transport.send(get(server.url))).resolves.toMatchObject({ body: 'answer 2' });
    expect(server.used.size).toBe(2);
  });
});

describeBoth('TLS', () => {
  closeServersAfterEach();

  const untrusted = [
    { name: 'signed by itself', words: 'signed itself', certificate: { hosts: ['127.0.0.1'] } },
    { name: 'of an unknown authority', words: 'authority', certificate: { hosts: ['127.0.0.1'], byAuthority: true } },
  ];
  scenario.each(untrusted)('tls-default-on', 'refuses a certificate $name', async ({ words, certificate }) => {
    const server = await serveHttps(makeCertificate(certificate), (_, response) => response.end('ok'));
    const error = await failure(client().send(get(`https://${server.host}/`)));
    expect(error).toBeInstanceOf(TlsError);
    expect(error.message).toContain(words);
    expect(error.message).toContain(server.host);
    expect(error.hint).toContain('AISEC_INSECURE');
    expect(error).toMatchObject({ retryable: false, exitCode: 9 });
  });

  scenario(
    'tls-default-on',
    'insecure is for one transport, is told once and leaves the process as it was',
    async () => {
      const server = await serveHttps(makeCertificate({ hosts: ['127.0.0.1'] }), (_, response) => response.end('ok'));
      const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      const warnings: string[] = [];
      const lax = client({ insecure: true, warn: (text) => warnings.push(text) });
      const strict = client({ warn: (text) => warnings.push(text) });
      const url = `https://${server.host}/`;
      await expect(lax.send(get(url))).resolves.toMatchObject({ body: 'ok' });
      await expect(lax.send(get(url))).resolves.toMatchObject({ body: 'ok' });
      expect(await failure(strict.send(get(url)))).toBeInstanceOf(TlsError);
      expect(warnings).toEqual([expect.stringContaining('certificates of the service are not checked')]);
      expect(process.env['NODE_TLS_REJECT_UNAUTHORIZED']).toBe(before);
    },
  );
});

describe('a proxy', () => {
  closeServersAfterEach();
  const target = 'https://service.example.test/';
  const serve = () =>
    serveHttps(makeCertificate({ hosts: ['service.example.test'] }), (request, response) =>
      response.end(JSON.stringify(request.headers)),
    );

  scenario('proxy', 'carries the request when it is switched on, and sees no credentials but its own', async () => {
    const proxy = await serveProxy((await serve()).port);
    const environment = { HTTPS_PROXY: `http://user:${CANARY}@${proxy.host}` };
    const answer = await client({ proxy: true, insecure: true, environment }).send(get(target));
    expect(proxy.targets).toEqual(['service.example.test:443']);
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from(`user:${CANARY}`).toString('base64')}`]);
    expect(JSON.parse(answer.body)).toMatchObject({ host: 'service.example.test', authorization: `Bearer ${CANARY}` });
    expect(answer.body).not.toContain('proxy-authorization');
  });

  scenario('proxy', 'is not used when it is switched off or exempted', async () => {
    const server = await serveHttp((_, response) => response.end('direct'));
    const proxy = await serveProxy(server.port);
    const url = `http://${server.host}/`;
    const HTTP_PROXY = `http://${proxy.host}`;
    await client({ proxy: false, environment: { HTTP_PROXY } }).send(get(url));
    await client({ proxy: true, environment: { HTTP_PROXY, NO_PROXY: 'x.test,127.0.0.1' } }).send(get(url));
    expectNone(proxy.targets, 'addresses asked of the proxy');
    await client({ proxy: true, environment: { HTTP_PROXY } }).send(get(url));
    expect(proxy.targets).toEqual([server.host]);
  });

  scenario('tls-default-on', 'does not hide the certificate of the service', async () => {
    const proxy = await serveProxy((await serve()).port);
    const environment = { HTTPS_PROXY: `http://${proxy.host}` };
    const error = await failure(client({ proxy: true, environment }).send(get(target)));
    expect(error).toBeInstanceOf(TlsError);
    expect(error.message).toContain('service.example.test');
  });

  const refusals = [
    { status: 407, words: 'asks for credentials', retryable: false },
    { status: 403, words: 'does not connect to service.example.test', retryable: false },
    { status: 502, words: 'it answered 502', retryable: true },
  ];
  scenario.each(refusals)('proxy', 'that answers $status is named without its credentials', async (row) => {
    const proxy = await serveProxy(1, row.status);
    const environment = { HTTPS_PROXY: `http://user:${CANARY}@${proxy.host}` };
    const error = await failure(client({ proxy: true, environment }).send(get(target)));
    expect(error).toBeInstanceOf(ProxyError);
    expect(error.message).toContain(proxy.host);
    expect(error.message).toContain(row.words);
    expect(error).toMatchObject({ retryable: row.retryable, exitCode: 9 });
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain(CANARY);
  });

  scenario('proxy', 'that cannot be reached, hangs up or hangs is named or timed out', async () => {
    const send = (host: string, timeoutMs = LONG_MS) =>
      failure(client({ proxy: true, environment: { HTTPS_PROXY: host } }).send(get(target, { timeoutMs })));
    const port = await closedPort();
    expect(await send(`127.0.0.1:${port}`)).toMatchObject({
      name: 'ProxyError',
      message: `The proxy 127.0.0.1:${port} refused the connection (ECONNREFUSED).`,
    });
    const rude = await serveSockets((socket) => socket.once('data', () => socket.destroy()));
    expect(await send(`http://${rude.host}`)).toMatchObject({
      name: 'ProxyError',
      message: `The proxy ${rude.host} closed the connection.`,
      retryable: true,
    });
    const silent = await serveSockets(() => undefined);
    await withLimits(async (limitMs) =>
      expect(await send(`http://${silent.host}`, limitMs)).toMatchObject({
        name: 'TimeoutError',
        message: `Timed out after ${limitMs / 1000} s while connecting to service.example.test through the proxy ${silent.host}.`,
      }),
    );
    await until(() => silent.open() === 0);
    expect(silent.open()).toBe(0);
    expect(await send('socks5://user:canary@127.0.0.1:1')).toMatchObject({
      name: 'ConfigurationError',
      message: 'The environment variable HTTPS_PROXY does not hold the address of an HTTP proxy.',
    });
  });

  scenario('proxy', 'keeps the way that it has opened for the next request', async () => {
    const proxy = await serveProxy((await serve()).port);
    const transport = client({ proxy: true, insecure: true, environment: { HTTPS_PROXY: `http://${proxy.host}` } });
    for (let count = 0; count < 5; count += 1) await transport.send(get(target));
    expect(proxy.targets).toHaveLength(1);
    await transport.close();
    await until(() => proxy.open() === 0);
    expect(proxy.open()).toBe(0);
  });

  scenario('tls-default-on', 'has to show a certificate of its own, whatever is accepted of the service', async () => {
    const proxy = await serveProxy((await serve()).port);
    const secured = await serveTls(makeCertificate({ hosts: ['127.0.0.1'] }), proxy.port);
    const environment = { HTTPS_PROXY: `https://${secured.host}` };
    const error = await failure(client({ proxy: true, insecure: true, environment }).send(get(target)));
    expect(error).toMatchObject({ name: 'ProxyError', retryable: false });
    expect(error.message).toContain(`The proxy ${secured.host} has no certificate to be trusted`);
    expectNone(proxy.targets, 'addresses asked of the proxy');
  });

  scenario('abort', 'that does not answer holds up no stop', async () => {
    const silent = await serveSockets(() => undefined);
    const stopper = newStop();
    const environment = { HTTPS_PROXY: `http://${silent.host}` };
    const sending = failure(client({ proxy: true, environment }).send(get(target, { stop: stopper.stop })));
    await until(() => silent.open() === 1);
    stopper.now();
    expect(await sending).toBeInstanceOf(CancelledError);
    await until(() => silent.open() === 0);
    expect(silent.open()).toBe(0);
  });

  const both = { HTTPS_PROXY: 'http://secure.test:1', HTTP_PROXY: 'http://plain.test:2' };
  const choices: { url: string; environment: Record<string, string>; host: string | undefined }[] = [
    { url: 'https://a.test/', environment: {}, host: undefined },
    { url: 'https://a.test/', environment: both, host: 'secure.test:1' },
    { url: 'https://a.test/', environment: { HTTP_PROXY: both.HTTP_PROXY }, host: 'plain.test:2' },
    { url: 'https://a.test/', environment: { ...both, https_proxy: 'lower.test:3' }, host: 'lower.test:3' },
    { url: 'https://a.test/', environment: { HTTPS_PROXY: ' ' }, host: undefined },
    { url: 'https://a.test/', environment: { ...both, NO_PROXY: '*' }, host: undefined },
    { url: 'https://a.test/', environment: { ...both, NO_PROXY: 'b.test A.TEST' }, host: undefined },
    { url: 'https://x.a.test/', environment: { ...both, NO_PROXY: '.a.test' }, host: undefined },
    { url: 'https://x.a.test/', environment: { ...both, no_proxy: '*.a.test' }, host: undefined },
    { url: 'https://xa.test/', environment: { ...both, NO_PROXY: 'a.test' }, host: 'secure.test:1' },
    { url: 'https://a.test/', environment: { ...both, NO_PROXY: 'a.test:443' }, host: undefined },
    { url: 'https://a.test:8443/', environment: { ...both, NO_PROXY: 'a.test:443' }, host: 'secure.test:1' },
    { url: 'https://[::1]:8443/', environment: { ...both, NO_PROXY: '[::1]' }, host: undefined },
    { url: 'http://127.0.0.1/', environment: both, host: undefined },
    { url: 'http://127.0.0.1/', environment: { HTTP_PROXY: 'http://127.0.0.1:9' }, host: '127.0.0.1:9' },
  ];
  scenario.each(choices)('proxy', '$host serves $url under $environment', ({ url, environment, host }) => {
    expect(proxyFor(new URL(url), environment)?.host).toBe(host);
  });
});

describeBoth('errors', () => {
  closeServersAfterEach();

  const ways: { name: string; url: () => Promise<string>; timeoutMs?: number }[] = [
    { name: 'refused', url: async () => `http://127.0.0.1:${await closedPort()}/` },
    { name: 'lost', url: async () => `http://${(await serveHttp((request) => request.socket.destroy())).host}/` },
    { name: 'timed out', url: async () => `http://${(await serveHttp(() => undefined)).host}/`, timeoutMs: 50 },
    {
      name: 'untrusted',
      url: async () =>
        `https://${(await serveHttps(makeCertificate({ hosts: ['127.0.0.1'] }), () => undefined)).host}/`,
    },
    {
      name: 'broken',
      url: async () => {
        const { host } = await serveHttp((request, response) => {
          response.write('half');
          setTimeout(() => request.socket.destroy(), 10);
        });
        return `http://${host}/`;
      },
    },
  ];
  scenario.each(ways)(
    'error-cause-chain',
    'a request that is $name leaves no header or body in its error',
    async (row) => {
      const url = await row.url();
      const more = { method: 'POST' as const, body: `{"prompt":"${CANARY}"}`, timeoutMs: row.timeoutMs ?? LONG_MS };
      const error = await failure(client().send(get(`${url}path?key=${CANARY}`, more)));
      expect(inspect(error, { depth: null, showHidden: true, getters: true })).not.toContain(CANARY);
      expect(error.cause).toBeUndefined();
    },
  );
});

describe('files', () => {
  closeServersAfterEach();
  const folder = temporaryFolder('transport');
  const path = join(folder, 'prompts.csv');
  const LINE = 'a prompt of some length, with ümlauts\n';
  const upload = (url: string): HttpRequest => ({
    ...{ method: 'POST', url, headers: { 'x-own': 'a' }, timeoutMs: LONG_MS },
    upload: {
      file: { entry: path, name: 'prompts.csv', size: undefined },
      field: 'file',
      contentType: 'text/csv',
      parts: [{ name: 'metadata', contentType: 'application/json', text: '{"a":1}' }],
    },
  });

  /** A server that says what it was sent: a part of text, and a file. */
  async function receiving() {
    return serveHttp(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece);
      const body = Buffer.concat(pieces);
      const [, boundary = ''] = /boundary=(.+)$/.exec(request.headers['content-type'] ?? '') ?? [];
      const parts = body.toString().split(`--${boundary}`);
      const [metadata, text = ''] = parts.slice(1, 3).map((part) => /\r\n\r\n([\s\S]*)\r\n$/.exec(part)?.[1]);
      const isWhole = parts.length === 4 && text === LINE.repeat(text.length / LINE.length);
      const length = [Number(request.headers['content-length']), body.length];
      const own = request.headers['x-own'];
      response.end(JSON.stringify({ length, own, characters: text.length, isWhole, metadata }));
    });
  }

  test.each([0, 1, 100_000])('of %i lines are uploaded whole, their length announced', async (lines) => {
    writeFileSync(path, LINE.repeat(lines));
    const server = await receiving();
    const answer = JSON.parse((await client().send(upload(`http://${server.host}/`))).body);
    expect(answer).toMatchObject({ own: 'a', characters: lines * LINE.length, isWhole: true, metadata: '{"a":1}' });
    expect(answer.length[0]).toBe(answer.length[1]);
  });

  test('that are uploaded are read no faster than the service takes them, and a stop ends both', async () => {
    writeFileSync(path, Buffer.alloc(50_000_000));
    const taken: IncomingMessage[] = [];
    const server = await serveHttp((request) => {
      request.pause();
      taken.push(request);
    });
    const before = process.memoryUsage().arrayBuffers;
    const stopper = newStop();
    const sending = failure(client().send({ ...upload(`http://${server.host}/`), stop: stopper.stop }));
    await until(() => taken.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(25_000_000);
    stopper.now();
    expect(await sending).toBeInstanceOf(CancelledError);
    taken[0]?.resume();
    await until(() => server.open() === 0);
    expect(server.open()).toBe(0);
  });

  test('that are gone by then are named, and nothing is sent', async () => {
    rmSync(path, { force: true });
    const server = await receiving();
    const error = await failure(client().send(upload(`http://${server.host}/`)));
    expect(error).toMatchObject({ name: 'UsageError', message: expect.stringContaining('prompts.csv') });
    expect(server.open()).toBe(0);
  });

  test('are no longer uploaded when the service has answered', async () => {
    writeFileSync(path, Buffer.alloc(50_000_000));
    const server = await serveHttp((request, response) => {
      request.pause();
      response.writeHead(413).end('too large');
    });
    await expect(client().send(upload(`http://${server.host}/`))).resolves.toMatchObject({
      status: 413,
      body: 'too large',
    });
  });

  test('are kept as they come, through a proxy as well', async () => {
    const bytes = gzipSync('what was kept');
    const server = await serveHttp((request, response) =>
      response.writeHead(200, { 'x-accepted': String(request.headers['accept-encoding']) }).end(bytes),
    );
    const proxy = await serveProxy(server.port);
    const kept: Buffer[] = [];
    const keep: KeepBytes = async (name, contentType, pieces) => {
      for await (const piece of pieces) kept.push(Buffer.from(piece));
      return { entry: name, name, size: bytes.length, contentType };
    };
    const environment = { HTTP_PROXY: `http://${proxy.host}` };
    const answer = await client({ proxy: true, environment, keep }).send(
      get(`http://${server.host}/`, { download: 'a.gz' }),
    );
    expect(answer).toMatchObject({ body: '', file: { name: 'a.gz' }, headers: { 'x-accepted': 'identity' } });
    expect(Buffer.concat(kept).equals(bytes)).toBe(true);
    expect(proxy.targets).toEqual([server.host]);
  });
});
