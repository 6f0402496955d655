/** Limits the connections of a server, so that unauthenticated clients cannot lock callers out. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './network.ts';

export interface Connections {
  /** Records that a request on this connection had a valid token. */
  trust(socket: Socket): void;
}

interface Connection {
  readonly socket: Socket;
  readonly network: string;
}

/**
 * Limits a server's connections. If all places are taken, a connection that never had a valid token is closed for the
 * new one: the oldest of the network that has the most. A flood from one network therefore displaces itself.
 * @param most connections at once
 */
export function limitConnections(server: Server, most: number): Connections {
  // Sets keep the order in which connections were opened.
  const strangers = new Map<string, Set<Connection>>();
  const trusted = new Set<Connection>();
  const known = new WeakMap<Socket, Connection>();
  // With TLS a request has another socket than the connection, on the same port of the same client.
  const clients = new Map<string, Connection>();
  let open = 0;

  const leaveStrangers = (connection: Connection): boolean => {
    const group = strangers.get(connection.network);
    const wasThere = group?.delete(connection) === true;
    if (group?.size === 0) strangers.delete(connection.network);
    return wasThere;
  };
  const leave = (connection: Connection) => {
    if (leaveStrangers(connection) || trusted.delete(connection)) open -= 1;
  };
  const hasPlace = (): boolean => {
    if (open < most) return true;
    const stranger = oldestStranger(strangers);
    if (stranger === undefined) {
      // Every connection has a token: close the idle ones, whose clients can reconnect.
      server.closeIdleConnections();
      return [...trusted].filter(({ socket }) => !socket.destroyed).length < most;
    }
    leave(stranger);
    stranger.socket.destroy();
    return true;
  };

  server.on('connection', (socket: Socket) => {
    if (!hasPlace()) {
      socket.destroy();
      return;
    }
    const client = clientOf(socket);
    const connection = { socket, network: networkOf(socket.remoteAddress ?? '') };
    open += 1;
    const group = strangers.get(connection.network) ?? new Set();
    strangers.set(connection.network, group.add(connection));
    known.set(socket, connection);
    clients.set(client, connection);
    socket.once('close', () => {
      leave(connection);
      if (clients.get(client) === connection) clients.delete(client);
    });
  });
  server.on('secureConnection', (socket: Socket) => {
    const connection = clients.get(clientOf(socket));
    if (connection !== undefined) known.set(socket, connection);
  });
  return {
    trust: (socket) => {
      const connection = known.get(socket);
      if (connection !== undefined && leaveStrangers(connection)) trusted.add(connection);
    },
  };
}

function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Returns the oldest connection of the network that has the most. */
function oldestStranger(strangers: ReadonlyMap<string, ReadonlySet<Connection>>): Connection | undefined {
  let largest: ReadonlySet<Connection> = new Set();
  for (const group of strangers.values()) if (group.size > largest.size) largest = group;
  const [oldest] = largest;
  return oldest;
}
