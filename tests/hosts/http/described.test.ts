/** The documents of the service are true. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_DEPTH } from '../../../lib/core/json.ts';
import { SERVICE_ROUTES } from '../../../lib/hosts/http/routes/service.ts';
import { start } from './support.ts';

test('the example of the measurements names an existing measurement', async () => {
  const server = await start();
  try {
    const [, name = ''] =
      /# HELP (\S+) /.exec(JSON.stringify(SERVICE_ROUTES.find(({ url }) => url === '/metrics'))) ?? [];
    expect((await server.send('/metrics')).text).toContain(`# HELP ${name} `);
  } finally {
    await server.close();
  }
});

test('the document of the service states the maximum depth of JSON', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'http.md'), 'utf8');
  expect(/nested at most (\d+) deep/.exec(text)?.[1]).toBe(String(MAX_DEPTH));
});
