/** `/v1/sessions`: war rooms. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseLine } from '../../../arguments/argv.ts';
import { type Command, findCommand, type Registry } from '../../../engine/command.ts';
import { ownerKey } from '../../../runs/port.ts';
import { answer, prefersRun, stopping, waitsForJob } from '../answer.ts';
import { checkMembers, flagIn, objectBody, textIn } from '../body.ts';
import { callerOf } from '../guard.ts';
import { ownerOf } from '../owner.ts';
import type { Service } from '../service.ts';

interface ById {
  Params: { id: string };
  Querystring: Readonly<Record<string, unknown>>;
}

/** Adds the routes. */
export function sessionRoutes(app: FastifyInstance, service: Service): void {
  const { sessions, tenants, catalogue, registry } = service;
  const keyOf = (request: FastifyRequest) => ownerKey(ownerOf(callerOf(request), catalogue));

  app.post('/v1/sessions', async (request, reply) => {
    if (service.stopping.aborted) throw stopping();
    checkMembers(objectBody(request.body), [], 'member');
    const owner = ownerOf(callerOf(request), catalogue);
    const session = sessions.open(ownerKey(owner), tenants.clientFor(owner));
    return reply.code(201).header('location', `/v1/sessions/${session.id}`).send(session.summary());
  });

  app.get('/v1/sessions', async (request) => {
    return { sessions: sessions.list(keyOf(request)).map((session) => session.summary()) };
  });

  app.get<ById>('/v1/sessions/:id', async (request) => {
    const session = sessions.find(keyOf(request), request.params.id);
    session.checkRights(ownerOf(callerOf(request), catalogue).limits);
    return { ...session.summary(), entries: session.entries(), context: session.room.context };
  });

  app.delete<ById>('/v1/sessions/:id', async (request, reply) => {
    sessions.close(keyOf(request), request.params.id);
    return reply.code(204).send();
  });

  app.post<ById>('/v1/sessions/:id/lines', async (request, reply) => {
    checkMembers(request.query, ['dry_run'], 'query parameter');
    const body = objectBody(request.body);
    checkMembers(body, ['line'], 'member');
    const line = textIn(body, 'line');
    const dryRun = flagIn(request.query, 'dry_run');
    const owner = ownerOf(callerOf(request), catalogue);
    const session = sessions.find(ownerKey(owner), request.params.id);
    session.checkRights(owner.limits);
    session.checkRoom();
    const command = await commandOf(line, registry);
    await answer(service, request, reply, {
      owner,
      work: {
        ...{ kind: 'line', session: request.params.id, line, dryRun },
        // An argument may refer to any of the session's results.
        commands: [...session.commands(), ...(command === undefined ? [] : [command.name])],
      },
      later: prefersRun(request) || (!dryRun && command !== undefined && waits(line, command)),
      // What a line does is known when it runs.
      changes: !dryRun,
    });
    return reply;
  });
}

/** Finds the command of a line. @returns undefined for a line that is refused when it runs */
async function commandOf(line: string, registry: Registry): Promise<Command | undefined> {
  try {
    return await findCommand(registry, parseLine(line).name);
  } catch {
    return undefined;
  }
}

/** Reports whether a line waits for the end of a job. */
function waits(line: string, command: Command): boolean {
  return waitsForJob(command, parseLine(line).pairs.find(({ name }) => name === 'wait')?.value);
}
