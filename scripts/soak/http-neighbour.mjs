/** A second tenant beside the load: the service must answer all its requests as if it were idle. */
import { setTimeout as pause } from 'node:timers/promises';
import { NEIGHBOUR } from './http-tokens.mjs';

const BETWEEN_MS = 50;
const LIST = '/v1/commands/aisec-runtime-topics-list';
const json = (body, headers = {}) => ({ method: 'POST', body: JSON.stringify(body), headers });

/**
 * Works until the end.
 * @param ask sends a request: what, path, accepted statuses, options
 * @returns times of its requests, in milliseconds, in ascending order
 */
export async function neighbour(ask, isOver) {
  const times = [];
  const timed = async (what, path, expected, options = {}) => {
    const began = performance.now();
    const answer = await ask(`neighbour: ${what}`, path, expected, { ...options, token: NEIGHBOUR });
    times.push(performance.now() - began);
    return answer;
  };
  // File, session and run are kept from the beginning to the end.
  const text = 'prompt\nhello\n';
  const file = await timed('file', '/v1/files?name=kept.csv', [201], {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'text/csv' },
  });
  const session = await timed('session', '/v1/sessions', [201], json({}));
  const run = await timed('run', LIST, [202], json({}, { prefer: 'respond-async' }));
  let lines = 0;
  while (!isOver()) {
    await timed('list', LIST, [200], json({ limit: 1 }));
    await timed('scan', '/v1/commands/aisec-runtime-scan', [200], json({ profile_name: 'prod', prompt: 'hello' }));
    await timed('line', `${session.json.url}/lines`, [200], json({ line: '!aisec-runtime-topics-list limit=1' }));
    lines += 1;
    const { json: started } = await timed('run', LIST, [202], json({ limit: 1 }, { prefer: 'respond-async' }));
    await timed('forget', started.url, [202, 204], { method: 'DELETE' });
    await timed('health', '/healthz', [200]);
    await pause(BETWEEN_MS);
  }
  const got = await timed('file', file.json.url, [200]);
  if (got.text !== text) throw new Error('its file is another');
  const { json: kept } = await timed('session', session.json.url, [200]);
  if (kept.lines < 1) throw new Error(`its session has ${kept.lines} of ${lines} lines`);
  const { json: ended } = await timed('run', run.json.url, [200]);
  if (ended.state !== 'succeeded') throw new Error(`its first run is ${ended.state}`);
  return times.toSorted((one, other) => one - other);
}
