/** Creates the OpenAPI document, and writes it as JSON. */

import { ROUTE_TAGS, ROUTES } from '../../lib/hosts/http/routes/index.ts';
import type { JsonSchema } from '../../lib/manifest/schema.ts';
import type { Command } from '../../lib/runtime/engine/command.ts';
import { commandParts } from './commands.ts';
import { FAMILIES } from './names.ts';
import { OBJECTS } from './objects.ts';
import { PARAMETERS, pathsOf } from './operation.ts';
import { RESPONSES } from './problem-responses.ts';

export type ApiDocument = JsonSchema;

const DESCRIPTION = `Runs the commands of aisec over HTTP, on the machine of the person who started \`aisec serve\`.

Each command is a path: \`POST /v1/commands/NAME\` with its arguments as JSON. Every example works on the simulated tenant (\`aisec serve --simulate\`). Errors are problem documents (RFC 9457) with a code, and a hint for the next step.

A token has a role. \`read\` may run commands that only read, \`operate\` all except deletions and commands that show a secret once, \`admin\` everything.`;

/**
 * Creates the document.
 * @param commands in the order of the registry
 * @param version of the program
 */
export function openApiOf(commands: readonly Command[], version: string): ApiDocument {
  const { paths, schemas } = commandParts(commands);
  return {
    openapi: '3.1.0',
    info: {
      title: 'aisec',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
    },
    servers: [{ url: 'http://127.0.0.1:8788', description: 'The default address of `aisec serve`.' }],
    security: [{ token: [] }],
    tags: [...Object.entries(FAMILIES).map(([name, description]) => ({ name, description })), ...ROUTE_TAGS],
    paths: { ...paths, ...pathsOf(ROUTES) },
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token created by `aisec serve token NAME`, or printed by `aisec serve` when it starts.',
        },
      },
      parameters: PARAMETERS,
      responses: RESPONSES,
      schemas: { ...OBJECTS, ...schemas },
    },
  };
}

/** Writes the document: JSON text by path. */
export function apiDocumentFiles(commands: readonly Command[], version: string): (readonly [string, string])[] {
  return [['docs/api/openapi.json', `${JSON.stringify(openApiOf(commands, version), null, 1)}\n`]];
}
