/** Refuses tokens with too many bytes of bodies at once, while they are read. */
import type { FastifyInstance } from 'fastify';
import { ownerKey } from '../../runs/port.ts';
import { Quota } from '../../runs/quota.ts';
import { limited } from './body.ts';
import { requestOwner } from './owner.ts';
import { whenOver } from './responses/when-over.ts';
import type { Service } from './service.ts';

/** A body of this size is counted when it is announced, in bytes. */
const SMALL_BYTES = 16_384;

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
    let isOver = false;
    const take = (bytes: number) => {
      if (isOver) return;
      quota.take(owner, bytes);
      taken += bytes;
    };
    // Count the parsed body until its request ends.
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
