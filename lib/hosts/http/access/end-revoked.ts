/** Ends the transfers of tokens that were revoked or have expired. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '../owner.ts';
import { whenOver } from '../responses/when-over.ts';
import type { Authenticate } from './authenticate.ts';
import { callerNow } from './rights-now.ts';

/** Time between two checks, in milliseconds: with that of the file of tokens, a transfer ends within a second. */
const CHECK_MS = 400;

interface Open {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Closes the connections of bodies and responses of this scope that are under way when their tokens end. */
export function endRevoked(app: FastifyInstance, authenticate: Authenticate): void {
  const open = new Set<Open>();
  const check = async (each: Open) => {
    const { socket } = each.request.raw;
    if (isTransfer(each) && (await callerNow(authenticate, callerOf(each.request))) === undefined) socket.destroy();
  };
  const timer = setInterval(() => {
    for (const each of open) void check(each);
  }, CHECK_MS).unref();
  app.addHook('onClose', async () => clearInterval(timer));
  app.addHook('onRequest', (request, reply, done) => {
    const each = { request, reply };
    open.add(each);
    whenOver(reply, () => open.delete(each));
    done();
  });
}

/** Work that was accepted ends by itself, and a stream of events says why it ends. */
function isTransfer({ request, reply }: Open): boolean {
  const isStream = reply.sent && !reply.raw.writableEnded;
  return !isStream && (!request.raw.complete || reply.raw.headersSent);
}
