/**
 * `npm run test:http-clients`: tests the built service with a third-party client whose types are generated from the
 * OpenAPI document. It is installed in a temporary folder. Prints a line for each check; exit 1 if one fails.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test as check } from 'node:test';
import { promisify } from 'node:util';
import { ensureBuilt } from '../ensure-built.mjs';
import { installed } from '../foreign.mjs';
import { ROOT } from '../root.mjs';
import { AISEC, startProgram } from '../start-program.mjs';

const PACKAGES = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3', '@types/node@20.19.43'];
const DOCUMENT = join(ROOT, 'docs', 'api', 'openapi.json');
const COMPILER = ['--strict', '--noEmit', 'false', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck'];

/** Calls that must not compile, and the compiler's message. */
const WRONG = [
  ["'/v1/commands/aisec-runtime-topics-create', { body: { topic_name: 'any' } }", /description/],
  ["'/v1/guard/output', { body: { profile: 'prod' } }", /text/],
  ["'/v1/guard/input', { body: { profile: 'prod', text: 'any', on_error: 'pass' } }", /pass/],
  ["'/v1/commands/aisec-runtime-scan', { body: { profile_name: 'prod', prompt: 1 } }", /number/],
  ["'/v1/commands/aisec-redteam-sentiment-update', { body: { job_id: 'any', vote: 'sideways' } }", /sideways/],
  ["'/v1/commands/aisec-runtime-scans', { body: {} }", /aisec-runtime-scans/],
];

await ensureBuilt();
const folder = await installed('http-clients', PACKAGES);
const run = (words, env = {}) =>
  promisify(execFile)(process.execPath, words, { cwd: folder, env: { ...process.env, ...env } });
const compile = (file) => run([join('node_modules', 'typescript', 'bin', 'tsc'), ...COMPILER, file]);

const { found: server, stop } = await startProgram([AISEC, 'serve', '--simulate', '--port', '0'], {
  ready: { url: /AISEC_URL=(\S+)/, token: /AISEC_TOKEN=(\S+)/ },
});
await typedClient().finally(() => stop());

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
