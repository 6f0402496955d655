/** Starts servers with the APIs of model providers on loopback; each test supplies their answers. */
import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Starts a server. It sends pieces one by one, like a model, and stops when the client cancels.
 * @param answer gets a request's body and URL, and the number of requests so far; returns `{ status?, json }` or
 * `{ events, isEndless? }`, whose events are strings; an endless answer lasts until its client disconnects, so that a fast model cannot
 * finish before the cut
 * @returns its URL, the bodies of its requests, and how many clients disconnected before the end
 */
async function serving(path, answer) {
  const state = { requests: [], left: 0 };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (!path.test(request.url)) return response.writeHead(404).end('{}');
    const body = JSON.parse(text);
    state.requests.push(body);
    response.on('close', () => {
      if (!response.writableFinished) state.left += 1;
    });
    const { status = 200, json, events, isEndless = false } = answer(body, state.requests.length);
    if (events === undefined)
      return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) {
      if (response.closed) return undefined;
      response.write(event);
      await new Promise((done) => setImmediate(done));
    }
    return isEndless ? undefined : response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return Object.assign(state, { url: `http://127.0.0.1:${server.address().port}`, close });
}

const piecesOf = (text) => text.match(/.{1,9}/gsu) ?? [];
const named = (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** A tool call in a model's chat completion. */
export function toolCall(name, input) {
  return { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

/**
 * Starts OpenAI's chat completions.
 * @param answer returns `{ text?, toolCalls?, status?, isEndless? }`, or the `choices` of the chunks of a stream, one by one
 */
export async function scriptedOpenai(answer) {
  const server = await serving(/^\/v1\/chat\/completions/, (body, count) => {
    const { status, text, toolCalls, choices, isEndless } = answer(body);
    if (status !== undefined) return { status, json: { error: { message: 'scripted', type: 'scripted' } } };
    // Each answer has its own identifier, because a framework replaces messages with the same identifier.
    const base = { id: `chatcmpl-${count}`, created: 1, model: 'scripted' };
    const finish_reason = toolCalls === undefined ? 'stop' : 'tool_calls';
    const calls = toolCalls === undefined ? {} : { tool_calls: toolCalls };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const choice = { index: 0, message: { role: 'assistant', content: text ?? null, ...calls }, finish_reason };
    if (body.stream !== true) return { json: { ...base, object: 'chat.completion', choices: [choice], usage } };
    const deltas = [
      { role: 'assistant', content: '' },
      ...piecesOf(text ?? '').map((content) => ({ content })),
      ...(toolCalls ?? []).map((call, index) => ({ tool_calls: [{ index, ...call }] })),
    ];
    const own = deltas.map((delta) => ({ index: 0, delta, finish_reason: null }));
    const all = choices ?? (isEndless === true ? own : [...own, { index: 0, delta: {}, finish_reason }]);
    const chunks = all.map((each) => JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [each] }));
    const end = isEndless === true ? [] : ['[DONE]'];
    return { events: [...chunks, ...end].map((data) => `data: ${data}\n\n`), isEndless };
  });
  return Object.assign(server, { url: `${server.url}/v1` });
}

/** Starts OpenAI's responses. @param answer returns the items of the output */
export async function scriptedResponses(answer) {
  const server = await serving(/^\/v1\/responses/, (body) => {
    const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
    const done = {
      id: 'resp_1',
      object: 'response',
      model: 'scripted',
      usage,
      status: 'completed',
      output: answer(body),
    };
    return body.stream === true ? { events: responseEvents(done).map(named) } : { json: done };
  });
  return Object.assign(server, { url: `${server.url}/v1` });
}

function responseEvents(response) {
  const items = response.output.flatMap((item, output_index) => {
    const place = { output_index, item_id: item.id };
    const texts = (item.content ?? []).flatMap(({ text }, content_index) =>
      piecesOf(text).map((delta) => ({ type: 'response.output_text.delta', ...place, content_index, delta })),
    );
    const added = { type: 'response.output_item.added', output_index, item: { ...item, content: [] } };
    return [added, ...texts, { type: 'response.output_item.done', output_index, item }];
  });
  const created = { type: 'response.created', response: { ...response, output: [] } };
  return [created, ...items, { type: 'response.completed', response }];
}

/** A tool call in a model's Anthropic message. */
export function toolUse(name, input, id = 'toolu_1') {
  return { type: 'tool_use', id, name, input };
}

/** Starts Anthropic's messages. @param answer returns `{ text?, thinking?, toolUses? }` */
export function scriptedAnthropic(answer) {
  return serving(/^\/v1\/messages(?:\?|$)/, (body, count) => {
    const { text, thinking, toolUses = [] } = answer(body);
    const content = [
      ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: 'scripted' }]),
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...toolUses,
    ];
    const ending = { stop_reason: toolUses.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: `msg_${count}`, type: 'message', role: 'assistant', model: body.model, content, usage };
    if (body.stream !== true) return { json: { ...message, ...ending } };
    const events = [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
      ...content.flatMap(blockEvents),
      { type: 'message_delta', delta: ending, usage },
      { type: 'message_stop' },
    ];
    return { events: events.map(named) };
  });
}

function blockEvents(block, index) {
  const pieces = (text, type, member) => piecesOf(text).map((piece) => ({ type, [member]: piece }));
  const deltas = {
    text: () => [{ ...block, text: '' }, pieces(block.text, 'text_delta', 'text')],
    thinking: () => [
      { ...block, thinking: '', signature: '' },
      [
        ...pieces(block.thinking, 'thinking_delta', 'thinking'),
        { type: 'signature_delta', signature: block.signature },
      ],
    ],
    tool_use: () => [{ ...block, input: {} }, pieces(JSON.stringify(block.input), 'input_json_delta', 'partial_json')],
  };
  const [content_block, parts] = deltas[block.type]();
  return [
    { type: 'content_block_start', index, content_block },
    ...parts.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}
