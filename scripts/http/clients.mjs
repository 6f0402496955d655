/**
 * `npm run test:http-clients`: tries the built service with third-party clients: the first has types generated from the document of
 * 3.1, the second reads it while it runs. Both are installed in a temporary folder. Prints a line for each check; exit 1 if one fails.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test as check } from 'node:test';
import { promisify } from 'node:util';
import { build } from '../build.mjs';
import { installed } from '../foreign.mjs';
import { ROOT } from '../root.mjs';
import { DOCUMENT, examples, guardExamples, served, uploaded } from './support.mjs';

const PACKAGES = [
  ...['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3', '@types/node@20.19.43'],
  'swagger-client@3.37.3',
];
const COMPILER = ['--strict', '--noEmit', 'false', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck'];

/** Commands that the second client runs. */
const NAMES = [
  ...['aisec-runtime-scan', 'aisec-runtime-topics-list', 'aisec-runtime-topics-create', 'aisec-runtime-profiles-get'],
  ...['aisec-runtime-dlp-patterns-list', 'aisec-runtime-dlp-dictionaries-create', 'aisec-redteam-targets-list'],
  ...['aisec-redteam-report-get', 'aisec-model-security-scans-get', 'aisec-model-security-groups-update'],
];

/** Calls that must not compile, and the message of the compiler. */
const WRONG = [
  ["'/v1/commands/aisec-runtime-topics-create', { body: { topic_name: 'any' } }", /description/],
  ["'/v1/guard/output', { body: { profile: 'prod' } }", /text/],
  ["'/v1/guard/input', { body: { profile: 'prod', text: 'any', on_error: 'pass' } }", /pass/],
  ["'/v1/commands/aisec-runtime-scan', { body: { profile_name: 'prod', prompt: 1 } }", /number/],
  ["'/v1/commands/aisec-redteam-sentiment-update', { body: { job_id: 'any', vote: 'sideways' } }", /sideways/],
  ["'/v1/commands/aisec-runtime-scans', { body: {} }", /aisec-runtime-scans/],
];

// The package has the older formats of the document.
await build({ forPackage: true });
const folder = await installed('http-clients', PACKAGES);
const run = (words, env = {}) =>
  promisify(execFile)(process.execPath, words, { cwd: folder, env: { ...process.env, ...env } });
const compile = (file) => run([join('node_modules', 'typescript', 'bin', 'tsc'), ...COMPILER, file]);

const server = await served();
try {
  await typedClient();
  await swaggerClient();
} finally {
  await server.close();
}

async function typedClient() {
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  // Otherwise the types would require every argument with a default.
  const optional = '--default-non-nullable=false';
  await check('openapi-typescript generates types', () =>
    run([join('node_modules', 'openapi-typescript', 'bin', 'cli.js'), DOCUMENT, '-o', 'aisec.d.ts', optional]),
  );
  // Its imports exist only in that folder, so the file is not a source of this project.
  await copyFile(join(ROOT, 'scripts', 'http', 'typed-client.ts.txt'), join(folder, 'client.ts'));
  await check('ten commands compile with them', () => compile('client.ts'));
  await check('openapi-fetch runs them', async () => {
    const { stdout } = await run(['client.js'], { AISEC_URL: server.url, AISEC_TOKEN: server.token });
    console.log(stdout.trimEnd());
    assert.doesNotMatch(stdout, /FAILED/);
    assert.ok(stdout.split('\n').filter((line) => line.startsWith('ok')).length >= 10);
  });
  const [head] = (await readFile(join(folder, 'client.ts'), 'utf8')).split('/** Prints');
  for (const [call, reason] of WRONG) {
    await check(`POST(${call}) does not compile`, async () => {
      await writeFile(join(folder, 'wrong.ts'), `${head}await aisec.POST(${call});\n`);
      await assert.rejects(compile('wrong.ts'), ({ stdout }) => reason.test(stdout));
    });
  }
}

async function swaggerClient() {
  const SwaggerClient = createRequire(join(folder, 'package.json'))('swagger-client');
  const spec = JSON.parse(await readFile(DOCUMENT, 'utf8'));
  const client = await new SwaggerClient({
    spec: { ...spec, servers: [{ url: server.url }] },
    authorizations: { token: { value: server.token } },
  });
  // It knows operations under names that are identifiers.
  const execute = (name, { body, ...parameters }) =>
    client.execute({ operationId: name.replace(/-/g, '_'), parameters, requestBody: body });
  const byName = new Map((await examples(await uploaded(server))).map(({ name, body }) => [name, body]));
  for (const operationId of NAMES) {
    await check(`swagger-client runs ${operationId}`, async () => {
      const body = JSON.parse(byName.get(operationId));
      const { status, body: result } = await execute(operationId, { body });
      assert.equal(status, 200);
      assert.equal(result.command, operationId);
    });
  }
  for (const [operationId, body] of Object.entries(await guardExamples())) {
    await check(`swagger-client runs ${operationId}`, async () => {
      const { status, body: decision } = await execute(operationId, { body });
      assert.equal(status, 200);
      assert.match(decision.action, /^(allow|block)$/);
    });
  }
  await check('swagger-client passes the query and headers', async () => {
    const parameters = { body: { limit: 1 }, dry_run: true, Prefer: 'respond-async' };
    const { status, body } = await execute('aisec-runtime-topics-list', parameters);
    assert.equal(status, 202);
    assert.equal((await execute('getRun', { id: body.id })).status, 200);
  });
  await check('swagger-client reads a problem', async () => {
    const parameters = { body: { topic_name: 'none' } };
    const call = execute('aisec-runtime-topics-get', parameters);
    await assert.rejects(call, ({ response }) => response.body.code === 'not-found');
  });
}
