/** Routes of the catalogue, and of the service itself. */
import type { JsonSchema } from '../../../manifest/schema.ts';
import { pathParameter, queryParameter } from './parameters.ts';
import { jsonResponse, listOf, objectOf, problems, refTo } from './parts.ts';

const DOCUMENT = { type: 'object', additionalProperties: true };

/** Operations by path. */
export const SERVICE_ROUTES: Readonly<Record<string, JsonSchema>> = {
  '/v1/commands': {
    get: {
      operationId: 'listCommands',
      tags: ['catalogue'],
      summary: 'List the commands.',
      description: 'Returns the commands that the caller may run, with their schemas.',
      parameters: [queryParameter('search', 'Words that the commands must be about.', { type: 'string' })],
      responses: {
        '200': jsonResponse('The commands.', objectOf({ commands: listOf(refTo('Command'), 'Commands.') })),
        ...problems(401, 429),
      },
    },
  },
  '/v1/commands/{name}': {
    get: {
      operationId: 'getCommand',
      tags: ['catalogue'],
      summary: 'Get a command.',
      description: 'Returns what a command takes and returns.',
      parameters: [pathParameter('name', 'Name of the command.', 'aisec-runtime-scan')],
      responses: { '200': jsonResponse('The command.', refTo('Command')), ...problems(401, 404, 429) },
    },
  },
  '/openapi.json': { get: documentOperation('getOpenApi', 'OpenAPI 3.1') },
  '/openapi-3.0.json': { get: documentOperation('getOpenApi30', 'OpenAPI 3.0') },
  '/swagger.json': { get: documentOperation('getSwagger', 'Swagger 2.0') },
  '/healthz': {
    get: probe('getHealth', 'Check that the service runs.', 'Responds `ok` as long as the process responds at all.'),
  },
  '/readyz': {
    get: probe(
      'getReadiness',
      'Check that the service is ready.',
      'Responds `ok`, or 503 with what is not ready: the tenant cannot be reached, or the service is stopping.',
    ),
  },
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      tags: ['service'],
      summary: 'Get measurements.',
      description: 'Returns counters and histograms in the text format of Prometheus.',
      responses: {
        '200': text('The measurements.', '# HELP aisec_runs_running Runs that are being worked on.\n'),
        ...problems(401, 403, 429),
      },
    },
  },
};

function documentOperation(operationId: string, format: string): JsonSchema {
  return {
    operationId,
    tags: ['service'],
    summary: `Get this document as ${format}.`,
    description: `Returns the description of all routes as ${format}.`,
    responses: { '200': jsonResponse('The document.', DOCUMENT), ...problems(401, 429) },
  };
}

/** Probes need no token, because what watches a process has none. */
function probe(operationId: string, summary: string, description: string): JsonSchema {
  return {
    operationId,
    tags: ['service'],
    summary,
    description,
    security: [],
    responses: {
      '200': text('It is.', 'ok'),
      ...(operationId === 'getReadiness' ? { '503': text('It is not.', 'stopping') } : {}),
    },
  };
}

function text(description: string, example: string): JsonSchema {
  return { description, content: { 'text/plain': { schema: { type: 'string' }, example } } };
}
