/** Event streams: results of any size, slow readers, and readers that resume. */
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import {
  MAX_EVENT_BYTES,
  sizedEvent,
  whilePermitted,
  writeEvents,
} from '../../../../lib/hosts/http/events/event-stream.ts';
import { HttpError } from '../../../../lib/hosts/http/problems.ts';
import type { RunEvent } from '../../../../lib/runs/port.ts';
import { scenario } from '../../../system/scenarios/claims.ts';
import { eventsIn, startBriefly, startForAll, TOKEN } from '../support.ts';
import { opened } from './raw.ts';

const server = startForAll();

const LATER = { prefer: 'respond-async' };
/** The result repeats the prompt. */
const scan = (characters: number) =>
  server.run('aisec-runtime-scan', { profile_name: 'prod', prompt: 'x'.repeat(characters) }, { headers: LATER });

scenario.each([{ characters: 600_000 }, { characters: 1_100_000 }])(
  'large-events',
  'sends the end of a run with a prompt of $characters characters, by value or by address',
  async ({ characters }) => {
    const { json } = await scan(characters);
    const { text } = await server.send(json.eventsUrl);
    const end = eventsIn(text).at(-1);
    const whole = await server.send(json.url);
    const { result, ...rest } = whole.json;
    expect(whole.json.state).toMatch(/succeeded|failed/);
    const isLarge = Buffer.byteLength(whole.text) > MAX_EVENT_BYTES;
    expect(end?.data).toEqual(isLarge ? { ...rest, resultUrl: json.url } : whole.json);
  },
);

scenario('large-events', 'sends a reader that resumes the events that it missed, and always the end', async () => {
  const { json } = await server.run('aisec-runtime-topics-list', {}, { headers: LATER });
  await server.send(json.eventsUrl);
  for (const [last, events] of [
    ['999', ['end']],
    ['1', ['state', 'end']],
  ] as const) {
    const { text } = await server.send(json.eventsUrl, { headers: { 'last-event-id': last } });
    expect(eventsIn(text).map(({ event }) => event)).toEqual(events);
    expect(eventsIn(text).at(-1)?.data).toEqual((await server.send(json.url)).json);
  }
  for (const last of ['1e300', '-1', 'x']) {
    const { status, json: problem } = await server.send(json.eventsUrl, { headers: { 'last-event-id': last } });
    expect([last, status, problem.code]).toEqual([last, 400, 'arguments']);
  }
});

scenario('large-events', 'sends the end to a reader that resumes beyond it while the run continues', async () => {
  const slow = await startBriefly({ client: { simulate: { latencyMs: 600_000 } } });
  const { json } = await slow.run('aisec-runtime-topics-list', {}, { headers: LATER });
  const follows = slow.send(json.eventsUrl, { headers: { 'last-event-id': '999' } });
  await slow.send(json.url, { method: 'DELETE' });
  expect(eventsIn((await follows).text).map(({ event, data }) => [event, data.state])).toEqual([['end', 'stopped']]);
});

const URL_OF_RUN = '/v1/runs/9f2c1b7de04a4c6b8a1d3e5f';
const LARGE = 'x'.repeat(MAX_EVENT_BYTES);

scenario.each<{ what: string; event: RunEvent; data: unknown }>([
  { what: 'a small task', event: { id: 1, event: 'task', data: { outputs: 'x' } }, data: { outputs: 'x' } },
  {
    what: 'a large task',
    event: { id: 1, event: 'task', data: { outputs: LARGE } },
    data: { tooLarge: true, resultUrl: URL_OF_RUN },
  },
  {
    what: 'a run with a large problem',
    event: { id: 2, event: 'end', data: { id: '9', state: 'failed', problem: { detail: LARGE } } },
    data: { id: '9', state: 'failed', resultUrl: URL_OF_RUN },
  },
])('large-events', 'writes $what within the size limit of an event', ({ event, data }) => {
  expect(sizedEvent(event, URL_OF_RUN).data).toEqual(data);
});

async function* manyEvents(taken: { count: number }, most: number): AsyncGenerator<RunEvent> {
  for (let id = 1; id <= most; id += 1) {
    taken.count = id;
    yield { id, event: 'progress', data: { progress: 'x'.repeat(100_000) } };
  }
}

scenario('large-events', 'reads events at the speed of the reader, with a bounded buffer', async () => {
  const reader = new PassThrough({ highWaterMark: 1 });
  const taken = { count: 0 };
  const written = writeEvents(reader, manyEvents(taken, 50), new AbortController().signal, () => () => undefined);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(taken.count).toBeLessThan(4);
  expect(reader.writableLength).toBeLessThan(400_000);
  let text = '';
  reader.on('data', (chunk) => {
    text += String(chunk);
  });
  await written;
  reader.end();
  await new Promise((resolve) => reader.once('end', resolve));
  expect(eventsIn(text).map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
});

scenario('large-events', 'waits for a reader that pauses in the middle of a large event', async () => {
  const { json } = await scan(450_000);
  await server.send(json.eventsUrl);
  const socket: Socket = await opened(server.port);
  socket.write(`GET ${json.eventsUrl} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
  let text = '';
  const ended = new Promise<void>((resolve) => socket.once('close', resolve));
  socket.once('data', () => {
    socket.pause();
    setTimeout(() => socket.resume(), 200);
  });
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  await ended;
  expect(text).toMatch(/\nevent: end\ndata: \{/);
});

scenario(
  'rights-now',
  'sends no further event to a reader who lost the right to read, and then the reason',
  async () => {
    const told: RunEvent[] = [1, 2, 3].map((id) => ({ id, event: 'progress', data: id }));
    async function* follow(): AsyncGenerator<RunEvent> {
      yield* told;
    }
    let checks = 0;
    const refusal = async () => {
      checks += 1;
      return checks > 1 ? new HttpError(401, 'token', 'The token has ended.') : undefined;
    };
    const found: unknown[] = [];
    for await (const { id, event } of whilePermitted(follow, refusal, 0)(new AbortController().signal))
      found.push([id, event]);
    expect(found).toEqual([
      [1, 'progress'],
      [1, 'refused'],
    ]);
  },
);
