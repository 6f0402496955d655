/** Reads JSON bodies strictly, so that all parsers read the same values, and limits their size and duration. */
import { Transform, type TransformCallback } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isObject } from '../../core/json.ts';
import { parseJsonText, RECEIVED, tooManyValues } from '../../core/json-text.ts';
import { codingProblem, decodedUtf8 } from '../../node/http/request-form.ts';
import { ownerKey } from '../../runs/port.ts';
import { Quota } from '../../runs/quota.ts';
import { requestOwner } from './access/rights.ts';
import { HttpError } from './problems.ts';
import { whenOver } from './response-end.ts';
import type { Service } from './service.ts';

/** Methods whose bodies are never read. */
const BODILESS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/** Ends requests whose bodies take too long. @param milliseconds from the headers to the end of a body */
export function limitBodyTime(app: FastifyInstance, milliseconds: number): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw, headers } = request;
    const isAnnounced = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (!isAnnounced) return done();
    if (BODILESS.has(raw.method)) {
      // Close the connection; otherwise it would wait for the rest of the body.
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
      // The parser responds with the error that it receives.
      return raw.emit('error', new HttpError(408, 'timeout', 'The body did not arrive in time.'));
    }, milliseconds);
    const { socket } = raw;
    const stop = () => {
      clearTimeout(timer);
      socket.off('close', stop);
    };
    raw.once('close', stop);
    // An answered but unread request emits no `close`, so listen to its connection.
    reply.raw.once('close', () => {
      if (socket.destroyed) stop();
      else if (!raw.readableEnded) socket.once('close', stop);
    });
    return done();
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route answers under any host name. */
    isProbe?: boolean;
    /** The route reads its body as a stream, with its own limits. */
    streams?: boolean;
    /** The view of the room that shows the same. */
    view?: string;
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
      else done(new HttpError(413, 'size', `The file is longer than ${most} bytes.`));
    },
  });
}

/** Maximum size of a JSON body, in bytes. */
export const MAX_BODY_BYTES = RECEIVED.length;
/** Maximum members and elements of a JSON body. */
export const MAX_VALUES = RECEIVED.values;

/** Makes this scope accept only JSON. */
export function parseBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    checkCoding(request);
    return jsonIn(utf8(body));
  });
}

/**
 * Parses a JSON text.
 * @param halves accepts halves of surrogate pairs, because the other half may follow in the next piece
 * @throws HttpError if readers may disagree, for example on duplicate members
 */
export function jsonIn(text: string, halves = false): unknown {
  const parsed = parseJsonText(text, { ...RECEIVED, halves });
  if (!('error' in parsed)) return parsed.value;
  const { line, column, message } = parsed.error;
  if (message === tooManyValues(MAX_VALUES)) {
    throw new HttpError(413, 'size', `The body has more than ${MAX_VALUES} values.`, {
      hint: 'Send large inputs as files: POST /v1/files, and pass the id in entry_id.',
    });
  }
  throw new HttpError(400, 'json', `The body is not valid JSON: line ${line}, column ${column}: ${message}.`, {
    hint: 'Send one JSON object without duplicate members.',
  });
}

function checkCoding({ headers }: FastifyRequest): void {
  const problem = codingProblem(headers);
  if (problem !== undefined)
    throw new HttpError(problem.status, 'content-type', problem.message, { hint: problem.hint });
}

function utf8(body: Buffer): string {
  const text = decodedUtf8(body);
  if (text === undefined) throw new HttpError(400, 'json', 'The body is not UTF-8.', { hint: 'Send UTF-8.' });
  return text;
}

/** Bodies from this size are counted by their announced length, in bytes. */
const SMALL_BYTES = 16_384;

/** Limits the bodies of this scope, except those that a route reads as a stream. */
export function limitBodySize(app: FastifyInstance, { catalogue }: Pick<Service, 'catalogue'>): void {
  const quota = new Quota({
    noun: 'request bodies',
    own: 100_000_000,
    tenant: 400_000_000,
    hint: 'Send fewer large requests at once, or send files: POST /v1/files.',
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.routeOptions.config.streams === true) return done(null, payload);
    const owner = ownerKey(requestOwner(request, catalogue));
    let taken = 0;
    let isOver = false;
    const take = (bytes: number) => {
      if (isOver) return;
      quota.take(owner, bytes);
      taken += bytes;
    };
    // Keep counting the parsed body until its request ends.
    whenOver(reply, () => {
      quota.give(owner, taken);
      isOver = true;
    });
    const announced = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    if (announced <= SMALL_BYTES) {
      take(announced);
      return done(null, payload);
    }
    const counted = limited(Number.POSITIVE_INFINITY, take);
    payload.on('error', (failure: Error) => counted.destroy(failure));
    // Close the connection, because the rest of the body is not read.
    counted.on('error', () => void reply.header('connection', 'close'));
    return done(null, payload.pipe(counted));
  });
}
