/** `/openapi.json` and its older forms, and `/metrics`. */
import type { FastifyInstance } from 'fastify';
import { callerOf } from '../guard.ts';
import { HttpError } from '../problems.ts';
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
  app.get('/metrics', async (request, reply) => {
    if (callerOf(request).profile !== undefined) {
      throw new HttpError(403, 'not-allowed', 'Measurements tell of all tenants, and this token is of one.', {
        hint: 'Use a token without a profile.',
      });
    }
    return reply.type(metrics.contentType).send(await metrics.text());
  });
}
