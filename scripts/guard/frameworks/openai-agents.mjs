/** Tests the OpenAI Agents SDK adapter. The SDK's OpenAI client needs a newer Node. */
import assert from 'node:assert/strict';
import { test as check } from 'node:test';
import { tryCases } from '../cases.mjs';
import { BAD, CARD, framework, GOOD, INJECTION, MESSAGE, pageProgram, until } from '../framework.mjs';
import { scriptedOpenai, scriptedResponses } from '../models.mjs';

/** Code appended to the document's program. */
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
// @ts-expect-error With a model's name, requests would be unguarded.
guardModel(guard, 'gpt-5');
// @ts-expect-error A misspelt option.
guardrails(guard, { contxt: () => ({}) });
// @ts-expect-error A guard is not a guardrail.
new Agent({ name: 'a', inputGuardrails: [guard] });
`;
const USAGE = { requests: 1, inputTokens: 3, outputTokens: 4, totalTokens: 7 };

const { aisec, compiles, guardOf, imported, shows } = await framework(['@openai/agents@0.20.0', 'zod@4.1.12']);
const adapter = await imported('aisec/guard/openai-agents');
const sdk = await imported('@openai/agents');
const { Agent, MemorySession, ModelRefusalError, Runner, tool } = sdk;

const spans = [];
const noteSpan = async (span) => void spans.push(JSON.stringify(span.toJSON()));
sdk.setTraceProcessors([
  {
    ...{ onTraceStart: async () => {}, onTraceEnd: async () => {}, onSpanStart: async () => {}, onSpanEnd: noteSpan },
    ...{ shutdown: async () => {}, forceFlush: async () => {} },
  },
]);
const runner = new Runner({ traceIncludeSensitiveData: true });
const agentOf = (model, rest = {}) => new Agent({ name: 'Agent', model, ...rest });
const guarded = (model, options, scanner) => adapter.guardModel(guardOf(options, scanner), model);
const message = (text) => ({
  ...{ type: 'message', role: 'assistant', id: 'msg_1', status: 'completed' },
  content: [{ type: 'output_text', text }],
});
const call = (name, input, callId = 'call_1') => ({
  ...{ type: 'function_call', callId, name, status: 'completed', arguments: JSON.stringify(input) },
});
const PARAMETERS = { type: 'object', properties: {}, additionalProperties: true, required: [] };
const toolOf = (name, execute, rest = {}) =>
  tool({ name, description: 'Does it.', parameters: PARAMETERS, strict: false, execute, ...rest });

/** Runs an agent. @returns its text, its error, and everything that the application, the history and the traces got */
async function ran(agent, { input = 'What is covered?', isStreamed = false, ...rest } = {}) {
  const seen = { text: '', error: undefined, result: undefined, all: '' };
  const session = new MemorySession();
  spans.length = 0;
  const events = [];
  try {
    seen.result = await runner.run(agent, input, { session, ...rest, ...(isStreamed ? { stream: true } : {}) });
    if (isStreamed) {
      for await (const event of seen.result) {
        events.push(JSON.stringify(event.data ?? event.item));
        if (event.data?.type === 'output_text_delta') seen.text += event.data.delta;
      }
      await seen.result.completed;
    } else seen.text = String(seen.result.finalOutput);
  } catch (error) {
    seen.error = error;
  }
  const history = await (rest.session ?? session).getItems();
  seen.all = [seen.text, ...events, JSON.stringify(history), JSON.stringify(seen.error?.state), ...spans].join('\n');
  return seen;
}

const isRefusal = ({ error }) => error instanceof ModelRefusalError;

/** A model that answers each request with the next list of items; streams in small pieces. */
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

try {
  const titled = (title, run) => check(title, run);
  await tryCases(titled, {
    answer: async ({ prompt, text, isStreamed }, options, scanner) => {
      const model = scriptedModel([message(text)]);
      const told = await ran(agentOf(guarded(model, options, scanner)), { input: prompt, isStreamed });
      const read = model.requests.length === 0 ? '' : JSON.stringify(model.requests.map(({ input }) => input));
      if (isRefusal(told)) {
        assert.equal(told.error.refusal, MESSAGE);
        // No event, history or trace has the bad text.
        assert.ok(
          !told.all.includes('4111') && !spans.join().includes('Ignore') && !told.error.message.includes('Ignore'),
        );
      } else assert.deepEqual([told.error, told.result.state.usage.totalTokens], [undefined, 7]);
      return { text: told.text, refused: isRefusal(told), read, cancelled: model.cancelled };
    },
    call: async ({ body, result, isStreamed }) => {
      const sent = [];
      const execute = async (input) => {
        sent.push(input.body);
        return result;
      };
      const model = scriptedModel([call('send', { body })], [message('done')]);
      const tools = [toolOf('send', execute, adapter.toolGuardrails(guardOf()))];
      const { text, error } = await ran(agentOf(model, { tools }), { isStreamed });
      assert.deepEqual([error, text], [undefined, 'done']);
      const { output } = model.requests[1].input.find(({ type }) => type === 'function_call_result');
      return { ran: sent, read: JSON.stringify(output) };
    },
  });
  for (const isStreamed of [false, true]) await inBothForms(isStreamed ? 'streamed' : 'plain', isStreamed);
  await guardrails();
  await tools();
  await responses();
  await program();
  await check('compiles under strict', () => compiles(pageProgram('openai-agents') + USES));
} finally {
  await aisec.close();
}

async function inBothForms(form, isStreamed) {
  const titled = (title, run) => check(`${form}: ${title}`, run);
  await titled('lets an application show the refusal, and continues with a clean history', async () => {
    const session = new MemorySession();
    const errorHandlers = { modelRefusal: ({ error }) => ({ finalOutput: error.refusal, includeInHistory: false }) };
    const model = guarded(scriptedModel([message(BAD)], [message('Water damage.')]));
    const first = await ran(agentOf(model), { isStreamed, session, errorHandlers });
    assert.equal(first.result.finalOutput, MESSAGE);
    const second = await ran(agentOf(model), { isStreamed, session, errorHandlers });
    assert.deepEqual([second.text, second.result.lastResponseId], ['Water damage.', 'resp_1']);
    assert.ok(!second.all.includes('4111'));
  });
  await titled('refuses a handoff with bad input, and guards the agent after a good one', async () => {
    const other = new Agent({ name: 'Other', model: guarded(scriptedModel([message(BAD)])) });
    for (const input of [{}, { why: INJECTION }]) {
      const agent = agentOf(guarded(scriptedModel([call('transfer_to_Other', input)])), { handoffs: [other] });
      const told = await ran(agent, { isStreamed });
      assert.ok(isRefusal(told) && !told.text.includes('4111'));
    }
  });
  await titled('an input guardrail before a guarded model keeps a bad prompt out of the session', async () => {
    const [guard, session] = [guardOf(), new MemorySession()];
    const inputGuardrails = [adapter.inputGuardrail(guard)];
    const agent = agentOf(adapter.guardModel(guard, scriptedModel([message('never')])), { inputGuardrails });
    const { error } = await ran(agent, { input: INJECTION, isStreamed, session });
    assert.ok(error instanceof sdk.InputGuardrailTripwireTriggered);
    assert.deepEqual(await session.getItems(), []);
  });
  if (!isStreamed) return;
  await titled('cancels the request to the model when the reader disconnects', async () => {
    const model = scriptedModel([message(GOOD.repeat(50))]);
    const result = await runner.run(agentOf(guarded(model)), 'What is covered?', { stream: true });
    for await (const event of result) if (event.data?.type === 'output_text_delta') break;
    await result.completed.catch(() => undefined);
    await until(() => model.cancelled);
  });
}

async function guardrails() {
  await check('an output guardrail trips, and reports no text', async () => {
    const { error } = await ran(agentOf(scriptedModel([message(BAD)]), adapter.guardrails(guardOf())));
    assert.ok(error instanceof sdk.OutputGuardrailTripwireTriggered && !error.message.includes('4111'));
  });
  await check('guardrails pass good text, also on a runner', async () => {
    const model = scriptedModel([message('Water damage.')]);
    const guardedRunner = new Runner(adapter.guardrails(guardOf()));
    assert.equal((await guardedRunner.run(agentOf(model), 'What is covered?')).finalOutput, 'Water damage.');
    await assert.rejects(guardedRunner.run(agentOf(model), INJECTION), sdk.InputGuardrailTripwireTriggered);
  });
}

async function tools() {
  await check('the guarded model blocks a bad call before its tool runs, and a bad result', async () => {
    const sent = [];
    const free = (result) =>
      toolOf('send', async () => {
        sent.push(result);
        return result;
      });
    const model = scriptedModel([call('send', { body: INJECTION }), call('send', { body: 'fine' }, 'call_2')]);
    assert.ok(isRefusal(await ran(agentOf(guarded(model), { tools: [free('sent')] }))) && sent.length === 0);
    const second = scriptedModel([call('send', { body: 'fine' })], [message('never')]);
    assert.ok(isRefusal(await ran(agentOf(guarded(second), { tools: [free(INJECTION)] }))));
    assert.equal(second.requests.length, 1);
  });
}

/** The framework's own model for OpenAI's Responses API, which is the default. */
async function responses() {
  const part = (text, annotations = []) => ({ type: 'output_text', text, annotations });
  const said = (...content) => ({ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content });
  const thought = (text) => ({ type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text }] });
  const place = { type: 'url_citation', start_index: 0, end_index: 4, url: 'https://example.com' };
  const citation = (title) => ({ ...place, title });
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
  for (const isStreamed of [false, true])
    for (const instructions of Object.keys(answers))
      await check(`an answer of OpenAI's responses with ${instructions}, streamed: ${isStreamed}`, async () => {
        const told = await ran(agentOf(model, { instructions }), { isStreamed });
        if (instructions === 'good') {
          assert.deepEqual([told.error, told.text, told.result.finalOutput], [undefined, GOOD, GOOD]);
          assert.equal(told.result.newItems.length, 3);
        } else assert.ok(isRefusal(told));
        assert.ok(!told.all.includes('4111'));
      });
  await server.close();
}

async function program() {
  await check("the document's program prints the documented output", async () => {
    const server = await scriptedOpenai(({ messages }) => ({
      // Long enough that the server is still writing when the stream is cut.
      text: JSON.stringify(messages).includes('card') ? BAD + 'more '.repeat(200_000) : 'Water damage.',
    }));
    const env = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'scripted', OPENAI_AGENTS_DISABLE_TRACING: '1' };
    try {
      await shows('openai-agents', { env });
      await until(() => server.left > 0);
      assert.deepEqual([server.requests.length, server.left], [2, 1]);
      await shows('openai-agents', { env, isAway: true });
    } finally {
      await server.close();
    }
  });
}
