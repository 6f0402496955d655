/** Checks JSON bodies, and limits their size and the time that they may take. */
import { Transform, type TransformCallback } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { isObject } from '../../core/json.ts';
import { HttpError } from './responses/problems.ts';

/** Methods whose bodies no route reads. */
const BODILESS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/** Ends requests whose bodies take too long. @param milliseconds from the headers to the end of a body */
export function limitBodyTime(app: FastifyInstance, milliseconds: number): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw, headers } = request;
    const isAnnounced = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (!isAnnounced) return done();
    if (BODILESS.has(raw.method)) {
      // Close the connection, which would wait for the rest of the body.
      void reply.header('connection', 'close');
      return done();
    }
    if (request.routeOptions.config.streams === true) return done();
    const timer = setTimeout(() => {
      if (raw.complete) return undefined;
      // Without a reader there is no error handler to answer.
      if (raw.readableFlowing === null || reply.sent) return raw.destroy();
      void reply.header('connection', 'close');
      reply.raw.once('finish', () => raw.destroy());
      // The parser answers with the error that it meets.
      return raw.emit('error', new HttpError(408, 'timeout', 'The body did not arrive in time.'));
    }, milliseconds);
    const { socket } = raw;
    const stop = () => {
      clearTimeout(timer);
      socket.off('close', stop);
    };
    raw.once('close', stop);
    // An unread request that was answered emits no close: follow its connection.
    reply.raw.once('close', () => {
      if (socket.destroyed) stop();
      else if (!raw.readableEnded) socket.once('close', stop);
    });
    return done();
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route needs no token. */
    isPublic?: boolean;
    /** The route reads its body as a stream, with limits of its own. */
    streams?: boolean;
  }
}

/** Checks the JSON bodies of this scope: each must be an object, and a missing body is an empty object. */
export function checkBodies(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const { body, routeOptions } = request;
    if (request.method !== 'POST' || routeOptions.config.streams === true) return done();
    if (body === undefined) request.body = {};
    else if (!isObject(body)) {
      const hint = 'Send the arguments as the members of one object; {} if there are none.';
      return done(new HttpError(400, 'json', 'The body is not a JSON object.', { hint }));
    }
    return done();
  });
}

/** Fails a stream beyond a number of bytes. @param take receives the size of each chunk, and may refuse it */
export function limited(most: number, take: (bytes: number) => void = () => undefined): Transform {
  let count = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      count += chunk.length;
      try {
        take(chunk.length);
      } catch (thrown) {
        return done(thrown as Error);
      }
      if (count <= most) done(null, chunk);
      else done(new HttpError(413, 'size', `The file has more than ${most} bytes.`));
    },
  });
}
