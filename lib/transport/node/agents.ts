/** Keeps the connections of one transport open, direct and through proxies. The only importer of https-proxy-agent. */
import type { Agent, ClientRequest, request as Request } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { HttpsProxyAgent } from 'https-proxy-agent';
import type { ProxyServer } from './proxy.ts';

/** Shorter than the idle limit of most servers: a request sent on a connection that is being closed would be lost. */
const IDLE_MS = 4000;
const KEPT = { keepAlive: true, timeout: IDLE_MS, scheduling: 'lifo' } as const;

/** The request function and the agent for one target. */
export interface Route {
  readonly request: typeof Request;
  readonly agent: Agent;
}

export interface Agents {
  route(target: URL, proxy: ProxyServer | undefined): Promise<Route>;
  /** Closes every connection, including those in use. */
  close(): Promise<void>;
}

/** Adds a signal that ends a proxy connection while it is being opened: a request without a socket cannot end it. */
export interface TunnelOptions extends RequestOptions {
  readonly opening?: AbortSignal;
}

/** Creates the agents; each of their modules is loaded on first use. */
export function openAgents(): Agents {
  const plain = lazy(async () => {
    const { default: http } = await import('node:http');
    return { request: http.request, agent: new http.Agent(KEPT) };
  });
  const secure = lazy(async () => {
    const { default: https } = await import('node:https');
    return { request: https.request, agent: new https.Agent(KEPT) };
  });
  const tunnels = new Map<string, Lazy<Agent>>();
  const tunnel = (proxy: ProxyServer) => {
    const agent = tunnels.get(proxy.url) ?? lazy(() => openTunnel(proxy));
    tunnels.set(proxy.url, agent);
    return agent.get();
  };
  return {
    route: async (target, proxy) => {
      const direct = await (target.protocol === 'https:' ? secure : plain).get();
      return proxy === undefined ? direct : { request: direct.request, agent: await tunnel(proxy) };
    },
    close: async () => {
      for (const route of [plain, secure]) (await route.current())?.agent.destroy();
      for (const agent of tunnels.values()) (await agent.current())?.destroy();
    },
  };
}

type ConnectOptions = Parameters<HttpsProxyAgent<string>['connect']>[1] & Pick<TunnelOptions, 'opening'>;

async function openTunnel({ url }: ProxyServer): Promise<Agent> {
  const [{ HttpsProxyAgent: Library }, { checkServerIdentity }] = await Promise.all([
    import('https-proxy-agent'),
    import('node:tls'),
  ]);

  class Tunnel extends Library<string> {
    override connect(request: ClientRequest, options: ConnectOptions) {
      const { opening, host = '' } = options;
      // Set before the library's first await. An open connection belongs to this agent, no longer to the request.
      const ending = new AbortController();
      const end = () => ending.abort();
      opening?.addEventListener('abort', end, { once: true });
      if (opening?.aborted === true) end();
      this.connectOpts = { ...this.connectOpts, signal: ending.signal };
      // For an IP address, the library would check the certificate against the name of the proxy.
      const checked = { ...options, checkServerIdentity: nameCheck(checkServerIdentity, host) };
      return super.connect(request, checked).finally(() => opening?.removeEventListener('abort', end));
    }
  }

  const { address, headers } = withoutCredentials(url);
  // `insecure` concerns the service alone: the certificate of a proxy is always checked.
  const tunnel = new Tunnel(address, { ...KEPT, headers });
  // The library does not pass this option on.
  tunnel.options = { ...tunnel.options, timeout: IDLE_MS };
  return tunnel;
}

type NameCheck = typeof import('node:tls').checkServerIdentity;

function nameCheck(check: NameCheck, host: string): NameCheck {
  return (_, certificate) => check(host, certificate);
}

/** Moves the credentials to a header, because the library logs the address of a proxy. */
function withoutCredentials(url: string): { address: string; headers: Record<string, string> } {
  const { username, password, protocol, host } = new URL(url);
  const address = `${protocol}//${host}`;
  if (username === '' && password === '') return { address, headers: {} };
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const encoded = Buffer.from(credentials).toString('base64');
  return { address, headers: { 'Proxy-Authorization': `Basic ${encoded}` } };
}

/** A value that is created on first use and then kept. */
interface Lazy<Value> {
  get(): Promise<Value>;
  /** The value, or undefined before its first use. */
  current(): Promise<Value> | undefined;
}

/** Creates a lazy value. */
function lazy<Value>(create: () => Promise<Value>): Lazy<Value> {
  let current: Promise<Value> | undefined;
  return {
    get: () => {
      current ??= create();
      return current;
    },
    current: () => current,
  };
}
