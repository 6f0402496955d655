/** Records each call: measurements, and a line of the audit file. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isObject } from '../../core/json.ts';
import type { Command } from '../../runtime/engine/command.ts';
import type { Service } from './service.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Code of the problem, if the request failed. */
    problemCode: string | undefined;
    /** Id of the run that was started. */
    startedRun: string | undefined;
    /** The declaration of the requested command. */
    command: Command | undefined;
  }
}

/** Adds the hooks. @param isRead reports whether a request's headers were read, so that it counts as a call */
export function recordCalls(
  app: FastifyInstance,
  { metrics, audit, clock }: Service,
  isRead: (request: IncomingMessage) => boolean,
): void {
  app.decorateReply('problemCode', undefined);
  app.decorateReply('startedRun', undefined);
  app.decorateReply('command', undefined);
  app.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions, id, ip, caller, query, params } = request;
    const route = routeOptions.url ?? 'none';
    metrics.answered({ method, route, status: reply.statusCode, milliseconds: reply.elapsedTime });
    if (!audit.isKept || routeOptions.config.isProbe === true || !isRead(request.raw)) return;
    const { name, id: named } = params as { name?: string; id?: string };
    const run = reply.startedRun ?? (route.startsWith('/v1/runs/') ? named : undefined);
    await audit.write({
      time: new Date(clock.now()).toISOString(),
      event: 'request',
      id,
      caller: caller?.name,
      role: caller?.role,
      tenant: caller?.profile,
      remote: ip,
      method,
      route,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      ...(reply.problemCode === undefined ? {} : { code: reply.problemCode }),
      ...(run === undefined ? {} : { run }),
      ...(isObject(query) && String(query['dry_run']) === 'true' ? { dryRun: true } : {}),
      ...(name === undefined ? {} : { command: name, declaration: reply.command, arguments: bodyOf(request) }),
    });
  });
}

function bodyOf({ body }: FastifyRequest): Readonly<Record<string, unknown>> | undefined {
  return isObject(body) ? body : undefined;
}
