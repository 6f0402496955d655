/** As many connections as the server has places, held by strangers. */
import type { Socket } from 'node:net';
import { scenario } from '../../../system/scenarios/claims.ts';
import { start } from '../support.ts';
import { opened } from './raw.ts';

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
