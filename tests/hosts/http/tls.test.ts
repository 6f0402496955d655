/** The service over TLS, with its limits, and names beyond loopback. */
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { temporaryFolder } from '../../support/folder.ts';
import { makeCertificate } from '../../unit/transport/certificate.ts';
import { type Server, start, TOKEN } from './support.ts';

let server: Server;
let certificate = { key: '', cert: '' };
beforeAll(async () => {
  const folder = temporaryFolder('tls');
  certificate = makeCertificate({ hosts: ['localhost', 'aisec.example'] });
  const tls = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  writeFileSync(tls.cert, certificate.cert);
  writeFileSync(tls.key, certificate.key);
  server = await start({ tls, allowHosts: ['AISEC.example'], limits: { headersMs: 300 } });
});
afterAll(() => server.close());

function get(host: string): Promise<{ status: number | undefined; hsts: string | undefined }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${TOKEN}`, host };
    const options = { ca: certificate.cert, servername: 'localhost', headers, agent: false };
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
    const socket = connect(server.port, '127.0.0.1', { ca: certificate.cert, servername: 'localhost' }, () => {
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
