/** A second tenant beside the load: the service must answer all its requests as if it were idle. */
import { setTimeout as pause } from 'node:timers/promises';

const BETWEEN_MS = 50;
const LIST = '/v1/commands/aisec-runtime-topics-list';
const FILE = 'prompt\nhello\n';
const post = (body, headers = {}) => ({ method: 'POST', body: JSON.stringify(body), headers });
const LATER = { prefer: 'respond-async' };

/**
 * Works until the end.
 * @param ask sends a request: path, accepted statuses, options
 * @returns times of its requests, in milliseconds, in ascending order
 */
export async function neighbour(ask, isOver) {
  const times = [];
  const timed = async (...call) => {
    const began = performance.now();
    const answer = await ask(...call);
    times.push(performance.now() - began);
    return answer;
  };
  // File, session and run are kept from the beginning to the end.
  const upload = { method: 'POST', body: FILE, headers: { 'content-type': 'text/csv' } };
  const file = await timed('/v1/files?name=kept.csv', [201], upload);
  const session = await timed('/v1/sessions', [201], post({}));
  const run = await timed(LIST, [202], post({}, LATER));
  while (!isOver()) {
    await timed(LIST, [200], post({ limit: 1 }));
    await timed('/v1/commands/aisec-runtime-scan', [200], post({ profile_name: 'prod', prompt: 'hello' }));
    await timed(`${session.json.url}/lines`, [200], post({ line: '!aisec-runtime-topics-list limit=1' }));
    const { json: started } = await timed(LIST, [202], post({ limit: 1 }, LATER));
    await timed(started.url, [202, 204], { method: 'DELETE' });
    await timed('/healthz', [200]);
    await pause(BETWEEN_MS);
  }
  const got = await timed(file.json.url, [200]);
  if (got.text !== FILE) throw new Error('its file is another');
  const { json: kept } = await timed(session.json.url, [200]);
  if (kept.lines < 1) throw new Error('its session has no lines');
  const { json: ended } = await timed(run.json.url, [200]);
  if (ended.state !== 'succeeded') throw new Error(`its first run is ${ended.state}`);
  return times.toSorted((one, other) => one - other);
}
