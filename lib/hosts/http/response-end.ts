/** Reports the end of a response, whichever way it ends. */
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

const waiting = new WeakMap<Socket, Set<() => void>>();

/** Calls back once. A response that waits behind another of its connection has no end of its own when that closes. */
export function whenOver({ raw, request }: FastifyReply, callback: () => void): void {
  const { socket } = request.raw;
  const all = waiting.get(socket) ?? new Set();
  if (!waiting.has(socket)) {
    waiting.set(socket, all);
    socket.once('close', () => {
      for (const each of all) each();
    });
  }
  const over = () => {
    if (all.delete(over)) callback();
  };
  all.add(over);
  raw.once('close', over);
  if (raw.destroyed || socket.destroyed) over();
}
