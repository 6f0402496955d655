/** `/openapi.json` and its older forms, and `/metrics`. */
import type { FastifyInstance } from 'fastify';
import type { Service } from '../service.ts';

/** Adds the routes. */
export function documentRoutes(app: FastifyInstance, { documents, metrics }: Service): void {
  for (const [path, write] of Object.entries(documents)) {
    // Written on first use; it is the same until the program is another one.
    let text: Promise<string> | undefined;
    app.get(path, async (_request, reply) => {
      text ??= write();
      return reply.type('application/json; charset=utf-8').send(await text);
    });
  }
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
}
