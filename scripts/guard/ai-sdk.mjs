/** The checks of the adapter of the Vercel AI SDK, for each of its versions. */
import assert from 'node:assert/strict';
import { test as check } from 'node:test';
import { AWAY, BAD, framework, GOOD, INJECTION, programOf } from './framework.mjs';
import { compiles } from './types.mjs';

/** Uses after the program of the document, of each version. */
const USES = `
wrapLanguageModel({ model: openai.chat('x'), middleware: [guardMiddleware(guard, { context: () => ({ app_user: 'u' }) })] });
guardTools(guard, { look_up: lookUp }).look_up.description?.length;
// @ts-expect-error The middleware has the type of the SDK.
guardMiddleware(guard).other;
// @ts-expect-error A misspelt option.
guardMiddleware(guard, { contxt: () => ({}) });
// @ts-expect-error A tool that is not there.
guardTools(guard, { look_up: lookUp }).other;
`;

const APPROVAL = `
import { toolApproval } from 'aisec/guard/ai-sdk';
streamText({ model: openai.chat('x'), prompt: 'x', tools: { look_up: lookUp }, toolApproval: toolApproval(guard) });
// @ts-expect-error A guard is no approval.
streamText({ model: openai.chat('x'), prompt: 'x', tools: { look_up: lookUp }, toolApproval: guard });
`;

/**
 * Tries versions of the SDK.
 * @param sdks `name` in the folder, `version`, `openai`: the version of its provider, and `specification` of its models
 */
export async function tryAiSdks(sdks) {
  const { createAisec, createGuard, imported } = await framework(
    sdks.map(({ name, version }) => `${name}@npm:ai@${version}`),
  );
  const adapter = await imported('aisec/guard/ai-sdk');
  const aisec = createAisec({ simulate: true });
  try {
    for (const sdk of sdks) await typesOf(sdk);
    for (const sdk of sdks) await aiSdk(sdk, { aisec, adapter, createGuard, ai: await imported(sdk.name) });
  } finally {
    await aisec.close();
  }
}

/** Compiles the program of the document and other uses, as a user does. */
function typesOf({ version, openai, specification }) {
  return check(`ai ${version}: compiles under strict`, async () => {
    const source = programOf('ai-sdk') + USES + (specification === 'v4' ? APPROVAL : '');
    assert.deepEqual(await compiles([`ai@${version}`, `@ai-sdk/openai@${openai}`], source), []);
  });
}

async function aiSdk({ version, specification }, { aisec, adapter, createGuard, ai }) {
  const { guardMiddleware, guardTools, toolApproval } = adapter;
  const { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } = ai;
  const guardOf = (options = {}, scanner = aisec) => createGuard(scanner, { profile: 'prod', ...options });
  const wrapped = (model, options = {}, scanner = aisec) => {
    return wrapLanguageModel({ model, middleware: guardMiddleware(guardOf(options, scanner)) });
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
  await titled('masks a prompt before the model reads it', async () => {
    const read = model('fine');
    await generated(wrapped(read, { mask: { input: true } }), 'My card is 4111 1111 1111 1111.');
    assert.ok(read.prompts.length === 1 && !JSON.stringify(read.prompts).includes('4111'));
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
  await titled('scans a prompt above the limit of one scan, and finds what is at its end', async () => {
    const { finishReason } = await generated(wrapped(model('never')), `${GOOD.repeat(10)}${INJECTION}`);
    assert.equal(finishReason, 'content-filter');
  });
  await titled('scans the result of a tool before the model reads it', async () => {
    const calling = callingModel(specification);
    const tools = { send: sendTool(() => INJECTION) };
    const { text, finishReason } = await generateText({
      ...{ model: wrapped(calling), tools, prompt: 'Send it.', stopWhen: stepCountIs(3) },
    });
    assert.deepEqual([calling.calls, finishReason], [1, 'content-filter']);
    assert.ok(!text.includes('Ignore'));
  });
  await titled('replaces a bad result of a guarded tool with an error, and goes on', async () => {
    const calling = callingModel(specification);
    const tools = guardTools(guardOf(), { send: sendTool(() => INJECTION) });
    const result = await generateText({
      ...{ model: wrapped(calling), tools, prompt: 'Send it.', stopWhen: stepCountIs(3) },
    });
    assert.deepEqual([calling.calls, result.finishReason], [2, 'stop']);
    assert.ok(!JSON.stringify(result.response.messages).includes(INJECTION));
    assert.ok(JSON.stringify(calling.prompts[1]).includes('blocked by a security policy'));
    assert.ok(!JSON.stringify(calling.prompts[1]).includes(INJECTION));
  });
  await titled('runs a guarded tool with good input and result', async () => {
    const calling = callingModel(specification);
    const tools = guardTools(guardOf(), { send: sendTool(() => ({ sent: true })) });
    await generateText({ model: wrapped(calling), tools, prompt: 'Send it.', stopWhen: stepCountIs(3) });
    assert.ok(JSON.stringify(calling.prompts[1]).includes('"sent":true'));
  });
  await titled('ends the model when the caller aborts', async () => {
    const leaving = new AbortController();
    const endless = model('x');
    let isCancelled = false;
    endless.doStream = async () => ({
      stream: new ReadableStream({
        start: (controller) => {
          controller.enqueue({ type: 'stream-start', warnings: [] });
          setTimeout(() => leaving.abort(), 20);
        },
        cancel: () => {
          isCancelled = true;
        },
      }),
    });
    const { textStream } = streamText({
      ...{ model: wrapped(endless), prompt: 'What is covered?', abortSignal: leaving.signal, onError: () => undefined },
    });
    for await (const _ of textStream);
    assert.ok(isCancelled);
  });
  const refusesBadInput = async (withGuard) => {
    const { hasRun, model, finishReason } = await sent(withGuard, { body: INJECTION });
    assert.deepEqual([hasRun, model.calls, finishReason], [false, 2, 'stop']);
    assert.ok(JSON.stringify(model.prompts[1]).includes('blocked by a security policy'));
  };
  await titled('runs no guarded tool with bad input, and lets the model read why', () =>
    refusesBadInput((send) => ({ tools: guardTools(guardOf(), { send }) })),
  );

  if (specification !== 'v4') return;
  const approved = (send) => ({ tools: { send }, toolApproval: toolApproval(guardOf()) });
  await titled('denies a bad call of a tool by its approval, and lets the model read why', () =>
    refusesBadInput(approved),
  );
  await titled('runs a good call after its approval, unless the tool needs a person', async () => {
    for (const needsApproval of [false, true]) {
      const { hasRun } = await sent((send) => approved({ ...send, needsApproval }));
      assert.equal(hasRun, !needsApproval);
    }
  });

  /** Lets a model call a tool that sends. @param withGuard returns the options for the tool */
  async function sent(withGuard, input) {
    const model = callingModel(specification, input);
    let hasRun = false;
    const send = sendTool(() => {
      hasRun = true;
      return 'sent';
    });
    const options = { model, prompt: 'Send it.', stopWhen: stepCountIs(3) };
    const { finishReason } = await generateText({ ...options, ...withGuard(send) });
    return { hasRun, model, finishReason };
  }

  function sendTool(execute) {
    return tool({ description: 'Sends.', inputSchema: jsonSchema({ type: 'object' }), execute: async () => execute() });
  }
}

/** A model that calls a tool, and answers once it has read the result. */
function callingModel(specification, input = { body: 'fine' }) {
  const call = { type: 'tool-call', toolCallId: '1', toolName: 'send', input: JSON.stringify(input) };
  const [first, second] = [scriptedModel(specification, 'Sending.', [call]), scriptedModel(specification, 'Sent.')];
  const reason = specification === 'v2' ? 'tool-calls' : { unified: 'tool-calls', raw: 'tool-calls' };
  const model = { ...first, prompts: [], calls: 0 };
  model.doGenerate = async ({ prompt }) => {
    model.prompts.push(prompt);
    model.calls += 1;
    return model.calls === 1 ? { ...(await first.doGenerate()), finishReason: reason } : second.doGenerate();
  };
  return model;
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
    prompts: [],
    cancelled: false,
    doGenerate: async ({ prompt } = {}) => {
      model.calls += 1;
      model.prompts.push(prompt);
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
