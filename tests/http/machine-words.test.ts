/** What errors and documents of the service say of its machine: nothing in the first, the truth in the second. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, ConflictError, ValidationError } from '../../lib/errors.ts';
import { MAX_DEPTH } from '../../lib/json.ts';
import { SERVICE_ROUTES } from '../../lib/manifest/openapi/routes-service.ts';
import { errorProblem } from '../../lib/runs/problem.ts';
import { start } from './support.ts';

test.each([
  [
    'The same work is already running: /tmp/aisec-serve-x1/default/a.lock belongs to process 17 on build-3, since 2026.',
    'The same work is already running: a.lock belongs to another process, since 2026.',
  ],
  [
    'It belongs to process 17 on build-3.internal in another container, since 2026.',
    'It belongs to another process, since 2026.',
  ],
  ['A file cannot be written to /srv/aisec/files (EACCES).', 'A file cannot be written to files (EACCES).'],
  ['In /etc/aisec/integration.yml, "profiles" is wrong.', 'In integration.yml, "profiles" is wrong.'],
  ['Redis at cache-1.internal:6379 has no memory left.', 'Redis has no memory left.'],
  ['Send it first: POST /v1/files, then GET /v1/files/abc.', 'Send it first: POST /v1/files, then GET /v1/files/abc.'],
  ['There is no file "/etc/passwd".', 'There is no file "/etc/passwd".'],
])('a problem of "%s" says "%s"', (message, wanted) => {
  const { body } = errorProblem(new ConflictError(message, { hint: message }));
  expect([body.detail, body.hint]).toEqual([wanted, wanted]);
});

test('each problem of an argument is without the machine too', () => {
  const message = 'The file /srv/private/a.csv cannot be read.';
  const { body } = errorProblem(new ValidationError([{ argument: 'entry_id', message, hint: message }]));
  expect(JSON.stringify(body)).not.toContain('/srv');
  expect(errorProblem(new ConfigurationError(message)).body.detail).toBe('The file a.csv cannot be read.');
});

test('the example of the measurements names a measurement that exists', async () => {
  const server = await start();
  try {
    const [, name = ''] = /# HELP (\S+) /.exec(JSON.stringify(SERVICE_ROUTES['/metrics'])) ?? [];
    expect((await server.send('/metrics')).text).toContain(`# HELP ${name} `);
  } finally {
    await server.close();
  }
});

test('the document of the service says how deep JSON may be', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'http.md'), 'utf8');
  expect(/nested at most (\d+) deep/.exec(text)?.[1]).toBe(String(MAX_DEPTH));
});
