/**
 * `npm run test:http-documents`: checks the document with third-party programs. A linter reads it, and a proxy
 * compares requests and responses of the built service with it, for the example of every command. All are installed in
 * a temporary folder. Prints a line for each check; exit 1 if one fails.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test as check } from 'node:test';
import { promisify } from 'node:util';
import { build } from '../build.mjs';
import { installed } from '../foreign.mjs';
import { ROOT } from '../root.mjs';
import { startProgram } from '../start-program.mjs';
import { DOCUMENT, examples, guardExamples, served, uploaded } from './support.mjs';

const PACKAGES = ['@redocly/cli@2.77.0', '@stoplight/prism-cli@5.14.2'];
const COMMANDS = JSON.parse(readFileSync(join(ROOT, 'catalogue', 'commands.json'), 'utf8')).length;

await build();
const folder = await installed('http-documents', PACKAGES);
const requireThere = createRequire(join(folder, 'package.json'));

await check('Redocly finds nothing in the document', async () => {
  const config = join(ROOT, 'scripts', 'http', 'redocly.yaml');
  const words = [binOf('@redocly/cli', 'redocly'), 'lint', '--config', config, '--max-problems', '20'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [...words, DOCUMENT]);
  assert.doesNotMatch(stdout + stderr, /You have \d+ warning/);
});

const server = await served();
try {
  const words = ['proxy', DOCUMENT, server.url, '--errors', '--host', '127.0.0.1', '--port', '0'];
  const { found, stop } = await startProgram([binOf('@stoplight/prism-cli', 'prism'), ...words], {
    ready: { url: /listening on (http:\S+)/ },
  });
  await throughProxy(found.url).finally(() => stop());
} finally {
  await server.close();
}

/** Sends the example of every command, and some requests that the document forbids. */
async function throughProxy(url) {
  const send = async (path, { method = 'POST', token = server.token, body }) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: response.status, text: await response.text() };
  };
  const all = await examples(await uploaded(server));
  assert.equal(all.length, COMMANDS);
  for (const { name, path, body } of all) {
    await check(`Prism finds no difference in ${name}`, async () => {
      const { status, text } = await send(path, { body });
      assert.equal(status, 200, text.slice(0, 1000));
    });
  }
  for (const [name, example] of Object.entries(await guardExamples())) {
    await check(`Prism finds no difference in ${name}`, async () => {
      const path = `/v1/guard/${name.replace('guard', '').toLowerCase()}`;
      const { status, text } = await send(path, { body: JSON.stringify(example) });
      assert.equal(status, 200, text.slice(0, 1000));
      assert.match(text, /"action":"(allow|block)"/);
    });
  }
  await check('Prism finds no difference in a refusal of the guard', async () => {
    const body = JSON.stringify({ profile: 'prod', text: 'any', on_error: 'allow' });
    const { status, text } = await send('/v1/guard/output', { body });
    assert.equal(status, 403);
    assert.match(text, /urn:aisec:problem:not-allowed/);
  });
  await check('Prism refuses an unknown argument', async () => {
    const { status, text } = await send('/v1/commands/aisec-runtime-topics-list', { body: '{"none":1}' });
    assert.equal(status, 422);
    assert.match(text, /prism/);
  });
  await check('Prism finds no difference in a problem', async () => {
    const body = '{"topic_id":"00000000-0000-4000-8000-000000000000"}';
    const { status, text } = await send('/v1/commands/aisec-runtime-topics-get', { body });
    assert.equal(status, 404);
    assert.match(text, /urn:aisec:problem:not-found/);
  });
  for (const path of ['/v1/commands', '/v1/commands/aisec-runtime-scan', '/v1/runs', '/v1/files', '/v1/playbooks']) {
    await check(`Prism finds no difference in GET ${path}`, async () => {
      const { status, text } = await send(path, { method: 'GET' });
      assert.equal(status, 200, text.slice(0, 1000));
    });
  }
}

/** Returns the path of a program of a package. */
function binOf(name, program) {
  const { bin } = requireThere(`${name}/package.json`);
  return join(folder, 'node_modules', name, bin[program]);
}
