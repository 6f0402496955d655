/** `/v1/commands`: the catalogue, and its commands. */
import type { FastifyInstance } from 'fastify';
import { didYouMean } from '../../../arguments/suggest.ts';
import { changesNothing } from '../../../client/allow.ts';
import { findCommand } from '../../../engine/command.ts';
import { answer, prefersRun, waitsForJob } from '../answer.ts';
import { checkMembers, flagIn, objectBody } from '../body.ts';
import { callerOf } from '../guard.ts';
import { ownerOf } from '../owner.ts';
import { HttpError } from '../problems.ts';
import type { Service } from '../service.ts';

type Query = Readonly<Record<string, unknown>>;
interface Named {
  Params: { name: string };
  Querystring: Query;
}

/** Adds the routes. */
export function commandRoutes(app: FastifyInstance, service: Service): void {
  const { catalogue, registry, tenants } = service;

  app.get<{ Querystring: Query }>('/v1/commands', async (request) => {
    checkMembers(request.query, ['search'], 'query parameter');
    const client = tenants.clientFor(ownerOf(callerOf(request), catalogue));
    const words = String(request.query['search'] ?? '')
      .toLowerCase()
      .split(/\s+/);
    const fits = (text: string) => words.every((word) => text.includes(word));
    return { commands: client.commands.filter(({ name, summary }) => fits(`${name} ${summary}`.toLowerCase())) };
  });

  app.get<Named>('/v1/commands/:name', async ({ params: { name } }) => {
    const found = catalogue.find((entry) => entry.name === name);
    if (found === undefined) throw unknown(name, Object.keys(registry));
    return found;
  });

  app.post<Named>('/v1/commands/:name', async (request, reply) => {
    const { name } = request.params;
    const command = await findCommand(registry, name);
    if (command === undefined) throw unknown(name, Object.keys(registry));
    checkMembers(request.query, ['dry_run'], 'query parameter');
    const args = objectBody(request.body);
    const dryRun = flagIn(request.query, 'dry_run');
    const owner = ownerOf(callerOf(request), catalogue);
    await answer(service, request, reply, {
      owner,
      work: { kind: 'command', command: name, args, dryRun },
      later: prefersRun(request) || (!dryRun && waitsForJob(command, args['wait'])),
      changes: !dryRun && !changesNothing(command),
    });
    return reply;
  });
}

function unknown(name: string, names: readonly string[]): HttpError {
  const hint = didYouMean(name, names) ?? 'List them with GET /v1/commands.';
  return new HttpError(404, 'not-found', `There is no command "${name.slice(0, 80)}".`, { hint });
}
