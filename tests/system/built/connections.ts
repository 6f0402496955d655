/** The installed program uses every connection setting: addresses, proxy, certificates. */
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createService } from '../../../fixtures/service/index.ts';
import { startServer } from '../../../fixtures/service/server.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { makeCertificate } from '../../unit/transport/certificate.ts';
import { CANARY } from '../../unit/transport/client.ts';
import { closedPort, closeServersAfterEach, serveProxy, serveSockets, serveTls } from '../../unit/transport/servers.ts';
import { scenario } from '../scenarios/claims.ts';
import { runInstalled } from './package.ts';

/** Lines that use all addresses, and their settings. */
const LINES = `
!aisec-runtime-profiles-list
!aisec-runtime-scan profile_name=prod prompt=a
!aisec-runtime-dlp-profiles-list
`;
const ADDRESSES = ['AISEC_BASE_URL', 'AISEC_SCANNER_BASE_URL', 'AISEC_DLP_BASE_URL', 'AISEC_TOKEN_URL'];
/** A host that only a proxy can resolve. */
const hostOf = (name: string) => `${name.slice(6).replaceAll('_', '-').toLowerCase()}.example.test`;

interface Row {
  readonly title: string;
  /** Target of the addresses: this machine, or names. */
  readonly to: 'http' | 'https' | 'names';
  /** Whether the program trusts the private authority of the service and the proxy. Default: true. */
  readonly trusted?: boolean;
  readonly insecure?: boolean;
  /** Default: no proxy. A number is the status with which the proxy refuses. */
  readonly proxy?: 'plain' | 'secure' | 'away' | 407 | 403;
  readonly credentials?: boolean;
  /** More variables. */
  readonly more?: Readonly<Record<string, string>>;
  /** Words in the error. Default: success. */
  readonly failure?: string;
}

const ROWS: readonly Row[] = [
  { title: 'plain http on this machine', to: 'http' },
  { title: 'a private certificate authority', to: 'https' },
  { title: 'an unknown authority', to: 'https', trusted: false, failure: 'does not trust' },
  { title: 'an unknown authority and insecure', to: 'https', trusted: false, insecure: true },
  { title: 'a proxy', to: 'names', proxy: 'plain' },
  { title: 'a proxy for plain http', to: 'http', proxy: 'plain' },
  { title: 'a proxy with credentials', to: 'names', proxy: 'plain', credentials: true },
  { title: 'a proxy over TLS', to: 'names', proxy: 'secure' },
  { title: 'a proxy over TLS with credentials', to: 'names', proxy: 'secure', credentials: true },
  { title: 'a proxy and insecure', to: 'names', proxy: 'plain', trusted: false, insecure: true },
  { title: 'a proxy to an unknown authority', to: 'names', proxy: 'plain', trusted: false, failure: 'does not trust' },
  {
    title: 'a proxy of an unknown authority, also if insecure',
    to: 'names',
    proxy: 'secure',
    trusted: false,
    insecure: true,
    failure: 'untrusted certificate',
  },
  { title: 'an unreachable proxy', to: 'names', proxy: 'away', failure: 'refused the connection' },
  { title: 'a proxy that asks for credentials', to: 'names', proxy: 407, failure: 'requires credentials' },
  { title: 'wrong credentials', to: 'names', proxy: 407, credentials: true, failure: 'or rejected them' },
  { title: 'a proxy that forbids the host', to: 'names', proxy: 403, failure: 'it answered 403' },
  { title: 'a proxy that is turned off', to: 'https', proxy: 'away', more: { AISEC_PROXY: 'false' } },
  { title: 'hosts without a proxy', to: 'https', proxy: 'away', more: { NO_PROXY: 'x.test, 127.0.0.0/8' } },
];

/** @param program its path, once it exists */
export function checkConnections(program: () => string, longMs: number): void {
  describe('the connections of the installed program', () => {
    closeServersAfterEach();
    scenario.each(ROWS)(
      ['proxy', 'tls-default-on'],
      'work, or name what failed, with $title',
      (row) => tryRow(program(), row),
      longMs,
    );
  });
}

async function tryRow(program: string, row: Row): Promise<void> {
  const service = createService();
  const { origin, close } = await startServer(service, { port: 0 });
  try {
    const folder = temporaryFolder('connections');
    const certificate = makeCertificate({ hosts: ['127.0.0.1', ...ADDRESSES.map(hostOf)], byAuthority: true });
    writeFileSync(join(folder, 'authority.pem'), certificate.authority);
    const plain = Number(new URL(origin).port);
    const port = row.to === 'http' ? plain : (await serveTls(certificate, plain)).port;
    const { addresses, reached } = await serveAddresses(row.to, port);
    const proxy = await serveProxy(port, typeof row.proxy === 'number' ? row.proxy : undefined);
    const url = await proxyAddress(row, proxy.host, (await serveTls(certificate, proxy.port)).host);
    const settings = Object.entries(service.settings(origin)).map(([name, text]) => [
      name,
      text.replace(origin, addresses[name] ?? ''),
    ]);
    const environment = { ...Object.fromEntries(settings), ...variablesOf(row, url, join(folder, 'authority.pem')) };
    const { code, stdout, stderr } = await runInstalled(program, [], { folder, environment, input: LINES });
    const { failure } = row;
    expect({ code, stderr }).toEqual({ code: failure ? 9 : 0, stderr: expect.stringContaining(failure ?? '') });
    if (failure === undefined) {
      const isDirect = row.proxy === undefined || row.more !== undefined;
      const names = Object.values(addresses).map((address) => new URL(address));
      const targets = names.map((name) => `${name.hostname}:${name.port || 443}`);
      expect([...reached].sort()).toEqual(isDirect ? [...ADDRESSES].sort() : []);
      expect([...new Set(proxy.targets)].sort()).toEqual(isDirect ? [] : targets.sort());
    }
    const shown = row.credentials === true ? `Basic ${Buffer.from(`user:${CANARY}`).toString('base64')}` : undefined;
    const others = proxy.credentials.filter((each) => each !== shown);
    expectNone(others, 'other credentials shown to the proxy');
    expect(`${stdout}${stderr}`).not.toContain(CANARY);
  } finally {
    await close();
  }
}

/** Creates an address for each setting. @returns the settings, and those whose address received a connection */
async function serveAddresses(to: Row['to'], port: number) {
  const reached = new Set<string>();
  const addresses: Record<string, string> = {};
  for (const name of ADDRESSES) {
    const { host } = await serveSockets((socket) => {
      reached.add(name);
      const target = connect(port, '127.0.0.1').on('error', () => socket.destroy());
      socket.pipe(target).pipe(socket);
    });
    addresses[name] = to === 'names' ? `https://${hostOf(name)}` : `${to}://${host}`;
  }
  return { addresses, reached };
}

async function proxyAddress({ proxy, credentials }: Row, host: string, secured: string): Promise<string> {
  const user = credentials === true ? `user:${CANARY}@` : '';
  if (proxy === 'away') return `http://${user}127.0.0.1:${await closedPort()}`;
  return proxy === 'secure' ? `https://${user}${secured}` : `http://${user}${host}`;
}

function variablesOf({ trusted, insecure, proxy, more }: Row, url: string, authority: string): Record<string, string> {
  return {
    ...(trusted === false ? {} : { NODE_EXTRA_CA_CERTS: authority }),
    ...(insecure === true ? { AISEC_INSECURE: 'true' } : {}),
    ...(proxy === undefined ? {} : { AISEC_PROXY: 'true', HTTPS_PROXY: url, HTTP_PROXY: url }),
    ...more,
  };
}
