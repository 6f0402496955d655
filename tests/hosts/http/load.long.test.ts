/** Many concurrent readers, each of which gets the end and disconnects, and a large file. */
import { createHash, randomFillSync } from 'node:crypto';
import { request } from 'node:http';
import { connect } from 'node:net';
import { until } from '../../support/machine.ts';
import { eventsIn, type Server, start, TOKEN } from './support.ts';

/** Streams that one token may have open here. */
const MOST = 1000;

let server: Server;
beforeEach(async () => {
  server = await start({ client: { simulate: { latencyMs: 600_000 } }, limits: { streams: MOST } });
});
afterEach(() => server.close());

const open = async () => Number(/^aisec_event_streams (\d+)$/m.exec((await server.send('/metrics')).text)?.[1]);
const running = () => server.run('aisec-runtime-topics-list', {}, { headers: { prefer: 'respond-async' } });

it('a thousand event streams are open at once, and all receive the end', async () => {
  const { json } = await running();
  const streams = Array.from({ length: MOST }, () => server.send(json.eventsUrl));
  await until(async () => (await open()) === MOST);
  expect((await server.send('/v1/commands/aisec-runtime-scan')).status).toBe(200);
  await server.send(json.url, { method: 'DELETE' });
  const ends = (await Promise.all(streams)).map(({ text }) => eventsIn(text).at(-1)?.event);
  expect(new Set(ends)).toEqual(new Set(['end']));
  await until(async () => (await open()) === 0);
});

it('disconnected readers are not counted, and readers beyond the limit of a token are refused', async () => {
  const { json } = await running();
  const sockets = [];
  for (let count = 0; count < MOST; count += 1) {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`GET ${json.eventsUrl} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
    sockets.push(socket);
  }
  await until(async () => (await open()) === MOST);
  const refused = await server.send(json.eventsUrl);
  expect([refused.status, refused.json.code, refused.headers['retry-after']]).toEqual([429, 'rate-limit', '10']);
  for (const socket of sockets) socket.destroy();
  await until(async () => (await open()) === 0);
  await server.send(json.url, { method: 'DELETE' });
});

it('a file of any size streams in both directions', async () => {
  // Chunks of random bytes, so that nothing can be kept in a smaller form.
  const chunk = randomFillSync(Buffer.alloc(1_000_000));
  const count = 64;
  const digest = createHash('sha256');
  const id = await new Promise<string>((resolve, reject) => {
    const sending = request(
      new URL('/v1/files?name=large.bin', server.url),
      { method: 'POST', headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/octet-stream' } },
      (response) => {
        let text = '';
        response.on('data', (part) => {
          text += String(part);
        });
        response.on('end', () => resolve((JSON.parse(text) as { id: string }).id));
      },
    );
    sending.on('error', reject);
    const next = (sent: number) => {
      if (sent === count) return sending.end();
      digest.update(chunk);
      return sending.write(chunk, () => next(sent + 1));
    };
    next(0);
  });
  const wanted = digest.digest('hex');
  const got = createHash('sha256');
  await new Promise<void>((resolve, reject) => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    request(new URL(`/v1/files/${id}`, server.url), { headers }, (response) => {
      response.on('data', (part: Buffer) => got.update(part));
      response.on('end', resolve);
    })
      .on('error', reject)
      .end();
  });
  expect(got.digest('hex')).toBe(wanted);
});
