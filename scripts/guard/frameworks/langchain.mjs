/** Tests the LangChain adapter, with LangChain's own OpenAI provider and a scripted server. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test as check } from 'node:test';
import { tryCases } from '../cases.mjs';
import { BAD, framework, GOOD, INJECTION, MESSAGE, pageProgram, until } from '../framework.mjs';
import { scriptedOpenai, toolCall } from '../models.mjs';

/** Code appended to the document's program. */
const USES = `
import { z } from 'zod';
import { initChatModel } from 'langchain';
const guarded = guardModel(guard, openai, { context: () => ({ app_user: 'u' }) });
createAgent({ model: guarded, tools: [lookUp], middleware: [guardMiddleware(guard, { context: () => ({ app_user: 'u' }) })] });
const found = await guarded.withStructuredOutput(z.object({ policy: z.string() })).invoke('x');
found.policy.length;
(await guardModel(guard, openai.withConfig({ tags: ['a'] })).invoke('x')).text.length;
(await guardModel(guard, await initChatModel('gpt-5-mini')).invoke('x')).usage_metadata?.total_tokens;
// @ts-expect-error A member that the output does not have.
found.other;
// @ts-expect-error The middleware has the type of the framework.
guardMiddleware(guard).other;
// @ts-expect-error A misspelt option.
guardMiddleware(guard, { contxt: () => ({}) });
// @ts-expect-error A text instead of a model.
guardModel(guard, 'gpt-5-mini');
`;
const TRACED = {
  LANGSMITH_TRACING: 'true',
  LANGSMITH_API_KEY: 'scripted',
  LANGSMITH_ENDPOINT: '',
  LANGCHAIN_CALLBACKS_BACKGROUND: 'false',
  LANGSMITH_DISABLE_RUN_COMPRESSION: 'true',
};

const { aisec, compiles, guardOf, imported, shows } = await framework([
  ...[
    'langchain@1.5.14',
    '@langchain/core@1.4.0',
    '@langchain/openai@1.6.0',
    '@langchain/langgraph@1.4.13',
    'zod@4.6.7',
  ],
]);
const { guardMiddleware, guardModel } = await imported('aisec/guard/langchain');
const { ChatOpenAI } = await imported('@langchain/openai');
const { createAgent, createMiddleware, humanInTheLoopMiddleware, initChatModel, tool, ToolMessage } =
  await imported('langchain');
const { awaitAllCallbacks } = await imported('@langchain/core/callbacks/promises');
const { Command, MemorySaver } = await imported('@langchain/langgraph');

const SCHEMA = { type: 'object', properties: { body: { type: 'string' } }, required: ['body'] };
let answer = () => ({ text: 'fine' });
const server = await scriptedOpenai((body) => answer(body));
const titled = (title, run) => check(`langchain 1.5: ${title}`, run);
const options = { model: 'scripted', apiKey: 'scripted', configuration: { baseURL: server.url }, maxRetries: 0 };
const open = (more = {}) => new ChatOpenAI({ ...options, ...more });
const guarded = (more, scanner, model = open()) => guardModel(guardOf(more, scanner), model);
const agentOf = ({ guard = guardOf(), model = open(), ...more } = {}) =>
  createAgent({ model, tools: [], middleware: [guardMiddleware(guard)], ...more });
const ask = (content) => ({ messages: [{ role: 'user', content }] });
const says = (text) => {
  answer = () => ({ text });
};
/** Lets the model call the tool, and report the result it got. */
const calls = (body) => {
  answer = ({ messages }) => {
    const { role, content } = messages.at(-1);
    return role === 'tool' ? { text: `It says: ${content}` } : { toolCalls: [toolCall('send', { body })] };
  };
};
const textOf = async (stream, read = (chunk) => chunk.text) => {
  let text = '';
  for await (const chunk of stream) text += read(chunk);
  return text;
};
/** Waits until the server has noticed that its client disconnected. */
const left = (before) => until(() => server.left > before, 'the request to the model was not cancelled');
const asked = (before) => server.requests.slice(before).map(({ messages }) => messages);

try {
  await titled('compiles under strict', () => compiles(pageProgram('langchain') + USES));
  await tryCases(titled, {
    answer: async ({ prompt, text, isStreamed }, more, scanner) => {
      says(text);
      const [before, gone] = [server.requests.length, server.left];
      const model = guarded(more, scanner);
      const chunks = [];
      if (isStreamed) for await (const chunk of await model.stream(prompt)) chunks.push(chunk);
      const message = isStreamed ? chunks.reduce((all, chunk) => all.concat(chunk)) : await model.invoke(prompt);
      const refused = message.response_metadata.finish_reason === 'content_filter';
      const isCut = isStreamed && refused && server.requests.length > before;
      if (isCut) await left(gone);
      const read = server.requests.length === before ? '' : JSON.stringify(asked(before));
      return { text: message.text, refused, read, cancelled: isCut };
    },
    call: async ({ body, result, isStreamed }) => {
      const ran = [];
      calls(body);
      const before = server.requests.length;
      const send = lookUp(({ body: given }) => {
        ran.push(given);
        return result;
      });
      const told = [];
      for await (const each of await agentOf({ tools: [send] }).stream(ask('Hi'), {
        streamMode: isStreamed ? ['values', 'messages'] : 'values',
      }))
        told.push(each);
      return { ran, read: JSON.stringify([told, asked(before + 1)]) };
    },
  });
  await models();
  await agents();
  await tools();
  await titled("runs the document's program", async () => {
    answer = ({ messages, stream }) => {
      if (messages.at(-1).role === 'tool') return { text: `It says: ${messages.at(-1).content}` };
      if (messages.at(-1).content.includes('P-1')) return { toolCalls: [toolCall('look_up', { policy: 'P-1' })] };
      return { text: stream === true ? BAD : 'never asked' };
    };
    const env = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'scripted' };
    await shows('langchain', { env });
    await shows('langchain', { env, isAway: true });
  });
} finally {
  await aisec.close();
  await server.close();
}

async function models() {
  const shown = {
    stream: async (model) => textOf(await model.stream('Hi'), JSON.stringify),
    'events, version 2': (model) => textOf(model.streamEvents('Hi', { version: 'v2' }), JSON.stringify),
    'events, version 3': (model) => textOf(model.streamEvents('Hi', {}), JSON.stringify),
    callbacks: async (model) => {
      let text = '';
      const handleLLMNewToken = (token, _index, _run, _parent, _tags, fields) => {
        text += token + JSON.stringify(fields);
      };
      const handleLLMEnd = (output) => {
        text += JSON.stringify(output);
      };
      await model.invoke('Hi', { callbacks: [{ handleLLMNewToken, handleLLMEnd, lc_prefer_streaming: true }] });
      return text;
    },
    'log of a stream': (model) => textOf(model.streamLog('Hi'), JSON.stringify),
  };
  for (const [name, run] of Object.entries(shown))
    await titled(`shows nothing bad: ${name}`, async () => {
      says(BAD);
      const text = await run(guarded());
      assert.ok(text.includes(MESSAGE) && text.includes('content_filter') && !text.includes('4111'), text.slice(-500));
    });
  await titled('cancels the request to the model when the reader disconnects', async () => {
    says(GOOD.repeat(50));
    const before = server.left;
    for await (const chunk of await guarded().stream('Hi')) if (chunk.text !== '') break;
    await left(before);
  });
  await titled('guards a model that is chosen per call', async () => {
    const model = guardModel(guardOf(), await initChatModel('gpt-4o', { modelProvider: 'openai', ...options }));
    says(BAD);
    const texts = [
      (await model.invoke('Hi')).text,
      await textOf(await model.stream('Hi')),
      await textOf(await model.bindTools([lookUp(() => 'x')]).stream('Hi')),
    ];
    for (const text of texts) assert.ok(text.endsWith(MESSAGE) && !text.includes('4111'), text);
  });
  await titled('leaves nothing bad in traces enabled by the environment', async () => {
    const traced = [];
    const collector = createServer((request, response) => {
      request.on('data', (data) => traced.push(data));
      request.on('end', () => response.end('{}'));
    });
    await new Promise((done) => collector.listen(0, '127.0.0.1', done));
    const { port } = collector.address();
    Object.assign(process.env, { ...TRACED, LANGSMITH_ENDPOINT: `http://127.0.0.1:${port}` });
    try {
      says(BAD);
      const model = guarded();
      await model.invoke('Hi');
      await textOf(await model.stream('Hi'));
      await awaitAllCallbacks();
    } finally {
      for (const name of Object.keys(TRACED)) delete process.env[name];
      await new Promise((done) => collector.close(done));
    }
    const told = Buffer.concat(traced).toString();
    assert.ok(told.includes('GuardedChatModel') && told.includes(MESSAGE));
    assert.doesNotMatch(told, /4111/);
  });
}

async function agents() {
  await titled('an agent blocks a prompt before the model starts, and does not keep it', async () => {
    says('fine');
    const [before, checkpointer] = [server.requests.length, new MemorySaver()];
    const agent = agentOf({ checkpointer });
    const config = { configurable: { thread_id: '1' } };
    const { messages } = await agent.invoke(ask(INJECTION), config);
    assert.deepEqual([messages.at(-1).text, server.requests.length], [MESSAGE, before]);
    assert.ok(!JSON.stringify((await agent.getState(config)).values).includes('Ignore'));
    await agent.invoke(ask('Hello.'), config);
    assert.deepEqual(server.requests.at(-1).messages, [{ role: 'user', content: 'Hello.' }]);
  });
  const streams = {
    'the token stream': (agent) => agent.stream(ask('Hi'), { streamMode: 'messages' }),
    'all streams': (agent) => agent.stream(ask('Hi'), { streamMode: ['messages', 'updates', 'values', 'debug'] }),
    'events, version 2': (agent) => agent.streamEvents(ask('Hi'), { version: 'v2' }),
    'events, version 3': (agent) => agent.streamEvents(ask('Hi'), { version: 'v3' }),
  };
  for (const [name, run] of Object.entries(streams))
    await titled(`an agent shows nothing bad: ${name}`, async () => {
      says(BAD);
      const text = await textOf(await run(agentOf()), JSON.stringify);
      assert.ok(text.includes(MESSAGE) && !text.includes('4111'));
    });
  await titled('an agent waits for the verdict on a prompt that is scanned while the model starts', async () => {
    says('fine');
    const agent = agentOf({ guard: guardOf({ parallelInput: true }) });
    const stream = await agent.stream(ask(INJECTION), { streamMode: 'messages' });
    assert.equal(await textOf(stream, ([message]) => message.text), MESSAGE);
  });
  await titled('an agent masks a prompt in its history', async () => {
    says('fine');
    const { messages } = await agentOf({ guard: guardOf({ mask: { input: true } }) }).invoke(ask(BAD));
    assert.equal(messages.length, 2);
    assert.ok(!JSON.stringify([messages, server.requests.at(-1)]).includes('4111'));
  });
  await titled('an agent refuses a model that another middleware puts in', async () => {
    says(BAD);
    const other = createMiddleware({
      name: 'Other',
      wrapModelCall: (request, handler) => handler({ ...request, model: open() }),
    });
    const agent = agentOf({ middleware: [guardMiddleware(guardOf()), other] });
    await assert.rejects(agent.invoke(ask('Hi')), /List guardMiddleware last/);
    const { messages } = await agentOf({ middleware: [other, guardMiddleware(guardOf())] }).invoke(ask('Hi'));
    assert.equal(messages.at(-1).text, MESSAGE);
  });
}

async function tools() {
  const runs = [];
  const send = lookUp(({ body }) => {
    runs.push(body);
    return `sent ${body}`;
  });
  for (const [says, last] of [
    ['It is sent.', 'It is sent.'],
    [INJECTION, MESSAGE],
  ])
    await titled(`an agent scans a tool's command to the graph: ${last === MESSAGE}`, async () => {
      calls('fine');
      const command = tool(
        (_, { toolCall }) =>
          new Command({ update: { messages: [new ToolMessage({ content: says, tool_call_id: toolCall.id })] } }),
        { name: 'send', description: 'Sends.', schema: SCHEMA },
      );
      const before = server.requests.length;
      const { messages } = await agentOf({ tools: [command] }).invoke(ask('Hi'));
      assert.equal(messages.at(-1).text, `It says: ${last}`);
      assert.ok(!JSON.stringify([messages, server.requests.slice(before)]).includes('Ignore'));
    });
  await titled('an agent refuses a call that a person has changed', async () => {
    calls('fine');
    runs.length = 0;
    const person = humanInTheLoopMiddleware({ interruptOn: { send: true } });
    const middleware = [person, guardMiddleware(guardOf())];
    const agent = agentOf({ tools: [send], checkpointer: new MemorySaver(), middleware });
    const config = { configurable: { thread_id: '1' } };
    await agent.invoke(ask('Hi'), config);
    const editedAction = { name: 'send', args: { body: INJECTION } };
    const resume = { decisions: [{ type: 'edit', editedAction }] };
    const { messages } = await agent.invoke(new Command({ resume }), config);
    assert.deepEqual([runs, messages.at(-1).text], [[], `It says: ${MESSAGE}`]);
  });
  await titled("an agent scans another middleware's message that replaces a tool result", async () => {
    calls('fine');
    const invent = createMiddleware({
      name: 'Invent',
      wrapToolCall: async (request, handler) => Object.assign(await handler(request), { content: INJECTION }),
    });
    const before = server.requests.length;
    const agent = agentOf({ tools: [send], middleware: [invent, guardMiddleware(guardOf())] });
    const { messages } = await agent.invoke(ask('Hi'));
    assert.equal(messages.at(-1).text, MESSAGE);
    assert.ok(!JSON.stringify([messages, server.requests.slice(before)]).includes('Ignore'));
  });
}

function lookUp(run) {
  return tool(run, { name: 'send', description: 'Sends.', schema: SCHEMA });
}
