/** The OpenAPI documents that the service shows, written from the registry when somebody asks. */
import type { Command } from '../../engine/command.ts';

/** Returns the writers of the documents, by path. */
export function documentsOf(
  commands: readonly Command[],
  version: string,
): Readonly<Record<string, () => Promise<string>>> {
  const document = async () => (await import('./openapi/document.ts')).openApiOf(commands, version);
  return {
    '/openapi.json': async () => JSON.stringify(await document()),
    '/openapi-3.0.json': async () =>
      JSON.stringify((await import('./openapi/openapi-30.ts')).openApi30Of(await document())),
    '/swagger.json': async () => JSON.stringify((await import('./openapi/swagger.ts')).swaggerOf(await document())),
  };
}
