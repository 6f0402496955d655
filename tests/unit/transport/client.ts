/** Clients of the Node transport, which are closed after each test, and the requests that they send. */
import type { HttpRequest } from '../../../lib/core/ports.ts';
import { type NodeTransportOptions, nodeTransport } from '../../../lib/node/http/transport.ts';
import { until } from '../../support/machine.ts';

/** A secret of each request. */
export const CANARY = 'canary-5ecret';

/** A timeout that does not expire within a test, even on a busy machine. */
export const LONG_MS = 60_000;

type Client = ReturnType<typeof nodeTransport>;

const clients: Client[] = [];

export function client(options: Partial<NodeTransportOptions> = {}): Client {
  const transport = nodeTransport({ insecure: false, proxy: false, ...options });
  clients.push(transport);
  return transport;
}

/** Registers a hook that closes the clients; call it once per test file. */
export function closeClientsAfterEach(): void {
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((transport) => transport.close()));
  });
}

/** Returns a GET with a secret in its headers. */
export function getRequest(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'GET', url, headers: { authorization: `Bearer ${CANARY}` }, timeoutMs: LONG_MS, ...more };
}

/** Expects that every connection to a server closes. */
export async function expectClosed(server: { open(): number }): Promise<void> {
  await until(
    () => server.open() === 0,
    () => `${server.open()} connections are open`,
  );
}
