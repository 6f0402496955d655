import { getEventListeners } from 'node:events';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import {
  CancelledError,
  ConfigurationError,
  NetworkError,
  ResponseError,
  TimeoutError,
  TlsError,
} from '../../../lib/core/errors.ts';
import type { HttpRequest, KeepBytes } from '../../../lib/core/ports.ts';
import { newStop } from '../../../lib/core/stop.ts';
import { stopOf } from '../../../lib/node/system/stop.ts';
import { failing } from '../../support/exchange.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until, withLimits } from '../../support/machine.ts';
import { useNock } from '../../support/nock.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { makeCertificate } from './certificate.ts';
import { CANARY, client, closeClientsAfterEach, expectClosed, getRequest, LONG_MS } from './client.ts';
import { closedPort, closeServersAfterEach, serveHttp, serveHttps, serveProxy, serveSockets } from './servers.ts';

closeClientsAfterEach();

describe('an exchange', () => {
  const nock = useNock();
  const service = 'https://service.example.test';

  test('sends method, headers and body unchanged, and returns status, lower-case headers and text', async () => {
    nock(service, { reqheaders: { 'x-own': 'a', 'content-type': 'application/json' } })
      .post('/v1/things?limit=2', '{"a":1}')
      .reply(201, '{"id":"7"}', { 'X-Request-Id': 'r1', 'Content-Type': 'application/json' });
    const headers = { 'x-own': 'a', 'content-type': 'application/json' };
    const url = `${service}/v1/things?limit=2`;
    const answer = await client().send({ method: 'POST', url, headers, body: '{"a":1}', timeoutMs: LONG_MS });
    expect(answer).toEqual({
      status: 201,
      headers: { 'x-request-id': 'r1', 'content-type': 'application/json' },
      body: '{"id":"7"}',
    });
  });

  test.each([204, 304, 400, 503])('returns status %i after one request', async (status) => {
    nock(service).get('/x').reply(status);
    await expect(client().send(getRequest(`${service}/x`))).resolves.toMatchObject({ status, body: '' });
  });

  scenario('key-separation', 'returns a redirect and does not follow it', async () => {
    nock(service).get('/x').reply(302, '', { location: 'https://elsewhere.example.test/' });
    const answer = await client().send(getRequest(`${service}/x`));
    expect(answer).toMatchObject({ status: 302, headers: { location: 'https://elsewhere.example.test/' } });
  });

  test.each([
    ['ENOTFOUND', 'could not be resolved', false],
    ['EAI_AGAIN', 'could not be resolved', true],
    ['EHOSTUNREACH', 'no route', true],
    ['ECONNRESET', 'was lost before the response', true],
    ['CERT_HAS_EXPIRED', 'has a certificate that has expired', false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'has a certificate for another host name', false],
  ])('%s names the host: %s', async (code, words, retryable) => {
    nock(service)
      .get('/x')
      .replyWithError(Object.assign(new Error('from the system'), { code }));
    const error = await failing(client().send(getRequest(`${service}/x`)));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error.message).toContain(words);
    expect(error.message).toContain('service.example.test');
    expect(error).toMatchObject({ retryable, exitCode: 9 });
  });

  test.each([
    { code: 'EMFILE', call: undefined, words: 'could not be opened (EMFILE)', sent: false },
    { code: 'EMFILE', call: 'getaddrinfo', words: 'could not be opened (EMFILE)', sent: false },
    { code: 'ENOBUFS', call: undefined, words: 'could not be opened (ENOBUFS)', sent: false },
    { code: 'EACCES', call: 'connect', words: 'could not be opened (EACCES)', sent: false },
    { code: 'ETIMEDOUT', call: 'read', words: 'was lost before the response', sent: true },
    { code: 'EHOSTUNREACH', call: 'read', words: 'was lost before the response', sent: true },
    { code: 'ENOBUFS', call: 'write', words: 'failed (ENOBUFS)', sent: true },
  ])('$code of $call has sent=$sent', async ({ code, call, words, sent }) => {
    nock(service)
      .get('/x')
      .replyWithError(Object.assign(new Error('from the system'), { code, syscall: call }));
    const error = await failing(client().send(getRequest(`${service}/x`)));
    expect(error.message).toContain(words);
    expect(error).toMatchObject({ sent, name: 'NetworkError' });
    // If nothing was sent, the command can be run again unchanged, as after a refused connection.
    if (!sent) expect(error.retryable).toBe(true);
  });

  test('ETIMEDOUT with EMFILE for every address has sent=false', async () => {
    const errors = ['EMFILE', 'EMFILE'].map((code) => Object.assign(new Error(code), { code, syscall: 'connect' }));
    nock(service)
      .get('/x')
      .replyWithError(Object.assign(new AggregateError(errors), { code: 'ETIMEDOUT' }));
    expect(await failing(client().send(getRequest(`${service}/x`)))).toMatchObject({ sent: false, retryable: true });
  });

  test('an invalid header is a ConfigurationError that does not show its value', async () => {
    const error = await failing(
      client().send(getRequest(service, { headers: { authorization: `Bearer ${CANARY}\n` } })),
    );
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(inspect(error)).not.toContain(CANARY);
    expect(error.message).toContain('authorization');
  });
});

describe('failures of a connection', () => {
  closeServersAfterEach();

  test('a refused connection names the host', async () => {
    const port = await closedPort();
    const error = await failing(client().send(getRequest(`http://127.0.0.1:${port}/`)));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ message: `127.0.0.1:${port} refused the connection.`, retryable: true });
  });

  test('a connection closed before the response is retryable', async () => {
    const server = await serveHttp((request) => request.socket.destroy());
    const error = await failing(client().send(getRequest(`http://${server.host}/`)));
    expect(error).toMatchObject({ name: 'NetworkError', retryable: true });
    expect(error.message).toBe(`The connection to ${server.host} was lost before the response arrived.`);
  });

  const half: { name: string; headers: Record<string, string | number> }[] = [
    { name: 'of known length', headers: { 'content-length': 100 } },
    { name: 'in chunks', headers: {} },
  ];
  scenario.each(half)(
    'network-reset-mid-body',
    'a response $name that ends too early is broken',
    async ({ headers }) => {
      const server = await serveHttp((request, response) => {
        response.writeHead(200, headers).write('half');
        setTimeout(() => request.socket.destroy(), 20);
      });
      const error = await failing(client().send(getRequest(`http://${server.host}/`)));
      expect(error).toMatchObject({ name: 'NetworkError', retryable: true });
      expect(error.message).toBe(`The response from ${server.host} is incomplete.`);
    },
  );

  const text = '{"name":"añ€😀"}'.repeat(200);
  const encoded: { what: string; encoding: string; bytes: Buffer; body?: string }[] = [
    { what: 'gzip', encoding: 'gzip', bytes: gzipSync(text), body: text },
    {
      what: 'gzip in two members',
      encoding: 'x-gzip',
      bytes: Buffer.concat([gzipSync('a'), gzipSync('b')]),
      body: 'ab',
    },
    { what: 'brotli', encoding: ' BR ', bytes: brotliCompressSync(text), body: text },
    { what: 'deflate', encoding: 'deflate', bytes: deflateSync(text), body: text },
    { what: 'deflate without its header', encoding: 'Deflate', bytes: deflateRawSync(text), body: text },
    { what: 'deflate of no text without its header', encoding: 'deflate', bytes: deflateRawSync(''), body: '' },
    ...['gzip', 'unknown', ''].map((encoding) => ({
      what: `no bytes as '${encoding}'`,
      encoding,
      bytes: Buffer.alloc(0),
      body: '',
    })),
    { what: 'text as identity', encoding: 'identity', bytes: Buffer.from(text), body: text },
    { what: 'plain text as gzip', encoding: 'gzip', bytes: Buffer.from('text') },
    { what: 'half of gzip', encoding: 'gzip', bytes: gzipSync(text).subarray(0, 20) },
    { what: 'half of brotli', encoding: 'br', bytes: brotliCompressSync(text).subarray(0, 20) },
    { what: 'one byte as deflate', encoding: 'deflate', bytes: deflateSync(text).subarray(0, 1) },
  ];
  scenario.each(encoded)('raw-deflate', 'a body of $what is read, or is broken', async ({ encoding, bytes, body }) => {
    const server = await serveHttp((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
    );
    const sending = client().send(getRequest(`http://${server.host}/`));
    if (body !== undefined) return expect(await sending).toMatchObject({ status: 200, body });
    const message = `The response from ${server.host} is incomplete.`;
    return expect(await failing(sending)).toMatchObject({ name: 'NetworkError', message });
  });

  test('an error names a server without HTTP or TLS', async () => {
    const server = await serveSockets((socket) => socket.write('SSH-2.0-x\r\n'));
    expect((await failing(client().send(getRequest(`http://${server.host}/`)))).message).toContain('is not HTTP');
    const error = await failing(client().send(getRequest(`https://${server.host}/`)));
    expect(error).toBeInstanceOf(TlsError);
    expect(error.message).toContain('does not use TLS');
  });

  const large = 'x'.repeat(5000);
  test.each([
    { name: 'plain', headers: {}, body: large },
    { name: 'compressed', headers: { 'content-encoding': 'gzip' }, body: gzipSync(large) },
  ])('a $name response stops at the limit', async ({ headers, body }) => {
    const server = await serveHttp((_, response) => response.writeHead(200, headers).end(body));
    const url = `http://${server.host}/`;
    const error = await failing(client({ maxResponseBytes: 4999 }).send(getRequest(url)));
    expect(error).toBeInstanceOf(ResponseError);
    expect(error.message).toBe(`The response from ${server.host} is larger than the limit of 4999 bytes.`);
    await expect(client({ maxResponseBytes: 5000 }).send(getRequest(url))).resolves.toMatchObject({ body: large });
  });

  test('a compressed body that arrives byte by byte is decoded whole', async () => {
    const bytes = deflateSync('añ€😀');
    const server = await serveHttp(async (_, response) => {
      response.writeHead(200, { 'content-encoding': 'deflate' });
      for (const byte of bytes) {
        response.write(Buffer.from([byte]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    await expect(client().send(getRequest(`http://${server.host}/`))).resolves.toMatchObject({ body: 'añ€😀' });
  });
});

describe('time-outs and stops', () => {
  closeServersAfterEach();

  const stalls = [
    {
      phase: 'connecting to',
      serve: () => serveSockets(() => undefined),
      scheme: 'https',
    },
    {
      phase: 'waiting for the response from',
      serve: () => serveHttp(() => undefined),
      scheme: 'http',
    },
    {
      phase: 'reading the response from',
      serve: () => serveHttp((_, response) => response.writeHead(200).write('half')),
      scheme: 'http',
    },
  ];
  scenario.each(stalls)(
    'timeout-budget',
    'a stall while $phase the service times out',
    async ({ phase, serve, scheme }) => {
      await withLimits(async (timeoutMs) => {
        const server = await serve();
        const transport = client();
        const error = await failing(transport.send(getRequest(`${scheme}://${server.host}/`, { timeoutMs })));
        expect(error).toBeInstanceOf(TimeoutError);
        expect(error.message).toBe(`Timed out after ${timeoutMs / 1000} s while ${phase} ${server.host}.`);
        expect(error).toMatchObject({ retryable: true, exitCode: 9 });
        await expectClosed(server);
      });
    },
  );

  test('a timeout of 0 ends the request', async () => {
    const server = await serveHttp(() => undefined);
    expect(await failing(client().send(getRequest(`http://${server.host}/`, { timeoutMs: 0 })))).toBeInstanceOf(
      TimeoutError,
    );
    await expectClosed(server);
  });

  scenario('timeout-budget', 'a request that times out does not affect other requests to its host', async () => {
    const server = await serveHttp((request, response) => {
      if (request.url === '/slow') setTimeout(() => response.end('done'), 300);
    });
    const transport = client();
    const slow = transport.send(getRequest(`http://${server.host}/slow`));
    await failing(transport.send(getRequest(`http://${server.host}/never`, { timeoutMs: 100 })));
    await expect(slow).resolves.toMatchObject({ body: 'done' });
  });

  test('one signal stops thirty requests with one listener, and keeps no listener afterwards', async () => {
    const server = await serveHttp((request, response) => {
      if (request.url === '/answers') response.end('ok');
    });
    const controller = new AbortController();
    const transport = client();
    const stop = stopOf(controller.signal);
    await transport.send(getRequest(`http://${server.host}/answers`, { stop }));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    const all = Array.from({ length: 30 }, () =>
      failing(transport.send(getRequest(`http://${server.host}/`, { stop }))),
    );
    await until(() => server.open() === 30);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    controller.abort();
    const names = (await Promise.all(all)).map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(['CancelledError']));
  });

  test.each(['before', 'while'])('a stop %s a request ends it with a CancelledError', async (when) => {
    const server = await serveHttp(() => undefined);
    const stopper = newStop();
    if (when === 'before') stopper.now();
    else setTimeout(() => stopper.now(), 50);
    const error = await failing(client().send(getRequest(`http://${server.host}/`, { stop: stopper.stop })));
    expect(error).toBeInstanceOf(CancelledError);
    await expectClosed(server);
  });

  test('closing ends pending requests and idle connections', async () => {
    let lastUrl = '';
    const server = await serveHttp((request, response) => {
      lastUrl = request.url ?? '';
      if (lastUrl === '/answers') response.end('ok');
    });
    const transport = client();
    await transport.send(getRequest(`http://${server.host}/answers`));
    expect(server.open()).toBe(1);
    const stuck = failing(transport.send(getRequest(`http://${server.host}/never`)));
    await until(() => lastUrl === '/never');
    await transport.close();
    expect(await stuck).toBeInstanceOf(NetworkError);
    await expectClosed(server);
  });
});

describe('connections', () => {
  closeServersAfterEach();

  /** Starts a server that records the connections of its requests. */
  async function counting(leave: (socket: Socket, count: number) => void = () => undefined) {
    const used = new Set<Socket>();
    let count = 0;
    const server = await serveHttp((request, response) => {
      used.add(request.socket);
      count += 1;
      const number = count;
      response.on('finish', () => leave(request.socket, number));
      response.end(`answer ${number}`);
    });
    return { ...server, url: `http://${server.host}/`, used };
  }

  test('are reused by fifty serial requests', async () => {
    const server = await counting();
    const transport = client();
    for (let count = 1; count <= 50; count += 1) {
      await expect(transport.send(getRequest(server.url))).resolves.toMatchObject({ body: `answer ${count}` });
    }
    expect(server.used.size).toBe(1);
  });

  test('are limited to eight for forty requests', async () => {
    const server = await counting();
    const transport = client();
    const together = () => Promise.all(Array.from({ length: 8 }, () => transport.send(getRequest(server.url))));
    for (let round = 0; round < 5; round += 1) await together();
    expect(server.used.size).toBe(8);
  });

  const ways: { how: string; leave: (socket: Socket) => void }[] = [
    { how: 'properly', leave: (socket) => socket.end() },
    { how: 'by a reset', leave: (socket) => socket.resetAndDestroy() },
  ];
  test.each(ways)('closed by the server $how are not reused', async ({ leave }) => {
    const server = await counting((socket, count) => {
      if (count === 1) setTimeout(() => leave(socket), 10);
    });
    const transport = client();
    await transport.send(getRequest(server.url));
    await until(() => server.open() === 0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(transport.send(getRequest(server.url))).resolves.toMatchObject({ body: 'answer 2' });
    expect(server.used.size).toBe(2);
  });
});

describe('TLS', () => {
  closeServersAfterEach();

  const untrusted = [
    { name: 'signed by itself', words: 'self-signed certificate', certificate: { hosts: ['127.0.0.1'] } },
    { name: 'of an unknown authority', words: 'authority', certificate: { hosts: ['127.0.0.1'], byAuthority: true } },
  ];
  scenario.each(untrusted)('tls-default-on', 'refuses a certificate $name', async ({ words, certificate }) => {
    const server = await serveHttps(makeCertificate(certificate), (_, response) => response.end('ok'));
    const error = await failing(client().send(getRequest(`https://${server.host}/`)));
    expect(error).toBeInstanceOf(TlsError);
    expect(error.message).toContain(words);
    expect(error.message).toContain(server.host);
    expect(error.hint).toContain('AISEC_INSECURE');
    expect(error).toMatchObject({ retryable: false, exitCode: 9 });
  });

  scenario(
    'tls-default-on',
    'insecure affects only its transport, warns once, and does not change the process',
    async () => {
      const server = await serveHttps(makeCertificate({ hosts: ['127.0.0.1'] }), (_, response) => response.end('ok'));
      const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      const warnings: string[] = [];
      const lax = client({ insecure: true, warn: (text) => warnings.push(text) });
      const strict = client({ warn: (text) => warnings.push(text) });
      const url = `https://${server.host}/`;
      await expect(lax.send(getRequest(url))).resolves.toMatchObject({ body: 'ok' });
      await expect(lax.send(getRequest(url))).resolves.toMatchObject({ body: 'ok' });
      expect(await failing(strict.send(getRequest(url)))).toBeInstanceOf(TlsError);
      expect(warnings).toEqual([expect.stringContaining('certificates of the service are not checked')]);
      expect(process.env['NODE_TLS_REJECT_UNAUTHORIZED']).toBe(before);
    },
  );
});

describe('errors', () => {
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
    'a request that is $name has no header or body in its error',
    async (row) => {
      const url = await row.url();
      const more = { method: 'POST' as const, body: `{"prompt":"${CANARY}"}`, timeoutMs: row.timeoutMs ?? LONG_MS };
      const error = await failing(client().send(getRequest(`${url}path?key=${CANARY}`, more)));
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

  /** Starts a server that returns the received text part and file. */
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

  test.each([0, 1, 100_000])('of %i lines are uploaded whole, with content-length', async (lines) => {
    writeFileSync(path, LINE.repeat(lines));
    const server = await receiving();
    const answer = JSON.parse((await client().send(upload(`http://${server.host}/`))).body);
    expect(answer).toMatchObject({ own: 'a', characters: lines * LINE.length, isWhole: true, metadata: '{"a":1}' });
    expect(answer.length[0]).toBe(answer.length[1]);
  });

  test('are counted as they are uploaded, without the parts around them', async () => {
    writeFileSync(path, Buffer.alloc(300_000));
    const server = await receiving();
    const counts: number[] = [];
    await client().send({ ...upload(`http://${server.host}/`), onSent: (bytes) => counts.push(bytes) });
    expect(counts.length).toBeGreaterThan(2);
    expect([...counts].sort((a, b) => a - b)).toEqual(counts);
    expect(counts.at(-1)).toBe(300_000);
  });

  test('are read no faster than the service reads the upload, and a stop ends reading and upload', async () => {
    writeFileSync(path, Buffer.alloc(50_000_000));
    const received: IncomingMessage[] = [];
    const server = await serveHttp((request) => {
      request.pause();
      received.push(request);
    });
    const before = process.memoryUsage().arrayBuffers;
    const stopper = newStop();
    const sending = failing(client().send({ ...upload(`http://${server.host}/`), stop: stopper.stop }));
    await until(() => received.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(25_000_000);
    stopper.now();
    expect(await sending).toBeInstanceOf(CancelledError);
    received[0]?.resume();
    await expectClosed(server);
  });

  test('that are missing are named in the error, and nothing is sent', async () => {
    rmSync(path, { force: true });
    const server = await receiving();
    const error = await failing(client().send(upload(`http://${server.host}/`)));
    expect(error).toMatchObject({ name: 'UsageError', message: expect.stringContaining('prompts.csv') });
    expect(server.open()).toBe(0);
  });

  test('that become shorter while they are sent are named in the error', async () => {
    writeFileSync(path, Buffer.alloc(5_000_000));
    const server = await serveHttp((request) => void request.on('error', () => undefined).resume());
    const onSent = () => truncateSync(path, 10);
    const error = await failing(client().send({ ...upload(`http://${server.host}/`), onSent }));
    expect(error).toMatchObject({ name: 'UsageError', message: expect.stringContaining('became shorter') });
  });

  test('are not uploaded further after the response', async () => {
    writeFileSync(path, Buffer.alloc(20_000_000));
    const server = await serveHttp((request, response) => {
      request.pause();
      // Only the client ends the connection.
      Object.assign(Reflect.get(request.socket, 'server') as object, { keepAliveTimeout: 0, requestTimeout: 0 });
      response.writeHead(413).end('too large');
    });
    await expect(client().send(upload(`http://${server.host}/`))).resolves.toMatchObject({
      status: 413,
      body: 'too large',
    });
    // The rest of the body would be taken for the next request.
    await expectClosed(server);
  });

  test.each([
    { how: 'breaks off', act: (socket: Socket) => void socket.destroy(), timeoutMs: LONG_MS, name: 'NetworkError' },
    { how: 'stalls', act: () => undefined, timeoutMs: 200, name: 'TimeoutError' },
  ])('are discarded, not kept incomplete, if the download $how', async ({ act, timeoutMs, name }) => {
    const server = await serveHttp((request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half', () => setTimeout(act, 20, request.socket));
    });
    const keep: KeepBytes = async (fileName, contentType, pieces) => {
      for await (const _ of pieces);
      return { entry: fileName, name: fileName, size: undefined, contentType };
    };
    const request = getRequest(`http://${server.host}/`, { download: 'a.gz', timeoutMs });
    expect(await failing(client({ keep }).send(request))).toMatchObject({ name });
    await expectClosed(server);
  });

  test('that cannot be saved end their connection', async () => {
    const server = await serveHttp((_, response) => response.writeHead(200).write('half'));
    const keep: KeepBytes = () => Promise.reject(new ConfigurationError('The disk is full.'));
    const request = getRequest(`http://${server.host}/`, { download: 'a.gz' });
    expect(await failing(client({ keep }).send(request))).toMatchObject({ message: 'The disk is full.' });
    await expectClosed(server);
  });

  test('are downloaded unchanged, also through a proxy', async () => {
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
      getRequest(`http://${server.host}/`, { download: 'a.gz' }),
    );
    expect(answer).toMatchObject({ body: '', file: { name: 'a.gz' }, headers: { 'x-accepted': 'identity' } });
    expect(Buffer.concat(kept).equals(bytes)).toBe(true);
    expect(proxy.targets).toEqual([server.host]);
  });
});
