/** A server with the interface of Anthropic's messages, which answers what a test wants. */
import { once } from 'node:events';
import { createServer } from 'node:http';

const USAGE = { input_tokens: 1, output_tokens: 1 };

/**
 * Starts the server on loopback.
 * @param answer gets the request's body; returns `{ text?, thinking?, toolUses?, status? }`
 * @returns its address for `ANTHROPIC_BASE_URL`, the bodies of its requests for messages, and how many clients left before the end
 */
export async function scriptedAnthropic(answer) {
  const state = { requests: [], left: 0 };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (!/^\/v1\/messages(?:\?|$)/.test(request.url)) return respond(response, 404, failure('not_found_error'));
    const body = JSON.parse(text);
    state.requests.push(body);
    response.on('close', () => {
      if (!response.writableFinished) state.left += 1;
    });
    const { status = 200, ...message } = answer(body);
    if (status !== 200) return respond(response, status, failure('invalid_request_error'));
    const id = `msg_${state.requests.length}`;
    const content = blocksOf(message);
    const head = { id, type: 'message', role: 'assistant', model: body.model, stop_sequence: null, usage: USAGE };
    if (body.stream === true) return stream(response, { ...head, content: [], stop_reason: null }, content);
    return respond(response, 200, { ...head, content, stop_reason: reasonOf(content) });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return Object.assign(state, { url: `http://127.0.0.1:${server.address().port}`, close });
}

/** A call of a tool, as a model makes it. */
export function toolUse(name, input, id = 'toolu_1') {
  return { type: 'tool_use', id, name, input };
}

function blocksOf({ text, thinking, toolUses = [] }) {
  return [
    ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: 'scripted' }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...toolUses,
  ];
}

function reasonOf(content) {
  return content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
}

function failure(type) {
  return { type: 'error', error: { type, message: 'scripted' } };
}

function respond(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Writes an answer in small pieces, as fast as its reader takes them. */
async function stream(response, message, content) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const events = [
    { type: 'message_start', message },
    ...content.flatMap((block, index) => eventsOf(block, index)),
    { type: 'message_delta', delta: { stop_reason: reasonOf(content), stop_sequence: null }, usage: USAGE },
    { type: 'message_stop' },
  ];
  for (const event of events) {
    if (response.closed) return;
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    // A model takes its time; an answer that the client has cancelled must not be sent.
    await new Promise((done) => setImmediate(done));
  }
  response.end();
}

function eventsOf(block, index) {
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

function pieces(text, type, member) {
  return (text.match(/.{1,9}/gsu) ?? []).map((piece) => ({ type, [member]: piece }));
}
