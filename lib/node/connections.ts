/** Limits the connections of a server, so that neither unauthenticated clients nor clients that do not read lock callers out. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './network.ts';

interface Connection {
  readonly socket: Socket;
  readonly network: string;
}

/** Connections of a server, unless its process may have few open files. */
const MOST = 4096;
/** Open files that the process needs besides its connections; each connection may need another for its work. */
const [OWN_FILES, FILES_OF_CONNECTION] = [128, 2];
/** Time after which a client that takes nothing of its response is disconnected, in milliseconds. */
const STALL_MS = 60_000;

export interface ConnectionOptions {
  /** Connections at once. */
  readonly most?: number;
  readonly stallMs?: number;
  /** Called once if the open files of the process allow fewer connections. */
  readonly warn: (message: string) => void;
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

  constructor(server: Server, { most = MOST, stallMs = STALL_MS, warn }: ConnectionOptions) {
    this.server = server;
    this.most = Math.min(most, mostByFiles(warn));
    server.on('error', () => {
      // A connection that cannot be accepted must not end the process.
    });
    // Before the handler, which may set another time for the body.
    server.prependListener('request', (_request, response) => {
      // The time passes without progress; a response that is still being made has nothing to take.
      response.setTimeout(stallMs, () => {
        if ((response.socket?.writableLength ?? 0) > 0) response.socket?.destroy();
      });
    });
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

/** Returns the connections that the open files of the process allow. */
function mostByFiles(warn: ConnectionOptions['warn']): number {
  // The addresses of a machine may take seconds to name.
  const { userLimits } = Object.assign(process.report, { excludeNetwork: true }).getReport() as {
    userLimits?: { open_files?: { soft?: unknown } };
  };
  const files = Number(userLimits?.open_files?.soft);
  // Windows has no such limit, and a limit may be "unlimited".
  const most = Math.max(1, Math.floor((files - OWN_FILES) / FILES_OF_CONNECTION));
  if (!(most < MOST)) return MOST;
  warn(
    `The server accepts ${most} connections, because its process may have ${files} open files. Raise it: ulimit -n.`,
  );
  return most;
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
