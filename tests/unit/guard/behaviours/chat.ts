/** Drives the proxy of chat completions: an application that sends requests to it, and a scripted model behind it. */
import { guardChat } from '../../../../lib/guard/adapters/http.ts';
import type { Guard } from '../../../../lib/guard/guard.ts';
import type { Driver, Scene } from './behaviours.ts';

type Json = Readonly<Record<string, unknown>>;

const ADDRESS = 'http://127.0.0.1/v1/chat/completions';
const NO_OBJECTS = 'A request is JSON: no object of a class arrives.';

interface Model {
  asked: string[];
  cancelled: boolean;
}

/** Returns a handler whose model answers with messages, the last one again and again. */
function proxied(guard: Guard, model: Model, messages: readonly Json[], leaving?: AbortController) {
  return guardChat(guard, {
    upstream: 'http://127.0.0.1:1/v1',
    fetch: async (_, { body, signal }) => {
      model.asked.push(body);
      const message = messages[Math.min(model.asked.length, messages.length) - 1] ?? {};
      const finish_reason = message['tool_calls'] === undefined ? 'stop' : 'tool_calls';
      signal.addEventListener('abort', () => {
        model.cancelled = true;
      });
      if ((JSON.parse(body) as Json)['stream'] !== true)
        return Response.json({ choices: [{ index: 0, message, finish_reason }] });
      const choices = [...piecesOf(message), { delta: {}, finish_reason }];
      const lines = choices.map((choice) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`);
      const stream = new ReadableStream<Uint8Array>(
        {
          pull: (to) => {
            const line = lines.shift();
            // An answer without an end, which the application does not wait for.
            if (lines.length === 0 && leaving !== undefined) {
              leaving.abort();
              to.error(new Error('aborted'));
            } else if (line === undefined) to.close();
            else to.enqueue(new TextEncoder().encode(line));
          },
        },
        { highWaterMark: 0 },
      );
      return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
}

function piecesOf({ content, tool_calls }: Json): readonly object[] {
  const texts = ((content ?? []) as readonly { readonly text: string }[]).flatMap(
    ({ text }) => text.match(/.{1,7}/gsu) ?? [],
  );
  const calls = ((tool_calls ?? []) as readonly Json[]).map((call, index) => ({
    delta: { tool_calls: [{ index, ...call }] },
  }));
  return [...texts.map((text) => ({ delta: { content: text } })), ...calls];
}

async function asked(
  chat: ReturnType<typeof guardChat>,
  messages: readonly object[],
  { streamed, leaving }: Partial<Scene>,
) {
  const body = JSON.stringify({ stream: streamed, messages });
  const response = await chat(new Request(ADDRESS, { method: 'POST', body, signal: leaving?.signal ?? null }));
  const text = await response.text().catch(() => '');
  const lines = response.headers.get('content-type') === 'text/event-stream' ? text.split('\n\n') : [`data: ${text}`];
  const values = lines.filter((line) => line.startsWith('data: {')).map((line) => JSON.parse(line.slice(6)) as Json);
  const choices = values.flatMap(({ choices: all }) => (all ?? []) as readonly Json[]);
  const said = choices.map((choice) => (choice['message'] ?? choice['delta']) as Json);
  return {
    text,
    shown: said
      .map(({ content }) =>
        Array.isArray(content) ? content.map((part: Json) => part['text']).join('') : (content ?? ''),
      )
      .join(''),
    calls: said.flatMap((each) => (each['tool_calls'] ?? []) as readonly Json[]),
    refused: !response.ok || choices.some((choice) => choice['finish_reason'] === 'content_filter'),
  };
}

export const chat: Driver = {
  adapter: 'guardChat',
  without: Object.fromEntries(
    ['a map', 'an instance of a class'].flatMap((title) =>
      ['plain', 'streamed'].map((form) => [`lets no reader see a result that is ${title}, ${form}`, NO_OBJECTS]),
    ),
  ),
  answer: async (guard, scene) => {
    const model: Model = { asked: [], cancelled: false };
    const message = { role: 'assistant', content: scene.texts.map((text) => ({ type: 'text', text })) };
    const handler = proxied(guard, model, [message], scene.leaving);
    const { shown, refused } = await asked(handler, [{ role: 'user', content: scene.prompt }], scene);
    const isCut = model.cancelled && (refused || scene.leaving !== undefined);
    return { shown, refused, asked: model.asked.length > 0, cancelled: isCut };
  },
  call: async (guard, { input, run, streamed }) => {
    const model: Model = { asked: [], cancelled: false };
    const call = { id: 'call_1', type: 'function', function: { name: 'send', arguments: input } };
    const handler = proxied(guard, model, [
      { role: 'assistant', tool_calls: [call] },
      { content: [{ type: 'text', text: 'Sent.' }] },
    ]);
    const prompt = { role: 'user', content: 'Send it.' };
    const first = await asked(handler, [prompt], { streamed });
    if (first.calls.length === 0) return { ran: false, read: first.text };
    let content: unknown;
    try {
      content = run();
    } catch (error) {
      content = String(error);
    }
    const result = typeof content === 'string' || Array.isArray(content) ? content : JSON.stringify(content);
    const asking = { role: 'assistant', tool_calls: first.calls };
    const last = await asked(handler, [prompt, asking, { role: 'tool', tool_call_id: 'call_1', content: result }], {
      streamed,
    });
    return { ran: true, read: JSON.stringify([model.asked.slice(1), last.text]) };
  },
};
