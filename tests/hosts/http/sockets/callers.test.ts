/** Callers who hold connections: neither the number of their connections nor that of their requests stops others. */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { openTokenFile } from '../../../../lib/hosts/http/access/tokens.ts';
import { Connections } from '../../../../lib/node/connections.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { until } from '../../../support/machine.ts';
import { scenario } from '../../../system/scenarios/claims.ts';
import { type Server, start } from '../support.ts';
import { opened, sendRaw } from './raw.ts';

const MOST = 64;
const COMMAND = '/v1/commands/aisec-runtime-topics-list';

describe('connections that one token holds', () => {
  let server: Server;
  const tokens: Record<string, string> = {};
  const held: Socket[] = [];
  beforeAll(async () => {
    const tokensFile = join(temporaryFolder('callers'), 'tokens.json');
    const file = openTokenFile(tokensFile);
    for (const name of ['busy', 'other']) tokens[name] = (await file.add({ name, role: 'operate' })).token;
    server = await start({ tokensFile, limits: { connections: MOST, bodyMs: 200_000 } });
  });
  afterAll(() => server.close());
  afterEach(() => {
    for (const socket of held.splice(0)) socket.destroy();
  });

  scenario('slow-strangers', 'with bodies that never come keep out neither another token nor a probe', async () => {
    const headers = `Host: localhost\r\nAuthorization: Bearer ${tokens['busy']}\r\nContent-Type: application/json\r\n`;
    for (let index = 0; index < 2 * MOST; index += 1) {
      const socket = await opened(server.port);
      socket.on('error', () => undefined);
      socket.write(`POST ${COMMAND} HTTP/1.1\r\n${headers}Content-Length: 1000\r\n\r\n{`);
      held.push(socket);
    }
    await until(async () => (await server.send('/v1/runs', { token: tokens['busy'] })).status === 503);
    const others = Array.from({ length: 5 }, () =>
      server.run('aisec-runtime-topics-list', {}, { token: tokens['other'] }),
    );
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await server.send('/healthz', { token: undefined })).status).toBe(200);
    expect(held.filter(({ destroyed }) => !destroyed).length).toBeGreaterThan(MOST / 2);
  });
});

describe('requests that a client sends before it reads an answer', () => {
  const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n';

  async function serving(count: number) {
    let [begun, open, most] = [0, 0, 0];
    const server = createServer((_request, response) => {
      begun += 1;
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        response.end(`answer ${begun}\n`);
      }, 2);
    });
    new Connections(server, { warn: () => undefined });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const text = await sendRaw(port, `${`${REQUEST}\r\n`.repeat(count - 1)}${REQUEST}Connection: close\r\n\r\n`);
      return { answers: text.match(/answer \d+/g) ?? [], begun, most };
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  scenario('slow-strangers', 'are handled one after the other', async () => {
    const { answers, most } = await serving(40);
    expect(answers).toEqual(Array.from({ length: 40 }, (_, index) => `answer ${index + 1}`));
    expect(most).toBe(1);
  });

  scenario('slow-strangers', 'end the connection if they are too many, and none of the others is handled', async () => {
    const { answers, begun } = await serving(2000);
    expect(answers.length).toBeLessThan(50);
    expect(begun).toBeLessThan(50);
  });
});
