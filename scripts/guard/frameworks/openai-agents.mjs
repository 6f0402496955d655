/** The adapter of the OpenAI Agents SDK. Its client of OpenAI needs a newer Node. */
import assert from 'node:assert/strict';
import { test as check } from 'node:test';
import { AWAY, BAD, framework, GOOD, INJECTION, programOf } from '../framework.mjs';
import { scriptedOpenai } from '../scripted-openai.mjs';
import { scriptedResponses } from '../scripted-responses.mjs';
import { compilesIn, NODE_TYPES } from '../types.mjs';

const CARD = 'My card is 4111 1111 1111 1111.';
const LONG = 'The policy covers water damage, 水 and 👩‍👩‍👧. '.repeat(2000);
const MESSAGE = 'This content was blocked by a security policy.';
/** Uses after the program of the document. */
const USES = `
import { MCPServerStdio, type Model, type ModelProvider, OpenAIChatCompletionsModel, tool } from '@openai/agents';
import { guardModel, guardrails, mcpGuardrails, toolGuardrails } from 'aisec/guard/openai-agents';
import { z } from 'zod';
declare const chat: OpenAIChatCompletionsModel;
const provided: ModelProvider = modelProvider;
const guardedModel: Model = guardModel(guard, chat, { context: () => ({ app_user: 'u' }) });
const outputType = z.object({ body: z.string() });
new Agent({ name: 'a', model: guardedModel, outputType, ...guardrails(guard) });
new Runner({ modelProvider: provided, ...guardrails(guard) });
const parameters = z.object({ body: z.string() });
tool({ name: 'a', description: 'b', parameters, execute: async () => 'c', ...toolGuardrails(guard) });
new MCPServerStdio({ command: 'a', ...mcpGuardrails(guard) });
// @ts-expect-error A name of a model would be sent unguarded.
guardModel(guard, 'gpt-5');
// @ts-expect-error A misspelt option.
guardrails(guard, { contxt: () => ({}) });
// @ts-expect-error A guard is no guardrail.
new Agent({ name: 'a', inputGuardrails: [guard] });
`;
const USAGE = { requests: 1, inputTokens: 3, outputTokens: 4, totalTokens: 7 };

const PACKAGES = ['@openai/agents@0.20.0', 'zod@4.1.12', NODE_TYPES];
const { folder, createAisec, createGuard, imported, shows } = await framework(PACKAGES);
const adapter = await imported('aisec/guard/openai-agents');
const sdk = await imported('@openai/agents');
const { Agent, MemorySession, ModelRefusalError, Runner, tool } = sdk;
const aisec = createAisec({ simulate: true });

const spans = [];
const noteSpan = async (span) => void spans.push(JSON.stringify(span.toJSON()));
sdk.setTraceProcessors([
  {
    ...{ onTraceStart: async () => {}, onTraceEnd: async () => {}, onSpanStart: async () => {}, onSpanEnd: noteSpan },
    ...{ shutdown: async () => {}, forceFlush: async () => {} },
  },
]);
const runner = new Runner({ traceIncludeSensitiveData: true });

const guardOf = (options = {}, scanner = aisec) => createGuard(scanner, { profile: 'prod', ...options });
const agentOf = (model, rest = {}) => new Agent({ name: 'Agent', model, ...rest });
const guarded = (model, options, scanner) => adapter.guardModel(guardOf(options, scanner), model);

/** Runs an agent. @returns its text, its error, and the events of its stream */
async function ran(agent, { input = 'What is covered?', isStreamed = false, ...rest } = {}) {
  const seen = { text: '', events: [], error: undefined, result: undefined };
  try {
    if (isStreamed) {
      seen.result = await runner.run(agent, input, { stream: true, ...rest });
      for await (const event of seen.result) {
        seen.events.push(JSON.stringify(event.data ?? event.item));
        if (event.data?.type === 'output_text_delta') seen.text += event.data.delta;
      }
      await seen.result.completed;
    } else {
      seen.result = await runner.run(agent, input, rest);
      seen.text = String(seen.result.finalOutput);
    }
  } catch (error) {
    seen.error = error;
  }
  return seen;
}

/** A model that answers each request with the next list of items, in small pieces where it is streamed. */
function scriptedModel(...answers) {
  const model = { requests: [], cancelled: false };
  const next = (request) => {
    model.requests.push(request);
    return answers[Math.min(model.requests.length, answers.length) - 1];
  };
  model.getResponse = async (request) => {
    const output = next(request);
    const ids = { responseId: 'resp_1', requestId: 'req_1' };
    return { usage: new sdk.Usage(USAGE), output, ...ids, providerData: { output } };
  };
  model.getStreamedResponse = async function* (request) {
    const output = next(request);
    let isDone = false;
    try {
      yield { type: 'response_started', providerData: { output } };
      for (const part of output.flatMap(({ type, content }) => (type === 'message' ? content : [])))
        for (const delta of part.text?.match(/.{1,9}/gsu) ?? []) {
          await new Promise((done) => setImmediate(done));
          yield { type: 'model', event: { delta } };
          yield { type: 'output_text_delta', delta, itemId: 'msg_1', providerData: { delta } };
        }
      yield { type: 'response_done', response: { id: 'resp_1', usage: USAGE, output } };
      isDone = true;
    } finally {
      model.cancelled = !isDone;
    }
  };
  return model;
}

const message = (text) => ({
  ...{ type: 'message', role: 'assistant', id: 'msg_1', status: 'completed' },
  content: [{ type: 'output_text', text }],
});
const call = (name, input, callId = 'call_1') => ({
  ...{ type: 'function_call', callId, name, status: 'completed', arguments: JSON.stringify(input) },
});
const FORMS = [
  { form: 'plain', isStreamed: false },
  { form: 'streamed', isStreamed: true },
];

try {
  for (const { form, isStreamed } of FORMS) await inBothForms(form, isStreamed);
  await streams();
  await guardrails();
  await tools();
  await responses();
  await program();
  await check('compiles under strict', async () => {
    assert.deepEqual(await compilesIn(folder, programOf('openai-agents') + USES), []);
  });
} finally {
  await aisec.close();
}

async function inBothForms(form, isStreamed) {
  const titled = (title, run) => check(`${form}: ${title}`, run);
  await titled('passes an answer, its usage and its id', async () => {
    const { text, result } = await ran(agentOf(guarded(scriptedModel([message(GOOD)]))), { isStreamed });
    assert.equal(text, GOOD);
    assert.equal(result.lastResponseId, 'resp_1');
    assert.equal(result.state.usage.totalTokens, 7);
  });
  await titled('blocks a prompt before the model starts, and keeps it out of traces', async () => {
    const unused = scriptedModel([message('never')]);
    spans.length = 0;
    const { error, text } = await ran(agentOf(guarded(unused)), { input: INJECTION, isStreamed });
    assert.ok(error instanceof ModelRefusalError && error.refusal === MESSAGE);
    assert.equal(unused.requests.length, 0);
    assert.ok(!text.includes('never') && !error.message.includes('Ignore') && !spans.join().includes('Ignore'));
  });
  await titled('blocks a bad answer, and puts it into no history and no event', async () => {
    const session = new MemorySession();
    spans.length = 0;
    const { error, events, text } = await ran(agentOf(guarded(scriptedModel([message(BAD)]))), { isStreamed, session });
    assert.ok(error instanceof ModelRefusalError && error.refusal === MESSAGE);
    const seen = [text, ...events, JSON.stringify(await session.getItems()), JSON.stringify(error.state), ...spans];
    assert.ok(!seen.join('\n').includes('4111'), 'the card was seen');
  });
  await titled('lets an application say the refusal, and goes on with a clean history', async () => {
    const session = new MemorySession();
    const errorHandlers = { modelRefusal: ({ error }) => ({ finalOutput: error.refusal, includeInHistory: false }) };
    const model = guarded(scriptedModel([message(BAD)], [message('Water damage.')]));
    const first = await ran(agentOf(model), { isStreamed, session, errorHandlers });
    assert.equal(first.result.finalOutput, MESSAGE);
    const second = await ran(agentOf(model), { isStreamed, session, errorHandlers });
    assert.equal(second.text, 'Water damage.');
    assert.ok(!JSON.stringify(await session.getItems()).includes('4111'));
  });
  await titled('masks the prompt in each turn, and the answer', async () => {
    const model = scriptedModel([call('look', {})], [message(CARD)]);
    const look = tool({ ...{ name: 'look', description: 'Looks.', parameters: schema() }, execute: async () => CARD });
    const agent = agentOf(guarded(model, { mask: { input: true, output: true } }), { tools: [look] });
    const { text, result, error } = await ran(agent, { input: CARD, isStreamed });
    assert.equal(error, undefined);
    assert.ok(text.startsWith('My card is ') && !text.includes('4111'));
    assert.equal(result.finalOutput, text);
    assert.equal(model.requests.length, 2);
    assert.ok(!JSON.stringify(model.requests.map(({ input }) => input)).includes('4111'));
  });
  await titled('refuses a handoff with bad input, and guards the agent after a good one', async () => {
    const other = new Agent({ name: 'Other', model: guarded(scriptedModel([message(BAD)])) });
    const first = agentOf(guarded(scriptedModel([call('transfer_to_Other', {})])), { handoffs: [other] });
    const { error, text } = await ran(first, { isStreamed });
    assert.ok(error instanceof ModelRefusalError && !text.includes('4111'));
    const bad = agentOf(guarded(scriptedModel([call('transfer_to_Other', { why: INJECTION })])), { handoffs: [other] });
    assert.ok((await ran(bad, { isStreamed })).error instanceof ModelRefusalError);
  });
  await titled('blocks a bad result of a tool that the provider ran', async () => {
    const search = { type: 'hosted_tool_call', name: 'web_search_call', status: 'completed' };
    const found = { ...search, providerData: { type: 'web_search_call', results: [{ text: CARD }] } };
    const { error } = await ran(agentOf(guarded(scriptedModel([found, message('fine')]))), { isStreamed });
    assert.ok(error instanceof ModelRefusalError);
  });
  for (const onError of ['block', 'allow'])
    await titled(`follows onError ${onError} while the service is away`, async () => {
      const { error, text } = await ran(agentOf(guarded(scriptedModel([message('x')]), { onError }, AWAY)), {
        isStreamed,
      });
      assert.equal(error instanceof ModelRefusalError, onError === 'block');
      assert.equal(text, onError === 'allow' ? 'x' : isStreamed ? '' : text);
    });
}

async function streams() {
  await check('passes a very long stream byte for byte', async () => {
    const { text, result } = await ran(agentOf(guarded(scriptedModel([message(LONG)]))), { isStreamed: true });
    assert.ok(text === LONG && result.finalOutput === LONG);
  });
  await check('cuts a stream before the bad text, and ends the request of the model', async () => {
    const model = scriptedModel([message(BAD)]);
    const { text } = await ran(agentOf(guarded(model)), { isStreamed: true });
    assert.ok(text.startsWith('word word') && text.length > 500 && !text.includes('4111') && model.cancelled);
  });
  await check('ends the request of the model when its reader leaves', async () => {
    const model = scriptedModel([message(LONG)]);
    const result = await runner.run(agentOf(guarded(model)), 'What is covered?', { stream: true });
    for await (const event of result) if (event.data?.type === 'output_text_delta') break;
    await result.completed.catch(() => undefined);
    for (let turn = 0; turn < 100 && !model.cancelled; turn += 1) await new Promise((done) => setImmediate(done));
    assert.ok(model.cancelled);
  });
}

async function guardrails() {
  await check('an input guardrail trips before the model and its tools start', async () => {
    const model = scriptedModel([message('never')]);
    const agent = agentOf(model, adapter.guardrails(guardOf()));
    const { error } = await ran(agent, { input: INJECTION });
    assert.ok(error instanceof sdk.InputGuardrailTripwireTriggered);
    assert.equal(error.result.output.outputInfo.message, MESSAGE);
    assert.ok(model.requests.length === 0 && !error.message.includes('Ignore'));
  });
  for (const { form, isStreamed } of FORMS)
    await check(
      `${form}: an input guardrail before a guarded model keeps a bad prompt out of the session`,
      async () => {
        const [guard, session] = [guardOf(), new MemorySession()];
        const inputGuardrails = [adapter.inputGuardrail(guard)];
        const agent = agentOf(adapter.guardModel(guard, scriptedModel([message('never')])), { inputGuardrails });
        const { error } = await ran(agent, { input: INJECTION, isStreamed, session });
        assert.ok(error instanceof sdk.InputGuardrailTripwireTriggered);
        assert.deepEqual(await session.getItems(), []);
      },
    );
  await check('an output guardrail trips, and reports no text', async () => {
    const { error } = await ran(agentOf(scriptedModel([message(BAD)]), adapter.guardrails(guardOf())));
    assert.ok(error instanceof sdk.OutputGuardrailTripwireTriggered && !error.message.includes('4111'));
  });
  await check('guardrails pass what is good, of a runner as well', async () => {
    const model = scriptedModel([message('Water damage.')]);
    const guardedRunner = new Runner(adapter.guardrails(guardOf()));
    assert.equal((await guardedRunner.run(agentOf(model), 'What is covered?')).finalOutput, 'Water damage.');
    await assert.rejects(guardedRunner.run(agentOf(model), INJECTION), sdk.InputGuardrailTripwireTriggered);
  });
}

async function tools() {
  const sent = [];
  const toolOf = (result) =>
    tool({
      ...{ name: 'send', description: 'Sends.', parameters: schema(), strict: false },
      execute: async (input) => {
        sent.push(input);
        return result;
      },
      ...adapter.toolGuardrails(guardOf()),
    });
  for (const { title, input, result, runs, sees } of [
    { title: 'passes a good call and its result', input: 'fine', result: 'sent', runs: 1, sees: 'sent' },
    { title: 'refuses a bad call', input: INJECTION, result: 'sent', runs: 0, sees: MESSAGE },
    { title: 'replaces a bad result', input: 'fine', result: CARD, runs: 1, sees: MESSAGE },
    {
      title: 'replaces a bad structured result',
      input: 'fine',
      result: { type: 'file', note: CARD },
      runs: 1,
      sees: MESSAGE,
    },
  ])
    await check(`a guardrail of a tool ${title}`, async () => {
      sent.length = 0;
      const model = scriptedModel([call('send', { body: input })], [message('done')]);
      const { text, error } = await ran(agentOf(model, { tools: [toolOf(result)] }));
      assert.deepEqual([error, text, sent.length], [undefined, 'done', runs]);
      const { output } = model.requests[1].input.find(({ type }) => type === 'function_call_result');
      assert.equal(output.text ?? output, sees);
    });
  await check('the guarded model blocks a bad call before its tool runs, and a bad result', async () => {
    const free = (result) =>
      tool({
        ...{ name: 'send', description: 'Sends.', parameters: schema(), strict: false },
        execute: async () => {
          sent.push(result);
          return result;
        },
      });
    sent.length = 0;
    const model = scriptedModel([call('send', { body: INJECTION }), call('send', { body: 'fine' }, 'call_2')]);
    const first = await ran(agentOf(guarded(model), { tools: [free('sent')] }));
    assert.ok(first.error instanceof ModelRefusalError && sent.length === 0);
    const second = scriptedModel([call('send', { body: 'fine' })], [message('never')]);
    const { error } = await ran(agentOf(guarded(second), { tools: [free(INJECTION)] }));
    assert.ok(error instanceof ModelRefusalError && second.requests.length === 1);
  });
}

/** The framework's own model for OpenAI's responses, which is its default. */
async function responses() {
  const part = (text, annotations = []) => ({ type: 'output_text', text, annotations });
  const said = (...content) => ({ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content });
  const thought = (text) => ({ type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text }] });
  const citation = (title) => ({
    type: 'url_citation',
    start_index: 0,
    end_index: 4,
    url: 'https://example.com',
    title,
  });
  const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
  const searched = (query) => ({ ...search, action: { type: 'search', query } });
  const answers = {
    good: [thought('Thinking.'), searched('policy'), said(part(GOOD, [citation('Policy')]))],
    'bad text': [said(part(BAD))],
    'bad reasoning': [thought(CARD), said(part('fine'))],
    'a bad citation': [said(part('fine', [citation(CARD)]))],
    'a bad search': [searched(CARD), said(part('fine'))],
  };
  const server = await scriptedResponses(({ instructions }) => answers[instructions]);
  const provider = new sdk.OpenAIProvider({ apiKey: 'scripted', baseURL: server.url });
  const model = await adapter.guardProvider(guardOf(), provider).getModel('gpt-5');
  for (const { form, isStreamed } of FORMS)
    for (const instructions of Object.keys(answers))
      await check(`${form}: an answer of OpenAI's responses with ${instructions}`, async () => {
        spans.length = 0;
        const { text, events, error, result } = await ran(agentOf(model, { instructions }), { isStreamed });
        if (instructions === 'good') {
          assert.deepEqual([error, text, result.finalOutput], [undefined, GOOD, GOOD]);
          assert.equal(result.newItems.length, 3);
        } else assert.ok(error instanceof ModelRefusalError);
        assert.ok(![text, ...events, ...spans, JSON.stringify(error?.state)].join().includes('4111'));
      });
  await server.close();
}

async function program() {
  await check('the program of the document prints what it says', async () => {
    const server = await scriptedOpenai(({ messages }) => ({
      // So long that the server is still writing when the stream is cut.
      text: JSON.stringify(messages).includes('card') ? BAD + 'more '.repeat(200_000) : 'Water damage.',
    }));
    const env = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'scripted', OPENAI_AGENTS_DISABLE_TRACING: '1' };
    try {
      await shows('openai-agents', { env });
      // The server notices a moment later that its client has left.
      for (let turn = 0; turn < 100 && server.left === 0; turn += 1) await new Promise((done) => setTimeout(done, 10));
      assert.deepEqual([server.requests.length, server.left], [2, 1]);
      await shows('openai-agents', { env, isAway: true });
    } finally {
      await server.close();
    }
  });
}

function schema() {
  return { type: 'object', properties: {}, additionalProperties: true, required: [] };
}
