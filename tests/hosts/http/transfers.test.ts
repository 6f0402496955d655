/** Uploads and downloads in progress: they end with their token, and each token has a limited number. */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { whenOver } from '../../../lib/hosts/http/response-end.ts';
import { machineClock, until } from '../../support/machine.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { closed, opened, received } from './sockets/raw.ts';
import { list, parts, startBriefly, startForAll, tokensOf } from './support.ts';

const CSV = { 'content-type': 'text/csv' };
const FILE_BYTES = 20_000_000;
let tokens: Awaited<ReturnType<typeof tokensOf<'uploads' | 'sends' | 'downloads' | 'busy' | 'admin'>>>;
const server = startForAll(async () => {
  tokens = await tokensOf({ uploads: 'admin', sends: 'admin', downloads: 'admin', busy: 'admin', admin: 'admin' });
  return { tokensFile: tokens.tokensFile, limits: { uploads: 3 } };
});
const tokenOf = (name: Parameters<typeof tokens.as>[0]) => tokens.as(name).token;
let [admin, file] = ['', ''];
beforeAll(async () => {
  admin = tokenOf('admin');
  const sent = { method: 'POST', token: admin, headers: CSV, body: Buffer.alloc(FILE_BYTES, 'x') };
  file = String((await server.send('/v1/files', sent)).json.url);
});

const held: Socket[] = [];
afterEach(() => {
  for (const socket of held.splice(0)) socket.destroy();
});

async function ask(head: string, token: string, body = ''): Promise<Socket> {
  const socket = await opened(server.port);
  socket.on('error', () => undefined);
  held.push(socket);
  socket.write(`${head} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${body}`);
  return socket;
}

const CHUNKED = 'Content-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n';
const begun = async (token: string) => ask('POST /v1/files?name=a.csv', token, `${CHUNKED}3\r\nabc\r\n`);

scenario.each<{ name: 'uploads' | 'sends'; what: string; path: string; head: string; drip: string }>([
  { name: 'uploads', what: 'an upload that keeps sending', path: 'POST /v1/files', head: CHUNKED, drip: '1\r\na\r\n' },
  {
    name: 'sends',
    what: 'a body that arrives byte by byte',
    path: 'POST /v1/sessions',
    head: CHUNKED.replace('text/csv', 'application/json'),
    drip: '1\r\n \r\n',
  },
])('rights-now', 'ends $what within a second after its token was revoked', async ({ name, path, head, drip }) => {
  const token = tokenOf(name);
  const other = await ask(path, admin, head);
  const socket = await ask(path, token, head);
  const ended = closed(socket);
  const dripping = setInterval(() => {
    for (const each of [socket, other]) if (each.writable) each.write(drip);
  }, 50);
  try {
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(socket.destroyed).toBe(false);
    await tokens.file.revoke(name);
    const since = machineClock.elapsed();
    await ended;
    expect(machineClock.elapsed() - since).toBeLessThan(1500);
    expect(other.destroyed).toBe(false);
  } finally {
    clearInterval(dripping);
  }
});

scenario('rights-now', 'ends a download within a second after its token was revoked', async () => {
  const token = tokenOf('downloads');
  const upload = { method: 'POST', token, headers: CSV, body: Buffer.alloc(FILE_BYTES, 'x') };
  const mine = await ask(`GET ${(await server.send('/v1/files', upload)).json.url}`, token, '\r\n');
  const other = await ask(`GET ${file}`, admin, 'Connection: close\r\n\r\n');
  const read = [mine, other].map((socket) => {
    socket.pause();
    return { socket, bytes: 0 };
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await tokens.file.revoke('downloads');
  await new Promise((resolve) => setTimeout(resolve, 1000));
  await Promise.all(
    read.map((each) => {
      each.socket.on('data', (chunk) => {
        each.bytes += chunk.length;
      });
      each.socket.resume();
      return new Promise((resolve) => each.socket.once('close', resolve));
    }),
  );
  expect(read[0]?.bytes).toBeLessThan(FILE_BYTES);
  expect(read[1]?.bytes).toBeGreaterThan(FILE_BYTES);
});

scenario(
  'fair-memory',
  'refuses another upload of a token that has too many open, but not of other tokens',
  async () => {
    const token = tokenOf('busy');
    for (let count = 0; count < 3; count += 1) await begun(token);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const small = { method: 'POST', headers: CSV, body: 'prompt\nhello\n' };
    expect((await server.send('/v1/files', { ...small, token })).status).toBe(429);
    expect((await server.send('/v1/files', { ...small, token: admin })).status).toBe(201);
    const [first] = held;
    const answer = received(first as Socket, /201 Created/);
    first?.write('0\r\n\r\n');
    await answer;
    expect((await server.send('/v1/files', { ...small, token })).status).toBe(201);
  },
);

test('the playbooks of the program are read once', async () => {
  let reads = 0;
  const playbooks = async () => {
    reads += 1;
    return parts.playbooks();
  };
  const own = await startBriefly({ parts: { playbooks } });
  const shown = [await own.send('/v1/playbooks'), await own.send('/v1/playbooks')];
  expect(shown.map(({ json }) => list(json.playbooks)[0].name)).toEqual(['scan-prompt', 'scan-prompt']);
  const body = { playbook: 'scan-prompt', inputs: { prompt: 'hello', profile_name: 'prod' } };
  expect((await own.send('/v1/playbooks/rehearse', { method: 'POST', body })).status).toBe(202);
  expect(reads).toBe(1);
});

test('every response of a lost connection ends, including queued responses', async () => {
  const asked: string[] = [];
  const over: string[] = [];
  const bare = createServer((request, raw) => {
    const url = request.url ?? '';
    asked.push(url);
    whenOver({ raw, request: { raw: request } } as FastifyReply, () => over.push(url));
  });
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
  try {
    const socket = await opened((bare.address() as AddressInfo).port);
    const urls = ['/1', '/2', '/3'];
    for (const url of urls) socket.write(`GET ${url} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await until(() => asked.length === urls.length);
    socket.destroy();
    await until(() => over.length === urls.length);
    expect(over.toSorted()).toEqual(urls);
  } finally {
    bare.close();
  }
});
