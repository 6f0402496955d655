/** Counts connections by network or by token, so that the largest group gives a place up. */
import type { Socket } from 'node:net';

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
