import { NetworkError, ProxyError, TimeoutError, TlsError } from '../../lib/core/errors.ts';
import type { HttpRequest } from '../../lib/core/ports.ts';
import {
  type PlatformHttp,
  type PlatformRequest,
  type PlatformResponse,
  platformTransport,
} from '../../lib/runtime/transport/platform.ts';
import { expectNone } from '../support/expect-none.ts';
import { HANDED_BACK, raise } from '../support/handed-back.ts';

describe('the transport of the platform', () => {
  const request: HttpRequest = {
    method: 'POST',
    url: 'https://service.example.com/v1/scan?a=b',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    timeoutMs: 1500.4,
  };
  const open = (http: PlatformHttp, options = {}) =>
    platformTransport(http, { insecure: false, proxy: false, textOf: () => 'a,b\r\n1,2', ...options });

  test('sends method, headers as lists, body, both switches and the time-out', async () => {
    const calls: unknown[] = [];
    const http: PlatformHttp = (...args) => {
      calls.push(args);
      return {
        StatusCode: 200,
        Body: 'hello',
        Headers: { 'Retry-After': ['2'], 'Set-Cookie': ['a', 'b'], 'X-One': 'c' },
      };
    };
    expect(await open(http, { insecure: true, proxy: true }).send(request)).toEqual({
      status: 200,
      headers: { 'retry-after': '2', 'set-cookie': 'a, b', 'x-one': 'c' },
      body: 'hello',
    });
    const sent = { Method: 'POST', Headers: { 'content-type': ['application/json'] }, Body: '{}' };
    expect(calls).toEqual([[request.url, sent, true, true, undefined, undefined, 1501]]);
  });

  const bytes = Buffer.from('{"name":"Zoë"}');
  test.each<[string, unknown, string]>([
    ['a list of bytes', [...bytes], '{"name":"Zoë"}'],
    ['a typed array', new Uint8Array(bytes), '{"name":"Zoë"}'],
    ['an object with a length', Object.assign({ length: bytes.length }, [...bytes]), '{"name":"Zoë"}'],
    ['bytes after a byte-order mark', [0xef, 0xbb, 0xbf, 0x7b, 0x7d], '{}'],
    ['no bytes at all', [], ''],
    ['bytes that are not UTF-8', [0xc3, 0x28], '[195,40]'],
    ['a list of values that are not numbers', [{ id: 1 }], '[{"id":1}]'],
    ['numbers that are not bytes', [256, 1.5, -1], '[256,1.5,-1]'],
    ['an object', { id: 1 }, '{"id":1}'],
  ])('reads a body that is %s', async (_what, Body, body) => {
    expect(await open(() => ({ StatusCode: 200, Body })).send(request)).toMatchObject({ status: 200, body });
  });

  test.each<[string, PlatformResponse, new (message: string) => NetworkError, RegExp]>([
    ['timeout after 1 s', { Status: 'timeout after 1 s' }, TimeoutError, /Timed out/],
    ['a deadline', { StatusCode: 0, Status: 'context deadline exceeded' }, TimeoutError, /Timed out/],
    ['a certificate', { StatusCode: 0, Status: 'x509: unknown authority' }, TlsError, /certificate/],
    ['a proxy', { StatusCode: 0, Status: 'proxyconnect tcp: refused' }, ProxyError, /proxy/],
    ['a name', { StatusCode: 0, Status: 'lookup x: no such host' }, NetworkError, /could not be resolved/],
    ['a closed port', { StatusCode: 0, Status: 'connect: connection refused' }, NetworkError, /refused/],
    ['a lost connection', { StatusCode: 0, Status: 'unexpected EOF' }, NetworkError, /lost/],
    ['nothing at all', {}, NetworkError, /no response/],
  ])('recognizes %s by its status text, and does not show it', async (_what, response, kind, message) => {
    for (const http of [() => response, () => raise(String(response.Status ?? ''))]) {
      const error: unknown = await open(http)
        .send(request)
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(kind);
      expect(String(error)).toMatch(message);
      expect(String(error)).toContain('service.example.com');
      expect(String(error)).not.toContain('/v1/scan');
    }
  });

  test.each(HANDED_BACK)('$what is not a response, and is not shown', async ({ http }) => {
    const error: unknown = await open(http)
      .send(request)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ sent: true, message: 'The request to service.example.com got no response.' });
    expect(JSON.stringify(error)).not.toContain('hush');
  });

  test('refuses an address without a host, because the platform would send it to itself', async () => {
    const calls: string[] = [];
    const http: PlatformHttp = (url) => {
      calls.push(url);
      return { StatusCode: 200 };
    };
    await expect(open(http).send({ ...request, url: '/v1/scan' })).rejects.toThrow('absolute address');
    expectNone(calls, 'calls');
  });

  test('uploads a file as multipart with an escaped name and a boundary that the texts do not contain', async () => {
    let sent: PlatformRequest | undefined;
    const http: PlatformHttp = (_url, options) => {
      sent = options;
      return { StatusCode: 200 };
    };
    const upload = {
      file: { entry: '1@2', name: 'a"b\r\nc.csv', size: undefined },
      field: 'file',
      contentType: 'text/csv',
      parts: [{ name: 'json', contentType: 'application/json', text: '{"x":"----aisec-part-1"}' }],
    };
    const { body: _body, ...bare } = request;
    await open(http).send({ ...bare, headers: {}, upload });
    expect(sent?.Headers).toEqual({ 'content-type': ['multipart/form-data; boundary=----aisec-part-2'] });
    expect(sent?.Body?.split('\r\n')).toEqual([
      '------aisec-part-2',
      'Content-Disposition: form-data; name="json"',
      'Content-Type: application/json',
      '',
      '{"x":"----aisec-part-1"}',
      '------aisec-part-2',
      'Content-Disposition: form-data; name="file"; filename="a%22b%0D%0Ac.csv"',
      'Content-Type: text/csv',
      '',
      'a,b',
      '1,2',
      '------aisec-part-2--',
      '',
    ]);
  });

  test.each([
    ['attachment; filename="report.zip"', 'report.zip'],
    ['attachment; filename=../../etc/passwd', 'passwd'],
    ['attachment; filename=".."', 'fallback.zip'],
    [undefined, 'fallback.zip'],
  ])('saves a download as a file; %s names it %s', async (disposition, name) => {
    const headers = {
      'Content-Type': ['application/zip'],
      ...(disposition ? { 'Content-Disposition': [disposition] } : {}),
    };
    const http: PlatformHttp = (_url, { SaveToFile }) =>
      SaveToFile === true ? { StatusCode: 200, Path: 'id-1', Headers: headers } : { StatusCode: 500 };
    const { file } = await open(http).send({ ...request, download: 'fallback.zip' });
    expect(file).toEqual({ entry: 'id-1', name, size: undefined, contentType: 'application/zip' });
  });
});
