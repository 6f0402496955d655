/**
 * The guard around an MCP transport, through the messages that it carries. `npm run test:guard-frameworks` tests the real SDKs.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { guardTransport, type McpTransport } from '../../../lib/guard/adapters/mcp.ts';
import { createGuard, type Guard, type Scanner } from '../../../lib/guard/guard.ts';
import { MESSAGE, scripted } from './scripted.ts';

type Json = Readonly<Record<string, unknown>>;

/** A transport whose other side is the test. */
class Wire {
  readonly sent: unknown[] = [];
  closed = false;
  onmessage?: (message: unknown, extra?: unknown) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  sessionId = 'session-1';
  version = '';

  async start(): Promise<void> {}

  async send(message: unknown): Promise<void> {
    this.sent.push(message);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.onclose?.();
  }

  setProtocolVersion(version: string): void {
    this.version = version;
  }
}

/** The guarded end, and the messages it received. */
interface End {
  readonly wire: Wire;
  readonly received: unknown[];
  readonly errors: string[];
  readonly asked: readonly { readonly text: string; readonly args: Json }[];
  /** Sends, and waits for every scan to end. */
  send(message: unknown): Promise<void>;
  /** Receives from the other side, and waits for every scan to end. */
  receive(message: unknown): Promise<void>;
  close(): Promise<void>;
  closings: number;
}

/** Waits for everything that needs no other thread: all scans of a guard without a memory. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 40; turns += 1) await turn();
}

function endOf(guard: Guard, asked: End['asked'] = []): End {
  const wire = new Wire();
  const guarded = guardTransport(guard, wire as unknown as McpTransport, { server: 'mail' });
  const end: End = {
    wire,
    received: [],
    errors: [],
    asked,
    closings: 0,
    send: async (message) => {
      await guarded.send(message as never);
      await settled();
    },
    receive: async (message) => {
      wire.onmessage?.(message);
      await settled();
    },
    close: () => guarded.close(),
  };
  guarded.onmessage = (message: Json) => end.received.push(message);
  guarded.onerror = (error) => end.errors.push(error.message);
  guarded.onclose = () => {
    end.closings += 1;
  };
  return end;
}

function opened(): End {
  const { guard, asked } = scripted({ cache: false });
  return endOf(guard, asked);
}

const request = (id: unknown, method: string, params?: unknown) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
});
const call = (id: unknown, text: string, name = 'send') =>
  request(id, 'tools/call', { name, arguments: { body: text } });
const answer = (id: unknown, result: unknown) => ({ jsonrpc: '2.0', id, result });
const notice = (method: string, params: unknown) => ({ jsonrpc: '2.0', method, params });
const said = (text: string) => ({ content: [{ type: 'text', text }] });
const refused = { content: [{ type: 'text', text: MESSAGE }], isError: true, resultType: 'complete' };

/** Sends a request and receives its answer. @returns the answer as the guarded end received it */
async function answered(end: End, method: string, result: unknown, params?: unknown): Promise<unknown> {
  await end.send(request(1, method, params));
  await end.receive(answer(1, result));
  return end.received.at(-1);
}

describe('a tool call', () => {
  test('passes with its result', async () => {
    const end = opened();
    await end.send(call(1, 'fine'));
    await end.receive(answer(1, said('sent')));
    expect(end.wire.sent).toEqual([call(1, 'fine')]);
    expect(end.received).toEqual([answer(1, said('sent'))]);
    expect(end.asked.map(({ args }) => args['tool_event'])).toMatchObject([
      { metadata: { server_name: 'mail', tool_invoked: 'send', method: 'tools/call' }, input: '{"body":"fine"}' },
      { metadata: { server_name: 'mail', tool_invoked: 'send' }, output: 'sent' },
    ]);
  });

  test('with bad input gets an answer, and never reaches the guarded server', async () => {
    const end = opened();
    await end.receive(call('a', 'BAD'));
    expect([end.received, end.wire.sent]).toEqual([[], [answer('a', refused)]]);
  });

  test.each<[string, unknown, object?]>([
    ['text', said('BAD')],
    ['structured content', { content: [], structuredContent: { body: 'BAD' } }],
    ['text behind an escape', said('{"body":"\\u0042AD"}')],
    ['type of the result', { ...said('fine'), resultType: 'BAD' }],
    ['text next to the members of a request', said('BAD'), { params: { name: 'send' } }],
  ])('has its result replaced for a bad %s', async (...[, result, more]) => {
    const end = opened();
    await end.send(call(1, 'fine'));
    await end.receive({ ...answer(1, result), ...more });
    expect(end.received).toEqual([answer(1, refused)]);
  });

  test('passes an image, which is not scanned', async () => {
    const end = opened();
    const content = [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }];
    expect(await answered(end, 'tools/call', { content }, { name: 'draw' })).toEqual(answer(1, { content }));
    expect(JSON.stringify(end.asked)).not.toContain('iVBOR');
  });

  test('reads a structured content that its text repeats once', async () => {
    const end = opened();
    await answered(end, 'tools/call', { ...said('{"a":1}'), structuredContent: { a: 1 } }, { name: 'sum' });
    expect(end.asked.at(-2)?.args['tool_event']).toMatchObject({ output: '{"a":1}' });
  });

  test.each(['arguments', 'inputResponses', 'requestState', 'later'])('is refused for bad %s', async (member) => {
    const end = opened();
    await end.send(request(1, 'tools/call', { name: 'send', [member]: { a: ['BAD'] } }));
    expect(end.received).toEqual([answer(1, refused)]);
  });
});

describe('a list of tools', () => {
  const tools = (...names: readonly string[]) => names.map((name) => ({ name, description: `Does ${name}.` }));
  const poisoned = { name: 'send', description: 'BAD' };

  test('loses a tool with a bad description, which cannot be called either', async () => {
    const end = opened();
    expect(await answered(end, 'tools/list', { tools: [...tools('read'), poisoned] })).toEqual(
      answer(1, { tools: tools('read') }),
    );
    await end.send(call(2, 'fine'));
    await end.send(call(3, 'fine', 'read'));
    expect(end.received.at(-1)).toEqual(answer(2, refused));
    expect(end.wire.sent.at(-1)).toEqual(call(3, 'fine', 'read'));
  });

  test('loses both tools with the same name if one is bad', async () => {
    const end = opened();
    expect(await answered(end, 'tools/list', { tools: [...tools('send', 'read'), poisoned] })).toEqual(
      answer(1, { tools: tools('read') }),
    );
  });

  test('loses a tool when its description becomes bad', async () => {
    const end = opened();
    await answered(end, 'tools/list', { tools: tools('read', 'send') });
    await answered(end, 'tools/list', { tools: [...tools('read'), poisoned] });
    expect(end.received.at(-1)).toEqual(answer(1, { tools: tools('read') }));
  });

  test('is filtered for resources as well', async () => {
    const result = { resources: [{ uri: 'a:b', name: 'BAD' }] };
    expect(await answered(opened(), 'resources/list', result)).toEqual(answer(1, { resources: [] }));
  });

  test.each([{ tools: 'BAD' }, { tools: [], later: 'BAD' }])('is refused as a whole: %j', async (result) => {
    const end = opened();
    await answered(end, 'tools/list', result);
    expect(end.received).toMatchObject([{ id: 1, error: { message: MESSAGE } }]);
  });
});

describe('other messages', () => {
  test.each<[string, unknown, unknown]>([
    ['prompts/get', { name: 'a' }, { messages: [{ role: 'assistant', content: { type: 'text', text: 'BAD' } }] }],
    ['later/method', {}, { words: 'BAD' }],
    ['initialize', {}, { serverInfo: { name: 'mail' }, instructions: 'BAD' }],
  ])('a bad answer to %s becomes an error', async (method, params, result) => {
    const end = opened();
    await answered(end, method, result, params);
    expect(end.received).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32090, message: MESSAGE } }]);
  });

  test.each<[string, Json]>([
    ['prompts/get', { name: 'a', arguments: { topic: 'BAD' } }],
    ['sampling/createMessage', { messages: [{ role: 'assistant', content: { type: 'text', text: 'BAD' } }] }],
    ['later/method', { BAD: true }],
  ])('a bad request %s becomes an error, in either direction', async (method, params) => {
    const end = opened();
    await end.send(request(1, method, params));
    await end.receive(request(1, method, params));
    const error = { jsonrpc: '2.0', id: 1, error: { code: -32090, message: MESSAGE } };
    expect([end.received, end.wire.sent]).toEqual([[error], [error]]);
  });

  test('an answer of the model of the client is scanned as an output', async () => {
    const end = opened();
    await end.receive(request(1, 'sampling/createMessage', { messages: [] }));
    await end.send(answer(1, { role: 'assistant', content: { type: 'text', text: 'BAD' } }));
    expect(end.wire.sent).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32090, message: MESSAGE } }]);
    expect(end.asked.at(-1)?.args).toHaveProperty('response');
  });

  test.each<[string, Json, readonly unknown[]]>([
    ['notifications/message', { level: 'info', data: { text: 'BAD' } }, []],
    ['notifications/message', { level: 'info', data: 'fine' }, [{ level: 'info', data: 'fine' }]],
    ['notifications/progress', { progressToken: 1, progress: 2, total: 3, message: 'BAD' }, []],
    ['notifications/progress', { progressToken: 'a BAD token', progress: 2 }, []],
    ['notifications/resources/updated', { uri: 'BAD' }, []],
    ['notifications/cancelled', { requestId: 7, reason: 'BAD' }, []],
    ['notifications/cancelled', { requestId: { BAD: 1 } }, []],
  ])('of %s with %j, %j passes', async (method, params, passed) => {
    const end = opened();
    await end.receive(notice(method, params));
    expect(end.received).toEqual(passed.map((each) => notice(method, each)));
  });

  test('plain numbers are not scanned', async () => {
    const end = opened();
    await end.receive(notice('notifications/progress', { progressToken: 1, progress: 2, total: 3 }));
    await end.send(request(1, 'ping'));
    await end.receive(notice('notifications/tools/list_changed', {}));
    expect([end.received.length, end.wire.sent.length, end.asked.length]).toEqual([2, 1, 0]);
  });
});

describe('an attacker', () => {
  test.each<[string, unknown]>([
    ['a second answer', answer(1, said('BAD'))],
    ['an answer to a string id instead of a number', answer('1', said('BAD'))],
    ['an error without an id', { jsonrpc: '2.0', error: { code: 1, message: 'BAD' } }],
    ['a request that is an answer', { ...request(5, 'ping'), result: said('BAD') }],
    ['both an answer and an error', { ...answer(1, {}), error: { code: 1, message: 'BAD' } }],
    ['a result that is a string', { jsonrpc: '2.0', id: 1, result: 'BAD' }],
  ])('gets nowhere with %s', async (_, message) => {
    const end = opened();
    await end.send(call(1, 'fine'));
    await end.receive(answer(1, said('first')));
    await end.receive(message);
    expect(end.received).toEqual([answer(1, said('first'))]);
    expect(end.errors).toHaveLength(1);
    expect(JSON.stringify(end.errors)).not.toContain('BAD');
  });

  test('cannot reuse an id so that a result is judged as the result of another method', async () => {
    const end = opened();
    await end.receive(request(1, 'tools/call', { name: 'send' }));
    await end.receive(request(1, 'ping'));
    expect(end.received).toHaveLength(1);
    await end.send(answer(1, said('BAD')));
    expect(end.wire.sent).toEqual([answer(1, refused)]);
  });

  test('cannot answer before the request has passed', async () => {
    const end = opened();
    const sending = end.send(call(1, 'fine'));
    end.wire.onmessage?.(answer(1, said('early')));
    await sending;
    expect(end.received).toEqual([]);
  });

  test('cannot add members besides the members of JSON-RPC', async () => {
    const end = opened();
    await end.receive({ ...request(1, 'ping'), note: 'BAD' });
    expect(end.received).toEqual([request(1, 'ping')]);
  });
});

describe('the order of messages', () => {
  /** A guard whose scans end when the test says so. */
  function paused() {
    const waiting = new Map<string, () => void>();
    const signals: Pick<AbortSignal, 'aborted'>[] = [];
    const { scanner } = scripted();
    const slow: Scanner = {
      call: async (name, args, options) => {
        if (options.signal !== undefined) signals.push(options.signal);
        await new Promise<void>((done) => {
          const of = String(/one|two/.exec(JSON.stringify(args)));
          const earlier = waiting.get(of);
          waiting.set(of, () => {
            earlier?.();
            done();
          });
          options.signal?.addEventListener('abort', () => done());
        });
        return scanner.call(name, args, options);
      },
    };
    return { waiting, signals, end: endOf(scriptedGuard(slow)) };
  }

  test('is kept, although a later scan ends first', async () => {
    const { waiting, end } = paused();
    const both = [end.send(call(1, 'one')), end.send(call(2, 'two')), end.send(request(3, 'ping'))];
    await settled();
    waiting.get('two')?.();
    await settled();
    expect(end.wire.sent).toEqual([]);
    waiting.get('one')?.();
    await Promise.all(both);
    expect(end.wire.sent).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });

  test('ends the scan of a cancelled request, and sends the other side neither', async () => {
    const { signals, end } = paused();
    const sending = end.send(call(1, 'one'));
    await settled();
    await end.send(notice('notifications/cancelled', { requestId: 1 }));
    await sending;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect([end.wire.sent, end.received]).toEqual([[], []]);
  });

  test('tells the other side that a request it has received is cancelled, without the reason', async () => {
    const end = opened();
    await end.send(call(1, 'fine'));
    await end.send(notice('notifications/cancelled', { requestId: 1, reason: 'BAD' }));
    expect(end.wire.sent).toEqual([call(1, 'fine'), notice('notifications/cancelled', { requestId: 1 })]);
    await end.receive(answer(1, said('late')));
    expect(end.received).toEqual([]);
  });

  test('ends all scans when it is closed, and passes nothing more', async () => {
    const { signals, end } = paused();
    const sending = end.send(call(1, 'one'));
    await settled();
    await end.close();
    await sending;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect([end.wire.sent, end.received, end.closings]).toEqual([[], [], 1]);
  });

  test('delivers answers before it reports that the other side has left', async () => {
    const { waiting, end } = paused();
    const sending = end.send(call(1, 'one'));
    await settled();
    waiting.get('one')?.();
    await sending;
    end.wire.onmessage?.(answer(1, said('two')));
    await settled();
    end.wire.onclose?.();
    await settled();
    expect(end.closings).toBe(0);
    waiting.get('two')?.();
    await settled();
    expect([end.received, end.closings]).toEqual([[answer(1, said('two'))], 1]);
  });
});

function scriptedGuard(scanner: Scanner): Guard {
  return createGuard(scanner, { profile: 'prod', cache: false });
}

describe('the transport', () => {
  test('has the members of the inner transport', async () => {
    const wire = new Wire();
    const { guard } = scripted();
    const guarded = guardTransport(guard, wire as unknown as McpTransport, { server: 'mail' });
    guarded.setProtocolVersion?.('2025-11-25');
    expect([guarded.sessionId, wire.version, guarded.setSupportedProtocolVersions]).toEqual([
      ...['session-1', '2025-11-25', undefined],
    ]);
  });

  test.each([
    ['without the name of the server', {}, () => undefined],
    [
      'that is already connected',
      { server: 'mail' },
      (wire: Wire) => Object.assign(wire, { onmessage: () => undefined }),
    ],
  ])('%s is not wrapped', (_, options, prepare) => {
    const wire = new Wire();
    prepare(wire);
    expect(() => guardTransport(scripted().guard, wire as unknown as McpTransport, options as never)).toThrow(
      TypeError,
    );
  });

  test('passes session and user of a message to the scan', async () => {
    const { guard, asked } = scripted();
    const wire = new Wire();
    const guarded = guardTransport(guard, wire as unknown as McpTransport, {
      server: 'mail',
      context: () => ({ session_id: 's', app_user: 'ann' }),
    });
    await guarded.send(call(1, 'fine') as never);
    expect(asked[0]?.args).toMatchObject({ session_id: 's', app_user: 'ann' });
  });
});
