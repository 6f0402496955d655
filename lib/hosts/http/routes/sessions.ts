/** `/v1/sessions`: war rooms. */
import type { FastifyRequest } from 'fastify';
import { ownerKey } from '../../../runs/port.ts';
import type { Registry } from '../../../runtime/engine/command.ts';
import { requestOwner } from '../access/rights.ts';
import { type TypedLine, understood } from '../completion/line-meaning.ts';
import { answer, prefersRun, stopping, waitsForJob } from '../responses/answer.ts';
import {
  ACCEPTED,
  DRY_RUN,
  IDEMPOTENCY_KEY,
  idOf,
  jsonResponse,
  listResponse,
  PREFER,
  refTo,
  route,
} from '../route.ts';
import type { Service } from '../service.ts';
import { lineWithoutSecrets } from '../sessions/running-line.ts';

const SESSION_ID = '4d8e6a20c7b14f59a3e1d0c2';
const EXAMPLE_SESSION = {
  id: SESSION_ID,
  created: '2026-11-21T12:00:00.000Z',
  used: '2026-11-21T12:00:00.000Z',
  lines: 0,
  contextBytes: 2,
  url: `/v1/sessions/${SESSION_ID}`,
};

const params = idOf('session', SESSION_ID);

const TAB = {
  type: 'string',
  description:
    'A name that the caller gives itself, such as the random name of a browser tab: its entries have it as `by`. Anything but up to 64 letters, digits, `.`, `_` and `-` is ignored.',
} as const;

const openSession = route('POST', '/v1/sessions', 'openSession', {
  summary: 'Open a session.',
  description: 'Opens a war room with an empty context. Beyond 100 sessions, the least recently used one closes.',
  body: { description: 'An object without members, or nothing.', members: {}, example: {} },
  responses: { 201: jsonResponse('The session.', refTo('Session'), EXAMPLE_SESSION) },
  problems: [503],
  handle: ({ stopping: ending, sessions, tenants, catalogue }, request, reply) => {
    if (ending.aborted) throw stopping();
    const owner = requestOwner(request, catalogue);
    const session = sessions.open(ownerKey(owner), tenants.clientFor(owner));
    return reply.code(201).header('location', `/v1/sessions/${session.id}`).send(session.summary());
  },
});

const listSessions = route('GET', '/v1/sessions', 'listSessions', {
  summary: 'List sessions.',
  description: 'Returns the open sessions of the caller.',
  responses: { 200: listResponse('sessions', 'Session', [EXAMPLE_SESSION]) },
  handle: (service, request) => ({
    sessions: service.sessions.list(keyOf(service, request)).map((session) => session.summary()),
  }),
});

const getSession = route('GET', '/v1/sessions/{id}', 'getSession', {
  summary: 'Get a session.',
  description: 'Returns a session with its lines, their results, and the context.',
  params,
  responses: {
    200: jsonResponse('The session.', refTo('SessionDetail'), { ...EXAMPLE_SESSION, entries: [], context: {} }),
  },
  handle: ({ sessions, catalogue }, request) => {
    const owner = requestOwner(request, catalogue);
    const session = sessions.find(ownerKey(owner), request.params.id);
    session.checkRights(owner.limits);
    return { ...session.summary(), entries: session.entries, context: session.room.context };
  },
});

const closeSession = route('DELETE', '/v1/sessions/{id}', 'closeSession', {
  summary: 'Close a session.',
  description: 'Forgets a session with its lines and its context.',
  params,
  responses: { 204: { description: 'The session was closed.' } },
  handle: (service, request, reply) => {
    service.sessions.close(keyOf(service, request), request.params.id);
    return reply.code(204).send();
  },
});

const runLine = route('POST', '/v1/sessions/{id}/lines', 'runLine', {
  summary: 'Run a line.',
  description: 'Runs a line of a war room. `${AiSec...}` in it refers to the results of earlier lines in the context.',
  params,
  query: { dry_run: DRY_RUN },
  headers: { 'Idempotency-Key': IDEMPOTENCY_KEY, Prefer: PREFER, 'x-aisec-tab': TAB },
  body: {
    description: 'The line.',
    members: { line: { type: 'string', description: 'A line such as `!aisec-runtime-topics-list limit=2`.' } },
    optional: {
      seal: {
        type: 'string',
        maxLength: 100,
        description:
          'For a deletion that a person confirmed, the `seal` of its completion: the line is refused if it would now delete anything else.',
      },
    },
    example: { line: '!aisec-runtime-scan profile_name=prod prompt="Hello"' },
  },
  responses: { 200: jsonResponse('The line with its result.', refTo('Entry')), 202: ACCEPTED },
  problems: [403, 409, 502, 504],
  handle: async (service, request, reply) => {
    const { line, seal } = request.body as { readonly line: string; readonly seal?: string };
    const { dry_run: dryRun } = request.query;
    const owner = requestOwner(request, service.catalogue);
    const session = service.sessions.find(ownerKey(owner), request.params.id);
    session.checkRights(owner.limits);
    session.checkRoom();
    const typed = await understoodIfValid(line, service.registry);
    const command = typed?.command;
    return answer(service, request, reply, {
      owner,
      work: {
        ...{ kind: 'line', session: request.params.id, line, shown: lineWithoutSecrets(line, typed), dryRun },
        ...tabOf(request),
        ...(seal === undefined ? {} : { seal }),
        // An argument may refer to any of the session's results.
        commands: [...session.commands, ...(command === undefined ? [] : [command.name])],
      },
      command,
      later: prefersRun(request) || (!dryRun && waits(typed)),
      // The effect of a line is known only when it runs.
      changes: !dryRun,
    });
  },
});

export const SESSION_ROUTES = [openSession, listSessions, getSession, closeSession, runLine];

function keyOf({ catalogue }: Service, request: FastifyRequest): string {
  return ownerKey(requestOwner(request, catalogue));
}

/** Returns the name of the tab that sends a line. */
function tabOf({ headers }: FastifyRequest): { readonly by?: string } {
  const by = String(headers['x-aisec-tab'] ?? '');
  return /^[\w.-]{1,64}$/.test(by) ? { by } : {};
}

/** Reads a line. @returns undefined for a line that will be refused */
async function understoodIfValid(line: string, registry: Registry): Promise<TypedLine | undefined> {
  try {
    return await understood(line, registry);
  } catch {
    return undefined;
  }
}

/** Reports whether a line waits for the end of a job. */
function waits(typed: TypedLine | undefined): boolean {
  if (typed?.command === undefined) return false;
  return waitsForJob(typed.command, typed.invocation.pairs.find(({ name }) => name === 'wait')?.value);
}
