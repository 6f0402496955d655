/** Tests the proxy in `docs/guard/without-code.md` as printed, with the `openai` package as its client. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as check } from 'node:test';
import { BAD, framework, GOOD, INJECTION, pageProgram } from '../framework.mjs';
import { scriptedOpenai } from '../models.mjs';

const VERSION = '6.49.0';
const { aisec, folder, imported } = await framework([`openai@${VERSION}`]);
const { default: OpenAI } = await imported('openai');
const path = join(folder, 'proxy.mjs');
writeFileSync(path, pageProgram('without-code', 'js'));

let answer = {};
const model = await scriptedOpenai(() => answer);
const env = { PATH: process.env.PATH, HOME: folder, UPSTREAM: model.url, PORT: '0' };
const proxy = spawn(process.execPath, [path], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = await once(proxy.stdout, 'data');
const client = new OpenAI({ apiKey: 'key', baseURL: String(line).trim(), maxRetries: 0 });
const titled = (title, run) => check(`openai ${VERSION} through the proxy: ${title}`, run);

function ask(scripted, more = {}) {
  answer = scripted;
  const messages = [{ role: 'user', content: 'What is covered?' }];
  return client.chat.completions.create({ model: 'm', messages, ...more });
}

/** Reads a stream to its end. */
async function streamed(scripted) {
  const told = { text: '', last: undefined };
  for await (const { choices } of await ask(scripted, { stream: true })) {
    told.text += choices[0]?.delta.content ?? '';
    told.last = choices[0]?.finish_reason ?? told.last;
  }
  return told;
}

try {
  // The first scan of a process takes longer; on a busy machine it may exceed the guard's time limit.
  await ask({ text: 'ready' }).catch(() => undefined);
  await titled('passes an answer and a stream byte for byte', async () => {
    const { choices } = await ask({ text: GOOD });
    const { text, last } = await streamed({ text: GOOD });
    assert.deepEqual([choices[0].message.content, choices[0].finish_reason, text, last], [GOOD, 'stop', GOOD, 'stop']);
  });
  await titled('replaces a bad answer, and cuts a stream before the bad text', async () => {
    const { choices } = await ask({ text: BAD });
    const { text, last } = await streamed({ text: BAD });
    assert.deepEqual([choices[0].finish_reason, last], ['content_filter', 'content_filter']);
    assert.ok(!choices[0].message.content.includes('word') && text.startsWith('word word') && !text.includes('4111'));
  });
  await titled('refuses a bad prompt before the model gets it', async () => {
    const asked = model.requests.length;
    const bad = ask({ text: 'never' }, { messages: [{ role: 'user', content: INJECTION }] });
    await assert.rejects(bad, (error) => error instanceof OpenAI.BadRequestError && error.code === 'content_filter');
    assert.equal(model.requests.length, asked);
  });
} finally {
  proxy.kill();
  await model.close();
  await aisec.close();
}
