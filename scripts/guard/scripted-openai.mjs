/** A server with the interface of OpenAI's chat completions, which answers what a test wants. */
import { once } from 'node:events';
import { createServer } from 'node:http';

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const BASE = { created: 1, model: 'scripted' };

/**
 * Starts the server on loopback.
 * @param answer gets the request's body; returns `{ text?, toolCalls?, status? }`, or the `choices` of the chunks of a stream, one by one
 * @returns its address for `OPENAI_BASE_URL`, the bodies of its requests, and how many clients left before the end
 */
export async function scriptedOpenai(answer) {
  const state = { requests: [], left: 0 };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    state.requests.push(body);
    response.on('close', () => {
      if (!response.writableFinished) state.left += 1;
    });
    const { status = 200, ...message } = answer(body);
    if (status !== 200) return respond(response, status, { error: { message: 'scripted', type: 'scripted' } });
    // Each answer has its own identifier: a framework replaces a message by one of the same.
    const base = { ...BASE, id: `chatcmpl-${state.requests.length}` };
    if (body.stream === true) return stream(response, base, message);
    const choice = {
      index: 0,
      message: { role: 'assistant', ...messageOf(message) },
      finish_reason: reasonOf(message),
    };
    return respond(response, 200, { ...base, object: 'chat.completion', choices: [choice], usage: USAGE });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return Object.assign(state, { url: `http://127.0.0.1:${server.address().port}/v1`, close });
}

/** A call of a tool, as a model makes it. */
export function toolCall(name, input) {
  return { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

function messageOf({ text = null, toolCalls }) {
  return { content: text, ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }) };
}

function reasonOf({ toolCalls }) {
  return toolCalls === undefined ? 'stop' : 'tool_calls';
}

function respond(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Writes an answer in small pieces, as fast as its reader takes them. */
async function stream(response, base, message) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const { text = '', toolCalls = [], choices: given, isEndless = false } = message;
  const deltas = [
    { role: 'assistant', content: '' },
    ...(text.match(/.{1,9}/gsu) ?? []).map((content) => ({ content })),
    ...toolCalls.map((call, index) => ({ tool_calls: [{ index, ...call }] })),
  ];
  const choices = given ?? [
    ...deltas.map((delta) => ({ index: 0, delta, finish_reason: null })),
    ...(isEndless ? [] : [{ index: 0, delta: {}, finish_reason: reasonOf(message) }]),
  ];
  for (const choice of choices) {
    if (response.closed) return;
    const chunk = { ...base, object: 'chat.completion.chunk', choices: [choice] };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    // A model takes its time; an answer that the client has cancelled must not be sent.
    await new Promise((done) => setImmediate(done));
  }
  // An endless answer ends with its client: a fast model must not be done before it is cut.
  if (!isEndless) response.end('data: [DONE]\n\n');
}
