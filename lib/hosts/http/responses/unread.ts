/** Limits the bytes held for slow readers. */
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CommandEntry } from '../../../manifest/command-catalogue.ts';
import { ownerKey } from '../../../runs/port.ts';
import { requestOwner } from '../access/rights.ts';
import { whenOver } from '../response-end.ts';

/** Size counted for a stream, which is read only as fast as it is sent, in bytes. */
const STREAM_BYTES = 131_072;

/** Unread bytes of an owner. */
interface Waiting {
  sum: number;
  /** The connection that has waited longest comes first. */
  readonly sockets: Map<Socket, number>;
}

/** Counts, by owner, the bytes of responses and events until their connections have sent them. */
export class Unread {
  readonly #most: number;
  readonly #owners = new Map<string, Waiting>();

  /** @param most maximum number of bytes per owner */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Counts bytes. Beyond the limit, closes the owner's connections that have waited longest.
   * @returns a function that ends the count
   */
  add(owner: string, socket: Socket, bytes: number): () => void {
    const { sum, sockets } = this.#change(owner, socket, bytes);
    let excess = sum - this.#most;
    for (const [oldest, waiting] of sockets) {
      // A single response is always sent, however large.
      if (excess <= 0 || (oldest === socket && waiting === bytes)) break;
      excess -= waiting;
      oldest.destroy();
    }
    return () => void this.#change(owner, socket, -bytes);
  }

  #change(owner: string, socket: Socket, bytes: number): Waiting {
    const waiting = this.#owners.get(owner) ?? { sum: 0, sockets: new Map<Socket, number>() };
    const before = waiting.sockets.get(socket) ?? 0;
    const after = Math.max(0, before + bytes);
    waiting.sum += after - before;
    if (after > 0) waiting.sockets.set(socket, after);
    else waiting.sockets.delete(socket);
    if (waiting.sockets.size > 0) this.#owners.set(owner, waiting);
    else this.#owners.delete(owner);
    return waiting;
  }
}

interface Parts {
  readonly unread: Unread;
  readonly catalogue: readonly CommandEntry[];
}

/** Returns the byte counter for a request's events. */
export function unreadBy({ unread, catalogue }: Parts, request: FastifyRequest): (bytes: number) => () => void {
  const owner = ownerKey(requestOwner(request, catalogue));
  return (bytes) => unread.add(owner, request.raw.socket, bytes);
}

/** Counts the responses of this scope. */
export function countUnread(app: FastifyInstance, parts: Parts): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.caller === undefined || payload === null || payload === undefined) return done();
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    const given = unreadBy(parts, request)(isWhole ? Buffer.byteLength(payload) : STREAM_BYTES);
    whenOver(reply, given);
    return done();
  });
}
