/** Serves JSON after a delay, and counts requests and connections. HTTP/2 is on a second port. */
import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';

const [latency = '0'] = process.argv.slice(2);
const RECORDS = 50_000;
const ANSWER = JSON.stringify({ note: 'x'.repeat(1180), action: 'allow' });

/** Counts since the last read. */
let seen = fresh();

function fresh() {
  return { requests: 0, connections: new Set(), pending: 0, most: 0 };
}

const topic = (index) => ({
  topic_id: `9c5b94b1-35ad-49bb-b118-8e8f${String(10_000_000 + index)}`,
  topic_name: `topic ${index}`,
  revision: index,
  description: 'What this topic is about, in a sentence of ordinary length.',
  examples: ['A first example prompt, with a comma.', 'A second example prompt.'],
  last_modified_ts: '2026-11-21T12:00:00.123Z',
});
const target = (index) => ({ ...topic(index), uuid: topic(index).topic_id, name: `target ${index}` });

function page(url) {
  const query = url.searchParams;
  const start = Number(query.get('offset') ?? query.get('skip'));
  const end = Math.min(RECORDS, start + Number(query.get('limit')));
  const rows = (make) => Array.from({ length: end - start }, (_, index) => make(start + index));
  // One kind of list reports its total, the other only the next offset.
  if (query.has('skip')) return { data: rows(target), pagination: { total_items: RECORDS } };
  return { custom_topics: rows(topic), ...(end < RECORDS ? { next_offset: end } : {}) };
}

function answerTo(url) {
  if (url.pathname === '/token') return JSON.stringify({ access_token: 'not-a-secret', expires_in: 900 });
  return url.pathname === '/call' ? ANSWER : JSON.stringify(page(url));
}

function handle(request, response) {
  const url = new URL(request.url, 'http://localhost');
  if (url.pathname === '/seen') {
    response.end(JSON.stringify({ ...seen, connections: seen.connections.size }));
    seen = fresh();
    return;
  }
  seen.connections.add(request.stream?.session ?? request.socket);
  seen.requests += 1;
  seen.pending += 1;
  seen.most = Math.max(seen.most, seen.pending);
  request.resume();
  request.on('end', () => {
    const reply = () => {
      seen.pending -= 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end(answerTo(url));
    };
    if (Number(latency) === 0 || url.pathname === '/token') reply();
    else setTimeout(reply, Number(latency));
  });
}

const server = createServer({ keepAliveTimeout: 60_000 }, handle);
const second = createHttp2Server(handle);
const listening = (one) =>
  new Promise((resolve) => one.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${one.address().port}`)));
console.log(JSON.stringify({ origin: await listening(server), http2: await listening(second) }));
