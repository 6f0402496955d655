/**
 * Keeps the connections of one transport open, both direct ones and those through proxies. The only importer of
 * https-proxy-agent.
 */
import type { Agent, ClientRequest } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { HttpsProxyAgent } from 'https-proxy-agent';
import type { ProxyServer } from './proxy.ts';

/**
 * Idle limit of a connection, shorter than that of most servers: a request sent while the server closes the connection
 * would be lost.
 */
const IDLE_MS = 4000;
const KEPT = { keepAlive: true, timeout: IDLE_MS, scheduling: 'lifo' } as const;

export type Agents = ReturnType<typeof openAgents>;

/** Adds a signal that ends a proxy connection while it is being opened, because a request without a socket cannot end it. */
export interface TunnelOptions extends RequestOptions {
  readonly opening?: AbortSignal;
}

/** Creates the agents on first use: one for each scheme and each proxy. */
export function openAgents() {
  const agents = new Map<string, Promise<Agent>>();
  const agentOf = (key: string, create: () => Promise<Agent>) => {
    const agent = agents.get(key) ?? create();
    agents.set(key, agent);
    return agent;
  };
  return {
    /** Returns the request function and the agent for one target. */
    route: async ({ protocol }: URL, proxy: ProxyServer | undefined) => {
      const { default: library } = await (protocol === 'https:' ? import('node:https') : import('node:http'));
      const agent = await (proxy === undefined
        ? agentOf(protocol, async () => new library.Agent(KEPT))
        : agentOf(proxy.url, () => openTunnel(proxy)));
      return { request: library.request, agent };
    },
    /** Closes every connection, including those in use. */
    close: async () => {
      for (const agent of agents.values()) (await agent).destroy();
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
      // Set before the library's first await. Once open, a connection belongs to this agent and no longer to the request.
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
  // `insecure` applies only to the service: the certificate of a proxy is always checked.
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
