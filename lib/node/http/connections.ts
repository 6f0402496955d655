/**
 * Limits the connections of a server, so that unauthenticated clients, and clients that do not read, cannot lock
 * callers out.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './network.ts';

/** Maximum connections of a server, unless the process has a low limit of open files. */
const MOST = 4096;
/** Open files that the process needs besides its connections; each connection may need another open file for its work. */
const [OWN_FILES, FILES_OF_CONNECTION] = [128, 2];
/** Fraction of the connections kept free of callers, for clients that have yet to show their tokens. */
const SPARE = 1 / 8;
/** Time after which a client that reads nothing of its response is disconnected, in milliseconds. */
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
 * new one: the oldest connection of the network that has the most. A flood from one network thus displaces only its own
 * connections. Callers may hold all but a few places; if those are taken, the caller with the most connections gives one up
 * to a caller with fewer.
 */
export class Connections {
  private readonly server: Server;
  private readonly most: number;
  /** By network. */
  private readonly strangers = new ConnectionGroups();
  /** By owner. */
  private readonly trusted = new ConnectionGroups();
  private readonly known = new WeakMap<Socket, Connection>();
  /** With TLS, a request's socket differs from the connection's, but has the same client and port. */
  private readonly clients = new Map<string, Connection>();

  constructor(server: Server, { most = MOST, stallMs = STALL_MS, warn }: ConnectionOptions) {
    this.server = server;
    this.most = Math.min(most, mostByFiles(warn));
    handleInTurn(server);
    server.on('error', () => {
      // A connection that cannot be accepted must not end the process.
    });
    // Runs before the handler, which may set another time for the body.
    server.prependListener('request', (request, response) => {
      if (request.socket.destroyed) return;
      // The timer measures time without progress; while a response is being prepared, there is nothing to read.
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

  /**
   * Records that a request on this connection had a valid token.
   * @param owner identifies the token
   * @returns false if there is no place for another connection of this owner
   */
  trust(socket: Socket, owner: string): boolean {
    const connection = this.known.get(socket);
    if (connection === undefined || !this.strangers.delete(connection)) return true;
    const mayStay = this.hasPlaceFor(owner);
    const group = mayStay ? this.trusted : this.strangers;
    group.add(mayStay ? owner : connection.network, connection);
    return mayStay;
  }

  private enter(socket: Socket): void {
    const client = clientOf(socket);
    const connection = { socket, network: networkOf(socket.remoteAddress ?? '') };
    this.strangers.add(connection.network, connection);
    this.known.set(socket, connection);
    this.clients.set(client, connection);
    socket.once('close', () => {
      this.leave(connection);
      if (this.clients.get(client) === connection) this.clients.delete(client);
    });
  }

  private hasPlace(): boolean {
    if (this.strangers.size + this.trusted.size < this.most) return true;
    return this.giveUp(this.strangers.largest());
  }

  private hasPlaceFor(owner: string): boolean {
    const most = this.most - Math.ceil(this.most * SPARE);
    if (this.trusted.size < most) return true;
    // Clients can reopen connections that are waiting for their next request.
    this.server.closeIdleConnections();
    for (const connection of this.trusted.destroyed()) this.leave(connection);
    if (this.trusted.size < most) return true;
    const largest = this.trusted.largest();
    return largest.size > this.trusted.of(owner).size + 1 && this.giveUp(largest);
  }

  /** Closes the oldest connection of a group. @returns false if the group is empty */
  private giveUp([oldest]: ReadonlySet<Connection>): boolean {
    if (oldest === undefined) return false;
    this.leave(oldest);
    oldest.socket.destroy();
    return true;
  }

  private leave(connection: Connection): void {
    if (!this.strangers.delete(connection)) this.trusted.delete(connection);
  }
}

/** Returns the number of connections that the process's open-file limit allows. */
function mostByFiles(warn: ConnectionOptions['warn']): number {
  // Resolving the addresses of a machine may take seconds.
  const { userLimits } = Object.assign(process.report, { excludeNetwork: true }).getReport() as {
    userLimits?: { open_files?: { soft?: unknown } };
  };
  const files = Number(userLimits?.open_files?.soft);
  // Windows has no such limit, and a limit may be "unlimited".
  const most = Math.max(2, Math.floor((files - OWN_FILES) / FILES_OF_CONNECTION));
  if (!(most < MOST)) return MOST;
  warn(
    `The server accepts ${most} connections, because its process may have ${files} open files. Raise it: ulimit -n.`,
  );
  return most;
}

function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

export interface Connection {
  readonly socket: Socket;
  readonly network: string;
}

/** Connections grouped by a key, each group in the order of addition. */
export class ConnectionGroups {
  readonly #groups = new Map<string, Set<Connection>>();
  readonly #keys = new Map<Connection, string>();

  get size(): number {
    return this.#keys.size;
  }

  add(key: string, connection: Connection): void {
    this.#keys.set(connection, key);
    this.#groups.set(key, (this.#groups.get(key) ?? new Set()).add(connection));
  }

  /** @returns whether the connection was there */
  delete(connection: Connection): boolean {
    const key = this.#keys.get(connection);
    if (key === undefined) return false;
    const group = this.of(key);
    if (group.size === 1) this.#groups.delete(key);
    group.delete(connection);
    return this.#keys.delete(connection);
  }

  of(key: string): Set<Connection> {
    return this.#groups.get(key) ?? new Set();
  }

  largest(): ReadonlySet<Connection> {
    return [...this.#groups.values()].reduce((most, each) => (each.size > most.size ? each : most), new Set());
  }

  destroyed(): readonly Connection[] {
    return [...this.#keys.keys()].filter(({ socket }) => socket.destroyed);
  }
}

/** Maximum requests of a connection that wait for the previous response; a client that sends more is disconnected. */
const MOST_WAITING = 50;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** Puts a server's handlers behind a queue for each connection. */
export function handleInTurn(server: Server): void {
  const handlers = server.listeners('request') as Handle[];
  const queues = new WeakMap<Socket, (() => void)[]>();
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    const { socket } = request;
    const start = () => {
      response.once('close', () => {
        const next = queues.get(socket)?.shift();
        if (next === undefined) queues.delete(socket);
        else next();
      });
      for (const handle of handlers) handle(request, response);
    };
    const waiting = queues.get(socket);
    if (waiting === undefined) {
      queues.set(socket, []);
      start();
    } else if (waiting.length < MOST_WAITING) waiting.push(start);
    else socket.destroy();
  });
}
