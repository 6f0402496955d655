/** The open connections of one transport: undici's agents, direct and by proxy. The only importer of undici. */
import { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import type { Exchange } from './node-exchange.ts';
import { proxyAnswered, proxyFailed } from './node-failures.ts';
import type { ProxyServer } from './node-proxy.ts';

export interface Connections {
  /** What carries one exchange, and notes how far it comes. */
  dispatcher(exchange: Exchange, proxy: ProxyServer | undefined): Pick<Dispatcher, 'dispatch'>;
  /** Ends every connection, those in use too. */
  close(): Promise<void>;
}

// Time-outs are the exchange's own: it has one budget for all of its phases.
const UNTIMED = { headersTimeout: 0, bodyTimeout: 0 };
const UNTIMED_CONNECT = { timeout: 0 };

/**
 * Loads undici and makes agents as they are needed.
 * @param insecure accept any certificate of the service; that of a proxy is always checked
 */
export async function openConnections(insecure: boolean): Promise<Connections> {
  const { Agent, Pool, ProxyAgent, buildConnector } = await import('undici');
  const tls = { ...UNTIMED_CONNECT, rejectUnauthorized: !insecure };
  const agents = new Map<string, Dispatcher>();
  const sockets = socketTracker();

  const makeAgent = (proxy: ProxyServer | undefined): Dispatcher => {
    if (proxy === undefined) return new Agent({ ...UNTIMED, connect: sockets.track(buildConnector(tls)) });
    const connect = sockets.track(buildConnector(UNTIMED_CONNECT));
    return new ProxyAgent({
      ...UNTIMED,
      uri: proxy.url,
      requestTls: tls,
      clientFactory: (origin) => namingFailures(new Pool(origin, { ...UNTIMED, connect }), proxy.host),
    });
  };

  return {
    dispatcher: (exchange, proxy) => ({
      dispatch(options, handler) {
        const key = proxy?.url ?? '';
        const agent = agents.get(key) ?? makeAgent(proxy);
        agents.set(key, agent);
        exchange.phase = 'connecting';
        return sockets.within(exchange, () => agent.dispatch(options, watch(handler, exchange)));
      },
    }),
    async close() {
      sockets.destroy();
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
      agents.clear();
    },
  };
}

/** Knows every socket, and for which exchange it was opened: undici opens it within the call that dispatches the exchange. */
function socketTracker() {
  const open = new Set<Socket>();
  let current: Exchange | undefined;
  return {
    track:
      (connect: buildConnector.connector): buildConnector.connector =>
      (options, callback) => {
        const socket: unknown = connect(options, callback);
        if (!(socket instanceof Socket)) return;
        current?.sockets.push(socket);
        open.add(socket);
        socket.once('close', () => open.delete(socket));
      },
    within<Result>(exchange: Exchange, run: () => Result): Result {
      current = exchange;
      try {
        return run();
      } finally {
        current = undefined;
      }
    },
    destroy() {
      for (const socket of open) socket.destroy(new Error('closed'));
    },
  };
}

/** A tunnel that the proxy does not open fails with an error that names the proxy; undici would try for ever when it hangs up. */
function namingFailures<Client extends Dispatcher>(client: Client, proxy: string): Client {
  const connect = client.connect.bind(client);
  const open = async (options: Dispatcher.ConnectOptions) => {
    const answer = await connect(options).catch((thrown: unknown) => {
      throw proxyFailed(proxy, thrown);
    });
    if (answer.statusCode === 200) return answer;
    answer.socket.on('error', () => undefined).destroy();
    throw proxyAnswered(proxy, options.path, answer.statusCode);
  };
  Reflect.set(client, 'connect', open);
  return client;
}

/**
 * Notes when a connection takes the request, and what ends it. `fetch` makes a handler for each exchange, so it may be changed.
 * Of each pair of methods the first is what the fetch of Node 20 brings, the second what later ones do.
 */
function watch(handler: Dispatcher.DispatchHandler, exchange: Exchange): Dispatcher.DispatchHandler {
  before(handler, ['onConnect', 'onRequestStart'], () => {
    exchange.phase = 'waiting';
  });
  before(handler, ['onError', 'onResponseError'], (given) => {
    exchange.failure = given.at(-1);
  });
  return handler;
}

function before(handler: object, methods: readonly string[], note: (given: readonly unknown[]) => void): void {
  for (const name of methods) {
    const method: unknown = Reflect.get(handler, name);
    if (typeof method !== 'function') continue;
    Reflect.set(handler, name, function noted(this: unknown, ...given: unknown[]) {
      note(given);
      Reflect.apply(method, this, given);
    });
  }
}
