/**
 * Drives the handlers' guard with the arguments that Hono passes to its middleware: a handler answers in JSON or in events.
 */
import { guardBody } from '../../../../lib/guard/adapters/http.ts';
import type { Driver, Scene } from './behaviours.ts';

const HEAD = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };

interface State {
  asked: boolean;
  cancelled: boolean;
}

/** A model's events; an endless stream continues after the application has left. */
function eventsOf({ texts, leaving }: Scene, state: State): ReadableStream<Uint8Array> {
  const pieces = texts.flatMap((text) => text.match(/.{1,7}/gsu) ?? []);
  return new ReadableStream<Uint8Array>(
    {
      pull: async (to) => {
        const text = pieces.shift();
        if (text === undefined && leaving === undefined) return to.close();
        leaving?.abort();
        await new Promise((done) => setImmediate(done));
        return to.enqueue(new TextEncoder().encode(`data: ${JSON.stringify({ text: text ?? 'more' })}\n\n`));
      },
      cancel: () => {
        state.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
}

/** Reads everything that arrives until the application leaves. */
async function read(response: Response, leaving: AbortController | undefined): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const left = new Promise<undefined>((done) => leaving?.signal.addEventListener('abort', () => done(undefined)));
  let text = '';
  for (;;) {
    const next = await Promise.race([reader?.read(), left]);
    if (next?.value === undefined) break;
    text += next.value;
  }
  // The handler's stream is ended after this turn.
  for (let turns = 0; turns < 5; turns += 1) await new Promise((done) => setImmediate(done));
  return text;
}

export const body: Driver = {
  adapter: 'guardBody',
  without: { 'masks what the service masks, streamed': 'Events pass as they came: a masked text is refused.' },
  answer: async (guard, scene) => {
    const state: State = { asked: false, cancelled: false };
    const { hono } = guardBody(guard, { prompt: 'prompt', answer: 'text' });
    const signal = scene.leaving?.signal ?? null;
    const raw = new Request('http://127.0.0.1/', {
      method: 'POST',
      headers: HEAD,
      body: JSON.stringify(scene),
      signal,
    });
    const context = { req: { raw, arrayBuffer: () => raw.arrayBuffer() }, res: new Response() };
    const refused = await hono(context, async () => {
      state.asked = true;
      const { texts, streamed } = scene;
      const text = texts.length === 1 ? texts[0] : texts.map((each) => ({ type: 'text', text: each }));
      context.res = streamed ? new Response(eventsOf(scene, state), { headers: EVENTS }) : Response.json({ text });
    });
    const response = refused ?? context.res;
    const told = await read(response, scene.leaving);
    const lines = scene.streamed && response.ok ? told.split('\n\n').filter((line) => line !== '') : [told];
    const values = lines.flatMap((line) =>
      (/\{.*\}/su.exec(line) ?? []).map((json) => JSON.parse(json) as { text?: unknown }),
    );
    const shown = values
      .map(({ text }) =>
        Array.isArray(text) ? text.map((part: { text: string }) => part.text).join('') : (text ?? ''),
      )
      .join('');
    return { shown, refused: !response.ok || told.includes('content_filter'), ...state };
  },
};
