/** `/v1/sessions/{id}/entries`, its events and its context: what the readers of a war room follow. */

import type { FastifyRequest } from 'fastify';
import { ownerKey } from '../../../runs/port.ts';
import { ownerOf, requestOwner } from '../access/rights.ts';
import { HttpError, notFound } from '../problems.ts';
import { answerEvents, LAST_EVENT_ID } from '../responses/answer-events.ts';
import { idOf, jsonResponse, listSchema, objectSchema, refTo, route, textResponse, typed } from '../route.ts';
import type { Service } from '../service.ts';
import type { Session } from '../sessions/session.ts';

const SESSION_ID = '4d8e6a20c7b14f59a3e1d0c2';
const EXAMPLE_HEAD = {
  number: 1,
  line: '!aisec-runtime-topics-list limit=2',
  command: 'aisec-runtime-topics-list',
  by: null,
  time: '2026-11-21T12:00:00.000Z',
  ms: 34,
  state: 'done',
  verdict: null,
  summary: '2 custom topics',
  count: 2,
  wrote: ['AiSec.Topic'],
  starred: false,
  stale: false,
  dryRun: false,
  simulated: true,
  run: null,
};
const EXAMPLE_REQUEST = {
  ...{ method: 'GET', url: 'https://api.example.com/aisec/v1/mgmt/topics', status: 200, ms: 31 },
  ...{ at: '2026-11-21T12:00:00.002Z', received: { custom_topics: [] } },
};
const EXAMPLE_TABLE = {
  ...{ path: 'AiSec.Topic', title: 'Topic', many: true, first: ['topic_name'] },
  columns: [{ name: 'topic_name', title: 'Topic Name', kind: 'text' }],
  rows: [{ topic_name: 'Medical advice' }],
};
const EXAMPLE_EVENTS = `id: 7
event: star
data: {"number":1,"starred":true}

id: 8
event: stale
data: {"numbers":[1]}

`;

const params = idOf('session', SESSION_ID);
const ofEntry = {
  ...params,
  number: { type: 'string', description: 'Number of the entry.', examples: ['1'] },
};

const listEntries = route('GET', '/v1/sessions/{id}/entries', 'listEntries', {
  summary: 'List the entries of a session.',
  description:
    'Returns its lines without their results, oldest first: at most 1,000. `last` is the id of the latest event that they include, for the events.',
  params,
  responses: {
    200: jsonResponse(
      'The entries.',
      objectSchema({
        entries: listSchema(refTo('EntryHead'), 'Entries.'),
        last: typed('integer', 'Id of the latest event of the session; 0 if there was none.', { minimum: 0 }),
      }),
      { entries: [EXAMPLE_HEAD], last: 2 },
    ),
  },
  handle: (service, request) => {
    const { heads, events } = readableSession(service, request);
    return { entries: heads, last: events.last };
  },
});

const getEntry = route('GET', '/v1/sessions/{id}/entries/{number}', 'getEntry', {
  summary: 'Get an entry of a session.',
  description:
    'Returns a line with its result or problem, its tables for people, and the requests that it sent. Secrets are hidden, and the response of the service is left out.',
  params: ofEntry,
  responses: {
    200: jsonResponse('The entry.', refTo('EntryDetail'), {
      ...EXAMPLE_HEAD,
      tables: [EXAMPLE_TABLE],
      requests: [EXAMPLE_REQUEST],
      requestsOmitted: 0,
    }),
  },
  handle: (service, request) => readableSession(service, request).detail(numberOf(request)),
});

const markEntry = route('POST', '/v1/sessions/{id}/entries/{number}', 'markEntry', {
  summary: 'Star an entry of a session.',
  description: 'Marks an entry with a star, or removes the star. Starred entries are the last to be forgotten.',
  params: ofEntry,
  body: {
    description: 'The mark.',
    members: { starred: { type: 'boolean', description: 'Whether the entry has a star.' } },
    example: { starred: true },
  },
  responses: { 200: jsonResponse('The entry without its result.', refTo('EntryHead'), EXAMPLE_HEAD) },
  problems: [403],
  handle: (service, request) => readableSession(service, request).star(numberOf(request), request.body.starred),
});

const getContext = route('GET', '/v1/sessions/{id}/context', 'getContext', {
  summary: 'Get the context of a session.',
  description: 'Returns the results by context path, to which later lines can refer.',
  params,
  responses: {
    200: jsonResponse(
      'The context.',
      objectSchema({
        context: typed('object', 'Results by context path.', { additionalProperties: true }),
      }),
      { context: {} },
    ),
  },
  handle: (service, request) => ({ context: readableSession(service, request).room.context }),
});

const followSession = route('GET', '/v1/sessions/{id}/events', 'followSession', {
  summary: 'Follow a session.',
  description:
    'Streams server-sent events until the session is closed: `entry` (a line has ended; its head), `run` (a run of a line has changed; without its result), `star` (number, starred), `stale` (numbers of entries whose references have other values now) and `reset` (the reader has missed events: get the entries again). The data of each is JSON.',
  params,
  headers: { 'Last-Event-ID': LAST_EVENT_ID },
  responses: { 200: textResponse('The events.', EXAMPLE_EVENTS, 'text/event-stream') },
  handle: (service, request, reply) => {
    const session = readableSession(service, request);
    return answerEvents(service, request, reply, {
      follow: (last, signal) => session.events.follow(last, signal),
      refusal: (caller) => refusalIn(session, ownerOf(caller, service.catalogue).limits),
    });
  },
});

export const ENTRY_ROUTES = [listEntries, getEntry, markEntry, getContext, followSession];

/** Finds the session of a request. @throws HttpError if the caller may not read it */
export function readableSession(
  { sessions, catalogue }: Service,
  request: FastifyRequest<{ Params: { readonly id: string } }>,
): Session {
  const owner = requestOwner(request, catalogue);
  const session = sessions.find(ownerKey(owner), request.params.id);
  session.checkRights(owner.limits);
  return session;
}

function refusalIn(session: Session, limits: Parameters<Session['checkRights']>[0]): HttpError | undefined {
  try {
    session.checkRights(limits);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof HttpError) return thrown;
    throw thrown;
  }
}

/** @throws HttpError for a text that is no number */
function numberOf({ params: { number } }: { readonly params: { readonly number: string } }): number {
  if (/^[1-9]\d{0,8}$/.test(number)) return Number(number);
  throw notFound('entry', 'See the list of entries; the oldest ones are forgotten.');
}
