/** Refuses JSON bodies with too many values, and tokens with too many bytes of bodies at once, while they are read. */
import { Transform, type TransformCallback } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { MAX_DEPTH } from '../../core/json.ts';
import { ownerKey } from '../../runs/port.ts';
import { Quota } from '../../runs/quota.ts';
import { requestOwner } from './owner.ts';
import { HttpError } from './responses/problems.ts';
import type { Service } from './service.ts';

/** Maximum members and elements of a JSON body: parsing more would delay other requests. */
export const MAX_VALUES = 50_000;

/** Maximum size of a body that is not scanned, in bytes: a value takes at least two, and `checkBodies` checks the depth. */
const SMALL_BYTES = 16_384;

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const OPEN: ReadonlySet<number> = new Set([91, 123]);
const CLOSE: ReadonlySet<number> = new Set([93, 125]);

/** Limits the bodies of this scope, except those that a route reads as a stream. */
export function limitBodySize(app: FastifyInstance, { catalogue }: Pick<Service, 'catalogue'>): void {
  const quota = new Quota({
    noun: 'bodies of the requests',
    own: 100_000_000,
    tenant: 400_000_000,
    hint: 'Send fewer large requests at once, or send files: POST /v1/files.',
  });
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.routeOptions.config.streams === true) return done(null, payload);
    const owner = ownerKey(requestOwner(request, catalogue));
    let taken = 0;
    const take = (bytes: number) => {
      quota.take(owner, bytes);
      taken += bytes;
    };
    // Count the parsed body until its request ends.
    reply.raw.once('close', () => quota.give(owner, taken));
    const announced = Number(request.headers['content-length'] ?? Infinity);
    if (announced <= SMALL_BYTES) {
      // Skip the scan: the HTTP parser reads no more than announced, which cannot hold too many values.
      take(announced);
      return done(null, payload);
    }
    const checked = countedJson(take);
    payload.on('error', (failure: Error) => checked.destroy(failure));
    // Close the connection, because the rest of the body is not read.
    checked.on('error', () => void reply.header('connection', 'close'));
    return done(null, payload.pipe(checked));
  });
}

/** Passes JSON text on until it has too many values. @param count receives the size of each chunk */
export function countedJson(count: (bytes: number) => void = () => undefined): Transform {
  const scan = valueScan();
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      try {
        count(chunk.length);
        scan(chunk);
        done(null, chunk);
      } catch (thrown) {
        done(thrown as Error);
      }
    },
  });
}

/** Scans the bytes of a JSON text in pieces. It counts values and depth; the parser finds syntax errors. */
function valueScan(): (chunk: Buffer) => void {
  let [values, depth, isText, isEscaped] = [0, 0, false, false];
  return (chunk) => {
    for (const byte of chunk) {
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isText = false;
      } else if (byte === QUOTE) isText = true;
      else if (CLOSE.has(byte)) depth -= 1;
      else if (byte === COMMA || OPEN.has(byte)) {
        values += 1;
        if (byte !== COMMA) depth += 1;
        if (values > MAX_VALUES || depth > MAX_DEPTH) throw tooMuch(depth > MAX_DEPTH);
      }
    }
  };
}

function tooMuch(isDeep: boolean): HttpError {
  if (isDeep) return new HttpError(400, 'json', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  return new HttpError(413, 'size', `The body has more than ${MAX_VALUES} values.`, {
    hint: 'Send large inputs as files: POST /v1/files, and pass the id in entry_id.',
  });
}
