/** The OpenAPI documents that the service shows. */
import type { Command } from '../../engine/command.ts';

/** Returns the text of a document by its path. Each is written once, on first use. */
export function documentsOf(commands: readonly Command[], version: string): (path: string) => Promise<string> {
  const texts = new Map<string, Promise<string>>();
  return (path) => {
    const text = texts.get(path) ?? written(path, commands, version);
    texts.set(path, text);
    return text;
  };
}

async function written(path: string, commands: readonly Command[], version: string): Promise<string> {
  const document = (await import('./openapi/document.ts')).openApiOf(commands, version);
  if (path === '/openapi.json') return JSON.stringify(document);
  if (path === '/swagger.json') return JSON.stringify((await import('./openapi/swagger.ts')).swaggerOf(document));
  return JSON.stringify((await import('./openapi/openapi-30.ts')).openApi30Of(document));
}
