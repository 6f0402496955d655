/** Serves one JSON text, and counts connections. */
import { createServer } from 'node:http';

const ANSWER = JSON.stringify({ note: 'x'.repeat(1180), action: 'allow' });

/** Connections since the last read. */
let connections = new Set();

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  if (request.url === '/connections') {
    response.end(JSON.stringify(connections.size));
    connections = new Set();
    return;
  }
  connections.add(request.socket);
  request.resume();
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
