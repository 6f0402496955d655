/** As many connections as the server and the process can have. */

import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { temporaryFolder } from '../../../support/folder.ts';
import { clockEnvironment, until } from '../../../support/machine.ts';
import { ended, program } from '../../../support/program.ts';
import { scenario } from '../../../system/scenarios/claims.ts';
import { exchange, start } from '../support.ts';
import { opened } from './raw.ts';

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
        // Measurements of the process need a file too, once a second.
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
