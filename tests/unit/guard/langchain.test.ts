import { guardMiddleware, guardModel } from '../../../lib/guard/adapters/langchain.ts';
import type { GuardOptions } from '../../../lib/guard/guard.ts';
import {
  ChatModel,
  chunksOf,
  type Generation,
  Human,
  Message,
  type Options,
  Provided,
  said,
  Tool,
} from './langchain-framework.ts';
import { scripted } from './scripted.ts';

const MESSAGE = 'This content was blocked by a security policy.';
const LONG = 'word '.repeat(200);
const HELLO = [new Human({ content: 'hello' })];
const CARD = '4111 1111 1111 1111';
const REFUSED = { finish_reason: 'content_filter', aisec: 'blocked' };
const FINISH = said('', { response_metadata: { finish_reason: 'stop' }, usage_metadata: { total_tokens: 2 } });
/** Places of an answer that may have text, with that text. */
const PLACES: readonly (readonly [string, (text: string) => Generation])[] = [
  ['content', (text) => said(text)],
  ['text block', (text) => said([{ type: 'text', index: 0, text }])],
  ['reasoning', (text) => said([{ type: 'reasoning', reasoning: text }])],
  ['thinking', (text) => said([{ type: 'thinking', thinking: text }])],
  ['annotation', (text) => said([{ type: 'text', text: '', annotations: [{ title: text }] }])],
  ['unknown block', (text) => said([{ type: 'later', words: [text] }])],
  ['name of a member', (text) => said([{ type: 'later', [`${text} `]: 1 }])],
  ['result of a tool of the provider', (text) => said([{ type: 'web_search_tool_result', content: [{ text }] }])],
  ['call of a tool', (text) => said('', { tool_calls: [{ name: 'send', args: { body: text } }] })],
  ['broken call of a tool', (text) => said('', { invalid_tool_calls: [{ name: 'send', args: `{"body":"${text}` }] })],
  ['refusal', (text) => said('', { additional_kwargs: { refusal: text } })],
  ['reasoning of a provider', (text) => said('', { additional_kwargs: { reasoning_content: text } })],
  ['provider form of a call', (text) => said('', { additional_kwargs: { function_call: { arguments: text } } })],
  ['metadata', (text) => said('', { response_metadata: { output: [{ text }] } })],
  ['finish reason', (text) => said('', { response_metadata: { finish_reason: `${text} words` } })],
  ['information', (text) => said('', {}, { explanation: text })],
];

function guarded(chunks: readonly Generation[], options: Partial<GuardOptions> = {}) {
  const { guard, asked } = scripted(options);
  const model = new Provided(chunks);
  return { model, asked, guard, own: guardModel(guard, model) };
}

async function streamed(own: ChatModel): Promise<Generation[]> {
  const chunks: Generation[] = [];
  for await (const chunk of own._streamResponseChunks(HELLO, {})) chunks.push(chunk);
  return chunks;
}

async function shown(own: ChatModel, prompt: string | Message[] = 'hello', options: Options = {}): Promise<Message[]> {
  const messages: Message[] = [];
  for await (const message of own.stream(prompt, options)) messages.push(message);
  return messages;
}

const textOf = (messages: readonly Message[]) =>
  messages.map(({ content }) => (typeof content === 'string' ? content : '')).join('');

describe('a complete answer', () => {
  test('passes as it is', async () => {
    const answer = said('fine', { usage_metadata: { total_tokens: 2 }, response_metadata: { model_name: 'm' } });
    const { own } = guarded([answer]);
    expect(await own.invoke('hello')).toBe(answer.message);
  });

  test('is never asked for after a bad prompt', async () => {
    const { own, model } = guarded([said('fine')]);
    expect(await own.invoke('BAD')).toMatchObject({ content: MESSAGE, response_metadata: REFUSED });
    expect(model.calls).toEqual([]);
  });

  test.each(PLACES)('is replaced when its %s is bad', async (_, make) => {
    const { own } = guarded([make('BAD')]);
    const { generations } = await own._generate(HELLO, {});
    expect(generations).toMatchObject([{ message: { content: MESSAGE, response_metadata: REFUSED } }]);
    expect(JSON.stringify(generations)).not.toContain('BAD');
  });

  test.each(PLACES)('passes when its %s is good', async (_, make) => {
    const { own } = guarded([make('good')]);
    expect(JSON.stringify(await own._generate(HELLO, {}))).toContain('good');
  });

  test('ends all choices when one is bad', async () => {
    const { own } = guarded([said('fine'), said('BAD')]);
    const { generations } = await own._generate(HELLO, {});
    expect(generations.map(({ text }) => text)).toEqual([MESSAGE]);
  });

  test('keeps the numbers of the report, and no text of it', async () => {
    const { own } = guarded([said('fine')]);
    const { llmOutput } = await own._generate(HELLO, {});
    expect(llmOutput).toEqual({ tokenUsage: { totalTokens: 2 } });
  });

  test('loses its text in pieces', async () => {
    const { own } = guarded([said('fine', { additional_kwargs: { __raw_response: 'BAD' } }, { logprobs: ['BAD'] })]);
    const result = await own._generate(HELLO, {});
    expect(JSON.stringify(result.generations)).not.toContain('BAD');
  });

  test('is masked, and blocked where its form cannot be masked', async () => {
    const mask = { mask: { output: true } };
    expect((await guarded([said(`Card ${CARD}`)], mask).own.invoke('hello')).content).toBe('Card XXXX XXXX XXXX XXXX');
    const { own } = guarded([said([{ type: 'later', card: CARD }])], mask);
    expect((await own.invoke('hello')).content).toBe(MESSAGE);
  });

  test('scans the provider form of a call only where it differs', async () => {
    const calls = { tool_calls: [{ name: 'send', args: { body: 'fine' } }] };
    const raw = (body: string) => ({
      tool_calls: [{ function: { name: 'send', arguments: JSON.stringify({ body }) } }],
    });
    const same = guarded([said('', { ...calls, additional_kwargs: raw('fine') })]);
    await same.own.invoke('hello');
    expect(same.asked).toHaveLength(2);
    const { own } = guarded([said('', { ...calls, additional_kwargs: raw('BAD') })]);
    expect((await own.invoke('hello')).content).toBe(MESSAGE);
  });

  test('waits for the verdict on the prompt where both run at once', async () => {
    const { own, model } = guarded([said('fine')], { parallelInput: true });
    expect((await own.invoke('BAD')).content).toBe(MESSAGE);
    expect(model.calls).toHaveLength(1);
  });

  test('leaves no partial output in an error', async () => {
    const { own, model } = guarded([]);
    const failed = Object.assign(new Error('stopped'), { partialOutput: 'BAD' });
    model._generate = () => Promise.reject(failed);
    await expect(own.invoke('hello')).rejects.toBe(failed);
    expect(failed).not.toHaveProperty('partialOutput');
  });
});

describe('a prompt', () => {
  test('is masked before the model sees it, also where it has several parts', async () => {
    const content = [{ type: 'text', text: `Card ${CARD}` }, { type: 'image_url' }];
    for (const options of [{}, { parallelInput: true }]) {
      const { own, model } = guarded([said('fine')], { mask: { input: true }, ...options });
      await own.invoke([new Human({ content: 'Hello.' }), new Human({ content })]);
      expect(model.calls.at(-1)?.map((each) => each.content)).toEqual([
        'Hello.',
        [{ type: 'text', text: 'Card XXXX XXXX XXXX XXXX' }, { type: 'image_url' }],
      ]);
    }
  });

  test('is blocked where only several messages together can be masked', async () => {
    const { own, model } = guarded([said('fine')], { mask: { input: true } });
    const { guard } = scripted({ mask: { input: true } }, (text) => ({
      ...{ action: text === 'a\nb' ? 'block' : 'allow', category: 'x', timeout: false, error: false },
      ...{ prompt_detected: { dlp: true }, prompt_masked_data: { data: 'X' } },
    }));
    const other = guardModel(guard, model);
    expect((await other.invoke([new Human({ content: 'a' }), new Human({ content: 'b' })])).content).toBe(MESSAGE);
    expect((await own.invoke('a')).content).toBe('fine');
  });

  test('is not sent again after it was blocked', async () => {
    const { own, model } = guarded([said('fine')]);
    const refusal = await own.invoke('BAD');
    const human = (content: string) => new Human({ content });
    const before = [human('Hi'), new Message({ content: 'Hello' })];
    const turn = [human('BAD'), new Message({ content: '' }), new Tool({ content: 'x' }), refusal];
    const next = human('Go on');
    await own.invoke([...before, ...turn, next]);
    expect(model.calls).toEqual([[...before, next]]);
  });

  test.each([
    ['human', true],
    ['tool', true],
    ['function', true],
    ['unknown', true],
    ['system', false],
  ])('of the type %s is scanned: %s', async (type, isScanned) => {
    const { own, asked } = guarded([said('')]);
    await own.invoke([Object.assign(new Human({ content: 'words' }), { type }), new Human({ content: 'more' })]);
    expect(asked[0]?.text).toBe(isScanned ? 'words\nmore' : 'more');
  });
});

describe('a streamed answer', () => {
  test('passes byte for byte, and its metadata at the end', async () => {
    const messages = await shown(guarded([...chunksOf(LONG), FINISH]).own);
    expect(textOf(messages)).toBe(LONG);
    expect(messages.at(-1)).toMatchObject(FINISH.message);
  });

  test('is cut before what is bad, ends as filtered, and ends the request of the model', async () => {
    const { own, model } = guarded([...chunksOf(`${LONG}BAD ${LONG}`), FINISH]);
    const messages = await shown(own);
    const text = textOf(messages);
    expect(text.endsWith(`\n\n${MESSAGE}`) && LONG.startsWith(text.slice(0, -MESSAGE.length - 2))).toBe(true);
    expect(messages.at(-1)?.response_metadata).toEqual(REFUSED);
    expect(JSON.stringify(messages)).not.toContain('BAD');
    expect(model.ended).toBe(1);
  });

  test('tells the usage although it is blocked', async () => {
    const messages = await shown(guarded([...chunksOf('BAD'), FINISH]).own);
    expect(messages.at(-1)).toMatchObject({ content: MESSAGE, usage_metadata: { total_tokens: 2 } });
  });

  test.each(PLACES)('shows no bad %s', async (_, make) => {
    const chunks = await streamed(guarded([make('BAD'), FINISH]).own);
    expect(chunks.at(-1)).toMatchObject({ message: { content: MESSAGE, response_metadata: REFUSED } });
    expect(JSON.stringify(chunks)).not.toContain('BAD');
  });

  test.each(PLACES)('shows a good %s', async (_, make) => {
    expect(JSON.stringify(await streamed(guarded([make('good'), FINISH]).own))).toContain('good');
  });

  test('keeps choices and blocks apart', async () => {
    const of = (completion: number) => (piece: string) => said(piece, {}, { completion });
    const block = (piece: string) => said([{ type: 'text', index: 1, text: piece }]);
    const [one, other] = [chunksOf('aaaa '.repeat(99), of(0)), chunksOf('bbbb '.repeat(99), of(1))];
    const third = chunksOf('cccc '.repeat(99), block);
    const mixed = one.flatMap((chunk, at) => [chunk, ...other.slice(at, at + 1), ...third.slice(at, at + 1)]);
    const all = JSON.stringify(await shown(guarded(mixed).own));
    for (const letter of ['a', 'b', 'c']) expect(all.match(new RegExp(`${letter}{4} `, 'gu'))).toHaveLength(99);
    expect(all).not.toMatch(/aa[bc]|bb[ac]|cc[ab]/u);
  });

  test('shows nothing bad that a later chunk replaces', async () => {
    const chunks = [said('', {}, { note: 'BAD' }), said('', {}, { note: 'fine' }), FINISH];
    expect(JSON.stringify(await streamed(guarded(chunks).own))).not.toContain('BAD');
  });

  test('finds what lies across chunks and never passes a part of it', async () => {
    const messages = await shown(guarded(chunksOf(`${'x '.repeat(150)}Card ${CARD}`)).own);
    expect(textOf(messages)).not.toMatch(/41/u);
  });

  test('leaves no empty blocks behind, and keeps what a block has besides its text', async () => {
    const block = (text: string, more = {}) => said([{ type: 'text', index: 0, text, ...more }]);
    const messages = await shown(guarded([block('fine'), block('', { annotations: ['note'] })]).own);
    expect(messages.map(({ content }) => content)).toEqual([
      [{ type: 'text', index: 0, text: 'fine' }],
      [],
      [{ type: 'text', index: 0, text: '', annotations: ['note'] }],
    ]);
  });

  test('is masked', async () => {
    const text = `${LONG}Card ${CARD} ${LONG}`;
    const messages = await shown(guarded(chunksOf(text), { mask: { output: true } }).own);
    expect(textOf(messages)).toBe(text.replace(CARD, 'XXXX XXXX XXXX XXXX'));
  });

  test('is not asked for after a bad prompt, and not shown where both run at once', async () => {
    const { own, model } = guarded(chunksOf(LONG));
    expect(textOf(await shown(own, 'BAD'))).toBe(MESSAGE);
    expect(model.calls).toEqual([]);
    const parallel = guarded(chunksOf(LONG), { parallelInput: true });
    expect(textOf(await shown(parallel.own, 'BAD'))).toBe(MESSAGE);
    expect([parallel.model.calls.length, parallel.model.ended]).toEqual([1, 1]);
  });

  test('reports only what was scanned to callbacks', async () => {
    const { own, model } = guarded(chunksOf(`${LONG}BAD`));
    const tokens: string[] = [];
    const handleLLMNewToken = async (...token: readonly unknown[]) => {
      tokens.push(JSON.stringify(token));
    };
    for await (const _ of own.stream('hello', {}, { handleLLMNewToken }));
    expect(tokens.length).toBeGreaterThan(1);
    expect(tokens.join('')).not.toContain('BAD');
    expect(model.managers).toEqual([undefined]);
  });

  test('ends the request of the model when its reader leaves', async () => {
    const { own, model } = guarded(chunksOf(LONG));
    for await (const _ of own.stream('hello')) break;
    expect(model.ended).toBe(1);
  });

  test('has the events of the framework, with the reason for its end', async () => {
    const events: unknown[] = [];
    const { own } = guarded(chunksOf(`${LONG}BAD`));
    for await (const event of own._streamChatModelEvents(HELLO, {})) events.push(event);
    expect(JSON.stringify(events)).not.toContain('BAD');
    expect(events.at(-1)).toMatchObject({
      event: 'message-finish',
      reason: 'content_filter',
      responseMetadata: REFUSED,
    });
  });
});

describe('a guarded model', () => {
  test.each([
    ['bindTools', (own: Provided) => own.bindTools([])],
    ['withConfig', (own: Provided) => (own.withConfig({ tags: ['a'] }) as { bound: Provided }).bound],
  ])('stays guarded by %s', async (_, bind) => {
    const other = bind(guarded([said('BAD')]).own);
    expect((await other.invoke('hello')).content).toBe(MESSAGE);
  });

  test('returns a structured output only with a guarded model inside', () => {
    const { own } = guarded([said('BAD')]);
    expect(() => own.withStructuredOutput('own')).not.toThrow();
    expect(() => own.withStructuredOutput('other')).toThrow('Guard the model, then build on it.');
  });

  test('is the same when it is guarded again', () => {
    const { guard, own } = guarded([]);
    expect(guardModel(guard, own)).toBe(own);
  });

  test('shows that it does not stream where it does not', () => {
    class Plain extends ChatModel {
      override async _generate() {
        return { generations: [said('fine')] };
      }
    }
    const own = guardModel(scripted().guard, new Plain());
    expect(own._streamResponseChunks).toBe(ChatModel.prototype._streamResponseChunks);
  });

  test.each([
    ['a model with a cache', () => Object.assign(new Provided([]), { cache: {} }), 'must not have a cache'],
    ['an object', () => ({}), 'guards chat models'],
    ['another kind of model', () => ({ _generate: () => 1, _streamResponseChunks: () => 1 }), 'needs a chat model'],
  ])('is not made of %s', (_, make, message) => {
    expect(() => guardModel(scripted().guard, make())).toThrow(message);
  });
});

describe('an agent', () => {
  interface Hooks {
    readonly beforeModel: {
      hook(state: { messages: readonly Message[] }, runtime: object): Promise<Fields | undefined>;
    };
    wrapModelCall(request: object, handler: (request: { model: Provided }) => Promise<Message>): Promise<Message>;
    wrapToolCall(request: object, handler: (request: Call) => Promise<unknown>): Promise<Message>;
  }
  type Fields = Readonly<Record<string, unknown>>;
  interface Call {
    readonly tool: { invoke(args: unknown): Promise<string> };
    readonly toolCall: { readonly args: unknown };
  }

  function hooks(options: Partial<GuardOptions> = {}) {
    const { guard, asked } = scripted(options);
    return { asked, hooks: guardMiddleware(guard) as unknown as Hooks };
  }

  /** Calls a tool as the framework does. */
  async function called({ wrapToolCall }: Hooks, args: unknown, run: () => unknown) {
    let ran = 0;
    const tool = {
      invoke: async () => {
        ran += 1;
        return run();
      },
    };
    const message = await wrapToolCall({ toolCall: { name: 'send', args, id: '1' }, tool }, async (request) => {
      const output = await request.tool.invoke(request.toolCall.args);
      return typeof output === 'string' ? new Tool({ content: output, id: '1' }) : output;
    });
    return { message, ran };
  }

  test('ends at a bad prompt, and replaces it', async () => {
    const { beforeModel } = hooks().hooks;
    const update = await beforeModel.hook({ messages: [new Human({ content: 'BAD', id: 'h' })] }, {});
    expect(update).toMatchObject({
      jumpTo: 'end',
      messages: [
        { type: 'human', content: MESSAGE, id: 'h' },
        { role: 'ai', content: MESSAGE, response_metadata: REFUSED },
      ],
    });
    expect(JSON.stringify(update)).not.toContain('BAD');
  });

  test('masks a prompt in its history', async () => {
    const { beforeModel } = hooks({ mask: { input: true } }).hooks;
    const update = await beforeModel.hook({ messages: [new Human({ content: `Card ${CARD}`, id: 'h' })] }, {});
    expect(update).toEqual({ messages: [new Human({ content: 'Card XXXX XXXX XXXX XXXX', id: 'h' })] });
    expect(JSON.stringify(update)).not.toContain('4111');
  });

  test('asks a guarded model, and scans a prompt once', async () => {
    const { hooks: own, asked } = hooks({ cache: false });
    const messages = [new Human({ content: 'hello' })];
    await own.beforeModel.hook({ messages }, {});
    const answer = await own.wrapModelCall({ model: new Provided([said('BAD')]) }, ({ model }) =>
      model.invoke(messages),
    );
    expect(answer.content).toBe(MESSAGE);
    expect(asked.map(({ text }) => text)).toEqual(['hello', 'BAD']);
  });

  test('scans a prompt that was changed after its scan', async () => {
    const { hooks: own } = hooks();
    const messages = [new Human({ content: 'hello' })];
    await own.beforeModel.hook({ messages }, {});
    Object.assign(messages[0] ?? {}, { content: 'BAD' });
    const model = new Provided([said('fine')]);
    const answer = await own.wrapModelCall({ model }, (request) =>
      request.model.invoke.call(request.model, messages as never),
    );
    expect([answer.content, model.calls]).toEqual([MESSAGE, []]);
  });

  test('names the session of its run', async () => {
    const { guard, asked: names } = scripted();
    const context = (runtime: unknown) => ({ session_id: (runtime as { readonly thread: string }).thread });
    const own = guardMiddleware(guard, { context }) as unknown as Hooks;
    await own.beforeModel.hook({ messages: HELLO }, { thread: 't-1' });
    await own.wrapModelCall({ model: new Provided([said('x')]), runtime: { thread: 't-2' } }, ({ model }) =>
      model.invoke('y'),
    );
    expect(names.map(({ args }) => args['session_id'])).toEqual(['t-1', 't-2', 't-2']);
  });

  test('fails when another model answers', async () => {
    const answer = hooks().hooks.wrapModelCall({ model: new Provided([]) }, async () => said('x').message);
    await expect(answer).rejects.toThrow('List guardMiddleware last.');
  });

  test.each([
    ['runs a good call', { body: 'x' }, () => 'fine', { content: 'fine' }, 1],
    ['refuses a bad call', { body: 'BAD' }, () => 'fine', { content: MESSAGE, status: 'error' }, 0],
    ['replaces a bad result', {}, () => 'BAD', { content: MESSAGE, status: 'error' }, 1],
    ['replaces a bad command', {}, () => ({ update: { notes: 'BAD' } }), { content: MESSAGE, status: 'error' }, 1],
    ['passes a good command', {}, () => ({ update: { notes: 'x' } }), { update: { notes: 'x' } }, 1],
    [
      'replaces a bad error',
      {},
      () => {
        throw new Error('BAD');
      },
      { content: MESSAGE, status: 'error' },
      1,
    ],
  ])('%s of a tool', async (_, args, run, expected, ran) => {
    const result = await called(hooks().hooks, args, run);
    expect(result).toMatchObject({ message: expected, ran });
    expect(JSON.stringify(result)).not.toContain('BAD');
  });

  test('passes a good error, and an interrupt as it is', async () => {
    for (const thrown of [new Error('fine'), Object.assign(new Error('BAD'), { is_bubble_up: true })])
      await expect(
        called(hooks().hooks, {}, () => {
          throw thrown;
        }),
      ).rejects.toBe(thrown);
  });

  test('scans a result for its reader and for the model, and again when it has changed', async () => {
    const { hooks: own, asked } = hooks({ cache: false });
    const { message } = await called(own, {}, () => 'fine');
    const messages = [new Human({ content: 'hello' }), new Message({ content: '' }), message];
    expect(asked.map(({ args }) => Object.keys(args).sort().join())).toEqual([
      'profile_name,tool_event',
      'profile_name,tool_event',
      'profile_name,prompt',
    ]);
    expect(await own.beforeModel.hook({ messages }, {})).toBeUndefined();
    expect(asked).toHaveLength(3);
    Object.assign(message, { content: 'BAD' });
    expect(await own.beforeModel.hook({ messages }, {})).toMatchObject({ jumpTo: 'end' });
  });
});
