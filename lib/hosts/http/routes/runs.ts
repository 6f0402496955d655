/** `/v1/runs`: work that outlives the request that started it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasEnded, RUN_STATES, type Run, type RunEvent } from '../../../runs/port.ts';
import type { Caller } from '../access/authenticate.ts';
import { runDocument, urlOf } from '../answer.ts';
import { checkMembers, invalid } from '../body.ts';
import { sizedEvent } from '../event-size.ts';
import { streamEvents } from '../event-stream.ts';
import { callerOf } from '../guard.ts';
import { callerKey } from '../owner.ts';
import { HttpError, notFound } from '../problems.ts';
import type { Service } from '../service.ts';
import type { Streams } from '../streams.ts';

interface ById {
  Params: { id: string };
}
type Query = Readonly<Record<string, unknown>>;

const STANDARD_LIMIT = 50;
const MOST = 1000;

/** Adds the routes. */
export function runRoutes(app: FastifyInstance, { runs }: Service, streams: Streams): void {
  const find = async (request: FastifyRequest<ById>): Promise<Run> => {
    const run = await runs.find(request.params.id);
    if (run === undefined || !mayRead(callerOf(request), run)) throw notFound('run', 'List them with GET /v1/runs.');
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
    const own = (await runs.list(caller.profile ?? '', of)).filter((run) => mayRead(caller, run));
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
    const { id } = await find(request);
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
      const follow = (signal: AbortSignal) => withDocuments(runs, { id, last }, signal);
      await streamEvents(reply, follow);
    } finally {
      leave();
    }
    return reply;
  });
}

/** A run belongs to the token that started it; an administrator sees those of the tenant. */
function mayRead(caller: Caller, { owner }: Run): boolean {
  const isOwn = owner.caller === callerKey(caller) || caller.role === 'admin';
  return isOwn && owner.tenant === (caller.profile ?? '');
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
