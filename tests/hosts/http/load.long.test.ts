/** Many readers, connections and file descriptors, and a large file. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomFillSync } from 'node:crypto';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { temporaryFolder } from '../../support/folder.ts';
import { clockEnvironment, until } from '../../support/machine.ts';
import { ended, program } from '../../support/program.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { opened } from './sockets/raw.ts';
import { eventsIn, exchange, type Server, start, startBriefly, TOKEN } from './support.ts';

/** Streams that one token may have open in these tests. */
const MOST = 1000;

describe('readers', () => {
  let server: Server;
  beforeEach(async () => {
    server = await startBriefly({ client: { simulate: { latencyMs: 600_000 } }, limits: { streams: MOST } });
  });

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
    // Chunks of random bytes, which cannot be compressed.
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
});

describe('strangers', () => {
  const MOST = 4096;

  scenario('slow-strangers', `accepts a caller while strangers hold ${MOST} connections`, async () => {
    const server = await start({ limits: { headersMs: 200_000 } });
    const held: Socket[] = [];
    try {
      while (held.length < MOST + 100) {
        const socket = await opened(server.port);
        socket.on('error', () => undefined);
        socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n');
        held.push(socket);
      }
      for (let count = 0; count < 20; count += 1) expect((await server.send('/v1/runs')).status).toBe(200);
    } finally {
      for (const socket of held) socket.destroy();
      await server.close();
    }
  });
});

describe('descriptors', () => {
  const MOST_FILES = 1024;
  const TOKEN = 'token-of-the-tests-which-is-long-enough';
  const path = program({ withCatalogue: true });

  const HOSTS = [
    { host: 'serve', words: ['serve', '--rate', '100000'], route: '/v1/commands', listening: /AISEC_URL=(\S+)/ },
    { host: 'mcp', words: ['mcp', '--http'], route: '/mcp', listening: /connect to (http:\S+?)\/mcp/ },
  ];
  const CLIENTS = [
    { clients: 'strangers', count: 1500, authorization: '' },
    { clients: 'callers', count: 1500, authorization: `Authorization: Bearer ${TOKEN}\r\n` },
  ];

  function limited(words: readonly string[]): ChildProcess {
    const folder = temporaryFolder('descriptors');
    const script = `ulimit -n ${MOST_FILES} && exec "$@"`;
    const environment = { ...clockEnvironment(), AISEC_SERVE_TOKEN: TOKEN, AISEC_MCP_TOKEN: TOKEN };
    return spawn('sh', ['-c', script, 'sh', process.execPath, path, ...words, '--simulate', '--port', '0'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  scenario.each(HOSTS.flatMap((host) => CLIENTS.map((clients) => ({ ...host, ...clients }))))(
    'slow-strangers',
    `${MOST_FILES} open files: $host answers a caller while $count connections of $clients are open`,
    async ({ words, route, listening, count, authorization }) => {
      const child = limited(words);
      const end = ended(child);
      let printed = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream?.on('data', (chunk) => {
          printed += String(chunk);
        });
      }
      await until(() => listening.test(printed));
      const url = new URL(listening.exec(printed)?.[1] ?? '');
      const held: Socket[] = [];
      try {
        while (held.length < count) {
          const socket = await opened(Number(url.port));
          socket.on('error', () => undefined);
          socket.write(`GET ${route} HTTP/1.1\r\nHost: localhost\r\n${authorization}${authorization && '\r\n'}`);
          held.push(socket);
        }
        // Once a second, measuring the process needs a file descriptor too.
        await new Promise((resolve) => setTimeout(resolve, 1500));
        const { status } = await exchange(new URL(route, url), { token: TOKEN });
        expect([status, child.exitCode]).toEqual([route === '/mcp' ? 405 : 200, null]);
        expect(printed).toMatch(/accepts \d+ connections, because its process may have 1024 open files/);
      } finally {
        for (const socket of held) socket.destroy();
        child.kill('SIGTERM');
        await end;
      }
    },
  );
});
