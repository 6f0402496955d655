/** Connections held by strangers and callers never keep out a caller with a token. */

import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Connections } from '../../../../lib/node/http/connections.ts';
import { expectNone } from '../../../support/expect-none.ts';
import { promptness, until } from '../../../support/machine.ts';
import { scenario } from '../../../system/scenarios/claims.ts';
import { startBriefly, startForAll, TOKEN, tokensOf } from '../support.ts';
import { closed, opened, received, responseIn, sendRaw } from './raw.ts';

describe('strangers', () => {
  /** Connections that the server holds at once. */
  const MOST = 20;
  const HEAD = 'Host: localhost\r\n';
  const AUTHORIZED = `${HEAD}Authorization: Bearer ${TOKEN}\r\n`;
  /** Announces a body that is never sent. */
  const BODY = 'Content-Type: application/json\r\nContent-Length: 1000\r\n';
  const SCAN = '/v1/commands/aisec-runtime-scan';

  // Timeouts that only a test about time may see pass.
  const server = startForAll(() => ({ limits: { connections: MOST, headersMs: 200_000, bodyMs: 200_000 } }));

  const held: Socket[] = [];
  afterEach(() => {
    for (const socket of held.splice(0)) socket.destroy();
  });

  async function hold(count: number, text: string, answer?: RegExp): Promise<readonly Socket[]> {
    const sockets: Socket[] = [];
    for (let index = 0; index < count; index += 1) {
      const socket = await opened(server.port);
      socket.on('error', () => undefined);
      if (text !== '') socket.write(text);
      if (answer !== undefined) await received(socket, answer);
      sockets.push(socket);
    }
    held.push(...sockets);
    return sockets;
  }

  scenario.each([
    { sends: 'nothing', text: '', answer: undefined },
    { sends: 'half of its headers', text: `GET /v1/runs HTTP/1.1\r\n${HEAD}`, answer: undefined },
    { sends: 'a probe, and stays', text: `GET /healthz HTTP/1.1\r\n${HEAD}\r\n`, answer: /ok\n$/ },
    {
      sends: 'a probe with a body that never comes',
      text: `GET /healthz HTTP/1.1\r\n${HEAD}${BODY}\r\n`,
      answer: /ok\n$/,
    },
    {
      sends: 'a call without a token, with a body that never comes',
      text: `POST ${SCAN} HTTP/1.1\r\n${HEAD}${BODY}\r\n`,
      answer: undefined,
    },
  ])(
    'slow-strangers',
    'accepts a caller while a stranger that sends $sends holds all connections',
    async ({ text, answer }) => {
      await hold(2 * MOST, text, answer);
      const { status } = await server.send('/v1/commands/aisec-runtime-topics-list');
      expect(status).toBe(200);
    },
  );

  scenario('slow-strangers', 'keeps the connection of a caller while strangers connect and disconnect', async () => {
    const socket = await opened(server.port);
    const ask = async () => {
      const answer = received(socket, /\r\n\r\n\{.*\}$/);
      socket.write(`GET /v1/commands/aisec-runtime-topics-list HTTP/1.1\r\n${AUTHORIZED}\r\n`);
      return responseIn(await answer).status;
    };
    expect(await ask()).toBe(200);
    await hold(3 * MOST, '');
    expect(await ask()).toBe(200);
    socket.destroy();
  });

  scenario.each([
    { why: 'has no token', head: HEAD, path: SCAN, status: 401 },
    { why: 'is for another host', head: 'Host: evil.example\r\n', path: SCAN, status: 421 },
    { why: 'is of another origin', head: `${AUTHORIZED}Origin: https://evil.example\r\n`, path: SCAN, status: 403 },
    { why: 'is for no route', head: HEAD, path: '/v1/nothing', status: 404 },
    { why: 'announces too much', head: `${AUTHORIZED}Content-Length: 10000001\r\n`, path: SCAN, status: 413 },
  ])('slow-strangers', 'closes the connection of a request that $why', async ({ head, path, status }) => {
    const body = head.includes('Content-Length') ? 'Content-Type: application/json\r\n' : BODY;
    const text = await sendRaw(server.port, `POST ${path} HTTP/1.1\r\n${head}${body}\r\n`);
    const response = responseIn(text);
    expect([response.status, response.headers['connection']]).toEqual([status, 'close']);
  });

  scenario(
    'slow-strangers',
    'closes the connection of a token beyond its rate limit, unless its body was read',
    async () => {
      const request = `POST ${SCAN} HTTP/1.1\r\n${AUTHORIZED}${BODY}\r\n`;
      const limited = await startBriefly({ rate: 1 });
      await limited.send('/v1/runs');
      expect(responseIn(await sendRaw(limited.port, request))).toMatchObject({
        status: 429,
        headers: { connection: 'close' },
      });
      const kept = await limited.send('/v1/runs', { headers: { connection: 'keep-alive' } });
      expect([kept.status, kept.headers.connection]).toEqual([429, 'keep-alive']);
    },
  );

  describe('with short times', () => {
    const quick = startForAll(() => ({ limits: { headersMs: 300, bodyMs: 300 } }));

    const HALF = `POST ${SCAN} HTTP/1.1\r\n${AUTHORIZED}${BODY}\r\n{`;

    scenario.each([
      { what: 'a connection that never sends anything', text: '', drips: false },
      { what: 'headers that never end', text: `POST ${SCAN} HTTP/1.1\r\n${HEAD}`, drips: false },
      { what: 'a body that never ends', text: HALF, drips: false },
      { what: 'a body that arrives byte by byte, however often', text: HALF, drips: true },
    ])('slow-strangers', 'closes $what, promptly and with a problem', async ({ text, drips }) => {
      const promptly = promptness();
      const socket = await opened(quick.port);
      const answer = closed(socket);
      if (text !== '') socket.write(text);
      const drip = setInterval(() => drips && socket.write(' '), 20);
      try {
        const { status, headers } = responseIn(await answer);
        expect([status, headers['content-type']]).toEqual([408, expect.stringContaining('application/problem+json')]);
        expect(await promptly()).toBe(true);
      } finally {
        clearInterval(drip);
      }
    });
  });

  scenario('slow-strangers', 'answers a large request without a token with 401, not with a reset', async () => {
    const body = JSON.stringify({ profile_name: 'prod', prompt: 'x'.repeat(5_000_000) });
    for (let count = 0; count < 5; count += 1) {
      const { status } = await server.send(SCAN, { method: 'POST', token: undefined, body });
      expect(status).toBe(401);
    }
  });
});

describe('callers', () => {
  const MOST = 64;
  const COMMAND = '/v1/commands/aisec-runtime-topics-list';

  describe('connections that one token holds', () => {
    let tokens: Awaited<ReturnType<typeof tokensOf<'busy' | 'other'>>>;
    const held: Socket[] = [];
    const server = startForAll(async () => {
      tokens = await tokensOf({ busy: 'operate', other: 'operate' });
      return { tokensFile: tokens.tokensFile, limits: { connections: MOST, bodyMs: 200_000 } };
    });
    afterEach(() => {
      for (const socket of held.splice(0)) socket.destroy();
    });

    scenario('slow-strangers', 'with bodies that never arrive keep out neither another token nor a probe', async () => {
      const headers = `Host: localhost\r\nAuthorization: Bearer ${tokens.as('busy').token}\r\nContent-Type: application/json\r\n`;
      for (let index = 0; index < 2 * MOST; index += 1) {
        const socket = await opened(server.port);
        socket.on('error', () => undefined);
        socket.write(`POST ${COMMAND} HTTP/1.1\r\n${headers}Content-Length: 1000\r\n\r\n{`);
        held.push(socket);
      }
      await until(async () => (await server.send('/v1/runs', tokens.as('busy'))).status === 503);
      const others = Array.from({ length: 5 }, () => server.run('aisec-runtime-topics-list', {}, tokens.as('other')));
      expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      expect((await server.send('/healthz', { token: undefined })).status).toBe(200);
      expect(held.filter(({ destroyed }) => !destroyed).length).toBeGreaterThan(MOST / 2);
    });
  });

  describe('requests that a client pipelines', () => {
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

    scenario(
      'slow-strangers',
      'end the connection if there are too many, and the remaining requests are not handled',
      async () => {
        const { answers, begun } = await serving(2000);
        expect(answers.length).toBeLessThan(50);
        expect(begun).toBeLessThan(50);
      },
    );
  });
});

describe('timers', () => {
  const server = startForAll();

  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout');

  test('closing the connection clears the timer of a refused request whose body never arrives', async () => {
    const before = timers().length;
    const head =
      'POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n';
    const answers = await Promise.all(Array.from({ length: 20 }, () => sendRaw(server.port, head)));
    expectNone(
      answers.filter((text) => !text.startsWith('HTTP/1.1 401')),
      'answers other than 401',
    );
    await pause(100);
    expect(timers().length - before).toBeLessThan(10);
  });
});
