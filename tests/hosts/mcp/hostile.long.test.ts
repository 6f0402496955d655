/** Hostile and long messages: the connection survives, and reveals nothing. */
import { PassThrough } from 'node:stream';
import { serveAgents } from '../../../lib/hosts/mcp/main.ts';
import { MAX_MESSAGE_BYTES } from '../../../lib/hosts/mcp/message.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { TEST_TIME } from '../../support/simulated.ts';
import { listen, parts } from './support.ts';

/** Serves agents over streams until `end` is called. */
function serveStdio() {
  const [stdin, stdout, ending] = [new PassThrough(), new PassThrough(), new AbortController()];
  const client = { simulate: { now: TEST_TIME }, filesDirectory: temporaryFolder('agents') };
  const served = serveAgents(
    parts,
    { readOnly: false, allowSecrets: false, client },
    { stdin, stdout, note: () => undefined, signal: ending.signal },
  );
  const end = () => {
    ending.abort();
    return served;
  };
  return { stdin, stdout, end };
}

const INITIALIZE = {
  ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'test', version: '1' },
  },
};

describe('hostile messages', () => {
  /** Values of every type, and of odd sizes. */
  const ODD: readonly unknown[] = [
    null,
    true,
    -1,
    1.5,
    1e308,
    2 ** 53,
    '',
    'x'.repeat(10_000),
    '\u0000\u202e\ud800',
    '![](http://192.0.2.1)',
    [],
    [[]],
    {},
    { __proto__: { a: 1 }, constructor: 1, toString: 1 },
    JSON.parse('{"__proto__":{"a":1}}'),
    JSON.parse(`${'['.repeat(2000)}${']'.repeat(2000)}`),
  ];
  const METHODS = [
    'ping',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/read',
    'resources/subscribe',
    'prompts/get',
    'prompts/list',
    'completion/complete',
    'logging/setLevel',
    'server/discover',
    'subscriptions/listen',
    'initialize',
    'tasks/get',
    'elicitation/create',
    'rpc.discover',
    '__proto__',
    'constructor',
    '',
  ];
  const NOTES = [
    'notifications/cancelled',
    'notifications/progress',
    'notifications/initialized',
    'notifications/none',
  ];

  /** Creates the messages; each has a unique id, unless its id is the hostile part. */
  function messages(): string[] {
    const made: unknown[] = [];
    const add = (message: object) => made.push({ jsonrpc: '2.0', id: `m${made.length}`, ...message });
    for (const odd of ODD) {
      for (const method of METHODS) {
        add({ method, params: odd });
        add({ method, params: { name: odd, uri: odd, arguments: odd, cursor: odd } });
        add({ method, params: { _meta: odd } });
      }
      for (const method of NOTES) {
        made.push({ jsonrpc: '2.0', method, params: odd });
        made.push({
          jsonrpc: '2.0',
          method,
          params: { requestId: odd, progressToken: odd, progress: odd, reason: odd },
        });
      }
      add({ method: odd });
      add({ id: odd, method: 'ping' });
      add({ jsonrpc: odd, method: 'ping' });
      add({ result: odd });
      add({ error: odd });
      const call = (name: string, args: unknown, more: object = {}) =>
        add({ method: 'tools/call', params: { name, arguments: args, ...more } });
      call('aisec_search', { words: 'x' }, { _meta: { progressToken: odd } });
      for (const name of ['aisec_search', 'aisec_describe', 'aisec_read', 'aisec_change', 'aisec-runtime-scan'])
        call(name, { words: odd, command: odd, arguments: odd, prompt: odd });
      for (const args of [odd, { limit: odd }])
        call('aisec_read', { command: 'aisec-runtime-topics-list', arguments: args });
      call('aisec-runtime-scan', { profile_name: odd, prompt: odd });
      call('aisec_change', {
        ...{ command: 'aisec-runtime-topics-delete', arguments: { topic_id: odd }, confirm: odd },
      });
      call('aisec_read', {}, { inputResponses: odd, requestState: odd });
      made.push([odd], odd);
    }
    return [
      ...made.map((message) => JSON.stringify(message)),
      '{broken',
      '',
      '\u0000',
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
      `{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"aisec_read","arguments":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`,
      '{"jsonrpc":"2.0","id":1e400,"method":"ping"}',
      '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
    ];
  }

  /** What no answer may contain: a stack, a local path, or a secret from the settings. */
  const LEAK = /\bat [\w.<>]+ \(|node_modules|\/work\/|\/tmp\/|file:\/\/\/|RangeError|TypeError/;

  const AT_ONCE = 50;
  /** A busy processor must not fail a test. */
  const MAX_MS = 300_000;

  test(
    'more than a thousand hostile messages neither end a connection over stdio nor reveal anything',
    async () => {
      const { stdin, stdout, end } = serveStdio();
      const hostile = messages();
      expect(hostile.length).toBeGreaterThan(1000);
      const lines = [JSON.stringify(INITIALIZE), ...hostile];
      for (const line of lines) stdin.write(`${line}\n`);
      const answers: { id?: unknown }[] = [];
      const found: string[] = [];
      const wanted = new Set(
        lines.flatMap((line) => /^\{"jsonrpc":"2.0","id":"(m\d+)","method":"/.exec(line)?.[1] ?? []),
      );
      let text = '';
      stdin.write('{"jsonrpc":"2.0","id":"last","method":"ping"}\n');
      for await (const chunk of stdout) {
        text += String(chunk);
        const ended = text.lastIndexOf('\n');
        for (const line of text.slice(0, Math.max(0, ended)).split('\n')) {
          if (line === '') continue;
          const answer = JSON.parse(line) as { id?: unknown };
          if (LEAK.test(line)) found.push(`leak: ${line.slice(0, 300)}`);
          answers.push(answer);
          wanted.delete(String(answer.id));
        }
        text = text.slice(ended + 1);
        if (wanted.size === 0 && answers.some(({ id }) => id === 'last')) break;
      }
      await end();
      expectNone(found, 'answers that reveal something');
      expect(Object.keys(Object.prototype)).toEqual([]);
    },
    MAX_MS,
  );

  test(
    'more than a thousand hostile messages neither end a server over HTTP nor reveal anything',
    async () => {
      const { url, token, close } = await listen();
      const found: string[] = [];
      try {
        const headers = {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        };
        const send = async (body: string) => {
          const response = await fetch(url, { method: 'POST', headers, body });
          return { status: response.status, text: await response.text() };
        };
        const check = async (line: string) => {
          const { status, text } = await send(line);
          if (status >= 500 || LEAK.test(text)) found.push(`${status} to ${line.slice(0, 100)}: ${text.slice(0, 300)}`);
        };
        const lines = messages();
        while (lines.length > 0) await Promise.all(lines.splice(0, AT_ONCE).map(check));
        expect((await send('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}')).status).toBe(200);
      } finally {
        await close();
      }
      expectNone(found, 'answers that reveal something or fail');
    },
    MAX_MS,
  );
});

describe('long messages', () => {
  const PING = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });
  const LONG = 'x'.repeat(MAX_MESSAGE_BYTES);
  /** Writes lines to a server, then a ping. @returns its answers up to the ping's */
  async function answersTo(
    lines: readonly string[],
  ): Promise<{ id: unknown; error?: { code: number; message: string } }[]> {
    const { stdin, stdout, end } = serveStdio();
    for (const line of [JSON.stringify(INITIALIZE), ...lines, JSON.stringify(PING('last'))]) stdin.write(`${line}\n`);
    let text = '';
    for await (const chunk of stdout) {
      text += String(chunk);
      if (/"id":"last"[^\n]*\n/.test(text)) break;
    }
    await end();
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ id }) => id !== 0 && id !== 'last');
  }

  test.each([
    { what: 'a number before its content', line: JSON.stringify({ ...PING(7), params: { x: LONG } }), id: 7 },
    { what: 'a string after its content', line: `{"method":"ping","params":{"x":"${LONG}"},"id":"a\\n"}`, id: 'a\n' },
    { what: 'no id', line: JSON.stringify({ jsonrpc: '2.0', method: 'ping', params: { x: LONG } }), id: null },
    { what: 'no JSON', line: LONG + LONG, id: null },
  ])('a long message with $what is answered with an error, and the next message as usual', async ({ line, id }) => {
    expect(await answersTo([line, line])).toEqual(
      [id, id].map((each) => ({
        jsonrpc: '2.0',
        id: each,
        error: { code: -32_600, message: expect.stringContaining('longer than 10 MB') },
      })),
    );
  });
});
