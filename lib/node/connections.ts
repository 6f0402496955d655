/** Limits the connections of a server, so that unauthenticated clients cannot lock callers out. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './network.ts';

interface Connection {
  readonly socket: Socket;
  readonly network: string;
}

/**
 * Limits a server's connections. If all places are taken, a connection that never had a valid token is closed for the
 * new one: the oldest of the network that has the most. So a flood from one network displaces itself.
 */
export class Connections {
  private readonly server: Server;
  private readonly most: number;
  /** By network; sets keep the order in which connections were opened. */
  private readonly strangers = new Map<string, Set<Connection>>();
  private readonly trusted = new Set<Connection>();
  private readonly known = new WeakMap<Socket, Connection>();
  /** With TLS a request has another socket than the connection, on the same port of the same client. */
  private readonly clients = new Map<string, Connection>();
  private open = 0;

  /** @param most connections at once */
  constructor(server: Server, most: number) {
    this.server = server;
    this.most = most;
    server.on('connection', (socket: Socket) => {
      if (this.hasPlace()) this.enter(socket);
      else socket.destroy();
    });
    server.on('secureConnection', (socket: Socket) => {
      const connection = this.clients.get(clientOf(socket));
      if (connection !== undefined) this.known.set(socket, connection);
    });
  }

  /** Records that a request on this connection had a valid token. */
  trust(socket: Socket): void {
    const connection = this.known.get(socket);
    if (connection !== undefined && this.leaveStrangers(connection)) this.trusted.add(connection);
  }

  private enter(socket: Socket): void {
    const client = clientOf(socket);
    const connection = { socket, network: networkOf(socket.remoteAddress ?? '') };
    this.open += 1;
    const group = this.strangers.get(connection.network) ?? new Set();
    this.strangers.set(connection.network, group.add(connection));
    this.known.set(socket, connection);
    this.clients.set(client, connection);
    socket.once('close', () => {
      this.leave(connection);
      if (this.clients.get(client) === connection) this.clients.delete(client);
    });
  }

  private hasPlace(): boolean {
    if (this.open < this.most) return true;
    const stranger = oldestStranger(this.strangers);
    if (stranger === undefined) {
      // All have a token: those that wait for their next request can connect again.
      this.server.closeIdleConnections();
      return [...this.trusted].filter(({ socket }) => !socket.destroyed).length < this.most;
    }
    this.leave(stranger);
    stranger.socket.destroy();
    return true;
  }

  private leave(connection: Connection): void {
    if (this.leaveStrangers(connection) || this.trusted.delete(connection)) this.open -= 1;
  }

  private leaveStrangers(connection: Connection): boolean {
    const group = this.strangers.get(connection.network);
    const wasThere = group?.delete(connection) === true;
    if (group?.size === 0) this.strangers.delete(connection.network);
    return wasThere;
  }
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
