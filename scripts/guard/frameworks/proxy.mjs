/** The proxy of `docs/guard/without-code.md`, as it is printed there, with the `openai` package as its client. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as check } from 'node:test';
import { BAD, framework, GOOD, INJECTION, programOf } from '../framework.mjs';
import { scriptedOpenai, toolCall } from '../scripted-openai.mjs';

const VERSION = '6.49.0';
const { folder, imported } = await framework([`openai@${VERSION}`]);
const { default: OpenAI } = await imported('openai');
const path = join(folder, 'proxy.mjs');
writeFileSync(path, programOf('without-code', 'js'));

let answer = {};
const model = await scriptedOpenai(() => answer);
const env = { PATH: process.env.PATH, HOME: folder, UPSTREAM: model.url, PORT: '0' };
const proxy = spawn(process.execPath, [path], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = await once(proxy.stdout, 'data');
const client = new OpenAI({ apiKey: 'key', baseURL: String(line).trim(), maxRetries: 0 });
try {
  await plainAnswers();
  await streams();
} finally {
  proxy.kill();
  await model.close();
}

function titled(title, run) {
  return check(`openai ${VERSION} through the proxy: ${title}`, run);
}

function ask(scripted, more = {}) {
  answer = scripted;
  const messages = [{ role: 'user', content: 'What is covered?' }];
  return client.chat.completions.create({ model: 'm', messages, ...more });
}

async function plainAnswers() {
  await titled('passes an answer', async () => {
    const { choices } = await ask({ text: GOOD });
    assert.deepEqual([choices[0].message.content, choices[0].finish_reason], [GOOD, 'stop']);
  });
  await titled('replaces a bad answer', async () => {
    const { choices } = await ask({ text: BAD });
    assert.equal(choices[0].finish_reason, 'content_filter');
    assert.ok(!choices[0].message.content.includes('word'));
  });
  await titled('refuses a bad prompt before the model is asked', async () => {
    const asked = model.requests.length;
    const bad = ask({ text: 'never' }, { messages: [{ role: 'user', content: INJECTION }] });
    await assert.rejects(bad, (error) => error instanceof OpenAI.BadRequestError && error.code === 'content_filter');
    assert.equal(model.requests.length, asked);
  });
  await titled('passes an error of the model', async () => {
    await assert.rejects(ask({ status: 429 }), (error) => error instanceof OpenAI.RateLimitError);
  });
}

/** Reads a stream to its end. */
async function streamed(scripted) {
  answer = scripted;
  const messages = [{ role: 'user', content: 'What is covered?' }];
  let text = '';
  let last;
  const calls = [];
  for await (const { choices } of await client.chat.completions.create({ model: 'm', stream: true, messages })) {
    text += choices[0]?.delta.content ?? '';
    calls.push(...(choices[0]?.delta.tool_calls ?? []));
    last = choices[0]?.finish_reason ?? last;
  }
  return { text, last, calls };
}

async function streams() {
  await titled('passes a stream byte for byte', async () => {
    const { text, last } = await streamed({ text: GOOD });
    assert.deepEqual([text, last], [GOOD, 'stop']);
  });
  await titled('cuts a stream before the bad text', async () => {
    const { text, last } = await streamed({ text: BAD });
    assert.equal(last, 'content_filter');
    assert.ok(text.startsWith('word word') && !text.includes('4111'));
  });
  for (const [body, reason] of [
    ['fine', 'tool_calls'],
    [INJECTION, 'content_filter'],
  ])
    await titled(`ends a call of a tool with ${reason}`, async () => {
      const { last, calls } = await streamed({ text: '', toolCalls: [toolCall('send', { body })] });
      assert.equal(last, reason);
      assert.equal(calls.length, reason === 'tool_calls' ? 1 : 0);
    });
  await titled('keeps parallel calls with one index apart', async () => {
    const calls = ['a', 'b'].map((name) => ({ ...toolCall(name, { body: 'fine' }), id: name }));
    const choices = calls.map((call) => ({
      index: 0,
      delta: { tool_calls: [{ index: 0, ...call }] },
      finish_reason: '',
    }));
    const { last, calls: passed } = await streamed({
      choices: [...choices, { index: 0, delta: {}, finish_reason: 'tool_calls' }],
    });
    assert.deepEqual(
      [last, passed.map(({ index, id }) => [index, id])],
      [
        'tool_calls',
        [
          [0, 'a'],
          [1, 'b'],
        ],
      ],
    );
  });
  await titled('ends the request of the model when its client leaves', async () => {
    const { left } = model;
    answer = { text: GOOD.repeat(100) };
    const messages = [{ role: 'user', content: 'What is covered?' }];
    const stream = await client.chat.completions.create({ model: 'm', stream: true, messages });
    for await (const _ of stream) break;
    for (let look = 0; look < 1000 && model.left === left; look += 1) await new Promise((done) => setTimeout(done, 5));
    assert.equal(model.left, left + 1);
  });
}
