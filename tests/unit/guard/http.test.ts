/**
 * The guard around HTTP handlers, in the frameworks' own forms. `npm run test:guard-frameworks` tests the real frameworks.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import Fastify from 'fastify';
import { type BodyOptions, guardBody } from '../../../lib/guard/adapters/http.ts';
import type { GuardOptions } from '../../../lib/guard/guard.ts';
import { CARD, MESSAGE, scripted } from './scripted.ts';

const LONG = 'word '.repeat(300);
const DELTA = 'choices.0.delta.content';
const PROBLEM = { type: 'about:blank', title: 'Unprocessable Content', status: 422, detail: MESSAGE };

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

interface Handled {
  readonly type?: string;
  readonly encoding?: string;
  readonly body: string | Buffer | AsyncIterable<string> | null;
}

interface Trial {
  readonly options?: Partial<BodyOptions>;
  readonly guard?: Partial<GuardOptions>;
  readonly body?: unknown;
  readonly handled: (body: unknown) => Handled;
}

type Host = (trial: Trial) => Promise<Answer>;

const optionsOf = ({ options }: Trial): BodyOptions => ({ prompt: 'prompt', answer: 'text', ...options });
const HEADERS = { 'content-type': 'application/json' };

function headersOf({ type = 'application/json', encoding }: Handled): Record<string, string> {
  return { 'content-type': type, ...(encoding === undefined ? {} : { 'content-encoding': encoding }) };
}

const onFastify: Host = async (trial) => {
  const { guard } = scripted(trial.guard);
  const app = Fastify();
  await app.register(guardBody(guard, optionsOf(trial)).fastify);
  app.post('/', async (request, reply) => {
    const handled = trial.handled(request.body);
    reply.headers(headersOf(handled));
    const { body } = handled;
    return reply.send(isWhole(body) ? body : ReadableStream.from(body));
  });
  const payload = JSON.stringify(trial.body ?? { prompt: 'hello' });
  const answer = await app.inject({ method: 'POST', url: '/', headers: HEADERS, payload });
  await app.close();
  return { status: answer.statusCode, type: String(answer.headers['content-type']), body: answer.body };
};

/** The context that Hono passes to its middleware. */
const onHono: Host = async (trial) => {
  const { guard } = scripted(trial.guard);
  const body = JSON.stringify(trial.body ?? { prompt: 'hello' });
  const raw = new Request('http://127.0.0.1/', { method: 'POST', body, headers: HEADERS });
  const req = { raw, arrayBuffer: () => raw.clone().arrayBuffer() };
  const context = { req, res: new Response() };
  const next = async () => {
    const handled = trial.handled(JSON.parse(body));
    const made = handled.body;
    const stream = isWhole(made) ? made : bytes(made);
    context.res = new Response(stream as never, { headers: headersOf(handled) });
  };
  const refused = await guardBody(guard, optionsOf(trial)).hono(context, next);
  const answer = refused ?? context.res;
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', body: await answer.text() };
};

function isWhole(body: Handled['body']): body is string | Buffer | null {
  return body === null || typeof body === 'string' || body instanceof Buffer;
}

function bytes(chunks: AsyncIterable<string>): unknown {
  return ReadableStream.from(chunks).pipeThrough(new TextEncoderStream());
}

/** The arguments that Express passes to its middleware: the request with its parsed body, and Node's response. */
const onExpress: Host = async (trial) => {
  const { guard } = scripted(trial.guard);
  const { express } = guardBody(guard, optionsOf(trial));
  const request = { body: trial.body ?? { prompt: 'hello' } };
  const server = createServer((_, response) => {
    void express(request, response, () => {
      const handled = trial.handled(request.body);
      response.writeHead(200, headersOf(handled));
      if (isWhole(handled.body)) response.end(handled.body ?? '');
      else Readable.from(handled.body).pipe(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return { status: answer.status, type: answer.headers.get('content-type') ?? '', body: await answer.text() };
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

const json = (value: unknown): Handled => ({ body: JSON.stringify(value) });
const event = (content: string, more = {}) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content }, ...more }] })}\n\n`;
const pieces = (text: string) => (text.match(/.{1,9}/gsu) ?? []).map((piece) => event(piece));

/** Events in chunks that may be split anywhere. */
function events(all: readonly string[], state: { ended?: boolean; sent?: number } = {}): Handled {
  async function* chunks() {
    try {
      for (const chunk of all.join('').match(/.{1,57}/gsu) ?? []) {
        state.sent = (state.sent ?? 0) + 1;
        yield chunk;
      }
    } finally {
      state.ended = true;
    }
  }
  return { type: 'text/event-stream', body: chunks() };
}

describe.each<[string, Host]>([
  ['Fastify', onFastify],
  ['Express', onExpress],
  ['Hono', onHono],
])('in %s', (name, host) => {
  test('a good request and its answer pass', async () => {
    const { status, body } = await host({ handled: () => json({ text: 'fine' }) });
    expect([status, body]).toEqual([200, '{"text":"fine"}']);
  });

  test.each<[string, unknown, Partial<BodyOptions>]>([
    ['a bad prompt', { prompt: 'BAD' }, {}],
    ['a bad text of a function', { a: 'BAD' }, { prompt: (body) => (body as { a: string }).a }],
    ['a request without the field', { other: 'fine' }, {}],
    ['a field of a prototype', {}, { prompt: 'constructor.name' }],
    ['an optional function that throws', {}, { optional: true, prompt: () => JSON.parse('no') as string }],
  ])('%s is refused before the handler runs', async (_, body, options) => {
    let ran = false;
    const handled = () => {
      ran = true;
      return json({ text: 'fine' });
    };
    const answer = await host({ body, options, handled });
    expect([answer.status, answer.type, JSON.parse(answer.body), ran]).toEqual([
      ...[422, expect.stringContaining('application/problem+json'), PROBLEM, false],
    ]);
  });

  test('a request without the field passes if it is optional', async () => {
    const trial = { body: { other: 1 }, options: { optional: true }, handled: () => json({ text: 'fine' }) };
    expect((await host(trial)).status).toBe(200);
  });

  test.each<[string, Handled]>([
    ['field', json({ text: 'BAD' })],
    ['plain text', { type: 'text/plain', body: 'BAD' }],
    ['body of an unknown type', { type: 'application/octet-stream', body: 'fine' }],
    ['compressed body', { encoding: 'gzip', body: 'fine' }],
    ['compressed stream of events', { type: 'text/event-stream', encoding: 'gzip', body: 'fine' }],
    ['body that is not JSON', { body: '{BAD' }],
    ['member next to the field', json({ text: 'fine', reasoning: 'BAD' })],
    ['member name', json({ text: 'fine', BAD: 1 })],
    ['byte that is not UTF-8', { body: Buffer.from('{"text":"\xff"}', 'latin1') }],
    ['other charset', { type: 'application/json; charset=utf-16', body: '{"text":"fine"}' }],
  ])('an answer with a bad %s is replaced', async (_, handled) => {
    const { status, body } = await host({ handled: () => handled });
    expect([status, JSON.parse(body)]).toEqual([422, PROBLEM]);
  });

  test('events pass byte for byte', async () => {
    const all = [': ping\n\n', ...pieces(`${LONG} Wasser 水`), 'data: [DONE]\n\n'];
    const { status, body } = await host({ options: { answer: DELTA }, handled: () => events(all) });
    expect([status, body]).toEqual([200, all.join('')]);
  });

  test('events are cut before bad text, and the stream of the handler ends', async () => {
    const state: { ended?: boolean; sent?: number } = {};
    const all = pieces(`${LONG}BAD ${LONG.repeat(9)}`);
    const { body } = await host({ options: { answer: DELTA }, handled: () => events(all, state) });
    expect(body).not.toContain('BAD');
    expect(body.startsWith(all.slice(0, 5).join(''))).toBe(true);
    expect(body.endsWith(`data: {"error":{"type":"content_filter","message":"${MESSAGE}"}}\n\n`)).toBe(true);
    expect(state.ended).toBe(true);
    expect(state.sent).toBeLessThan(all.join('').length / 57 / 2);
  });

  test.each([
    ['without JSON', 'data: BAD\n\n'],
    ['of a comment', ': BAD\n\n'],
    ['with a bad name', `event: so BAD\n${event('fine')}`],
    ['across two lines of data', 'data: {"error":\ndata: "BAD"}\n\n'],
    ['that does not end', 'data: BAD'],
    ['with a member twice', 'data: {"text":"BAD","text":"fine"}\n\n'],
    ['with a bad name of a member', 'data: {"BAD":"fine"}\n\n'],
  ])('a bad event %s is cut', async (_, bad) => {
    const { body } = await host({ options: { answer: DELTA }, handled: () => events([event('fine'), bad]) });
    expect(body).not.toContain('BAD');
    expect(body).toContain('content_filter');
  });

  const inTwo = (of: (text: string) => string) => ['4111 1111 ', '1111 1111'].map(of);
  const sent = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
  test.each<[string, readonly string[]]>([
    ['another member', inTwo((title) => sent({ title }))],
    ['data without JSON', inTwo((text) => `data: ${text}\n\n`)],
    [
      'a choice among others',
      ['4111 1111 ', 'x', '1111 1111', 'x'].map((text, at) => sent({ choices: [{ index: at % 2, text }] })),
    ],
  ])('a card number across two events is found in %s, with and without a field', async (_, all) => {
    for (const answer of [undefined, DELTA, () => 'fine']) {
      const options = { answer } as Partial<BodyOptions>;
      const { body } = await host({ options, handled: () => events(all) });
      expect(body).not.toContain('1111');
      expect(body).toContain('content_filter');
    }
  });

  test('events after an unfinished title do not pass before the end', async () => {
    const all = [sent({ title: 'fine' }), ...pieces(`${LONG}BAD ${LONG.repeat(9)}`)];
    const { body } = await host({ options: { answer: DELTA }, handled: () => events(all) });
    expect(body.startsWith('event: error')).toBe(true);
    expect(body).not.toContain('BAD');
  });

  test.each([
    ['', CARD],
    [' after a part without a verdict', `SLOW ${LONG}${CARD}`],
  ])('a masked text%s cannot be put into events, so they are cut', async (_, text) => {
    const guard = { mask: { output: true }, onError: 'allow' as const, stream: { first: 40, max: 100, overlap: 30 } };
    const all = pieces(text);
    const { body } = await host({ guard, options: { answer: DELTA }, handled: () => events(all) });
    expect(body).not.toContain('4111');
    expect(body).toContain('content_filter');
  });

  test(`a masked prompt ${name !== 'Hono' ? 'is what the handler reads' : 'is refused'}`, async () => {
    const read: unknown[] = [];
    const handled = (body: unknown) => {
      read.push(body);
      return json({ text: 'fine' });
    };
    await host({ body: { prompt: CARD }, guard: { mask: { input: true } }, handled });
    expect(read).toEqual(name !== 'Hono' ? [{ prompt: 'Card XXXX XXXX XXXX XXXX' }] : []);
  });
});

test.each<[string, RequestInit]>([
  ['a member twice', { body: '{"prompt":"BAD","prompt":"fine"}' }],
  ['another charset', { body: '{"prompt":"fine"}', headers: { 'content-type': 'application/json; charset=utf-16' } }],
  ['bytes that are not UTF-8', { body: Buffer.from('{"prompt":"\xff"}', 'latin1') }],
])('a request to Hono with %s is refused', async (_, init) => {
  const raw = new Request('http://127.0.0.1/', { method: 'POST', ...init });
  const { hono } = guardBody(scripted().guard, { prompt: 'prompt' });
  const next = () => Promise.reject(new Error('It runs.'));
  const answer = await hono({ req: { raw, arrayBuffer: () => raw.arrayBuffer() }, res: new Response() }, next);
  expect((answer as Response).status).toBe(422);
});

test('a request to Hono with a form passes if the prompt is optional', async () => {
  const raw = new Request('http://127.0.0.1/', { method: 'POST', body: new URLSearchParams({ a: 'b' }) });
  const { hono } = guardBody(scripted().guard, { prompt: 'prompt', optional: true });
  const next = jest.fn(async () => undefined);
  await hono({ req: { raw, arrayBuffer: () => raw.arrayBuffer() }, res: new Response() }, next);
  expect(next).toHaveBeenCalledTimes(1);
});

test('the prompt field is required', () => {
  expect(() => guardBody(scripted().guard, {} as never)).toThrow(TypeError);
});
