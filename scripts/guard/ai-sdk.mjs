/** Checks the Vercel AI SDK adapter, for each version of the SDK. */
import assert from 'node:assert/strict';
import { test as check } from 'node:test';
import { tryCases } from './cases.mjs';
import { framework, INJECTION, MESSAGE, pageProgram } from './framework.mjs';

/** Code appended to the document's program, by version. */
const USES = `
wrapLanguageModel({ model: openai.chat('x'), middleware: [guardMiddleware(guard, { context: () => ({ app_user: 'u' }) })] });
guardTools(guard, { look_up: lookUp }).look_up.description?.length;
// @ts-expect-error The middleware has the type of the SDK.
guardMiddleware(guard).other;
// @ts-expect-error A misspelt option.
guardMiddleware(guard, { contxt: () => ({}) });
// @ts-expect-error A missing tool.
guardTools(guard, { look_up: lookUp }).other;
`;

const APPROVAL = `
import { toolApproval } from 'aisec/guard/ai-sdk';
streamText({ model: openai.chat('x'), prompt: 'x', tools: { look_up: lookUp }, toolApproval: toolApproval(guard) });
// @ts-expect-error A guard is not an approval function.
streamText({ model: openai.chat('x'), prompt: 'x', tools: { look_up: lookUp }, toolApproval: guard });
`;

/**
 * Tests a version of the SDK.
 * @param openai version of its provider
 * @param specification of its models
 * @returns the result of `framework`
 */
export async function tryAiSdk({ version, openai, specification }) {
  const tried = await framework([`ai@${version}`, `@ai-sdk/openai@${openai}`]);
  const { imported, guardOf, compiles } = tried;
  const { guardMiddleware, guardTools, toolApproval } = await imported('aisec/guard/ai-sdk');
  const { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } = await imported('ai');
  const titled = (title, run) => check(`ai ${version}: ${title}`, run);
  const wrapped = (model, guard = guardOf()) => wrapLanguageModel({ model, middleware: guardMiddleware(guard) });
  const sending = (result, ran) =>
    tool({
      ...{ description: 'Sends.', inputSchema: jsonSchema({ type: 'object' }) },
      execute: async ({ body }) => {
        ran.push(body);
        return result;
      },
    });
  /** Lets a model call a tool. @param optionsFor returns the options for the tool */
  const sent = async ({ body, result, isStreamed = false }, optionsFor) => {
    const ran = [];
    const model = scriptedModel(specification, [toolCall({ body }), { type: 'text', text: 'Sent.' }]);
    const asked = { model, prompt: 'Send it.', stopWhen: stepCountIs(3), ...optionsFor(sending(result, ran), model) };
    const steps = await (isStreamed ? streamText(asked).steps : (await generateText(asked)).steps);
    const told = steps.map(({ content, response }) => [content, response.messages]);
    return { ran, model, reason: steps.at(-1).finishReason, read: JSON.stringify([model.prompts.slice(1), told]) };
  };
  await titled('compiles under strict', () =>
    compiles(pageProgram('ai-sdk') + USES + (specification === 'v4' ? APPROVAL : '')),
  );
  await tryCases(titled, {
    answer: async ({ prompt, text, isStreamed }, options, scanner) => {
      const scripted = scriptedModel(specification, [{ type: 'text', text }]);
      const asked = { model: wrapped(scripted, guardOf(options, scanner)), prompt };
      let told;
      if (isStreamed) {
        const { textStream, finishReason } = streamText(asked);
        let said = '';
        for await (const delta of textStream) said += delta;
        told = { text: said, finishReason: await finishReason };
      } else told = await generateText(asked);
      const read = scripted.prompts.length === 0 ? '' : JSON.stringify(scripted.prompts);
      return { text: told.text, refused: told.finishReason === 'content-filter', read, cancelled: scripted.cancelled };
    },
    call: (scene) => sent(scene, (send, model) => ({ tools: guardTools(guardOf(), { send }), model: wrapped(model) })),
  });
  await titled("refuses the model's bad tool call, and a bad result before the model reads it", async () => {
    for (const [scene, calls] of [
      [{ body: INJECTION, result: 'sent' }, 0],
      [{ body: 'fine', result: INJECTION }, 1],
    ]) {
      const guarded = (send, model) => ({ tools: { send }, model: wrapped(model) });
      const { ran, model, reason, read } = await sent(scene, guarded);
      assert.deepEqual([ran.length, model.prompts.length, reason], [calls, 1, 'content-filter']);
      assert.ok(calls === 1 || !read.includes('Ignore'));
    }
  });
  await titled('stops the model when the caller aborts', async () => {
    const leaving = new AbortController();
    const endless = scriptedModel(specification, []);
    let isCancelled = false;
    const start = (to) => {
      to.enqueue({ type: 'stream-start', warnings: [] });
      setTimeout(() => leaving.abort(), 20);
    };
    const cancel = () => {
      isCancelled = true;
    };
    endless.doStream = async () => ({ stream: new ReadableStream({ start, cancel }) });
    const asked = { model: wrapped(endless), prompt: 'x', abortSignal: leaving.signal, onError: () => undefined };
    for await (const _ of streamText(asked).textStream);
    assert.ok(isCancelled);
  });
  const isNew = specification === 'v4';
  const approved = (send) => ({ tools: { send }, toolApproval: toolApproval(guardOf()) });
  const guarded = (send) => ({ tools: guardTools(guardOf(), { send }) });
  for (const [name, optionsFor] of [['a guarded tool', guarded], ...(isNew ? [['an approval', approved]] : [])])
    await titled(`runs no bad call before ${name}, and lets the model read why`, async () => {
      const { ran, model, reason } = await sent({ body: INJECTION, result: 'sent' }, optionsFor);
      assert.deepEqual([ran, model.prompts.length, reason], [[], 2, 'stop']);
      assert.ok(JSON.stringify(model.prompts[1]).includes(MESSAGE));
    });
  if (!isNew) return tried;
  await titled("runs a good call after its approval, unless the tool needs a person's approval", async () => {
    for (const needsApproval of [false, true]) {
      const { ran } = await sent({ body: 'fine', result: 'sent' }, (send) => approved({ ...send, needsApproval }));
      assert.equal(ran.length === 0, needsApproval);
    }
  });
  return tried;
}

function toolCall(input) {
  return { type: 'tool-call', toolCallId: '1', toolName: 'send', input: JSON.stringify(input) };
}

/** A model that answers each request with the next part, then repeats the last part; streams in small pieces. */
function scriptedModel(specificationVersion, answers) {
  const isOld = specificationVersion === 'v2';
  const usage = isOld ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 } : { inputTokens: {}, outputTokens: {} };
  const model = {
    ...{ specificationVersion, provider: 'scripted', modelId: 'scripted', supportedUrls: {} },
    prompts: [],
    cancelled: false,
    doGenerate: async ({ prompt }) => {
      model.prompts.push(prompt);
      const part = answers[Math.min(model.prompts.length, answers.length) - 1];
      const reason = part.type === 'text' ? 'stop' : 'tool-calls';
      return { content: [part], finishReason: isOld ? reason : { unified: reason, raw: reason }, usage, warnings: [] };
    },
    doStream: async (options) => {
      const { content, finishReason } = await model.doGenerate(options);
      const parts = [
        { type: 'stream-start', warnings: [] },
        ...content.flatMap(partsOf),
        { type: 'finish', finishReason, usage },
      ];
      const pull = (to) => {
        const part = parts.shift();
        if (part === undefined) to.close();
        else to.enqueue(part);
      };
      const cancel = () => {
        model.cancelled = true;
      };
      return { stream: new ReadableStream({ pull, cancel }) };
    },
  };
  return model;
}

function partsOf(part) {
  if (part.type !== 'text') return [part];
  const id = '1';
  const deltas = part.text.match(/.{1,9}/gsu).map((delta) => ({ type: 'text-delta', id, delta }));
  return [{ type: 'text-start', id }, ...deltas, { type: 'text-end', id }];
}
