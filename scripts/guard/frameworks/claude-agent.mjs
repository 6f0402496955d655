/** Tests the Claude Agent SDK adapter, with the SDK's real program and a scripted model. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as check } from 'node:test';
import { tryCases } from '../cases.mjs';
import { BAD, framework, GOOD, INJECTION, MESSAGE, pageProgram, until } from '../framework.mjs';
import { scriptedAnthropic, toolUse } from '../models.mjs';

const VERSION = '0.3.328';
const CARD = 'Card 4111 1111 1111 1111';
const NUMBER = '4111 1111';
/** Time limit for one agent, in milliseconds. */
const LIMIT_MS = 20_000;
const SEND = 'mcp__mail__send';

/** Code appended to the document's program. */
const USES = `
import type { Options, SDKMessage } from '@anthropic-ai/claude-agent-sdk';
const hooks: Options['hooks'] = guardHooks(guard, { context: () => ({ app_user: 'u' }) });
const told: AsyncGenerator<SDKMessage, void> = guardMessages(guard, query({ prompt: 'x', options: { hooks } }));
// @ts-expect-error A query that cannot be closed.
guardMessages(guard, told);
// @ts-expect-error A misspelt option.
guardHooks(guard, { contxt: () => ({}) });
// @ts-expect-error A guard is not a hook.
query({ prompt: 'x', options: { hooks: guard } });
`;

const packages = [`@anthropic-ai/claude-agent-sdk@${VERSION}`];
const { aisec, compiles, folder, guardOf, imported, shows } = await framework(packages);
const { guardHooks, guardMessages } = await imported('aisec/guard/claude-agent');
const { createSdkMcpServer, query, tool } = await imported('@anthropic-ai/claude-agent-sdk');
const { z } = await imported('zod');
try {
  await tryCases(titled, {
    isWhole: true,
    keepsPrompts: true,
    answer: async ({ prompt, text, isStreamed }, options, scanner) => {
      const guard = guardOf(options, scanner);
      const { result, complete, server, all } = await run({ guard, prompt, isStreamed, answer: () => ({ text }) });
      const refused = result.stop_reason === 'refusal';
      assert.equal(result.result, refused ? MESSAGE : complete.join(''));
      assert.ok(!all.includes(NUMBER));
      const read = server.requests.length === 0 ? '' : JSON.stringify(server.requests.map(({ messages }) => messages));
      return { text: complete.join(''), refused, read, cancelled: refused };
    },
    call: async ({ body, result, isStreamed }) => {
      const { ran, seen, all } = await run({ ...calling({ body }), output: result, isStreamed });
      return { ran: ran.map((input) => input.body), read: seen + all };
    },
  });
  await prompts();
  await texts();
  await tools();
  await failures();
  await example();
  await titled('compiles under strict', () => compiles(pageProgram('claude-agent') + USES));
} finally {
  await aisec.close();
}

function titled(title, run) {
  return check(`claude-agent-sdk ${VERSION}: ${title}`, { timeout: 60_000 }, run);
}

async function prompts() {
  await titled('keeps a bad prompt out of the history', async () => {
    const { history } = await run({ prompt: INJECTION });
    assert.ok(!history.includes(INJECTION));
  });
  await titled('blocks a prompt without the wrapper of messages', async () => {
    const { result, server } = await run({ prompt: INJECTION, isWrapped: false });
    assert.equal(server.requests.length, 0);
    assert.ok(result.result.endsWith(MESSAGE) && !result.result.includes(INJECTION));
  });
}

async function texts() {
  await titled('stops the scan and the model when the reader disconnects', async () => {
    const leaves = ({ type }) => type === 'system';
    const { server } = await run({ answer: () => ({ text: GOOD.repeat(2000) }), leaves });
    await until(() => server.left === 1);
  });
}

async function tools() {
  await titled('masks the input of a call', async () => {
    const { ran, all } = await run({ ...calling({ body: CARD }), mask: { output: true } });
    assert.ok(!JSON.stringify(ran).includes(NUMBER) && ran[0].body.startsWith('Card XXXX') && !all.includes(NUMBER));
  });
  await titled('approves no call: the SDK checks its permissions after the guard', async () => {
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
  await titled('stops the agent before the model sees a bad tool error', async () => {
    const { server, all, result } = await run({ ...calling({ body: 'x' }), fails: CARD });
    assert.equal(server.requests.length, 1);
    assert.ok(!all.includes(NUMBER));
    assert.deepEqual([result.stop_reason, result.result], ['refusal', MESSAGE]);
  });
  await titled('stops the agent if only the complete batch of results is bad', async () => {
    const answer = answering([toolUse(SEND, { body: 'a' }), toolUse(SEND, { body: 'b' }, 'toolu_2')]);
    const { server, result } = await run({ answer, fails: CARD });
    assert.deepEqual([server.requests.length, result.stop_reason], [1, 'refusal']);
  });
  await titled('drops structured content that the model never gets', async () => {
    const { all, result } = await run({ ...calling({ body: 'x' }), output: CARD, structured: { fine: true } });
    assert.ok(!all.includes(NUMBER));
    assert.equal(result.result, 'Done.');
  });
}

async function failures() {
  await titled('answers before the time limit of the SDK for hooks, after which a result would pass', async () => {
    const late = new Promise(() => undefined);
    const call = (name, args, options) =>
      args.tool_event?.output === undefined ? aisec.call(name, args, options) : late;
    const guard = guardOf({ timeoutMs: 300 }, { call });
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

/** A model that calls a tool, and stops once it has the result. */
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

/** Runs an agent to its end. @returns the text that the reader, the tools, the model and the history got */
async function run(trial) {
  const { prompt = 'What is covered?', answer = () => ({ text: 'x' }), isWrapped = true, isStreamed = true } = trial;
  const server = await scriptedAnthropic(answer);
  const env = environment(server);
  writeFileSync(join(env.HOME, 'note.txt'), `${trial.note ?? ''}\n`);
  const guard = trial.guard ?? guardOf({ mask: trial.mask ?? {} });
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
