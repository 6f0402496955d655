/** A connection that a test can cut: bytes pass through a port of its own until then. */

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

export interface Breakable {
  /** Origin of the service through this connection. */
  readonly url: string;
  /** Ends all connections, and refuses new connections until `restore`. */
  cut(): void;
  restore(): void;
  close(): Promise<void>;
}

/** Listens on a free port, and passes connections on to a service. */
export async function breakable(to: string): Promise<Breakable> {
  const target = Number(new URL(to).port);
  const sockets = new Set<Socket>();
  let isCut = false;
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((inner) => {
    if (isCut) return void inner.destroy();
    const outer = connect(target, '127.0.0.1');
    for (const [socket, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    restore: () => {
      isCut = false;
    },
    close: () => {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
