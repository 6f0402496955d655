/** `/v1/runs`: work that outlives the request that started it. */
import type { FastifyRequest } from 'fastify';
import { hasEnded, RUN_STATES, type Run, type RunEvent } from '../../../runs/port.ts';
import { permits, refusedIn } from '../../../runs/rights.ts';
import type { Caller } from '../access/authenticate.ts';
import { callerKey, callerOf, ownerOf } from '../access/rights.ts';
import { sizedEvent } from '../events/event-stream.ts';
import { type HttpError, notFound, notNow } from '../problems.ts';
import { answerEvents, LAST_EVENT_ID } from '../responses/answer-events.ts';
import { runDocument, urlOf } from '../responses/run-document.ts';
import { idOf, jsonResponse, listResponse, refTo, route, textResponse } from '../route.ts';
import type { Service } from '../service.ts';

const RUN_ID = '9f2c1b7de04a4c6b8a1d3e5f';
const EXAMPLE_RUN = {
  id: RUN_ID,
  command: 'aisec-redteam-scan-create',
  state: 'running',
  created: '2026-11-21T12:00:00.000Z',
  started: '2026-11-21T12:00:00.010Z',
  ended: null,
  progress: 'The scan is running: 40 percent.',
  url: `/v1/runs/${RUN_ID}`,
  eventsUrl: `/v1/runs/${RUN_ID}/events`,
};
const EXAMPLE_EVENTS = `id: 1
event: state
data: {"id":"${RUN_ID}","state":"running"}

id: 2
event: progress
data: {"progress":"The scan is running: 40 percent."}

`;

const params = idOf('run', RUN_ID);

const listRuns = route('GET', '/v1/runs', 'listRuns', {
  summary: 'List runs.',
  description:
    'Returns the runs of the caller without their results, the newest first; the role `admin` gets all of its tenant.',
  query: {
    state: { type: 'string', enum: RUN_STATES, description: 'Return only runs in this state.' },
    limit: { type: 'integer', minimum: 1, maximum: 1000, default: 50, description: 'Maximum number of runs.' },
  },
  responses: { 200: listResponse('runs', 'Run', [EXAMPLE_RUN]) },
  handle: async (service, request) => {
    const { state, limit } = request.query;
    const caller = callerOf(request);
    const refusal = readersOf(service, caller);
    const own = await service.runs.list(caller.profile ?? '', caller.role === 'admin' ? undefined : callerKey(caller));
    const found = own.filter((run) => refusal(run) === undefined && (state === undefined || run.state === state));
    // Omit results from lists: they may be large.
    return { runs: found.slice(0, limit).map((run) => runDocument({ ...run, result: undefined })) };
  },
});

const getRun = route('GET', '/v1/runs/{id}', 'getRun', {
  summary: 'Get a run.',
  description: 'Returns its state, and its result once it has ended. Runs are kept for a day.',
  params,
  responses: { 200: jsonResponse('The run.', refTo('Run'), EXAMPLE_RUN) },
  handle: async (service, request) => runDocument(await find(service, request)),
});

const deleteRun = route('DELETE', '/v1/runs/{id}', 'deleteRun', {
  summary: 'Stop or remove a run.',
  description: 'Stops a run that has not ended, and responds 202. Removes a run that has ended, and responds 204.',
  params,
  responses: {
    202: jsonResponse('The run stops.', refTo('Run'), EXAMPLE_RUN),
    204: { description: 'The run was removed.' },
  },
  handle: async (service, request, reply) => {
    const run = await find(service, request);
    if (hasEnded(run)) {
      await service.runs.remove(run.id);
      return reply.code(204).send();
    }
    await service.runs.stop(run.id);
    return reply.code(202).send(runDocument((await service.runs.find(run.id)) ?? run));
  },
});

const followRun = route('GET', '/v1/runs/{id}/events', 'followRun', {
  summary: 'Follow a run.',
  description:
    'Streams server-sent events: `state`, `progress`, `task` (of a playbook) and `end`, which has the whole run and is the last. The data of each is JSON. If it has more than 1 MB, `resultUrl` replaces the result with the address of the run. A reader that names an event beyond the end gets `end`.',
  params,
  headers: { 'Last-Event-ID': LAST_EVENT_ID },
  responses: { 200: textResponse('The events, to the end of the run.', EXAMPLE_EVENTS, 'text/event-stream') },
  handle: async (service, request, reply) => {
    const run = await find(service, request);
    return answerEvents(service, request, reply, {
      follow: (last, signal) => withDocuments(service.runs, { id: run.id, last }, signal),
      refusal: (caller) => readersOf(service, caller)(run),
    });
  },
});

export const RUN_ROUTES = [listRuns, getRun, deleteRun, followRun];

/** Finds the run of a request. @throws HttpError for an unknown run, or a run that the caller may not use */
async function find(service: Service, request: FastifyRequest<{ Params: { readonly id: string } }>): Promise<Run> {
  const run = await service.runs.find(request.params.id);
  if (run === undefined) throw noRun();
  const refusal = readersOf(service, callerOf(request))(run);
  if (refusal !== undefined) throw refusal;
  return run;
}

/**
 * Returns a check of runs for a caller. A run belongs to the token that started it; an administrator sees all runs of the tenant.
 * Both must have the right to run its commands at the time of the request.
 * @returns the reason why the caller may not use the run
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
  return notFound('run', 'See the list of runs; old ones are forgotten.');
}

/** Follows a run in the form that callers see. A reader that names an event after the end still gets the end. */
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
