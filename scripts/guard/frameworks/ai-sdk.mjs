/** The adapter of the Vercel AI SDK. */
import assert from 'node:assert/strict';
import { test as check } from 'node:test';
import { AWAY, BAD, framework, GOOD, INJECTION } from '../framework.mjs';

/** Versions that run on Node 20, with their interface of models. */
const AI_SDKS = [
  { name: 'ai5', version: '5.0.277', specification: 'v2' },
  { name: 'ai6', version: '6.0.325', specification: 'v3' },
];

const { createAisec, createGuard, imported } = await framework(
  AI_SDKS.map(({ name, version }) => `${name}@npm:ai@${version}`),
);
const { guardMiddleware } = await imported('aisec/guard/ai-sdk');
const aisec = createAisec({ simulate: true });
try {
  for (const sdk of AI_SDKS) await aiSdk(sdk);
} finally {
  await aisec.close();
}

async function aiSdk({ name, version, specification }) {
  const { generateText, jsonSchema, streamText, tool, wrapLanguageModel } = await imported(name);
  const wrapped = (model, options = {}, scanner = aisec) => {
    const guard = createGuard(scanner, { profile: 'prod', ...options });
    return wrapLanguageModel({ model, middleware: guardMiddleware(guard, { specification }) });
  };
  const model = (text, extra) => scriptedModel(specification, text, extra);
  const generated = (guarded, prompt = 'What is covered?') => generateText({ model: guarded, prompt });
  const streamed = async (guarded, rest = {}) => {
    const { textStream, finishReason } = streamText({ model: guarded, prompt: 'What is covered?', ...rest });
    let text = '';
    for await (const delta of textStream) text += delta;
    return { text, reason: await finishReason };
  };
  const titled = (title, run) => check(`ai ${version}: ${title}`, run);

  await titled('passes an answer', async () => {
    const { text, finishReason } = await generated(wrapped(model('Water damage.')));
    assert.deepEqual([text, finishReason], ['Water damage.', 'stop']);
  });
  await titled('passes a stream byte for byte', async () => {
    assert.deepEqual(await streamed(wrapped(model(GOOD))), { text: GOOD, reason: 'stop' });
  });
  await titled('blocks a prompt before the model starts', async () => {
    const unused = model('never');
    const { finishReason } = await generated(wrapped(unused), INJECTION);
    assert.deepEqual([finishReason, unused.calls], ['content-filter', 0]);
  });
  await titled('cuts a stream before the bad text, and ends the request of the model', async () => {
    const bad = model(BAD);
    const { text, reason } = await streamed(wrapped(bad));
    assert.equal(reason, 'content-filter');
    assert.ok(!text.includes('4111') && text.startsWith('word word') && bad.cancelled);
  });
  await titled('masks in a stream', async () => {
    const { text, reason } = await streamed(wrapped(model(BAD), { mask: { output: true } }));
    assert.equal(reason, 'stop');
    assert.ok(!text.includes('4111') && text.length === BAD.length);
  });
  for (const [input, ran] of [
    ['fine', true],
    [INJECTION, false],
  ])
    await titled(`${ran ? 'runs' : 'refuses'} a call of a tool with ${ran ? 'good' : 'bad'} input`, async () => {
      let hasRun = false;
      const execute = async () => {
        hasRun = true;
        return 'sent';
      };
      const tools = { send: tool({ description: 'Sends.', inputSchema: jsonSchema({ type: 'object' }), execute }) };
      const call = { type: 'tool-call', toolCallId: '1', toolName: 'send', input: JSON.stringify({ body: input }) };
      const { reason } = await streamed(wrapped(model('ok', [call])), { tools });
      assert.deepEqual([hasRun, reason], [ran, ran ? 'stop' : 'content-filter']);
    });
  for (const onError of ['block', 'allow'])
    await titled(`follows onError ${onError} while the service is away`, async () => {
      const { finishReason } = await generated(wrapped(model('x'), { onError }, AWAY));
      assert.equal(finishReason, onError === 'allow' ? 'stop' : 'content-filter');
    });
}

/** A model that answers with a text, in small pieces where it is streamed. */
function scriptedModel(specificationVersion, text, extra = []) {
  const isOld = specificationVersion === 'v2';
  const finishReason = isOld ? 'stop' : { unified: 'stop', raw: 'stop' };
  const usage = isOld ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 } : { inputTokens: {}, outputTokens: {} };
  const id = '1';
  const model = {
    specificationVersion,
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    calls: 0,
    cancelled: false,
    doGenerate: async () => {
      model.calls += 1;
      return { content: [{ type: 'text', text }, ...extra], finishReason, usage, warnings: [] };
    },
    doStream: async () => {
      model.calls += 1;
      const parts = [
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id },
        ...text.match(/.{1,9}/gsu).map((delta) => ({ type: 'text-delta', id, delta })),
        { type: 'text-end', id },
        ...extra,
        { type: 'finish', finishReason, usage },
      ];
      const stream = new ReadableStream({
        pull: (controller) => {
          const part = parts.shift();
          if (part === undefined) controller.close();
          else controller.enqueue(part);
        },
        cancel: () => {
          model.cancelled = true;
        },
      });
      return { stream };
    },
  };
  return model;
}
