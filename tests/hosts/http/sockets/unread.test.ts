/** Clients that do not read: their responses are dropped after a time, and never fill the memory of the service. */

import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { Unread } from '../../../../lib/hosts/http/responses/unread.ts';
import { machineClock } from '../../../support/machine.ts';
import { scenario } from '../../../system/scenarios/claims.ts';
import { type Server, startBriefly, startForAll, TOKEN, tokensOf } from '../support.ts';
import { opened, tlsFor } from './raw.ts';

const FILE_BYTES = 20_000_000;
const STALL_MS = 250;
/** Less than the total size of many documents. */
const LEAST = 14_000_000;
const HEAD = `Host: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n`;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function upload(server: Server): Promise<string> {
  const body = Buffer.alloc(FILE_BYTES, 'x');
  const { json } = await server.send('/v1/files?name=a.bin', {
    method: 'POST',
    body,
    headers: { 'content-type': 'a/b' },
  });
  return String(json.url);
}

/**
 * Sends a request, does not read for a time, then reads everything.
 *
 * @returns the bytes that came before the server closed
 */
async function readLater(socket: Socket, text: string, milliseconds: number): Promise<number> {
  socket.pause();
  socket.on('error', () => undefined);
  socket.write(text);
  await pause(milliseconds);
  let bytes = 0;
  socket.on('data', (chunk) => (bytes += chunk.length));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  await closed;
  return bytes;
}

/**
 * Reports whether a reader that reads nothing for a time is disconnected. A busy machine takes longer to detect the stall.
 */
async function isCutOff(open: () => Socket | Promise<Socket>, text: string, least: number): Promise<boolean> {
  for (const times of [4, 20, 80]) {
    if ((await readLater(await open(), text, times * STALL_MS)) < least) return true;
  }
  return false;
}

const LAST = `GET /v1/sessions HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`;
const many = (path: string, token = TOKEN, count = 30) =>
  (`GET ${path} HTTP/1.1\r\n${HEAD}\r\n`.repeat(count) + LAST).replaceAll(TOKEN, token);

const server = startForAll(() => ({ limits: { stallMs: STALL_MS } }));
let file = '';
beforeAll(async () => {
  file = await upload(server);
});

const download = () => `GET ${file} HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`;

scenario.each([
  { what: 'a file', text: download, least: FILE_BYTES },
  { what: 'documents, one after the other', text: () => many('/openapi.json'), least: LEAST },
])('unread-responses', 'closes the connection of a client that reads none of $what', async ({ text, least }) => {
  expect(await isCutOff(() => opened(server.port), text(), least)).toBe(true);
  expect(await readLater(await opened(server.port), text(), 0)).toBeGreaterThan(least);
});

scenario('unread-responses', 'serves a reader that is slow but reads', async () => {
  const stallMs = 800;
  const patient = await startBriefly({ limits: { stallMs } });
  const url = await upload(patient);
  const socket = await opened(patient.port);
  const until = machineClock.elapsed() + 2 * stallMs;
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
    if (machineClock.elapsed() > until) return;
    // The system reports free space only when there is a lot of it.
    socket.pause();
    setTimeout(() => socket.resume(), 4);
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(`GET ${url} HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`);
  await closed;
  expect(bytes).toBeGreaterThan(FILE_BYTES);
});

scenario('unread-responses', 'waits for work that takes longer than the read timeout', async () => {
  const slow = await startBriefly({ limits: { stallMs: 100 }, client: { simulate: { latencyMs: 400 } } });
  expect((await slow.run('aisec-runtime-topics-list')).status).toBe(200);
});

scenario('unread-responses', 'closes the connection of a client that reads nothing over TLS', async () => {
  const { tls, ca } = tlsFor('localhost');
  const safe = await startBriefly({ limits: { stallMs: STALL_MS }, tls });
  const open = () => connectTls(safe.port, '127.0.0.1', { ca, servername: 'localhost' });
  expect(await isCutOff(open, many('/openapi.json'), LEAST)).toBe(true);
});

describe('beyond the bytes of one token', () => {
  scenario('unread-responses', 'the oldest unread responses are closed, and other tokens keep theirs', async () => {
    const { tokensFile, as } = await tokensOf({ mine: 'read', theirs: 'read' });
    const [mine, theirs] = [as('mine').token, as('theirs').token];
    const busy = await startBriefly({ tokensFile, limits: { unreadBytes: 2_000_000 } });
    await busy.send('/openapi.json', { token: mine });
    const bytesOf = async (token: string, milliseconds: number) =>
      readLater(await opened(busy.port), many('/openapi.json', token, 16), milliseconds);
    // A busy machine takes longer to fill the buffers.
    for (const milliseconds of [700, 10_000, 40_000]) {
      const mineOf = Array.from({ length: 6 }, () => bytesOf(mine, milliseconds));
      const [others, ...own] = await Promise.all([bytesOf(theirs, milliseconds), ...mineOf]);
      expect(others).toBeGreaterThan(16 * 600_000);
      const cut = own.filter((bytes) => bytes < 16 * 600_000).length;
      if (cut < 2 && milliseconds < 40_000) continue;
      expect(cut).toBeGreaterThanOrEqual(2);
      break;
    }
    expect((await busy.send('/openapi.json', { token: mine })).status).toBe(200);
  });

  test.each([
    {
      what: 'the oldest connection',
      adds: [
        ['a', 60],
        ['b', 30],
        ['c', 30],
      ],
      closed: ['a'],
    },
    {
      what: 'one connection with many responses',
      adds: [
        ['a', 60],
        ['a', 60],
      ],
      closed: ['a'],
    },
    { what: 'no single response', adds: [['a', 500]], closed: [] },
    {
      what: 'many responses before a large response',
      adds: [
        ['a', 60],
        ['b', 30],
        ['c', 500],
      ],
      closed: ['a', 'b'],
    },
  ] as const)('closes $what', ({ adds, closed }) => {
    const unread = new Unread(100);
    const [a, b, c] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const sockets = { a, b, c };
    for (const [name, bytes] of adds) unread.add('me', sockets[name] as unknown as Socket, bytes);
    expect(Object.entries(sockets).flatMap(([name, { destroyed }]) => (destroyed ? [name] : []))).toEqual(closed);
  });
});
