/** Limits the connections of a server, so that neither unauthenticated clients nor clients that do not read lock callers out. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './network.ts';

/** Connections of a server, unless its process may have few open files. */
const MOST = 4096;
/** Open files that the process needs besides its connections; each connection may need another for its work. */
const [OWN_FILES, FILES_OF_CONNECTION] = [128, 2];
/** Part of the connections that callers leave to others, who must show their tokens first. */
const SPARE = 1 / 8;
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
 * new one: the oldest of the network that has the most. So a flood from one network displaces itself. Callers hold all
 * but a few places; if these are taken, the caller that has the most gives one up to a caller that has fewer.
 */
export class Connections {
  private readonly server: Server;
  private readonly most: number;
  /** By network. */
  private readonly strangers = new ConnectionGroups();
  /** By owner. */
  private readonly trusted = new ConnectionGroups();
  private readonly known = new WeakMap<Socket, Connection>();
  /** With TLS a request has another socket than the connection, on the same port of the same client. */
  private readonly clients = new Map<string, Connection>();

  constructor(server: Server, { most = MOST, stallMs = STALL_MS, warn }: ConnectionOptions) {
    this.server = server;
    this.most = Math.min(most, mostByFiles(warn));
    handleInTurn(server);
    server.on('error', () => {
      // A connection that cannot be accepted must not end the process.
    });
    // Before the handler, which may set another time for the body.
    server.prependListener('request', (request, response) => {
      if (request.socket.destroyed) return;
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
    // Connections that wait for their next request can be opened again.
    this.server.closeIdleConnections();
    for (const connection of this.trusted.destroyed()) this.leave(connection);
    if (this.trusted.size < most) return true;
    const largest = this.trusted.largest();
    return largest.size > this.trusted.of(owner).size + 1 && this.giveUp(largest);
  }

  /** Closes the oldest connection of a group. @returns false if it has none */
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

/** Returns the connections that the open files of the process allow. */
function mostByFiles(warn: ConnectionOptions['warn']): number {
  // The addresses of a machine may take seconds to name.
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

/** Connections by a key, each group in the order in which they were added. */
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

/** Requests that may wait on a connection for the answer to the one before; a client that sends more is disconnected. */
const MOST_WAITING = 50;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** Puts the handlers that a server has behind a queue for each connection. */
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
