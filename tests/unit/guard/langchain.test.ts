/** Behaviour specific to LangChain; the behaviours of all adapters are in `behaviours/`. */

import type { ChatModelStreamEvent } from '@langchain/core/language_models/event';
import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { createAgent, createMiddleware, tool } from 'langchain';
import { guardMiddleware, guardModel } from '../../../lib/guard/adapters/langchain.ts';
import type { GuardOptions } from '../../../lib/guard/guard.ts';
import { callOf, chunksOf, ScriptedModel, said } from './behaviours/langchain.ts';
import { LONG, MESSAGE, scripted, verdictOf } from './scripted.ts';

const CARD = '4111 1111 1111 1111';
const MASKED = 'XXXX XXXX XXXX XXXX';
const REFUSED = { finish_reason: 'content_filter', aisec: 'blocked' };
const USAGE = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const FINISH = said('', { response_metadata: { finish_reason: 'stop' }, usage_metadata: USAGE });
const MASK = { mask: { output: true } };

/** Places in an answer that may have text, with that text. */
const PLACES: readonly (readonly [string, (text: string) => AIMessageChunk])[] = [
  ['content', (text) => said(text)],
  ['thinking', (text) => said([{ type: 'thinking', thinking: text, index: 0 }])],
  [
    'reasoning after its text',
    (text) =>
      said([
        { type: 'text', text: 'x' },
        { type: 'thinking', thinking: text },
      ]),
  ],
  ['annotation', (text) => said([{ type: 'text', text: '', index: 0, annotations: [{ title: text }] }])],
  ['tool call', (text) => said('', { tool_calls: [{ name: 'send', args: { body: text }, id: '1' }] })],
  [
    'member of the provider form of a call',
    (text) =>
      said('', {
        additional_kwargs: { tool_calls: [{ id: '1', function: { name: 'send', arguments: '{}', note: text } }] },
        tool_calls: [{ name: 'send', args: {}, id: '1' }],
      }),
  ],
  [
    'provider form of a call',
    (text) => said('', { additional_kwargs: { function_call: { name: 'send', arguments: `{"body":"${text}"}` } } }),
  ],
];

function guarded(answer: readonly AIMessageChunk[], options: Partial<GuardOptions> = {}) {
  const { guard, asked } = scripted(options);
  const model = new ScriptedModel([answer]);
  return { model, asked, guard, own: guardModel(guard, model) };
}

async function shown(
  model: Pick<ReturnType<typeof guarded>['own'], 'stream'>,
  prompt: string | BaseMessage[] = 'hello',
): Promise<AIMessageChunk[]> {
  const messages: AIMessageChunk[] = [];
  for await (const message of await model.stream(prompt)) messages.push(message);
  return messages;
}

const textOf = (messages: readonly BaseMessage[]) => messages.map(({ text }) => text).join('');
const JSON_OF = (value: unknown) => JSON.stringify(value);

describe('an answer', () => {
  test('passes unchanged, with its usage and its report', async () => {
    const answer = said('fine', { usage_metadata: USAGE, response_metadata: { model_name: 'm' }, id: 'x' });
    const [own, other] = [
      await guarded([answer]).own.invoke('hello'),
      await new ScriptedModel([[answer]]).invoke('hello'),
    ];
    expect(own.toDict().data).toEqual(other.toDict().data);
    expect(own.response_metadata).toEqual({ model_name: 'm', tokenUsage: { totalTokens: 2 } });
  });

  describe.each([
    ['complete', async (chunk: AIMessageChunk) => [await guarded([chunk]).own.invoke('hello')]],
    ['streamed', (chunk: AIMessageChunk) => shown(guarded([chunk, FINISH]).own)],
  ])('that is %s', (_, run) => {
    test.each(PLACES)('is replaced if its %s is bad', async (_place, make) => {
      const messages = await run(make('BAD'));
      expect(messages.at(-1)).toMatchObject({ response_metadata: REFUSED });
      expect(messages.at(-1)?.text.trim()).toBe(MESSAGE);
      expect(JSON_OF(messages)).not.toContain('BAD');
    });

    test.each(PLACES)('passes if its %s is good', async (_place, make) => {
      expect(JSON_OF(await run(make('good')))).toContain('good');
    });

    test.each([
      ['log probabilities', said('fine', { response_metadata: { logprobs: { content: [{ token: 'BAD' }] } } })],
      ['the response of the provider', said('fine', { additional_kwargs: { __raw_response: 'BAD' } })],
    ])('loses its text in pieces: %s', async (_piece, chunk) => {
      const messages = await run(chunk);
      expect(textOf(messages)).toBe('fine');
      expect(JSON_OF(messages)).not.toContain('BAD');
    });
  });

  test.each([
    ['its id', said('', { id: 'BAD words' })],
    ['a broken call', said('', { tool_call_chunks: [{ name: 'send', args: '{"a":', index: 0, id: '1' }] })],
    [
      'reasoning in two blocks',
      said([
        { type: 'reasoning', reasoning: 'B' },
        { type: 'text', text: 'x' },
        { type: 'reasoning', reasoning: 'AD' },
      ]),
    ],
  ])('is refused for %s', async (_, chunk) => {
    expect((await guarded([chunk]).own.invoke('hello')).text).toBe(MESSAGE);
    expect((await shown(guarded([chunk, FINISH]).own)).at(-1)?.response_metadata).toEqual(REFUSED);
  });

  test('with a mask keeps its text, its calls and its usage, and nothing that may repeat it', async () => {
    const more = {
      additional_kwargs: { summary: 'four words' },
      response_metadata: { model_name: 'm', citation: 'four words' },
    };
    const calls = { tool_calls: [{ name: 'send', args: { a: 1 }, id: '1' }], usage_metadata: USAGE };
    const answer = said([{ type: 'text', text: `Card ${CARD}`, annotations: [{ title: 'four words' }] }], {
      ...more,
      ...calls,
    });
    const { own } = guarded([answer], MASK);
    const complete = await own.invoke('hello');
    const streamed = (await shown(own)).reduce((all, chunk) => all.concat(chunk));
    for (const message of [complete, streamed]) {
      expect(message).toMatchObject({ usage_metadata: USAGE, response_metadata: { model_name: 'm' } });
      expect(message.tool_calls).toMatchObject(calls.tool_calls);
      expect(message.text).toBe(`Card ${MASKED}`);
      expect(JSON_OF(message)).not.toMatch(/four words|4111/u);
    }
  });

  test('drops members that may repeat a mask after a part without a verdict', async () => {
    const last = said('', { additional_kwargs: { summary: 'four words' } });
    const options = { ...MASK, onError: 'allow' as const, stream: { first: 40, max: 100, overlap: 30 } };
    const { own } = guarded([...chunksOf(`SLOW ${LONG}Card ${CARD}`), last], options);
    expect(JSON_OF(await shown(own))).not.toMatch(/four words|4111/u);
  });

  test('shows no name that was not scanned', async () => {
    expect((await guarded([said('', { name: 'BAD' })]).own.invoke('hello')).text).toBe(MESSAGE);
    const chunks = chunksOf(LONG, (piece) => said(piece, { name: 'BAD', id: 'BAD words' }));
    expect(JSON_OF(await shown(guarded(chunks).own))).not.toContain('BAD');
  });

  test('keeps its usage if it is refused', async () => {
    expect(await guarded([said('BAD', { usage_metadata: USAGE })]).own.invoke('hello')).toMatchObject({
      text: MESSAGE,
      usage_metadata: USAGE,
    });
    const messages = await shown(guarded([...chunksOf('BAD'), FINISH]).own);
    expect(messages.at(-1)).toMatchObject({ text: MESSAGE, usage_metadata: USAGE });
  });

  test('waits for the verdict on the prompt if both run in parallel', async () => {
    for (const run of [
      (model: ReturnType<typeof guarded>['own']) => model.invoke('BAD').then((each) => [each]),
      (model: ReturnType<typeof guarded>['own']) => shown(model, 'BAD'),
    ]) {
      const { own, model } = guarded([said('fine')], { parallelInput: true });
      expect(textOf(await run(own))).toBe(MESSAGE);
      expect(model.prompts).toHaveLength(1);
    }
  });

  test('leaves no partial output in an error', async () => {
    const { own, model } = guarded([]);
    const failed = Object.assign(new Error('stopped'), { partialOutput: 'BAD' });
    model._generate = () => Promise.reject(failed);
    await expect(own.invoke('hello')).rejects.toBe(failed);
    expect(failed).not.toHaveProperty('partialOutput');
  });

  test('is reported to callbacks of the call only after its scan', async () => {
    const { own } = guarded([...chunksOf(`${LONG}BAD`), FINISH]);
    const told: string[] = [];
    const tell = (...heard: readonly unknown[]) => {
      told.push(JSON_OF(heard));
    };
    const handler = { handleLLMNewToken: tell, handleLLMEnd: tell, handleLLMError: tell };
    for await (const _ of await own.stream('hello', { callbacks: [handler] }));
    await own.invoke('hello', { callbacks: [{ ...handler, lc_prefer_streaming: true }] as never });
    expect(told.join()).toContain('word word');
    expect(told.join()).not.toContain('BAD');
  });

  test('has the events of the framework, with its finish reason', async () => {
    const events: ChatModelStreamEvent[] = [];
    for await (const event of guarded(chunksOf(`${LONG}BAD`)).own.streamEvents('hello')) events.push(event);
    expect(JSON_OF(events)).not.toContain('BAD');
    expect(events.at(-1)).toMatchObject({
      event: 'message-finish',
      reason: 'content_filter',
      responseMetadata: REFUSED,
    });
  });

  test('keeps the order of its blocks in a stream, and their members besides text', async () => {
    const blocks = [
      [{ type: 'thinking', index: 0, thinking: 'hm' }],
      [{ type: 'thinking', index: 0, thinking: ' yes', signature: 's1' }],
      [{ type: 'text', index: 1, text: 'fine' }],
      [{ type: 'text', index: 1, text: '', annotations: ['note'] }],
    ];
    const all = (await shown(guarded(blocks.map((block) => said(block))).own)).reduce((one, other) =>
      one.concat(other),
    );
    expect(all.content).toEqual([
      { type: 'thinking', index: 0, thinking: 'hm yes', signature: 's1' },
      { type: 'text', index: 1, text: 'fine', annotations: ['note'] },
    ]);
  });
});

describe('a prompt', () => {
  test.each([
    ['a text', CARD, MASKED],
    [
      'parts',
      [
        { type: 'text', text: CARD },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
      ],
      [
        { type: 'text', text: MASKED },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
      ],
    ],
  ])('is masked before the model sees it: %s', async (_, content, masked) => {
    for (const options of [{}, { parallelInput: true }]) {
      const { own, model } = guarded([said('fine')], { mask: { input: true }, ...options });
      await own.invoke([new HumanMessage('Hello.'), new HumanMessage({ content: content as string })]);
      expect(model.prompts.at(-1)?.map((each) => each.content)).toEqual(['Hello.', masked]);
    }
  });

  test.each([
    ['several messages together', [new HumanMessage('4111 1111 '), new HumanMessage('1111 1111')]],
    [
      'a part that is not text',
      [
        new HumanMessage({
          content: [
            { type: 'text', text: CARD },
            { type: 'later', word: CARD },
          ] as never,
        }),
      ],
    ],
  ])('is blocked if more than texts would have to be masked: %s', async (_, messages) => {
    const { guard } = scripted({ mask: { input: true } }, (text) => ({
      ...{
        action: /4111\s1111\s+1111\s1111/u.test(text) ? 'block' : 'allow',
        category: 'x',
        timeout: false,
        error: false,
      },
      ...{ prompt_detected: { dlp: true }, prompt_masked_data: { data: 'X' } },
    }));
    const model = new ScriptedModel([[said('fine')]]);
    expect((await guardModel(guard, model).invoke(messages)).text).toBe(MESSAGE);
    expect(model.prompts).toEqual([]);
  });

  test('is not sent during its scan if a text that may need a mask has no verdict', async () => {
    const unread = (text: string, kind: 'prompt' | 'response') => (text === CARD ? {} : verdictOf(text, kind));
    const { guard } = scripted({ mask: { input: true }, parallelInput: true }, unread);
    const model = new ScriptedModel([[said('fine')]]);
    const turns = [new HumanMessage(CARD), new AIMessage('Hello'), new HumanMessage('Go on')];
    expect((await guardModel(guard, model).invoke(turns)).text).toBe(MESSAGE);
    expect(model.prompts).toEqual([]);
  });

  test.each([
    ['the name', new HumanMessage({ content: 'Hi', name: 'BAD' })],
    ['a member', new HumanMessage({ content: 'Hi', additional_kwargs: { note: ['BAD'] } })],
  ])('is refused for %s', async (_, message) => {
    expect((await guarded([said('fine')]).own.invoke([message])).text).toBe(MESSAGE);
  });

  test.each([
    ['human', new HumanMessage('words'), true],
    ['system', new SystemMessage('words'), false],
  ])('of the type %s is scanned: %s', async (_, message, isScanned) => {
    const { own, asked } = guarded([said('')]);
    await own.invoke([message, new HumanMessage('more')]);
    expect(asked[0]?.text).toBe(isScanned ? 'words\nmore' : 'more');
  });

  test('is not sent again after it was blocked', async () => {
    const { own, model } = guarded([said('fine')]);
    const refusal = await own.invoke('BAD');
    const before = [new HumanMessage('Hi'), new AIMessage('Hello')];
    const turn = [
      new HumanMessage('BAD'),
      new AIMessage(''),
      new ToolMessage({ content: 'x', tool_call_id: '1' }),
      refusal,
    ];
    const next = new HumanMessage('Go on');
    await own.invoke([...before, ...turn, next]);
    expect(model.prompts).toEqual([[...before, next]]);
  });
});

describe('a guarded model', () => {
  test.each([
    ['withConfig', (own: ReturnType<typeof guarded>['own']) => own.withConfig({ tags: ['a'] })],
    [
      'guardModel with a binding',
      () => guardModel(scripted().guard, new ScriptedModel([[said('BAD')]]).withConfig({ tags: ['a'] })),
    ],
  ])('stays guarded by %s', async (_, bind) => {
    const other = bind(guarded([said('BAD')]).own);
    expect(((await other.invoke('hello')) as AIMessage).text).toBe(MESSAGE);
  });

  const SCHEMA = { title: 'extract', type: 'object', properties: { a: { type: 'string' } } };
  const extract = (a: string) => guarded([said('', { tool_calls: [{ name: 'extract', args: { a }, id: '1' }] })]).own;

  test.each([
    ['a bad one', 'BAD', 'hello'],
    ['a bad prompt', 'fine', 'BAD'],
  ])('refuses a structured output: %s', async (_, a, prompt) => {
    await expect(extract(a).withStructuredOutput(SCHEMA).invoke(prompt)).rejects.toThrow(MESSAGE);
    const raw = await extract(a).withStructuredOutput(SCHEMA, { includeRaw: true }).invoke(prompt);
    expect(raw).toMatchObject({ raw: { text: MESSAGE, response_metadata: REFUSED }, parsed: null });
    expect(JSON_OF(raw)).not.toContain('BAD');
  });

  test('names the session of a call', async () => {
    const { guard, asked } = scripted();
    const context = (options: unknown) => ({ session_id: String((options as { readonly stop: unknown }).stop) });
    await guardModel(guard, new ScriptedModel([[said('fine')]]), { context }).invoke('hello', { stop: ['s-1'] });
    expect(asked.map(({ args }) => args['session_id'])).toEqual(['s-1', 's-1']);
  });

  test.each([
    ['a model with a cache', () => new ScriptedModel([], undefined, { cache: true }), 'must not have a cache'],
    ['a sequence', () => new ScriptedModel([]).pipe((message: AIMessageChunk) => message), 'guards chat models'],
    ['an object', () => ({}) as never, 'guards chat models'],
  ])('cannot be created from %s', (_, make, message) => {
    expect(() => guardModel(scripted().guard, make())).toThrow(message);
  });
});

describe('an agent', () => {
  const ask = (content: string) => ({ messages: [{ role: 'user', content }] });

  function agentOf(
    answers: readonly (readonly AIMessageChunk[])[],
    options: Partial<GuardOptions> = {},
    run: () => unknown = () => 'done',
  ) {
    const { guard, asked } = scripted(options);
    const model = new ScriptedModel(answers);
    const ran: unknown[] = [];
    const execute = async (args: unknown) => {
      ran.push(args);
      return run();
    };
    const send = tool(execute, { name: 'send', description: 'Sends.', schema: { type: 'object', properties: {} } });
    const all = { model: guardModel(guard, model), tools: [send] };
    return { asked, model, ran, agent: createAgent({ ...all, middleware: [guardMiddleware(guard)] }), guard, send };
  }

  test('ends at a bad prompt, and replaces the prompt in its history', async () => {
    const { agent, model } = agentOf([[said('fine')]]);
    const { messages } = await agent.invoke(ask('BAD'));
    expect(messages.map(({ text }) => text)).toEqual([MESSAGE, MESSAGE]);
    expect(messages.at(-1)).toMatchObject({ response_metadata: REFUSED });
    expect(model.prompts).toEqual([]);
  });

  test('scans each text once', async () => {
    const { agent, asked } = agentOf([callOf('send', '{"body":"x"}'), [said('fine')]]);
    await agent.invoke(ask('hello'));
    expect(new Set(asked.map(({ text }) => text)).size).toBe(asked.length);
    expect(asked.map(({ args }) => Object.keys(args).find((name) => name !== 'profile_name'))).toEqual([
      'prompt',
      'tool_event',
      'tool_event',
      'prompt',
      'response',
    ]);
  });

  test('fails when another middleware answers or replaces its model', async () => {
    const { guard } = scripted();
    const other = createMiddleware({ name: 'Other', wrapModelCall: async () => new AIMessage('x') });
    const agent = createAgent({
      model: new ScriptedModel([[said('x')]]),
      tools: [],
      middleware: [guardMiddleware(guard), other],
    });
    await expect(agent.invoke(ask('hello'))).rejects.toThrow('List guardMiddleware last.');
  });

  // A call that the guarded model passed is judged again where the tool runs.
  test.each(['values', 'messages', 'updates', 'debug'] as const)(
    'never runs a refused tool call, in the stream of %s',
    async (streamMode) => {
      const { guard, send, ran } = agentOf([]);
      const change = createMiddleware({
        name: 'Change',
        wrapToolCall: (request, handler) =>
          handler({ ...request, toolCall: { ...request.toolCall, args: { body: 'BAD' } } }),
      });
      const model = guardModel(guard, new ScriptedModel([callOf('send', '{"body":"x"}'), [said('fine')]]));
      const agent = createAgent({ model, tools: [send], middleware: [change, guardMiddleware(guard)] });
      let told = '';
      for await (const each of await agent.stream(ask('hello'), { streamMode })) told += JSON_OF(each);
      expect(ran).toEqual([]);
      expect(told).toContain('"status":"error"');
    },
  );
});
