/**
 * The server over real sockets on loopback, and lines over stdio: whole messages are accepted, and every other message
 * is answered.
 */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { refusalOf, tooLong } from '../../../lib/hosts/mcp/message.ts';
import { MessageLines } from '../../../lib/hosts/mcp/stdio.ts';
import { promptness } from '../../support/machine.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { callTool, ERAS, type HttpServer, listen, listenBriefly } from './support.ts';

/** The largest accepted body, in bytes. */
const LIMIT = 10_000_000;
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

let server: HttpServer;
beforeAll(async () => {
  server = await listen();
});
afterAll(() => server.close());

interface Sent {
  readonly method?: string;
  readonly path?: string;
  /** Replaces the valid headers; undefined omits a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Buffer | undefined;
}

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends one request unchanged: `fetch` would not let a test choose the host. */
function send({ method = 'POST', path = '/mcp', headers = {}, body }: Sent = {}, to = server): Promise<Received> {
  const all: Record<string, string | undefined> = {
    host: to.url.host,
    authorization: `Bearer ${to.token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host: to.url.hostname, port: to.url.port, method, path, headers: given, setHost: false, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += String(chunk);
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    sent.end(method === 'POST' ? (body ?? JSON.stringify(LIST)) : undefined);
  });
}

/** Checks that the next request is answered as usual. */
async function goesOn(to = server): Promise<void> {
  const { status, text } = await send({}, to);
  expect({ status, text }).toMatchObject({ status: 200, text: expect.stringContaining('"aisec_search"') });
}

scenario.each(
  [
    [
      'a member twice in a notification',
      '{"jsonrpc":"2.0","method":"notifications/initialized","method":"x"}',
      'duplicate member',
    ],
    [
      'a deep value',
      `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":${'['.repeat(200)}${']'.repeat(200)}}}`,
      'deeper than 100',
    ],
    ['a key of the prototype', '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"__proto__":1}}', 'not allowed'],
    [
      'bytes that are not UTF-8',
      Buffer.from('{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"\xe9"}}', 'latin1'),
      'not UTF-8',
    ],
  ].map(([what, body, message]) => ({ what, body: Buffer.from(body ?? ''), message: String(message) })),
)('one-json', 'a message with $what is refused alike over HTTP and in a line', async ({ body, message }) => {
  const { status, text } = await send({ body });
  expect([status, JSON.parse(text)]).toEqual([400, refusalOf(body)]);
  expect(text).toContain(message);
});

test.each([
  ['another charset', { 'content-type': 'application/json; charset=utf-16' }, 415, 'not UTF-8'],
  ['an encoding', { 'content-encoding': 'gzip' }, 415, 'Content-Encoding'],
  [
    'too many headers',
    Object.fromEntries(Array.from({ length: 2001 }, (_, at) => [`h${at}`, ''])),
    431,
    '2000 headers',
  ],
])('a request with %s is refused by name', async (_, headers, expected, message) => {
  const { status, text } = await send({ headers });
  expect([status, text]).toEqual([expected, expect.stringContaining(message)]);
});

describe.each(ERAS)('a client over HTTP, with %s', (era) => {
  test('lists the tools and calls one', async () => {
    const client = await server.connect(era);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('aisec-runtime-scan');
    const scan = await callTool(client, 'aisec-runtime-scan', { profile_name: 'prod', prompt: 'hello', tr_id: era });
    expect(scan).toMatchObject({
      isError: false,
      structured: { outputs: { 'AiSec.RuntimeScan': { tr_id: era } }, simulated: true },
    });
  });

  test('is not delayed by another client, and sees only its own answers', async () => {
    const clients = await Promise.all([server.connect(era), server.connect(era)]);
    const calls = clients.flatMap((client, at) =>
      Array.from({ length: 10 }, async (_, count) => {
        const id = `client-${at}-${count}`;
        const { structured } = await callTool(client, 'aisec-runtime-scan', {
          profile_name: 'prod',
          prompt: id,
          tr_id: id,
        });
        const { 'AiSec.RuntimeScan': found } = structured['outputs'] as Record<string, { tr_id: string }>;
        return [id, found?.tr_id];
      }),
    );
    for (const [asked, answered] of await Promise.all(calls)) expect(answered).toBe(asked);
  });

  test('has to confirm a deletion itself, because only a lasting connection can ask a person', async () => {
    const client = await server.connect(era);
    const created = await callTool(client, 'aisec_change', {
      command: 'aisec-runtime-topics-create',
      arguments: { topic_name: `short lived ${era}`, description: 'For one test.', examples: ['a', 'b'] },
    });
    expect({ text: created.text, isError: created.isError }).toMatchObject({ isError: false });
    const { 'AiSec.TopicCreate': topic } = created.structured['outputs'] as Record<string, { topic_id: string }>;
    const deletion = { command: 'aisec-runtime-topics-delete', arguments: { topic_id: topic?.topic_id } };
    const refused = await callTool(client, 'aisec_change', deletion);
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('confirm: true') });
    const topics = async () => JSON.stringify((await callTool(client, 'aisec_read', ALL_TOPICS)).structured);
    expect(await topics()).toContain(topic?.topic_id);
    const deleted = await callTool(client, 'aisec_change', { ...deletion, confirm: true });
    expect({ text: deleted.text, isError: deleted.isError }).toMatchObject({ isError: false });
    expect(await topics()).not.toContain(topic?.topic_id);
  });
});

const ALL_TOPICS = { command: 'aisec-runtime-topics-list', arguments: {} };

describe('authentication and routes', () => {
  test.each([
    ['no token', undefined],
    ['a wrong token', 'Bearer token-of-the-testS'],
    ['another scheme', 'Basic token-of-the-tests'],
    ['no scheme', 'token-of-the-tests'],
  ])('refuses %s with 401, and says what is required', async (_, authorization) => {
    const { status, headers, text } = await send({ headers: { authorization } });
    expect({ status, wants: headers['www-authenticate'] }).toEqual({ status: 401, wants: 'Bearer' });
    expect(text).not.toContain(server.token);
  });

  test('accepts a token with its scheme whatever its case', async () => {
    expect((await send({ headers: { authorization: `bEARER ${server.token}` } })).status).toBe(200);
  });

  test.each([
    ['another host', { host: 'attacker.example' }],
    ['a host that begins like the allowed host', { host: '127.0.0.1.attacker.example' }],
    ['another origin', { origin: 'http://attacker.example' }],
    ['an origin that begins like the allowed origin', { origin: 'http://localhost.attacker.example' }],
  ])('refuses %s with 403, with or without a valid token', async (_, headers) => {
    expect((await send({ headers })).status).toBe(403);
    expect((await send({ headers: { ...headers, authorization: undefined } })).status).toBe(403);
  });

  test.each(['http://localhost:3000', 'http://127.0.0.1', 'https://localhost'])(
    'accepts the origin %s',
    async (origin) => {
      expect((await send({ headers: { origin } })).status).toBe(200);
    },
  );

  test.each(['/', '/mcp2', '/..%2fmcp', 'http://[', '*'])('answers %s with 404', async (path) => {
    expect((await send({ path })).status).toBe(404);
    await goesOn();
  });

  test.each(['GET', 'DELETE', 'OPTIONS'])(
    'answers %s with 405, because no state is kept between requests',
    async (method) => {
      expect((await send({ method })).status).toBe(405);
      await goesOn();
    },
  );
});

describe('a hostile request', () => {
  const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
  const call = (args: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"aisec_read","arguments":${args}}}`;

  test.each([
    ['broken JSON', '{"jsonrpc":'],
    ['nothing', ''],
    ['null', 'null'],
    ['arrays a hundred thousand deep', deep('[', ']', 100_000)],
    ['a message that is not a request', '{"jsonrpc":"2.0"}'],
    ['an object as id', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}'],
  ])('%s is refused with 400, and the server continues', async (_, body) => {
    const { status, text } = await send({ body });
    expect({ status, text: text.slice(0, 200) }).toMatchObject({ status: 400 });
    await goesOn();
  });

  test.each([
    ['prototype keys', '{"command":"aisec-runtime-topics-list","arguments":{"__proto__":{"limit":1},"constructor":1}}'],
    ['a prototype for the arguments of the tool', '{"__proto__":{"command":"aisec-runtime-topics-list"}}'],
    [
      'arguments twenty thousand deep',
      `{"command":"aisec-runtime-topics-list","arguments":{"limit":${deep('[', ']', 20_000)}}}`,
    ],
    ['a lone surrogate', '{"command":"aisec-runtime-topics-list","arguments":{"\\ud800":"\\udfff"}}'],
  ])('%s in the arguments of a tool is an error of that call only', async (_, args) => {
    const { status, text } = await send({ body: call(args) });
    expect({ status, text: text.slice(0, 2000) }).toMatchObject({
      status: expect.any(Number),
      text: expect.stringMatching(/"isError":true|"error":/),
    });
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { limit?: unknown }).limit).toBeUndefined();
    await goesOn();
  });

  test('of exactly the limit is read; one more byte is refused with 413', async () => {
    const body = JSON.stringify(LIST);
    expect((await send({ body: body.padEnd(LIMIT, ' ') })).status).toBe(200);
    expect((await send({ body: body.padEnd(LIMIT + 1, ' ') })).status).toBe(413);
    // Without a length, the bytes are counted as they arrive.
    const chunked = { body: body.padEnd(LIMIT + 1, ' '), headers: { 'transfer-encoding': 'chunked' } };
    expect((await send(chunked)).status).toBe(413);
    await goesOn();
  });

  test('without a token is refused before its body is read', async () => {
    const { status } = await send({
      headers: { authorization: undefined, 'content-length': String(LIMIT) },
      method: 'PUT',
    });
    expect(status).toBe(401);
  });
});

describe('a server with short timeouts', () => {
  /** Opens a socket, sends a text, and waits until the server closes it. @returns what the server sent */
  function sendSlowly(to: HttpServer, text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let received = '';
      const socket = connectSocket(Number(to.url.port), to.url.hostname, () => socket.write(text));
      socket.on('data', (chunk) => {
        received += String(chunk);
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(received));
    });
  }

  test('closes connections whose headers or bodies never end, and continues', async () => {
    const slow = await listenBriefly({ headersMs: 100 });
    const head = `POST /mcp HTTP/1.1\r\nHost: ${slow.url.host}\r\n`;
    const rest = `Authorization: Bearer ${slow.token}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
    const promptly = promptness();
    const [headers, body] = await Promise.all([sendSlowly(slow, head), sendSlowly(slow, head + rest)]);
    expect(await promptly()).toBe(true);
    expect(headers).toContain('408');
    expect(body).toContain('408');
    await goesOn(slow);
  });

  test('stops listening and ends all connections when it is closed, including those of running calls', async () => {
    const closing = await listenBriefly({ client: { simulate: { faults: ['hang@/v1/scan'] } } });
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'aisec-runtime-scan', arguments: { profile_name: 'prod', prompt: 'hello' } },
    });
    const [idle, call] = [sendSlowly(closing, 'POST'), send({ body }, closing).catch((thrown: unknown) => thrown)];
    await goesOn(closing);
    await closing.close();
    expect(await idle).toBe('');
    await call;
    await expect(send({}, closing)).rejects.toThrow('ECONNREFUSED');
  });

  test('reports at once that its port is in use', async () => {
    await expect(listen({ port: Number(server.url.port) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

test.each([
  { what: 'the last of two ids', text: '{"id":1,"method":"a","id":2}', id: 2 },
  { what: 'an escaped name', text: '{"\\u0069d":3,"method":"a"}', id: 3 },
  { what: 'an id with spaces', text: ' { "method" : "a" , "id" : 4 } ', id: 4 },
  { what: 'quotes in a string', text: '{"params":{"x":"\\\\\\",\\"id\\":5"},"method":"a","id":"\\"}{"}', id: '"}{' },
  { what: 'an id in the arguments', text: '{"method":"a","params":{"id":5}}', id: null },
  { what: 'an id in a string', text: '{"method":"a","params":"\\"id\\":5,"}', id: null },
  { what: "an answer, whose id is the server's", text: '{"id":1,"result":{}}', id: null },
  { what: 'an id that is an object', text: '{"method":"a","id":{"a":1}}', id: null },
  { what: 'an id that is a list', text: '{"method":"a","id":[1]}', id: null },
  { what: 'an id that is null', text: '{"method":"a","id":null}', id: null },
  { what: 'a fraction', text: '{"method":"a","id":1.5}', id: null },
  { what: 'a number beyond the integers', text: '{"method":"a","id":1e400}', id: null },
  { what: 'a long id', text: `{"method":"a","id":"${'x'.repeat(300)}"}`, id: null },
  { what: 'a list of requests', text: '[{"method":"a","id":1}]', id: null },
  { what: 'incomplete JSON', text: '{"method":"a","id":1', id: null },
  { what: 'too many closing brackets', text: '{"method":"a","id":1}}', id: null },
])('the answer to a message that is too long has the id $id of $what', ({ text, id }) => {
  expect(tooLong(Buffer.from(text))).toMatchObject({ id });
});

test('a line of exactly the limit passes, whole and in order, for any chunk size', async () => {
  const ping = (id: string) => `{"jsonrpc":"2.0","id":"${id}","method":"ping"}`;
  const limit = Buffer.byteLength(ping('éa'));
  const lines = [ping('éa'), ping('éab'), '', 'no JSON', `${ping('b')}\r`, ping('é'.repeat(9)), '[]'];
  const text = `${lines.join('\n')}\n${ping('end')}`;
  for (const size of [1, 2, 7, 100, text.length]) {
    const answers: unknown[] = [];
    const reader = new MessageLines((refusal) => answers.push(refusal), limit);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size));
    reader.end();
    const passed: Buffer[] = [];
    for await (const chunk of reader) passed.push(chunk as Buffer);
    expect(Buffer.concat(passed).toString()).toBe(`${ping('éa')}\n\n${ping('b')}\r\n`);
    expect(answers).toMatchObject([
      { id: 'éab', error: { message: expect.stringContaining('longer than 10 MB') } },
      { id: null, error: { code: -32_700 } },
      { id: 'é'.repeat(9), error: { message: expect.stringContaining('longer than 10 MB') } },
      { id: null, error: { code: -32_600 } },
    ]);
  }
});
