/** Reports the end of a response, whichever way it ends. */
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

const waiting = new WeakMap<Socket, Set<() => void>>();

/** Calls back once. A response queued behind another on its connection emits no end when the connection closes. */
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
