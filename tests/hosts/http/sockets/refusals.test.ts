/** Refusals by the parser and the router, and the service over TLS. */

import { request } from 'node:https';
import { connect } from 'node:tls';
import { scenario } from '../../../system/scenarios/claims.ts';
import { start, startBriefly, startForAll, TOKEN } from '../support.ts';
import { opened, received, responseIn, sendRaw, tlsFor } from './raw.ts';

describe('the parser', () => {
  const server = startForAll();

  const LARGE = `X-Large: ${'x'.repeat(20_000)}\r\n`;
  const LONG = `/v1/files/${'x'.repeat(300)}`;

  const CASES = [
    { what: 'an invalid percent escape', first: 'GET /v1/%zz HTTP/1.1', more: '', status: 400, code: 'request' },
    { what: 'bytes that are not UTF-8', first: 'GET /v1/runs/%ff HTTP/1.1', more: '', status: 400, code: 'request' },
    { what: 'a path segment that is too long', first: `GET ${LONG} HTTP/1.1`, more: '', status: 414, code: 'size' },
    { what: 'headers that are too large', first: 'GET /v1/runs HTTP/1.1', more: LARGE, status: 431, code: 'size' },
    { what: 'a broken header', first: 'GET /v1/runs HTTP/1.1', more: 'no colon\r\n', status: 400, code: 'request' },
    {
      what: 'an unknown expectation',
      first: 'GET /v1/runs HTTP/1.1',
      more: 'Expect: a miracle\r\n',
      status: 417,
      code: 'request',
    },
    { what: 'a second host', first: 'GET /v1/runs HTTP/1.1', more: 'Host: other\r\n', status: 400, code: 'request' },
    {
      what: 'more than 2,000 headers',
      first: 'GET /v1/runs HTTP/1.1',
      more: 'a:\r\n'.repeat(2000),
      status: 431,
      code: 'size',
    },
    {
      what: 'the target of another host',
      first: 'GET http://other/v1/runs HTTP/1.1',
      more: '',
      status: 421,
      code: 'request',
    },
    { what: 'an unknown method', first: 'WONDER /v1/runs HTTP/1.1', more: '', status: 400, code: 'request' },
  ];

  scenario.each(CASES)(
    'slow-strangers',
    'refuses $what with a problem document',
    async ({ first, more, status, code }) => {
      const text = await sendRaw(server.port, `${first}\r\nHost: localhost\r\n${more}\r\n`);
      const { headers, body, ...response } = responseIn(text);
      expect([response.status, JSON.parse(body)]).toEqual([status, expect.objectContaining({ status, code })]);
      const other = await server.send('/v1/nothing');
      const names = (all: object) =>
        Object.keys(all)
          .filter((name) => name !== 'keep-alive')
          .sort();
      expect(names(headers)).toEqual(names(other.headers));
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': expect.stringContaining('application/problem+json'),
        connection: 'close',
      });
    },
  );

  scenario.each(CASES.slice(3, 6))('slow-strangers', 'refuses another host before $what', async ({ first, more }) => {
    const text = await sendRaw(server.port, `${first}\r\nHost: evil.example\r\n${more}\r\n`);
    expect([responseIn(text).status, JSON.parse(responseIn(text).body).code]).toEqual([421, 'host']);
  });

  scenario('slow-strangers', 'refuses a request without a host with a problem document', async () => {
    const text = await sendRaw(server.port, 'GET /v1/runs HTTP/1.1\r\n\r\n');
    expect([responseIn(text).status, JSON.parse(responseIn(text).body).code]).toEqual([421, 'host']);
  });

  scenario('slow-strangers', 'does not write a refusal instead of a pending response', async () => {
    const slow = await startBriefly({ client: { simulate: { latencyMs: 600_000 } } });
    const text = await sendRaw(
      slow.port,
      `POST /v1/commands/aisec-runtime-topics-list HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}no request at all\r\n\r\n',
    );
    expect(text).toBe('');
  });

  const HEAD = `Host: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n`;

  scenario.each([{ bytes: 9 }, { bytes: 70_000 }, { bytes: 3_000_000 }])(
    'slow-strangers',
    'answers a request that was pipelined after an upload of $bytes bytes',
    async ({ bytes }) => {
      const body = 'x'.repeat(bytes);
      const sizes = [
        [`Content-Length: ${bytes}`, body],
        ['Transfer-Encoding: chunked', `${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
      ];
      for (const [size, sent] of sizes) {
        const socket = await opened(server.port);
        try {
          const answers = received(socket, /ok\n$/);
          socket.write(
            `POST /v1/files?name=a.csv HTTP/1.1\r\n${HEAD}Content-Type: text/csv\r\n${size}\r\n\r\n${sent}` +
              `GET /healthz HTTP/1.1\r\n${HEAD}\r\n`,
          );
          expect((await answers).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 200']);
        } finally {
          socket.destroy();
        }
      }
    },
  );
});

describe('over TLS', () => {
  const { tls, ca } = tlsFor('localhost', 'aisec.example');
  const server = startForAll(() => ({ tls, allowHosts: ['AISEC.example'], limits: { headersMs: 300 } }));

  function get(host: string): Promise<{ status: number | undefined; hsts: string | undefined }> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${TOKEN}`, host };
      const options = { ca, servername: 'localhost', headers, agent: false };
      request(`${server.url}/v1/runs`, options, (response) => {
        response.resume();
        resolve({ status: response.statusCode, hsts: response.headers['strict-transport-security'] });
      })
        .on('error', reject)
        .end();
    });
  }

  it('answers over TLS, and tells browsers to keep using TLS', async () => {
    expect(server.url).toMatch(/^https:/);
    const { status, hsts } = await get('localhost');
    expect(status).toBe(200);
    expect(hsts).toMatch(/^max-age=\d+/);
  });

  it.each([
    ['aisec.example', 200],
    ['aisec.example:443', 200],
    ['other.example', 421],
  ])('answers for the host %s with %i', async (host, status) => {
    expect((await get(host)).status).toBe(status);
  });

  it('disconnects slow senders over TLS too', async () => {
    const text = await new Promise<string>((resolve, reject) => {
      let said = '';
      const socket = connect(server.port, '127.0.0.1', { ca, servername: 'localhost' }, () => {
        socket.write('GET /healthz HTTP/1.1\r\n');
      });
      socket.on('data', (chunk) => {
        said += String(chunk);
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(said));
    });
    expect(text).toContain(' 408 ');
  });

  it.each([
    ['a missing certificate', { cert: 'nowhere.pem', key: 'nowhere.pem' }, /cannot be read \(ENOENT\)/],
    [
      'a file that is not a certificate',
      { cert: import.meta.filename, key: import.meta.filename },
      /not a matching certificate and key/,
    ],
  ])('does not start with %s', async (_case, tls, message) => {
    await expect(start({ tls })).rejects.toThrow(message);
  });
});
