/** `/v1/runs`: work that outlives the request that started it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasEnded, RUN_STATES, type Run, type RunEvent } from '../../../runs/port.ts';
import { permits, refusedIn } from '../../../runs/rights.ts';
import type { Caller } from '../access/authenticate.ts';
import { callerNow, tokenEnded } from '../access/rights-now.ts';
import { checkMembers, invalid } from '../body.ts';
import { sizedEvent } from '../event-size.ts';
import { streamEvents } from '../event-stream.ts';
import { callerOf } from '../guard.ts';
import { callerKey, ownerOf } from '../owner.ts';
import { whilePermitted } from '../permitted-events.ts';
import { HttpError, notFound, notNow } from '../problems.ts';
import { runDocument, urlOf } from '../run-document.ts';
import type { Service } from '../service.ts';
import type { Streams } from '../streams.ts';

interface ById {
  Params: { id: string };
}
type Query = Readonly<Record<string, unknown>>;

const STANDARD_LIMIT = 50;
const MOST = 1000;

/** Adds the routes. */
export function runRoutes(app: FastifyInstance, service: Service, streams: Streams): void {
  const { runs } = service;
  const find = async (request: FastifyRequest<ById>): Promise<Run> => {
    const run = await runs.find(request.params.id);
    if (run === undefined) throw noRun();
    const refusal = readersOf(service, callerOf(request))(run);
    if (refusal !== undefined) throw refusal;
    return run;
  };

  app.get<{ Querystring: Query }>('/v1/runs', async (request) => {
    checkMembers(request.query, ['state', 'limit'], 'query parameter');
    const { state, limit = STANDARD_LIMIT } = request.query;
    if (state !== undefined && !RUN_STATES.some((known) => known === state)) {
      throw invalid('state', `state is one of ${RUN_STATES.join(', ')}.`);
    }
    const most = Number(limit);
    if (!Number.isInteger(most) || most < 1 || most > MOST) throw invalid('limit', `limit is from 1 to ${MOST}.`);
    const caller = callerOf(request);
    const of = caller.role === 'admin' ? undefined : callerKey(caller);
    const refusal = readersOf(service, caller);
    const own = (await runs.list(caller.profile ?? '', of)).filter((run) => refusal(run) === undefined);
    const found = own.filter((run) => state === undefined || run.state === state).slice(0, most);
    // A list tells what there is; results may be large.
    return { runs: found.map((run) => runDocument({ ...run, result: undefined })) };
  });

  app.get<ById>('/v1/runs/:id', async (request) => runDocument(await find(request)));

  app.delete<ById>('/v1/runs/:id', async (request, reply) => {
    const run = await find(request);
    if (hasEnded(run)) {
      await runs.remove(run.id);
      return reply.code(204).send();
    }
    await runs.stop(run.id);
    return reply.code(202).send(runDocument((await runs.find(run.id)) ?? run));
  });

  app.get<ById>('/v1/runs/:id/events', async (request, reply: FastifyReply) => {
    const run = await find(request);
    const last = Number(request.headers['last-event-id'] ?? 0);
    if (!Number.isSafeInteger(last) || last < 0)
      throw new HttpError(400, 'arguments', 'Last-Event-ID is not an event.');
    const leave = streams.enter(callerKey(callerOf(request)));
    if (leave === undefined) {
      throw new HttpError(429, 'rate-limit', 'Too many streams of events are open.', {
        headers: { 'retry-after': '10' },
      });
    }
    try {
      const refusal = async () => {
        const now = await callerNow(service.authenticate, callerOf(request));
        return now === undefined ? tokenEnded() : readersOf(service, now)(run);
      };
      const follow = (signal: AbortSignal) => withDocuments(runs, { id: run.id, last }, signal);
      await streamEvents(reply, whilePermitted(follow, refusal, last));
    } finally {
      leave();
    }
    return reply;
  });
}

/**
 * Returns a check of runs for a caller. A run belongs to the token that started it; an administrator sees those of the tenant.
 * Both need the right to run its commands now.
 * @returns why the caller may not use the run
 */
function readersOf({ catalogue }: Service, caller: Caller): (run: Run) => HttpError | undefined {
  const mayUse = permits(ownerOf(caller, catalogue).limits, catalogue);
  return (run) => {
    const isOwn = run.owner.caller === callerKey(caller);
    if (run.owner.tenant !== (caller.profile ?? '') || !(isOwn || caller.role === 'admin')) return noRun();
    const refused = refusedIn(run, mayUse);
    if (refused === undefined) return undefined;
    return isOwn ? notNow('run', refused, 'An administrator of the tenant can read and stop it.') : noRun();
  };
}

function noRun(): HttpError {
  return notFound('run', 'List them with GET /v1/runs.');
}

/** Follows a run as callers see it. A reader that names an event beyond the end gets the end all the same. */
async function* withDocuments(
  runs: Service['runs'],
  { id, last }: { readonly id: string; readonly last: number },
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  let isOver = false;
  for await (const event of runs.events(id, last, signal) ?? []) {
    isOver = event.event === 'end';
    const isRun = isOver || event.event === 'state';
    const shown = isRun ? { ...event, data: runDocument(event.data as Run) } : event;
    yield sizedEvent(shown, urlOf(id));
  }
  if (isOver || signal.aborted) return;
  const run = await runs.find(id);
  if (run === undefined || !hasEnded(run)) return;
  yield sizedEvent({ id: last, event: 'end', data: runDocument(run) }, urlOf(id));
}
