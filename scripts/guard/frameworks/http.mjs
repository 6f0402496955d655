/** Tests the adapters for HTTP handlers in Fastify, Express and Hono, over real sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { test as check } from 'node:test';
import { tryCases } from '../cases.mjs';
import { framework, GOOD, INJECTION, until } from '../framework.mjs';

const { aisec, compiles, guardOf, imported, shows } = await framework([
  ...['fastify@5.12.8', 'express@5.3.0', 'compression@1.8.2', 'hono@4.13.19', '@hono/node-server@2.1.9'],
  '@types/express@5.0.6',
]);
const { guardBody } = await imported('aisec/guard/http');
const { default: fastify } = await imported('fastify');
const { default: express } = await imported('express');
const { default: compression } = await imported('compression');
const { Hono } = await imported('hono');
const { serve } = await imported('@hono/node-server');

const event = (content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const eventsOf = (text) => (text.match(/.{1,9}/gsu) ?? []).map(event);

/** The chunks of a model that records when its reader has disconnected. */
async function* answering(state) {
  try {
    for (const chunk of eventsOf(state.text)) {
      state.sent += 1;
      yield chunk;
      await new Promise((done) => setImmediate(done));
      if (state.waits) await new Promise((done) => setTimeout(done, 5));
    }
  } finally {
    state.ended = true;
  }
}

const SERVERS = {
  Fastify: async (guarded, state) => {
    const app = fastify({ forceCloseConnections: true });
    await app.register(guarded.fastify);
    app.post('/json', async ({ body }) => {
      state.read.push(body);
      return { text: state.text };
    });
    app.post('/events', ({ body }, reply) => {
      state.read.push(body);
      return reply.type('text/event-stream').send(Readable.from(answering(state)));
    });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    return { url, close: () => app.close() };
  },
  Express: async (guarded, state) => {
    const app = express();
    app.use(compression({ threshold: 0 }), express.json(), guarded.express);
    app.post('/json', (request, response) => {
      state.read.push(request.body);
      response.json({ text: state.text });
    });
    app.post('/events', (request, response) => {
      state.read.push(request.body);
      const source = Readable.from(answering(state));
      response.on('close', () => source.destroy());
      source.pipe(response.type('text/event-stream'));
    });
    return listening(createServer(app));
  },
  Hono: async (guarded, state) => {
    const app = new Hono();
    app.use(guarded.hono);
    app.post('/json', async (context) => {
      state.read.push(await context.req.json());
      return context.json({ text: state.text });
    });
    app.post('/events', async (context) => {
      state.read.push(await context.req.json());
      const body = Readable.toWeb(Readable.from(answering(state)).map((chunk) => Buffer.from(chunk)));
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    });
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
    if (!server.listening) await once(server, 'listening');
    return { url: `http://127.0.0.1:${server.address().port}`, close: () => closed(server) };
  },
};

async function listening(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => closed(server) };
}

function closed(server) {
  server.closeAllConnections();
  return new Promise((done) => server.close(done));
}

const USES = `
import { guardBody } from 'aisec/guard/http';
import type { Guard } from 'aisec/guard';
import fastify from 'fastify';
import express from 'express';
import { Hono } from 'hono';
declare const guard: Guard;
const guarded = guardBody(guard, { prompt: 'prompt' });
const [onFastify, onExpress, onHono] = [fastify(), express(), new Hono()];
await onFastify.register(guarded.fastify);
onExpress.use(guarded.express);
onExpress.post('/', express.json(), guarded.express, (_, response) => void response.json({}));
onHono.use(guarded.hono);
onHono.post('/', guarded.hono, (context) => context.json({}));
// @ts-expect-error Middleware of another framework.
await onFastify.register(guarded.express);
// @ts-expect-error Middleware of another framework.
onExpress.use(guarded.hono);
// @ts-expect-error A plugin of another framework.
onHono.use(guarded.fastify);
`;

try {
  await check('compiles under strict', () => compiles(USES));
  for (const [name, start] of Object.entries(SERVERS)) await trial(name, start);
  await check("the document's program prints the documented output", async () => {
    await shows('http');
    await shows('http', { isAway: true });
  });
} finally {
  await aisec.close();
}

async function trial(name, start) {
  const titled = (title, run) => check(`${name}: ${title}`, run);
  const within = async (run, { text = 'fine', options = {}, scanner = aisec, waits = false } = {}) => {
    const state = { text, waits, read: [], sent: 0, ended: false };
    const { url, close } = await start(
      guardBody(guardOf(options, scanner), { prompt: 'prompt', answer: 'text' }),
      state,
    );
    const headers = { 'content-type': 'application/json' };
    const asked = async (path, prompt = 'What is covered?', rest = {}) =>
      fetch(url + path, { method: 'POST', headers, body: JSON.stringify({ prompt }), ...rest });
    try {
      return await run(asked, state);
    } finally {
      await close();
    }
  };
  await tryCases(titled, {
    // A Hono handler reads the original body, and events pass unchanged, so text that would be masked is refused.
    keepsPrompts: name === 'Hono',
    keepsEvents: true,
    answer: ({ prompt, text, isStreamed }, options, scanner) =>
      within(
        async (asked, state) => {
          const answer = await asked(isStreamed ? '/events' : '/json', prompt);
          const body = await answer.text();
          const isCut = body.includes('content_filter');
          const lines = isStreamed && answer.ok ? body.split('\n\n').filter((line) => line.includes('choices')) : [];
          const pieces = lines.map((line) => JSON.parse(line.slice(6)).choices[0].delta.content);
          if (isCut) await until(() => state.ended);
          const said = isStreamed ? pieces.join('') : (JSON.parse(body).text ?? '');
          const read = state.read.length === 0 ? '' : JSON.stringify(state.read);
          return {
            text: said,
            refused: !answer.ok || isCut,
            read,
            cancelled: state.ended && state.sent < eventsOf(text).length,
          };
        },
        { text, options, scanner },
      ),
  });
  await titled('refuses invalid JSON', () =>
    within(async (asked, state) => {
      const answer = await asked('/json', '', { body: INJECTION, headers: { 'content-type': 'text/plain' } });
      assert.ok(answer.status >= 400);
      assert.deepEqual(state.read, []);
    }),
  );
  await titled("ends the handler's stream when the reader disconnects", () =>
    within(
      async (asked, state) => {
        const leaving = new AbortController();
        const answer = await asked('/events', 'What is covered?', { signal: leaving.signal });
        await answer.body.getReader().read();
        leaving.abort();
        await until(() => state.ended);
        assert.ok(state.sent < eventsOf(GOOD).length);
      },
      { text: GOOD, waits: true },
    ),
  );
}
