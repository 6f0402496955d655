/** Handles the requests of each connection one after the other, however many a client sends before it reads. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
