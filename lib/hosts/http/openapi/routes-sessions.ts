/** Routes of sessions. */
import type { JsonSchema } from '../../../manifest/schema.ts';
import { pathParameter } from './parameters.ts';
import {
  jsonBody,
  jsonResponse,
  listOf,
  objectOf,
  parameterRef,
  problems,
  refTo,
  responseRef,
  typed,
} from './parts.ts';

const SESSION_ID = '4d8e6a20c7b14f59a3e1d0c2';

const EXAMPLE_SESSION = {
  id: SESSION_ID,
  created: '2026-11-21T12:00:00.000Z',
  used: '2026-11-21T12:00:00.000Z',
  lines: 0,
  contextBytes: 2,
  url: `/v1/sessions/${SESSION_ID}`,
};

const id = pathParameter('id', 'Identifier of the session.', SESSION_ID);

/** Operations by path. */
export const SESSION_ROUTES: Readonly<Record<string, JsonSchema>> = {
  '/v1/sessions': {
    post: {
      operationId: 'openSession',
      tags: ['sessions'],
      summary: 'Open a session.',
      description:
        'Opens a war room with an empty context. Of more than 100, the one that was not used for longest ends.',
      responses: {
        '201': jsonResponse('The session.', refTo('Session'), EXAMPLE_SESSION),
        ...problems(401, 429, 503),
      },
    },
    get: {
      operationId: 'listSessions',
      tags: ['sessions'],
      summary: 'List sessions.',
      description: 'Returns the open sessions of the caller.',
      responses: {
        '200': jsonResponse('The sessions.', objectOf({ sessions: listOf(refTo('Session'), 'Sessions.') }), {
          sessions: [EXAMPLE_SESSION],
        }),
        ...problems(401, 429),
      },
    },
  },
  '/v1/sessions/{id}': {
    get: {
      operationId: 'getSession',
      tags: ['sessions'],
      summary: 'Get a session.',
      description: 'Returns a session with its lines, their results, and the context.',
      parameters: [id],
      responses: {
        '200': jsonResponse('The session.', refTo('SessionDetail'), { ...EXAMPLE_SESSION, entries: [], context: {} }),
        ...problems(401, 404, 429),
      },
    },
    delete: {
      operationId: 'closeSession',
      tags: ['sessions'],
      summary: 'Close a session.',
      description: 'Forgets a session with its lines and its context.',
      parameters: [id],
      responses: { '204': { description: 'The session was closed.' }, ...problems(401, 404, 429) },
    },
  },
  '/v1/sessions/{id}/lines': {
    post: {
      operationId: 'runLine',
      tags: ['sessions'],
      summary: 'Run a line.',
      description:
        'Runs a line of a war room. `${AiSec...}` in it refers to the results of earlier lines, which the context has.',
      parameters: [id, parameterRef('DryRun'), parameterRef('IdempotencyKey'), parameterRef('Prefer')],
      requestBody: jsonBody(
        objectOf({ line: typed('string', 'A line such as `!aisec-runtime-topics-list limit=2`.', { minLength: 1 }) }),
        'The line.',
        { line: '!aisec-runtime-scan profile_name=prod prompt="Hello"' },
      ),
      responses: {
        '200': jsonResponse('The line with its result.', refTo('Entry')),
        '202': responseRef('Accepted'),
        ...problems(400, 401, 403, 404, 409, 413, 415, 422, 429, 502, 503, 504),
      },
    },
  },
};
