/** Serves one JSON text, and counts connections. HTTP/2 is on a second port. */
import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';

const ANSWER = JSON.stringify({ note: 'x'.repeat(1180), action: 'allow' });

/** Connections since the last read. */
let connections = new Set();

function handle(request, response) {
  if (request.url === '/connections') {
    response.end(JSON.stringify(connections.size));
    connections = new Set();
    return;
  }
  connections.add(request.stream?.session ?? request.socket);
  request.resume();
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER));
}

const server = createServer({ keepAliveTimeout: 60_000 }, handle);
const second = createHttp2Server(handle);
const listening = (one) =>
  new Promise((resolve) => one.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${one.address().port}`)));
console.log(JSON.stringify({ origin: await listening(server), http2: await listening(second) }));
