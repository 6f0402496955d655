/** A server with the interface of OpenAI's responses, which answers with the items that a test wants. */
import { once } from 'node:events';
import { createServer } from 'node:http';

const USAGE = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
const BASE = { id: 'resp_1', object: 'response', model: 'scripted', usage: USAGE };

/**
 * Starts the server on loopback.
 * @param answer gets the request's body; returns the items of the output
 * @returns its address, and `close`
 */
export async function scriptedResponses(answer) {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    const done = { ...BASE, status: 'completed', output: answer(body) };
    if (body.stream !== true) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(done));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of eventsOf(done)) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close };
}

function eventsOf(response) {
  const items = response.output.flatMap((item, at) => {
    const place = { output_index: at, item_id: item.id };
    const texts = (item.content ?? []).flatMap(({ text }, index) => {
      const pieces = text.match(/.{1,9}/gsu) ?? [];
      return pieces.map((delta) => ({ type: 'response.output_text.delta', ...place, content_index: index, delta }));
    });
    const added = { type: 'response.output_item.added', output_index: at, item: { ...item, content: [] } };
    return [added, ...texts, { type: 'response.output_item.done', output_index: at, item }];
  });
  const created = { type: 'response.created', response: { ...response, output: [] } };
  return [created, ...items, { type: 'response.completed', response }];
}
