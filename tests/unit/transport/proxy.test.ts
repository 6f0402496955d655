import tls from 'node:tls';
import { inspect } from 'node:util';
import { CancelledError, ProxyError, TlsError } from '../../../lib/core/errors.ts';
import { newStop } from '../../../lib/core/stop.ts';
import { proxyFor } from '../../../lib/node/http/proxy.ts';
import { failing } from '../../support/exchange.ts';
import { expectNone } from '../../support/expect-none.ts';
import { until, withLimits } from '../../support/machine.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { makeCertificate } from './certificate.ts';
import { CANARY, client, closeClientsAfterEach, expectClosed, getRequest, LONG_MS } from './client.ts';
import {
  closedPort,
  closeServersAfterEach,
  serveHttp,
  serveHttps,
  serveProxy,
  serveSockets,
  serveTls,
} from './servers.ts';

closeClientsAfterEach();

describe('a proxy', () => {
  closeServersAfterEach();
  const target = 'https://service.example.test/';
  const serve = () =>
    serveHttps(makeCertificate({ hosts: ['service.example.test'] }), (request, response) =>
      response.end(JSON.stringify(request.headers)),
    );

  scenario('proxy', 'forwards requests with proxy=true, and sees only its own credentials', async () => {
    const proxy = await serveProxy((await serve()).port);
    const environment = { HTTPS_PROXY: `http://user:${CANARY}@${proxy.host}` };
    const answer = await client({ proxy: true, insecure: true, environment }).send(getRequest(target));
    expect(proxy.targets).toEqual(['service.example.test:443']);
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from(`user:${CANARY}`).toString('base64')}`]);
    expect(JSON.parse(answer.body)).toMatchObject({ host: 'service.example.test', authorization: `Bearer ${CANARY}` });
    expect(answer.body).not.toContain('proxy-authorization');
  });

  scenario('proxy', 'is not used with proxy=false or for hosts in NO_PROXY', async () => {
    const server = await serveHttp((_, response) => response.end('direct'));
    const proxy = await serveProxy(server.port);
    const url = `http://${server.host}/`;
    const HTTP_PROXY = `http://${proxy.host}`;
    await client({ proxy: false, environment: { HTTP_PROXY } }).send(getRequest(url));
    await client({ proxy: true, environment: { HTTP_PROXY, NO_PROXY: 'x.test,127.0.0.1' } }).send(getRequest(url));
    expectNone(proxy.targets, 'addresses asked of the proxy');
    await client({ proxy: true, environment: { HTTP_PROXY } }).send(getRequest(url));
    expect(proxy.targets).toEqual([server.host]);
  });

  scenario('tls-default-on', 'does not replace the check of the certificate of the service', async () => {
    const proxy = await serveProxy((await serve()).port);
    const environment = { HTTPS_PROXY: `http://${proxy.host}` };
    const error = await failing(client({ proxy: true, environment }).send(getRequest(target)));
    expect(error).toBeInstanceOf(TlsError);
    expect(error.message).toContain('service.example.test');
  });

  scenario.each([
    { what: 'accepts the certificate of the address', hosts: ['192.0.2.1'], isAccepted: true },
    { what: 'refuses the certificate of the proxy', hosts: ['127.0.0.1'], isAccepted: false },
  ])('tls-default-on', 'of a service at an IP address: the certificate check $what', async ({ hosts, isAccepted }) => {
    const certificate = makeCertificate({ hosts, byAuthority: true });
    const proxy = await serveProxy((await serveHttps(certificate, (_, response) => response.end('ok'))).port);
    const { connect } = tls;
    const trusting = (options: tls.ConnectionOptions) => connect({ ...options, ca: certificate.authority });
    const spy = jest.spyOn(tls, 'connect').mockImplementation(trusting as typeof connect);
    try {
      const environment = { HTTPS_PROXY: `http://${proxy.host}` };
      const sent = client({ proxy: true, environment }).send(getRequest('https://192.0.2.1/'));
      if (isAccepted) expect((await sent).body).toBe('ok');
      else expect(await failing(sent)).toBeInstanceOf(TlsError);
    } finally {
      spy.mockRestore();
    }
  });

  const refusals = [
    { status: 407, words: 'requires credentials', retryable: false },
    { status: 403, words: 'does not connect to service.example.test', retryable: false },
    { status: 502, words: 'it answered 502', retryable: true },
  ];
  scenario.each(refusals)('proxy', 'that answers $status is named without its credentials', async (row) => {
    const proxy = await serveProxy(1, row.status);
    const environment = { HTTPS_PROXY: `http://user:${CANARY}@${proxy.host}` };
    const error = await failing(client({ proxy: true, environment }).send(getRequest(target)));
    expect(error).toBeInstanceOf(ProxyError);
    expect(error.message).toContain(proxy.host);
    expect(error.message).toContain(row.words);
    expect(error).toMatchObject({ retryable: row.retryable, exitCode: 9 });
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain(CANARY);
  });

  scenario('proxy', 'that refuses, closes or stalls the connection is named in the error', async () => {
    const send = (host: string, timeoutMs = LONG_MS) =>
      failing(client({ proxy: true, environment: { HTTPS_PROXY: host } }).send(getRequest(target, { timeoutMs })));
    const port = await closedPort();
    expect(await send(`127.0.0.1:${port}`)).toMatchObject({
      name: 'ProxyError',
      message: `The proxy 127.0.0.1:${port} refused the connection (ECONNREFUSED).`,
    });
    const rude = await serveSockets((socket) => socket.once('data', () => socket.destroy()));
    expect(await send(`http://${rude.host}`)).toMatchObject({
      name: 'ProxyError',
      message: `The proxy ${rude.host} closed the connection.`,
      retryable: true,
    });
    const other = await serveSockets((socket) => socket.once('data', () => socket.end('hello\r\n\r\n')));
    expect(await send(`http://${other.host}`)).toMatchObject({
      name: 'ProxyError',
      message: `The proxy ${other.host} does not connect to service.example.test: its answer is not HTTP.`,
    });
    const silent = await serveSockets(() => undefined);
    await withLimits(async (limitMs) =>
      expect(await send(`http://${silent.host}`, limitMs)).toMatchObject({
        name: 'TimeoutError',
        message: `Timed out after ${limitMs / 1000} s while connecting to service.example.test through the proxy ${silent.host}.`,
      }),
    );
    await expectClosed(silent);
    for (const url of [
      'socks5://user:canary@127.0.0.1:1',
      `http://user:100%@${rude.host}`,
      `http://%zz:a@${rude.host}`,
    ]) {
      expect(await send(url)).toMatchObject({
        name: 'ConfigurationError',
        message: 'The environment variable HTTPS_PROXY is not the address of an HTTP proxy.',
      });
    }
  });

  scenario('proxy', 'keeps its tunnel for the next request', async () => {
    const proxy = await serveProxy((await serve()).port);
    const transport = client({ proxy: true, insecure: true, environment: { HTTPS_PROXY: `http://${proxy.host}` } });
    for (let count = 0; count < 5; count += 1) await transport.send(getRequest(target));
    expect(proxy.targets).toHaveLength(1);
    await transport.close();
    await expectClosed(proxy);
  });

  scenario('tls-default-on', 'needs a trusted certificate, also with insecure=true', async () => {
    const proxy = await serveProxy((await serve()).port);
    const secured = await serveTls(makeCertificate({ hosts: ['127.0.0.1'] }), proxy.port);
    const environment = { HTTPS_PROXY: `https://${secured.host}` };
    const error = await failing(client({ proxy: true, insecure: true, environment }).send(getRequest(target)));
    expect(error).toMatchObject({ name: 'ProxyError', retryable: false });
    expect(error.message).toContain(`The proxy ${secured.host} has an untrusted certificate`);
    expectNone(proxy.targets, 'addresses asked of the proxy');
  });

  scenario('abort', 'that does not respond does not delay a stop', async () => {
    const silent = await serveSockets(() => undefined);
    const stopper = newStop();
    const environment = { HTTPS_PROXY: `http://${silent.host}` };
    const sending = failing(client({ proxy: true, environment }).send(getRequest(target, { stop: stopper.stop })));
    await until(() => silent.open() === 1);
    stopper.now();
    expect(await sending).toBeInstanceOf(CancelledError);
    await expectClosed(silent);
  });

  const both = { HTTPS_PROXY: 'http://secure.test:1', HTTP_PROXY: 'http://plain.test:2' };
  const choices: { url: string; environment: Record<string, string>; host: string | undefined }[] = [
    { url: 'https://a.test/', environment: {}, host: undefined },
    { url: 'https://a.test/', environment: both, host: 'secure.test:1' },
    { url: 'https://a.test/', environment: { HTTP_PROXY: both.HTTP_PROXY }, host: 'plain.test:2' },
    { url: 'https://a.test/', environment: { ...both, https_proxy: 'lower.test:3' }, host: 'lower.test:3' },
    { url: 'https://a.test/', environment: { HTTPS_PROXY: ' ' }, host: undefined },
    { url: 'https://a.test/', environment: { ...both, NO_PROXY: 'b.test A.TEST' }, host: undefined },
    { url: 'https://x.a.test/', environment: { ...both, no_proxy: '*.a.test' }, host: undefined },
    { url: 'http://127.0.0.1/', environment: both, host: undefined },
    { url: 'http://127.0.0.1/', environment: { HTTP_PROXY: 'http://127.0.0.1:9' }, host: '127.0.0.1:9' },
  ];
  scenario.each(choices)('proxy', '$host is used for $url with $environment', ({ url, environment, host }) => {
    expect(proxyFor(new URL(url), environment)?.host).toBe(host);
  });

  const exemptions: readonly [list: string, exempt: readonly string[], others: readonly string[]][] = [
    ['', [], ['a.test']],
    ['.', [], ['a.test', 'a.test.']],
    ['*', ['a.test', '127.0.0.1', '[::1]'], []],
    ['*:8443', ['a.test:8443', '[::1]:8443'], ['a.test']],
    ['a.test', ['a.test', 'x.a.test', 'A.TEST.'], ['xa.test', 'a.test.x', 'b.test']],
    ['.a.test', ['a.test', 'x.a.test'], ['xa.test']],
    ['*.a.test', ['a.test', 'y.x.a.test'], ['xa.test']],
    ['x-*.a.test', ['x-1.a.test', 'x-.a.test'], ['y-1.a.test', 'a.test', 'x-1.b.test']],
    ['*a.test', ['a.test', 'xa.test', 'x.a.test'], ['axtest']],
    ['a.*', ['a.test', 'a.b.test'], ['b.test', 'xa.test']],
    ['a.te+t', [], ['a.test', 'a.tet']],
    ['a.test:8443', ['a.test:8443', 'x.a.test:8443'], ['a.test', 'a.test:443']],
    ['.a.test:443', ['x.a.test'], ['x.a.test:8443']],
    ['0.0.1', [], ['127.0.0.1']],
    ['127.0.0.1', ['127.0.0.1', '127.0.0.1:1'], ['127.0.0.2', '127.0.0.11']],
    ['127.0.0.1:8443', ['127.0.0.1:8443'], ['127.0.0.1']],
    ['10.*', ['10.1.2.3'], ['110.1.2.3']],
    [
      '10.0.0.0/8',
      ['10.0.0.0', '10.255.255.255', '10.1.2.3:8443', '[::ffff:10.1.2.3]'],
      ['11.0.0.0', 'a.test', '[::1]'],
    ],
    ['192.168.4.128/25', ['192.168.4.128'], ['192.168.4.127']],
    ['10.0.0.0/8:8443', ['10.1.2.3:8443'], ['10.1.2.3']],
    ['0.0.0.0/0', ['1.2.3.4'], ['a.test']],
    ['10.0.0.0/33', [], ['10.0.0.0']],
    ['10.0.0.0/', [], ['10.0.0.0']],
    ['a.test/8', [], ['a.test']],
    ['::1', ['[::1]', '[0:0:0:0:0:0:0:1]', '[::1]:8443'], ['[::2]', 'a.test', '0.0.0.1']],
    ['[::1]', ['[::1]', '[::1]:8443'], ['[::2]']],
    ['[::1]:8443', ['[::1]:8443'], ['[::1]']],
    ['2001:DB8::/32', ['[2001:db8:1::1]', '[2001:db8::]:8443'], ['[2001:db9::1]']],
    ['fe80::/129', [], ['[fe80::]']],
    ['localhost,127.0.0.0/8,::1', ['localhost', '127.9.9.9', '[::1]'], ['a.test']],
  ];
  const places = exemptions.flatMap(([list, exempt, others]) => [
    ...exempt.map((place) => ({ list, place, used: 'is not' })),
    ...others.map((place) => ({ list, place, used: 'is' })),
  ]);
  scenario.each(places)('proxy-forms', '$used used for $place with NO_PROXY=$list', ({ list, place, used }) => {
    const environment = { HTTPS_PROXY: 'http://proxy.test:1', NO_PROXY: list };
    expect(proxyFor(new URL(`https://${place}/`), environment) === undefined ? 'is not' : 'is').toBe(used);
  });
});
