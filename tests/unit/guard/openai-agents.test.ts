/**
 * The guard as OpenAI Agents SDK guardrails, and around the SDK's models, through the interface members that it uses.
 * `npm run test:guard-frameworks -- openai-agents` tests the real framework.
 */
import {
  guardModel,
  guardProvider,
  guardrails,
  inputGuardrail,
  mcpGuardrails,
  outputGuardrail,
  toolGuardrails,
} from '../../../lib/guard/adapters/openai-agents.ts';
import type { Guard } from '../../../lib/guard/guard.ts';
import {
  deltasOf,
  done,
  eventsOf,
  type Item,
  Model,
  type Request,
  says,
  textPart,
  USAGE,
} from './behaviours/openai-agents.ts';
import { CARD, LONG, MASKED, MESSAGE, scripted, verdictOf } from './scripted.ts';

const PICTURE = 'iVBORw0KGgo'.repeat(20);

const asks = (content: unknown, rest: Item = {}): Item => ({ role: 'user', content, ...rest });
const refusalOf = (refusal = MESSAGE) => [says('', { content: [{ type: 'refusal', refusal }] })];

async function answered(guard: Guard, model: Model, request: Request | string = 'hello') {
  return guardModel(guard, model).getResponse(typeof request === 'string' ? { input: request } : request);
}

async function streamed(guard: Guard, model: Model, input: string | readonly Item[] = 'hello'): Promise<Item[]> {
  const events: Item[] = [];
  for await (const event of guardModel(guard, model).getStreamedResponse({ input })) events.push(event);
  return events;
}

const shown = (events: readonly Item[], itemId?: string) =>
  events
    .flatMap((event) => (itemId === undefined || event['itemId'] === itemId ? [event['delta'] ?? ''] : []))
    .join('');
const outputOf = (events: readonly Item[]) => (events.at(-1)?.['response'] as Item | undefined)?.['output'];

/** Bad content in each place of an answer that may have text. */
const BAD_ANSWERS: readonly [string, Item][] = [
  ['a text', says('BAD')],
  ['a refusal', says('', { content: [{ type: 'refusal', refusal: 'BAD' }] })],
  ['an annotation', says('', { content: [textPart('fine', { providerData: { annotations: [{ title: 'BAD' }] } })] })],
  ['the transcript of sound', says('', { content: [{ type: 'audio', audio: PICTURE, transcript: 'BAD' }] })],
  ['the provider data of a message', says('fine', { providerData: { reasoning: 'BAD' } })],
  ['a name with the digits of a card', says('fine', { providerData: { model: 'BAD4111111111111111' } })],
  ['a summary of reasoning', { type: 'reasoning', content: [{ type: 'input_text', text: 'BAD' }] }],
  ['raw reasoning', { type: 'reasoning', content: [], rawContent: [{ type: 'reasoning_text', text: 'BAD' }] }],
  ['the name of a tool', { type: 'function_call', callId: '1', name: 'a BAD tool', arguments: '{}' }],
  ['a text over two parts', says('', { content: [textPart('B'), textPart('AD')] })],
  [
    'text in place of a seal',
    { type: 'reasoning', content: [], providerData: { encrypted_content: 'some BAD words' } },
  ],
  ['what is beside a call', { type: 'function_call', name: 'send', arguments: '{}', providerData: { note: 'BAD' } }],
  ['the input of a hosted tool', { type: 'hosted_tool_call', name: 'search', arguments: 'BAD' }],
  ['the result of a hosted tool', { type: 'hosted_tool_call', name: 'search', output: 'BAD' }],
  ['a name in a result', { type: 'hosted_tool_call', name: 'search', providerData: { results: [{ name: 'BAD' }] } }],
  ['text in place of a picture', { type: 'hosted_tool_call', name: 'image_generation_call', output: 'say BAD' }],
  ['a command', { type: 'shell_call', callId: '1', action: { commands: ['echo BAD'] } }],
  ['the output of a program', { type: 'program_output', output: 'BAD' }],
  ['an item of an unknown type', { type: 'later', words: 'BAD' }],
];

describe('a complete answer', () => {
  test('passes with its usage and its ids, without the raw form of the provider', async () => {
    const output = [says('fine', { id: 'msg_1' })];
    expect(await answered(scripted().guard, new Model(output))).toEqual({
      ...{ usage: USAGE, output, responseId: 'resp_1', requestId: 'req_1' },
    });
  });

  test.each(BAD_ANSWERS)('is a refusal without an id when %s is bad', async (_, item) => {
    const answer = await answered(scripted().guard, new Model([says('fine'), item]));
    expect(answer).toEqual({ usage: USAGE, output: refusalOf() });
  });

  test.each<[string, Item]>([
    ['names', says('', { id: 'msg_1', providerData: { role: 'assistant', refusal: null, annotations: [] } })],
    ['sealed reasoning', { type: 'reasoning', content: [], providerData: { encrypted_content: 'gAAAAABo' } }],
    ['a compaction', { type: 'compaction', encrypted_content: 'gAAAAABo' }],
    ['a picture', says('', { content: [{ type: 'image', image: `data:image/png;base64,${PICTURE}` }] })],
  ])('is not scanned for %s', async (_, item) => {
    const { guard, asked } = scripted();
    expect((await answered(guard, new Model([item]))).output).toEqual([item]);
    expect(asked.map(({ text }) => text)).toEqual(['hello']);
  });

  test('keeps a picture that the provider has painted out of the scan of its call', async () => {
    const { guard, asked } = scripted();
    const painted = { type: 'hosted_tool_call', name: 'image_generation_call', output: PICTURE };
    expect((await answered(guard, new Model([painted]))).output).toEqual([painted]);
    expect(JSON.stringify(asked)).not.toContain(PICTURE);
  });

  test('is masked in its texts, without what is beside them', async () => {
    const { guard } = scripted({ mask: { output: true } });
    const beside = { providerData: { copy: 'Card' } };
    const reasoning = { type: 'reasoning', content: [{ type: 'input_text', text: CARD }] };
    const said = says('', { id: 'msg_1', content: [textPart(CARD, beside)] });
    expect((await answered(guard, new Model([reasoning, said]))).output).toEqual([says(MASKED)]);
  });

  test('has no tokens of its text', async () => {
    const part = textPart('fine', { providerData: { annotations: [], logprobs: [{ token: 'BAD' }] } });
    const answer = await answered(scripted().guard, new Model([says('', { content: [part] })]));
    expect(answer.output).toEqual([says('', { content: [textPart('fine', { providerData: { annotations: [] } })] })]);
  });

  test('is a refusal when what is beside a text cannot be masked', async () => {
    const { guard } = scripted({ mask: { output: true } });
    const answer = await answered(guard, new Model([says('fine', { providerData: { copy: CARD } })]));
    expect(answer.output).toEqual(refusalOf());
  });
});

/** Bad content in each place of a request that may have text. */
const BAD_REQUESTS: readonly [string, Request][] = [
  ['a text', { input: 'BAD' }],
  ['two parts together', { input: [asks('B'), asks([{ type: 'input_file', filename: 'a BAD name', file: PICTURE }])] }],
  ['what is beside a message', { input: [asks('fine', { providerData: { content: 'BAD' } })] }],
  ['a result of a tool', { input: [{ type: 'function_call_result', name: 'a', output: 'BAD' }] }],
  ['parts of a result', { input: [{ type: 'function_call_result', output: [{ type: 'input_text', text: 'BAD' }] }] }],
  ['an item of an unknown type', { input: [{ type: 'unknown', providerData: { words: 'BAD' } }] }],
  ['a message of an unknown role', { input: [{ role: 'guest', content: 'BAD' }] }],
  ['a variable of a prompt', { input: 'fine', prompt: { variables: { name: { type: 'input_text', text: 'BAD' } } } }],
];

describe('a request', () => {
  test.each(BAD_REQUESTS)('never reaches the model when %s is bad', async (_, request) => {
    const model = new Model([says('fine')]);
    const answer = await answered(scripted().guard, model, request);
    expect(answer).toMatchObject({ output: refusalOf(), usage: { requests: 0, totalTokens: 0 } });
    expect(model.requests).toEqual([]);
  });

  test('is scanned for what is new alone', async () => {
    const { guard, asked } = scripted();
    const earlier = [{ role: 'system', content: 'BAD' }, asks('BAD'), says('BAD')];
    const call = { type: 'function_call', name: 'look', arguments: 'BAD' };
    await answered(guard, new Model([]), { input: [...earlier, asks('new')] });
    await answered(guard, new Model([]), {
      input: [...earlier, asks('new'), call, { type: 'function_call_result', name: 'look', output: 'found' }],
    });
    expect(asked.map(({ text }) => text)).toEqual(['new', 'found']);
  });

  test('keeps its texts out of the trace of the model, and all else as it is', async () => {
    const model = new Model([]);
    const { signal } = new AbortController();
    for (const tracing of [true, false, 'enabled_without_data'] as const)
      await answered(scripted().guard, model, { input: 'hello', tracing, signal });
    expect(model.requests).toEqual([
      { input: 'hello', tracing: 'enabled_without_data', signal },
      { input: 'hello', tracing: false, signal },
      { input: 'hello', tracing: 'enabled_without_data', signal },
    ]);
  });

  test('is masked in every turn, because the framework repeats the original', async () => {
    const model = new Model([]);
    const result = (output: string) => ({ type: 'function_call_result', name: 'look', callId: 'c', output });
    const { guard } = scripted({ mask: { input: true }, parallelInput: true });
    await answered(guard, model, CARD);
    await answered(guard, model, { input: [asks([{ type: 'input_text', text: CARD }]), says('ok'), result(CARD)] });
    expect(model.requests).toEqual([
      { input: MASKED },
      { input: [asks([{ type: 'input_text', text: MASKED }]), says('ok'), result(MASKED)] },
    ]);
  });

  test.each<[string, Request]>([
    ['only two messages together are to be masked', { input: [asks('Card 4111 1111'), asks('1111 1111')] }],
    ['a variable of a prompt is to be masked', { input: 'fine', prompt: { variables: { card: CARD } } }],
  ])('is blocked where masking is on and %s', async (_, request) => {
    const joined = (text: string, kind: 'prompt' | 'response') => verdictOf(text.replace('\n', ' '), kind);
    const model = new Model([]);
    const answer = await answered(scripted({ mask: { input: true } }, joined).guard, model, request);
    expect([answer.output, model.requests]).toEqual([refusalOf(), []]);
  });

  test('runs beside its scan where the guard says so, and its answer waits', async () => {
    const model = new Model([says('fine')]);
    const answer = await answered(scripted({ parallelInput: true }).guard, model, 'BAD');
    expect(model.requests).toHaveLength(1);
    expect(answer).toEqual({ usage: USAGE, output: refusalOf() });
  });
});

describe('a streamed answer', () => {
  test('passes byte for byte, without the raw form of the provider', async () => {
    const model = new Model(
      [says(LONG)],
      [{ type: 'model', event: 'BAD' }, ...eventsOf([says(LONG)]), { type: 'later' }],
    );
    const events = await streamed(scripted().guard, model);
    expect(shown(events)).toBe(LONG);
    expect(events[0]).toEqual({ type: 'response_started' });
    expect(events.at(-1)).toEqual({
      ...{ type: 'response_done', response: { id: 'resp_1', requestId: 'req_1', usage: USAGE, output: [says(LONG)] } },
    });
    expect(model.isCancelled).toBe(false);
    expect(JSON.stringify(events)).not.toMatch(/BAD|later|raw/);
  });

  test('scans its text once', async () => {
    const { guard, asked } = scripted({ stream: 'all' });
    await streamed(guard, new Model([says(LONG)]));
    expect(asked.map(({ text }) => text)).toEqual(['hello', LONG]);
  });

  test('is cut before what is bad across two items, without an id to continue', async () => {
    const model = new Model([says(`${LONG}B`, { id: 'one' }), says(`AD ${LONG}`, { id: 'two' })]);
    const events = await streamed(scripted().guard, model);
    expect(LONG.startsWith(shown(events))).toBe(true);
    expect(events.at(-1)).toMatchObject({ type: 'response_done', response: { id: '', output: refusalOf() } });
  });

  test.each(BAD_ANSWERS)('ends with a refusal when %s is bad', async (_, item) => {
    const events = await streamed(scripted().guard, new Model([says('fine'), item]));
    expect(outputOf(events)).toEqual(refusalOf());
    expect(JSON.stringify(events)).not.toContain('BAD');
  });

  test.each<[string, readonly Item[]]>([
    ['no text but at its end', []],
    ['another text at its end', deltasOf('fine', 'msg_1')],
  ])('is scanned at its end when it has %s', async (_, deltas) => {
    const events = await streamed(scripted().guard, new Model([], [...deltas, done([says('BAD')])]));
    expect(outputOf(events)).toEqual(refusalOf());
  });

  test.each([
    ['the same length', 'XXXX XXXX XXXX XXXX', ['first Card XXXX XXXX XXXX XXXX second', '']],
    ['another length', '[card]', ['first Card [card] second', '']],
  ])('is masked with %s, in its events and its output', async (_, mask, expected) => {
    const { guard } = scripted({ mask: { output: true } }, (text, kind) => {
      const verdict = verdictOf(text, kind);
      const data = text.replace('4111 1111 1111 1111', mask);
      return { ...verdict, ...(data === text ? {} : { response_masked_data: { data } }) };
    });
    const part = (text: string) => textPart(text, { providerData: { annotations: [] } });
    const output = [says('', { content: [part(`first ${CARD} `), part('second')] })];
    const events = await streamed(guard, new Model(output));
    expect(shown(events)).toBe(expected.join(''));
    expect(outputOf(events)).toEqual([says('', { content: expected.map((text) => textPart(text)) })]);
  });

  test.each([
    ['a text', [says(LONG)]],
    ['a call of a tool alone', [{ type: 'function_call', name: 'send', arguments: '{}' }]],
  ])('waits with %s for the verdict on the prompt where both run at once', async (_, output) => {
    const model = new Model(output);
    const events = await streamed(scripted({ parallelInput: true }).guard, model, 'BAD');
    expect(model.requests).toHaveLength(1);
    expect([shown(events), outputOf(events)]).toEqual(['', refusalOf()]);
  });

  test('is scanned as joined and as apart where a seam is inside a word', async () => {
    const apart = (text: string) => verdictOf(/\bBAD\b/u.test(text) ? 'BAD' : 'fine', 'response');
    const model = () => new Model([says('', { content: [textPart('a'), textPart('BAD')] })]);
    expect(outputOf(await streamed(scripted({}, apart).guard, model()))).toEqual(refusalOf());
    expect((await answered(scripted({}, apart).guard, model())).output).toEqual(refusalOf());
  });

  test('has nothing after its end', async () => {
    const events = [...eventsOf([says('fine')]), ...deltasOf('BAD', 'msg_2'), done([says('BAD')])];
    const seen = await streamed(scripted().guard, new Model([], events));
    expect([shown(seen), seen.filter(({ type }) => type === 'response_done').length]).toEqual(['fine', 1]);
    expect(outputOf(seen)).toEqual([says('fine')]);
  });
});

describe('a guarded model', () => {
  test('is no name: a name would be sent unguarded', () => {
    expect(() => guardModel(scripted().guard, 'gpt-5' as never)).toThrow('For names use guardProvider.');
  });

  test('keeps the advice about retries and the selection by a prompt', async () => {
    const model = Object.assign(new Model([]), {
      supportsPromptModelSelection: true,
      getRetryAdvice: (about: unknown) => ({ about }),
    });
    const guarded = guardModel(scripted().guard, model);
    expect([guarded.supportsPromptModelSelection, guarded.getRetryAdvice('x')]).toEqual([true, { about: 'x' }]);
    expect(Object.keys(guardModel(scripted().guard, new Model([])))).toEqual(['getResponse', 'getStreamedResponse']);
  });

  test('gives the guard the context of its request', async () => {
    const { guard, asked } = scripted();
    const context = (request: unknown) => ({ session_id: String((request as Request).input) });
    await guardModel(guard, new Model([says('fine')]), { context }).getResponse({ input: 'hello' });
    expect(asked.map(({ args }) => args['session_id'])).toEqual(['hello', 'hello']);
  });

  test('comes from a guarded provider for every name, which closes the provider within', async () => {
    const names: unknown[] = [];
    const provider = {
      getModel: (name?: string) => {
        names.push(name);
        return new Model([says('BAD')]);
      },
      close: async () => void names.push('closed'),
    };
    const guarded = guardProvider(scripted().guard, provider);
    for (const name of ['gpt-5', undefined])
      expect((await (await guarded.getModel(name)).getResponse({ input: 'hello' })).output).toEqual(refusalOf());
    await guarded.close();
    expect(names).toEqual(['gpt-5', undefined, 'closed']);
  });
});

test('the same call is scanned once by the guardrail of its tool and by the guarded model', async () => {
  const { guard, asked } = scripted();
  const call = { type: 'function_call', callId: 'call_1', name: 'send', arguments: '{"body":"fine"}' };
  await answered(guard, new Model([{ ...call, caller: { type: 'direct' }, providerData: { type: 'function' } }]));
  await toolGuardrails(guard).inputGuardrails[0]?.run({ toolCall: call });
  expect(asked).toHaveLength(2);
});

describe('guardrails', () => {
  test('of an agent wait for their verdict', () => {
    expect(guardrails(scripted().guard)).toMatchObject({
      inputGuardrails: [{ name: 'aisec-input', runInParallel: false }],
      outputGuardrails: [{ name: 'aisec-output' }],
    });
  });

  test.each([
    ['a good text', 'fine', false],
    ['a bad text', 'BAD', true],
    ['a text that would be masked', CARD, true],
  ])('of the input see %s', async (_, input, tripwireTriggered) => {
    const { guard } = scripted({ mask: { input: true } });
    const found = await inputGuardrail(guard).execute({ input });
    expect(found.tripwireTriggered).toBe(tripwireTriggered);
    expect(JSON.stringify(found)).not.toMatch(/BAD|4111|XXXX/);
  });

  test.each([
    ['a good text', 'fine', false],
    ['a bad text', 'BAD', true],
    ['a bad structured output', { answer: ['BAD'] }, true],
    ['a text that would be masked', CARD, true],
  ])('of the output see %s', async (_, agentOutput, tripwireTriggered) => {
    const { guard } = scripted({ mask: { output: true } });
    const found = await outputGuardrail(guard).execute({ agentOutput });
    expect(found.tripwireTriggered).toBe(tripwireTriggered);
    expect(JSON.stringify(found)).not.toMatch(/BAD|4111|XXXX/);
  });

  test('report the message, the detectors and the ids of the scan', async () => {
    const { outputInfo } = await inputGuardrail(scripted().guard).execute({ input: 'BAD' });
    expect(outputInfo).toMatchObject({
      ...{ message: MESSAGE, action: 'block', verdict: { category: 'malicious', detectors: ['injection'] } },
      ...{ scanId: 'scan-1', reportId: 'report-1' },
    });
  });

  test('of a server are those of a tool', () => {
    expect(mcpGuardrails(scripted().guard)).toMatchObject({
      ...{ toolInputGuardrails: [{ name: 'aisec-tool-input' }], toolOutputGuardrails: [{ name: 'aisec-tool-output' }] },
    });
  });

  test.each<[string, unknown, 'allow' | 'rejectContent']>([
    ['a good text', 'fine', 'allow'],
    ['a bad text', 'BAD', 'rejectContent'],
    ['a bad object', { found: ['BAD'] }, 'rejectContent'],
    ['bad text beside a file', { type: 'file', file: { data: PICTURE, filename: 'a BAD name' } }, 'rejectContent'],
    ['bad text under the name of a name', { status: 'BAD' }, 'rejectContent'],
    ['bad text under the name of a seal', { encrypted_content: 'BAD', logprobs: ['BAD'] }, 'rejectContent'],
    ['bad text like the data of a file', { data: `BAD${PICTURE}` }, 'rejectContent'],
    ['a file', { type: 'image', image: { data: new Uint8Array(3), mediaType: 'image/png' } }, 'allow'],
  ])('of a tool see that its result is %s', async (_, output, type) => {
    const [guardrail] = toolGuardrails(scripted().guard).outputGuardrails;
    const found = await guardrail?.run({ toolCall: { name: 'look', arguments: '{}' }, output });
    expect(found?.behavior.type).toBe(type);
  });

  test('of a tool scan no result without text', async () => {
    const { guard, asked } = scripted();
    const [guardrail] = toolGuardrails(guard).outputGuardrails;
    for (const output of ['', undefined, { type: 'image', image: PICTURE }])
      await guardrail?.run({ toolCall: { name: 'look', arguments: '{}' }, output });
    expect(asked).toEqual([]);
  });
});
