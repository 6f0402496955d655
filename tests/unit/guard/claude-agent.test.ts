/**
 * The guard around Claude Agent SDK agents, through the SDK's hooks and messages. `npm run test:guard-frameworks` tests
 * the real program.
 */
import { guardHooks, guardMessages } from '../../../lib/guard/adapters/claude-agent.ts';
import { createGuard, type Scanner } from '../../../lib/guard/guard.ts';
import {
  assistant,
  event,
  hook,
  type Message,
  Query,
  result,
  said,
  streamed,
  user,
  type Values,
} from './behaviours/claude-agent.ts';
import { CARD, LONG, MASKED, MESSAGE, scripted, verdictOf } from './scripted.ts';

const SEND = { tool_name: 'mcp__mail__send', tool_use_id: 't1' };

const toolResult = (content: unknown) => ({ type: 'tool_result', tool_use_id: 't1', content });

describe('hooks', () => {
  test('block if they fail, and have more time than their scans', () => {
    const entries = Object.values(guardHooks(scripted({ timeoutMs: 3000 }).guard)).flat();
    expect(entries.map(({ onFailure, timeout }) => [onFailure, timeout])).toEqual(entries.map(() => ['block', 11]));
  });

  test.each(['UserPromptSubmit', 'UserPromptExpansion'] as const)('block a bad prompt of %s', async (name) => {
    const { guard } = scripted();
    expect(await hook(guard, name, { prompt: 'hello' })).toEqual({});
    const output = await hook(guard, name, { prompt: 'BAD' });
    expect(output).toMatchObject({
      decision: 'block',
      reason: MESSAGE,
      hookSpecificOutput: { suppressOriginalPrompt: true },
    });
    expect(JSON.stringify(output)).not.toContain('BAD');
  });

  test.each<[string, unknown, boolean, Values]>([
    ['refuses a bad call', { body: 'BAD' }, true, { permissionDecision: 'deny', permissionDecisionReason: MESSAGE }],
    ['masks a call, and approves nothing', { body: CARD }, true, { updatedInput: { body: MASKED } }],
    ['refuses a leak next to another threat', { body: `BAD ${CARD}` }, true, { permissionDecision: 'deny' }],
  ])('%s', async (_, tool_input, output, expected) => {
    const { guard } = scripted({ mask: { output } }, toolVerdict);
    const { hookSpecificOutput = {} } = await hook(guard, 'PreToolUse', { ...SEND, tool_input });
    expect(hookSpecificOutput).toMatchObject(expected);
    if (!('permissionDecision' in expected)) expect(hookSpecificOutput).not.toHaveProperty('permissionDecision');
  });

  test.each<[unknown, unknown]>([
    ['BAD', MESSAGE],
    [[{ type: 'text', text: 'BAD' }], [{ type: 'text', text: MESSAGE }]],
    [
      { stdout: 'BAD', stderr: '', interrupted: false },
      { stdout: MESSAGE, stderr: '', interrupted: false },
    ],
    [
      { mode: 'content', content: 'BAD', numLines: 1 },
      { mode: 'content', content: MESSAGE, numLines: 1 },
    ],
    [{ type: 'BAD words' }, { type: MESSAGE }],
  ])('replace the bad result %j in the same format', async (tool_response, updatedToolOutput) => {
    const output = await hook(scripted().guard, 'PostToolUse', { ...SEND, tool_response });
    expect(output).toMatchObject({ hookSpecificOutput: { updatedToolOutput } });
  });

  test.each<[string, string, Values, unknown, boolean]>([
    ['a result that was cleared', 'PostToolUse', { tool_response: 'fine' }, 'fine', false],
    ['a result that was replaced', 'PostToolUse', { tool_response: 'BAD' }, MESSAGE, false],
    ['a result whose replacement was dropped', 'PostToolUse', { tool_response: 'BAD' }, '1 BAD', true],
    ['a bad error', 'PostToolUseFailure', { error: 'BAD' }, undefined, true],
    ['a result that no hook saw', 'PreToolUse', { tool_input: {} }, 'BAD', true],
    ['a refused call', 'PreToolUse', { tool_input: 'BAD' }, `In the words of the program: ${MESSAGE}`, false],
  ])('before the model gets %s, stop if it is bad', async (_, name, input, tool_response, isStopped) => {
    const { guard } = scripted();
    await hook(guard, name as 'PostToolUse', { ...SEND, ...input });
    const output = await hook(guard, 'PostToolBatch', { tool_calls: [{ ...SEND, tool_response }] });
    expect(output).toEqual(
      isStopped ? { continue: false, stopReason: MESSAGE, decision: 'block', reason: MESSAGE } : {},
    );
  });

  test('clear neither of two calls with the same id', async () => {
    const { guard } = scripted();
    for (const tool_response of ['fine', 'also fine']) await hook(guard, 'PostToolUse', { ...SEND, tool_response });
    const { all } = await said(guard, [user([toolResult('BAD')])]);
    expect(all).not.toContain('BAD');
  });

  test('answer with a block if the scan never ends', async () => {
    const scanner: Scanner = { call: () => new Promise(() => undefined) };
    const guard = createGuard(scanner, { profile: 'prod', timeoutMs: 1 });
    expect(await hook(guard, 'PostToolUse', { ...SEND, tool_response: 'secret' })).toMatchObject({
      hookSpecificOutput: { updatedToolOutput: MESSAGE },
    });
  });
});

describe('messages', () => {
  const call = (type: string, input: unknown) => ({ type, id: 't1', name: 'mcp__mail__send', input });
  const piece = (partial_json: string) =>
    event({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json } });

  test('need a query that can be closed', () => {
    expect(() => guardMessages(scripted().guard, [] as never)).toThrow(TypeError);
  });

  test.each(['text', 'thinking'])('pass %s byte for byte, scanned once, and drop its pieces', async (kind) => {
    const { guard, asked } = scripted();
    const { passed, last } = await said(guard, [...streamed(LONG, kind), ...streamed(' more', kind, 1), result({})]);
    expect(passed.map(({ type }) => type)).toEqual(['assistant', 'assistant', 'result']);
    const texts = passed.flatMap(
      ({ message }) => (message as { content?: readonly Values[] } | undefined)?.content ?? [],
    );
    expect(texts.map((block) => block[kind])).toEqual([LONG, ' more']);
    expect(asked.filter(({ text }) => text.endsWith('word '))).toHaveLength(1);
    expect(last?.['stop_reason']).toBe('end_turn');
  });

  test.each(['text', 'thinking'])('show nothing of bad %s, and close the query', async (kind) => {
    const { passed, all, query, last } = await said(scripted().guard, streamed(`${LONG}BAD ${LONG}`, kind));
    expect(query.closed).toBe(1);
    expect(all).not.toMatch(/BAD|word/u);
    expect(passed).toMatchObject([
      { type: 'assistant', message: { content: [{ text: MESSAGE }] } },
      { type: 'result' },
    ]);
    expect(last).toMatchObject({ type: 'result', stop_reason: 'refusal', is_error: true, result: MESSAGE });
  });

  test('drop everything that is only in message pieces', async () => {
    const pieces = [
      ...streamed('BAD').filter(({ type }) => type === 'stream_event'),
      piece('{"body":"BAD"}'),
      event({ type: 'new', words: 'BAD' }),
      event({ type: 'message_start', message: { content: [{ text: 'BAD' }] } }),
      event({ type: 'message_delta', delta: { stop_details: { explanation: 'BAD' } } }),
    ];
    const { passed } = await said(scripted().guard, [...pieces, assistant({ type: 'text', text: 'fine' })]);
    expect(passed).toMatchObject([{ message: { content: [{ text: 'fine' }] } }]);
  });

  test.each<[string, Message[]]>([
    ['call to a provider tool', [assistant(call('server_tool_use', { body: 'BAD' }))]],
    ['text across two messages', [assistant({ type: 'text', text: 'B' }), assistant({ type: 'text', text: 'AD' })]],
    ['proof of authorship', [assistant({ type: 'thinking', thinking: 'fine', signature: 'some BAD words' })]],
    ['text instead of data', [assistant({ type: 'redacted_thinking', data: 'some BAD words' })]],
    ['result', [result({ result: 'BAD' })]],
  ])('refuse a bad %s', async (_, messages) => {
    const { all, query, last } = await said(scripted().guard, messages);
    expect(all).not.toMatch(/BAD|"AD/);
    expect(query.closed).toBe(1);
    expect(last).toMatchObject({ type: 'result', result: MESSAGE, stop_reason: 'refusal' });
  });

  test('drop a message of another kind if it is bad, and text without a start', async () => {
    const stray = event({ type: 'content_block_delta', index: 7, delta: { type: 'text_delta', text: 'BAD' } });
    const init = { type: 'system', subtype: 'init' };
    const good = { type: 'system', subtype: 'task_progress', summary: 'fine' };
    const messages = [init, stray, { type: 'prompt_suggestion', suggestion: 'BAD' }, { ...good, summary: 'BAD' }, good];
    const { passed } = await said(scripted().guard, messages);
    expect(passed).toMatchObject([init, good]);
  });

  test('show the input of a call that the hooks refuse as empty', async () => {
    const { guard } = scripted();
    guardHooks(guard);
    const denials = [{ tool_name: 'mcp__mail__send', tool_use_id: 't1', tool_input: { body: 'BAD' } }];
    const ended = result({ result: 'fine', permission_denials: denials });
    const { all, last } = await said(guard, [assistant(call('tool_use', { body: 'BAD' })), ended]);
    expect(all).not.toContain('BAD');
    expect(last).toMatchObject({ result: 'fine', permission_denials: [{ tool_input: {} }] });
  });

  test.each([true, false])('decide on a call as a call, even if it was refused; with hooks: %s', async (hasHooks) => {
    const { guard } = scripted({}, (text, kind) => verdictOf(text.includes('tool_invoked') ? text : '', kind));
    if (hasHooks) guardHooks(guard);
    const denied = { tool_name: 'mcp__mail__send', tool_use_id: 't1', tool_input: { body: 'BAD' } };
    for (const message of [assistant(call('tool_use', { body: 'BAD' })), result({ permission_denials: [denied] })]) {
      const { all } = await said(guard, [message]);
      expect(all).not.toContain('BAD');
    }
  });

  test.each([
    ['empties it and leaves the stop to the hooks', true, ['', 'fine']],
    ['closes the query without hooks', false, [MESSAGE]],
  ])('of a bad result: %s', async (_, hasHooks, shown) => {
    const { guard } = scripted();
    if (hasHooks) guardHooks(guard);
    const { all, passed } = await said(guard, [user([toolResult('BAD')]), assistant({ type: 'text', text: 'fine' })]);
    expect(all).not.toContain('BAD');
    const texts = passed.flatMap((each) => (each['message'] as Values | undefined)?.['content'] ?? []) as Values[];
    expect(texts.map(({ content, text }) => content ?? text)).toEqual(shown);
  });

  test('drop what the tool returned next to its result', async () => {
    const { guard } = scripted();
    await hook(guard, 'PostToolUse', { ...SEND, tool_response: 'fine' });
    const { passed } = await said(guard, [user([toolResult('fine')], { tool_use_result: { content: 'BAD' } })]);
    expect(passed).toMatchObject([{ message: { content: [toolResult('fine')] } }]);
    expect(passed[0]).not.toHaveProperty('tool_use_result');
  });

  test('say why a turn was stopped, and keep its usage', async () => {
    const { guard } = scripted();
    await hook(guard, 'UserPromptSubmit', { prompt: 'BAD' });
    const text = `In the words of the program: ${MESSAGE}`;
    const { last } = await said(guard, [result({ result: text, usage: { output_tokens: 3 } })]);
    expect(last).toMatchObject({ result: MESSAGE, stop_reason: 'refusal', usage: { output_tokens: 3 } });
  });

  test('end at once when the reader leaves during a scan', async () => {
    const scanner: Scanner = { call: () => new Promise(() => undefined) };
    const query = new Query([assistant({ type: 'text', text: 'fine' })]);
    const messages = guardMessages<Message>(createGuard(scanner, { profile: 'prod' }), query);
    const reading = messages.next();
    reading.catch(() => undefined);
    expect(await messages.return(undefined)).toEqual({ done: true, value: undefined });
    expect(query.closed).toBe(1);
  });

  test('pass the failure of a query, and close it', async () => {
    const query = new Query([]);
    const failing = {
      close: () => query.close(),
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('died')) }),
    };
    await expect(guardMessages<Message>(scripted().guard, failing).next()).rejects.toThrow('died');
    expect(query.closed).toBe(1);
  });
});

/** Names a call's detectors as the service does. */
function toolVerdict(text: string, kind: 'prompt' | 'response'): Values {
  const masked = text.replace(/\d{4} \d{4} \d{4} \d{4}/gu, 'XXXX XXXX XXXX XXXX');
  const [isBad, hasLeak] = [text.includes('BAD'), masked !== text];
  return {
    ...{ action: isBad || hasLeak ? 'block' : 'allow', category: 'malicious', timeout: false, error: false },
    [`${kind}_detected`]: { injection: isBad, dlp: hasLeak },
    ...(hasLeak ? { [`${kind}_masked_data`]: { data: masked } } : {}),
  };
}
