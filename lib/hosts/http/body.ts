/** Reads bodies: JSON within its limits, and within a time that a slow sender cannot stretch. */
import { Transform, type TransformCallback } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { isDeeper, isObject, MAX_DEPTH } from '../../engine/json.ts';
import { HttpError } from './problems.ts';

/** Maximum size of a JSON body, in bytes. */
export const MAX_BODY_BYTES = 10_000_000;

/** Time for a whole JSON body, in milliseconds. */
export const BODY_MS = 30_000;

/** Requests whose bodies no route reads. */
const BODILESS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/** Ends requests whose bodies take too long. @param milliseconds for the whole of a body, from its headers */
export function limitBodyTime(app: FastifyInstance, milliseconds: number): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw, headers } = request;
    const isAnnounced = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (!isAnnounced) return done();
    if (BODILESS.has(raw.method)) {
      // The connection would wait for the rest of the body.
      void reply.header('connection', 'close');
      return done();
    }
    if (request.routeOptions.config.streams === true) return done();
    const timer = setTimeout(() => {
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
    raw.once('end', stop).once('close', stop).once('error', stop);
    // After its answer, an unread request does not report that the connection was closed.
    reply.raw.once('close', () => {
      if (socket.destroyed) stop();
      else if (!raw.readableEnded) socket.once('close', stop);
    });
    return done();
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads its body as a stream, with limits of its own. */
    streams?: boolean;
  }
}

/** Reads a body that has to be an object. @throws HttpError for any other, or one that is nested too deeply */
export function objectBody(body: unknown = {}): Readonly<Record<string, unknown>> {
  if (isDeeper(body, MAX_DEPTH)) {
    throw new HttpError(400, 'json', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  }
  if (isObject(body)) return body;
  throw new HttpError(400, 'json', 'The body is not a JSON object.', {
    hint: 'Send the arguments as the members of one object; {} if there are none.',
  });
}

/** Reads a member that has to be a text. */
export function textIn(body: Readonly<Record<string, unknown>>, name: string): string {
  const value = body[name];
  if (typeof value === 'string') return value;
  throw invalid(name, `${name} has to be a text.`);
}

/** Returns the error of a member of the body. */
export function invalid(name: string, detail: string): HttpError {
  return new HttpError(400, 'arguments', detail, { pointer: name });
}

/** Checks the names of members: a misspelt one must not be passed over. */
export function checkMembers(given: object, known: readonly string[], where: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new HttpError(400, 'arguments', `There is no ${where} "${unknown.slice(0, 60)}".`, {
    hint: known.length === 0 ? 'There are none.' : `There is ${known.join(', ')}.`,
  });
}

/** Reads a flag of the query. A misspelt dry run must not be carried out. */
export function flagIn(query: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = query[name] ?? 'false';
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw new HttpError(400, 'arguments', `${name} is neither true nor false.`);
}

/** Counts the bytes of a stream, and fails beyond a limit. @param take receives the bytes of each chunk, and may refuse them */
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
