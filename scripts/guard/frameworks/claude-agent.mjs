/** The adapter of the Claude Agent SDK, tried with its real program and a scripted model. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as check } from 'node:test';
import { AWAY, BAD, framework, GOOD, INJECTION, programOf } from '../framework.mjs';
import { scriptedAnthropic, toolUse } from '../scripted-anthropic.mjs';
import { compilesIn, NODE_TYPES } from '../types.mjs';

const VERSION = '0.3.328';
const CARD = 'Card 4111 1111 1111 1111';
const NUMBER = '4111 1111';
const MESSAGE = 'This content was blocked by a security policy.';
/** Time limit of one agent, in milliseconds. */
const LIMIT_MS = 20_000;
const SEND = 'mcp__mail__send';

/** Uses after the program of the document. */
const USES = `
import type { Options, SDKMessage } from '@anthropic-ai/claude-agent-sdk';
const hooks: Options['hooks'] = guardHooks(guard, { context: () => ({ app_user: 'u' }) });
const told: AsyncGenerator<SDKMessage, void> = guardMessages(guard, query({ prompt: 'x', options: { hooks } }));
// @ts-expect-error A query that cannot be closed.
guardMessages(guard, told);
// @ts-expect-error A misspelt option.
guardHooks(guard, { contxt: () => ({}) });
// @ts-expect-error A guard is no hook.
query({ prompt: 'x', options: { hooks: guard } });
`;

const { folder, createAisec, createGuard, imported, shows } = await framework([
  `@anthropic-ai/claude-agent-sdk@${VERSION}`,
  NODE_TYPES,
]);
const { guardHooks, guardMessages } = await imported('aisec/guard/claude-agent');
const { createSdkMcpServer, query, tool } = await imported('@anthropic-ai/claude-agent-sdk');
const { z } = await imported('zod');
const aisec = createAisec({ simulate: true });
try {
  await prompts();
  await texts();
  await tools();
  await failures();
  await example();
  await titled('compiles under strict', async () => {
    assert.deepEqual(await compilesIn(folder, programOf('claude-agent') + USES), []);
  });
} finally {
  await aisec.close();
}

function titled(title, run) {
  return check(`claude-agent-sdk ${VERSION}: ${title}`, { timeout: 60_000 }, run);
}

async function prompts() {
  await titled('passes a prompt and its answer, with the usage', async () => {
    const { result, server } = await run({ answer: () => ({ text: 'Water damage.' }) });
    assert.deepEqual([result.result, result.stop_reason, server.requests.length], ['Water damage.', 'end_turn', 1]);
    assert.equal(result.usage.output_tokens, 1);
  });
  await titled('blocks a prompt before the model starts, and keeps it out of the history', async () => {
    const { result, server, history } = await run({ prompt: INJECTION });
    assert.deepEqual([result.result, result.stop_reason, server.requests.length], [MESSAGE, 'refusal', 0]);
    assert.ok(!history.includes(INJECTION));
  });
  await titled('blocks a prompt without the wrapper of messages', async () => {
    const { result, server } = await run({ prompt: INJECTION, isWrapped: false });
    assert.equal(server.requests.length, 0);
    assert.ok(result.result.endsWith(MESSAGE) && !result.result.includes(INJECTION));
  });
  await titled('blocks a prompt that would be masked, because no hook changes a prompt', async () => {
    const { server } = await run({ prompt: CARD, mask: { input: true } });
    assert.equal(server.requests.length, 0);
  });
}

async function texts() {
  await titled('passes a very long stream byte for byte, and its thoughts', async () => {
    const [text, thinking] = [GOOD.repeat(8), `${GOOD}thought`];
    const { result, complete } = await run({ answer: () => ({ text, thinking }) });
    assert.deepEqual([...complete, result.result], [thinking, text, text]);
  });
  await titled('shows nothing of a bad stream, and closes the query', async () => {
    const { result, complete, all } = await run({ answer: () => ({ text: BAD + GOOD }) });
    assert.deepEqual(complete, [MESSAGE]);
    assert.deepEqual([result.stop_reason, result.result], ['refusal', MESSAGE]);
    assert.ok(!all.includes(NUMBER));
  });
  await titled('shows no bad thoughts', async () => {
    const { all, result } = await run({ answer: () => ({ thinking: BAD, text: 'fine' }) });
    assert.ok(!all.includes(NUMBER) && result.stop_reason === 'refusal');
  });
  await titled('replaces a bad answer that is not streamed', async () => {
    const { all, result, complete } = await run({ answer: () => ({ text: BAD }), isStreamed: false });
    assert.ok(!all.includes(NUMBER));
    assert.deepEqual([complete, result.result], [[MESSAGE], MESSAGE]);
  });
  for (const isStreamed of [true, false])
    await titled(`masks ${isStreamed ? 'a stream' : 'an answer'}`, async () => {
      const answer = () => ({ text: BAD });
      const { complete, all, result } = await run({ answer, isStreamed, mask: { output: true } });
      assert.ok(!all.includes(NUMBER));
      assert.deepEqual([result.stop_reason, result.result.length], ['end_turn', BAD.length]);
      assert.deepEqual(complete, [result.result]);
    });
  await titled('ends the scan and the model when the reader leaves', async () => {
    const leaves = ({ type }) => type === 'system';
    const { server } = await run({ answer: () => ({ text: GOOD.repeat(2000) }), leaves });
    await until(() => server.left === 1);
  });
  await titled('keeps two queries of one guard apart', async () => {
    const guard = createGuard(aisec, { profile: 'prod' });
    const [bad, good] = await Promise.all([
      run({ guard, answer: () => ({ text: BAD }) }),
      run({ guard, answer: () => ({ text: GOOD }) }),
    ]);
    assert.deepEqual([bad.result.stop_reason, good.complete], ['refusal', [GOOD]]);
  });
}

async function tools() {
  await titled('runs a call of a tool and passes its result', async () => {
    const { ran, seen, result } = await run(calling({ body: 'fine' }));
    assert.deepEqual([ran, result.result], [[{ body: 'fine' }], 'Done.']);
    assert.ok(seen.includes('sent'));
  });
  await titled('refuses a bad call, tells the model, and shows its input nowhere', async () => {
    const { ran, seen, all, result } = await run(calling({ body: INJECTION }));
    assert.deepEqual([ran, result.result], [[], 'Done.']);
    assert.ok(seen.includes(MESSAGE) && !all.includes(INJECTION));
    assert.deepEqual(result.permission_denials[0].tool_input, {});
  });
  await titled('masks the input of a call', async () => {
    const { ran, all } = await run({ ...calling({ body: CARD }), mask: { output: true } });
    assert.ok(!JSON.stringify(ran).includes(NUMBER) && ran[0].body.startsWith('Card XXXX') && !all.includes(NUMBER));
  });
  await titled('approves no call: the permissions of the SDK decide after the guard', async () => {
    const { ran } = await run({ ...calling({ body: CARD }), mask: { output: true }, allowedTools: [] });
    assert.deepEqual(ran, []);
  });
  for (const [name, built] of [
    ['Read', { file_path: 'note.txt' }],
    ['Bash', { command: 'cat note.txt', description: 'Reads a note' }],
    ['Grep', { pattern: 'Card', output_mode: 'content' }],
  ])
    await titled(`replaces a bad result of ${name}`, async () => {
      const { seen, all } = await run({ ...calling(built, name), tools: [name], note: CARD });
      assert.ok(!seen.includes(NUMBER) && !all.includes(NUMBER));
    });
  await titled('replaces a bad result of a server', async () => {
    const { seen, all, result } = await run({ ...calling({ body: 'x' }), output: CARD });
    assert.ok(seen.includes(MESSAGE) && !seen.includes(NUMBER) && !all.includes(NUMBER));
    assert.equal(result.result, 'Done.');
  });
  await titled('masks a result', async () => {
    const { seen, all } = await run({ ...calling({ body: 'x' }), output: CARD, mask: { output: true } });
    assert.ok(seen.includes('Card XXXX') && !seen.includes(NUMBER) && !all.includes(NUMBER));
  });
  await titled('stops the agent before the model sees a bad error of a tool', async () => {
    const { server, all, result } = await run({ ...calling({ body: 'x' }), fails: CARD });
    assert.equal(server.requests.length, 1);
    assert.ok(!all.includes(NUMBER));
    assert.deepEqual([result.stop_reason, result.result], ['refusal', MESSAGE]);
  });
  await titled('stops the agent where only the complete batch of results is bad', async () => {
    const answer = answering([toolUse(SEND, { body: 'a' }), toolUse(SEND, { body: 'b' }, 'toolu_2')]);
    const { server, result } = await run({ answer, fails: CARD });
    assert.deepEqual([server.requests.length, result.stop_reason], [1, 'refusal']);
  });
  await titled('drops structured content that the model does not get', async () => {
    const { all, result } = await run({ ...calling({ body: 'x' }), output: CARD, structured: { fine: true } });
    assert.ok(!all.includes(NUMBER));
    assert.equal(result.result, 'Done.');
  });
}

async function failures() {
  for (const onError of ['block', 'allow'])
    await titled(`follows onError ${onError} while the service is away`, async () => {
      const guard = createGuard(AWAY, { profile: 'prod', onError });
      const { result, server } = await run({ guard, answer: () => ({ text: GOOD }) });
      assert.deepEqual([result.result === GOOD, server.requests.length], onError === 'allow' ? [true, 1] : [false, 0]);
    });
  await titled('answers before the SDK passes a result whose hook is late', async () => {
    const late = new Promise(() => undefined);
    const call = (name, args, options) =>
      args.tool_event?.output === undefined ? aisec.call(name, args, options) : late;
    const scanner = { call };
    const guard = createGuard(scanner, { profile: 'prod', timeoutMs: 300 });
    const trial = { ...calling({ body: 'x' }), guard, output: 'unscanned-result', isWrapped: false };
    const { seen, server, all } = await run(trial);
    assert.equal(server.requests.length, 1);
    assert.ok(!seen.includes('unscanned-result') && !all.includes('unscanned-result'));
  });
}

async function example() {
  await titled('runs the program of the document as printed', async () => {
    const server = await scriptedAnthropic((body) => ({
      text: JSON.stringify(body.messages.at(-1)).includes('card') ? BAD : 'Water damage is covered.',
    }));
    try {
      await shows('claude-agent', { env: environment(server) });
      assert.equal(server.requests.length, 2);
      await shows('claude-agent', { env: environment(server), isAway: true });
      assert.equal(server.requests.length, 2);
    } finally {
      await server.close();
    }
  });
}

/** A model that calls a tool, and ends once it has the result. */
function calling(input, name = SEND) {
  return { answer: answering([toolUse(name, input)]) };
}

function answering(toolUses) {
  return (body) => (JSON.stringify(body.messages.at(-1)).includes('tool_result') ? { text: 'Done.' } : { toolUses });
}

function environment(server) {
  const home = mkdtempSync(join(folder, 'home-'));
  const off = { DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };
  const config = join(home, '.claude');
  const model = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'dummy' };
  return { PATH: process.env.PATH, HOME: home, CLAUDE_CONFIG_DIR: config, ...model, ...off };
}

/** Runs an agent to its end. @returns what its reader, its tools, the model and the history got */
async function run(trial) {
  const { prompt = 'What is covered?', answer = () => ({ text: 'x' }), isWrapped = true, isStreamed = true } = trial;
  const server = await scriptedAnthropic(answer);
  const env = environment(server);
  writeFileSync(join(env.HOME, 'note.txt'), `${trial.note ?? ''}\n`);
  const guard = trial.guard ?? createGuard(aisec, { profile: 'prod', mask: trial.mask ?? {} });
  const ran = [];
  const send = tool('send', 'Sends.', { body: z.string() }, async (input) => {
    ran.push(input);
    if (trial.fails !== undefined) throw new Error(trial.fails);
    const content = [{ type: 'text', text: trial.output ?? 'sent' }];
    return trial.structured === undefined ? { content } : { content, structuredContent: trial.structured };
  });
  const asked = query({
    prompt,
    options: {
      ...{ env, cwd: env.HOME, model: 'claude-sonnet-4-5', settingSources: [], tools: trial.tools ?? [] },
      includePartialMessages: isStreamed,
      mcpServers: { mail: createSdkMcpServer({ name: 'mail', version: '1.0.0', tools: [send] }) },
      allowedTools: trial.allowedTools ?? [SEND, ...(trial.tools ?? [])],
      hooks: guardHooks(guard),
    },
  });
  const messages = [];
  const limit = setTimeout(() => asked.close(), LIMIT_MS);
  try {
    for await (const message of isWrapped ? guardMessages(guard, asked) : asked) {
      messages.push(message);
      if (trial.leaves?.(message)) break;
    }
    if (trial.leaves !== undefined) await until(() => server.left > 0);
  } finally {
    clearTimeout(limit);
    asked.close();
    setTimeout(() => server.close(), 500).unref();
  }
  const blocks = messages.flatMap(({ type, message }) => (type === 'assistant' ? message.content : []));
  return {
    ...{ server, ran, result: messages.find(({ type }) => type === 'result') },
    complete: blocks.flatMap(({ text, thinking }) => text ?? thinking ?? []),
    all: JSON.stringify(messages),
    seen: JSON.stringify(server.requests.slice(1).map((body) => body.messages.at(-1))),
    history: historyIn(env.CLAUDE_CONFIG_DIR),
  };
}

function historyIn(config) {
  const files = readdirSync(config, { recursive: true }).filter((name) => name.endsWith('.jsonl'));
  return files.map((name) => readFileSync(join(config, name), 'utf8')).join('');
}

/** Waits for what another process does. */
async function until(isTrue) {
  for (let waited = 0; waited < 5000 && !isTrue(); waited += 50) await new Promise((done) => setTimeout(done, 50));
  assert.ok(isTrue());
}
