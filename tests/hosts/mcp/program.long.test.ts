/** `aisec mcp` as a process: its input, its output, and its end. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client';
import { temporaryFolder } from '../../support/folder.ts';
import { ended, type Given, program, start } from '../../support/program.ts';

const path = program({ withCatalogue: true });

const ME = { name: 'test', version: '1' };
const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: ME };
/** The headers that every request of the later protocol version has. */
const ENVELOPE = {
  _meta: {
    [PROTOCOL_VERSION_META_KEY]: '2026-07-28',
    [CLIENT_INFO_META_KEY]: ME,
    [CLIENT_CAPABILITIES_META_KEY]: {},
  },
};
const SCAN = { name: 'aisec-runtime-scan', arguments: { profile_name: 'prod', prompt: 'hello' } };

interface Message {
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number };
}

/** Starts the program. */
function run(words: readonly string[], given: Partial<Given> = {}): ChildProcess {
  return start(path, ['mcp', ...words], { folder: temporaryFolder('mcp'), environment: {}, input: null, ...given });
}

/** Talks to the program in lines of JSON. */
function conversation(child: ChildProcess) {
  const answers = new Map<number | undefined, Message>();
  const waiting = new Map<number, (message: Message) => void>();
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    answers.set(message.id, message);
    waiting.get(message.id ?? -1)?.(message);
  });
  const write = (text: string) => child.stdin?.write(`${text}\n`);
  let count = 0;
  return {
    answers,
    write,
    notify: (method: string, params: object = {}) => write(JSON.stringify({ jsonrpc: '2.0', method, params })),
    ask: (method: string, params: object = {}): Promise<Message> => {
      count += 1;
      const id = count;
      const answer = new Promise<Message>((resolve) => waiting.set(id, resolve));
      write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      return answer;
    },
  };
}

describe('over stdio', () => {
  test('answers an agent of 2025, writes nothing but the protocol to stdout, and ends with 0 when stdin is closed', async () => {
    const child = run(['--simulate', '--log-level', 'trace']);
    const end = ended(child);
    const { ask, notify, write } = conversation(child);
    expect(await ask('initialize', INITIALIZE)).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    notify('notifications/initialized');
    expect(await ask('tools/list')).toMatchObject({
      result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'aisec_search' })]) },
    });
    write('{broken');
    write('');
    expect(await ask('no/such/method')).toMatchObject({ error: { code: -32_601 } });
    expect(await ask('tools/call', SCAN)).toMatchObject({ result: { structuredContent: { simulated: true } } });
    expect(await ask('prompts/list')).toMatchObject({ result: { prompts: [{ name: 'scan-prompt' }] } });
    child.stdin?.end();
    const { code, stdout, stderr } = await end;
    expect(code).toBe(0);
    for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(stderr).toContain('/v1/scan');
  });

  test('answers an agent of 2026 without a handshake', async () => {
    const child = run(['--simulate']);
    const end = ended(child);
    const { ask } = conversation(child);
    expect(await ask('server/discover', ENVELOPE)).toMatchObject({
      result: { supportedVersions: expect.arrayContaining(['2026-07-28']) },
    });
    expect(await ask('tools/call', { ...SCAN, ...ENVELOPE })).toMatchObject({
      result: { structuredContent: { simulated: true } },
    });
    child.stdin?.end();
    expect(await end).toMatchObject({ code: 0, stderr: '' });
  });

  test('sends no answer to a call that was cancelled', async () => {
    const child = run(['--simulate', '--fault', 'hang@/v1/scan']);
    const end = ended(child);
    const { ask, notify, answers } = conversation(child);
    await ask('initialize', INITIALIZE);
    notify('notifications/initialized');
    void ask('tools/call', SCAN);
    await ask('ping');
    notify('notifications/cancelled', { requestId: 2 });
    await ask('ping');
    child.stdin?.end();
    expect(await end).toMatchObject({ code: 0 });
    expect([...answers.keys()]).toEqual([1, 3, 4]);
  });

  test.each([
    ['a closed stdin', (child: ChildProcess) => child.stdin?.end(), 0],
    ['SIGTERM', (child: ChildProcess) => child.kill('SIGTERM'), 0],
    ['Ctrl-C', (child: ChildProcess) => child.kill('SIGINT'), 0],
  ])('ends on %s, also during a call', async (_, stop, code) => {
    const child = run(['--simulate', '--fault', 'hang@/v1/scan']);
    const end = ended(child);
    const { ask, notify } = conversation(child);
    await ask('initialize', INITIALIZE);
    notify('notifications/initialized');
    void ask('tools/call', SCAN);
    await ask('ping');
    stop(child);
    expect(await end).toMatchObject({ code, signal: null });
  });

  test('starts without settings, and a call names the missing settings and where to set them', async () => {
    const child = run([]);
    const end = ended(child);
    const { ask, notify } = conversation(child);
    await ask('initialize', INITIALIZE);
    notify('notifications/initialized');
    const { result } = await ask('tools/call', SCAN);
    expect(result).toMatchObject({
      isError: true,
      structuredContent: {
        error: { code: 'configuration', hint: expect.stringContaining('--simulate') },
      },
    });
    expect(JSON.stringify(result)).toContain('AISEC_');
    child.stdin?.end();
    expect(await end).toMatchObject({ code: 0 });
  });
});

describe('over HTTP', () => {
  const LIST = { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }) };
  const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const TOKEN = 'chosen.token-of~this+test/0==';

  /** Starts the server on a free port. @returns the text it prints when it is ready */
  async function served(environment: Readonly<Record<string, string>> = {}, more: readonly string[] = []) {
    const child = run(['--http', '0', '--simulate', ...more], { environment });
    const end = ended(child);
    const [chunk] = (await once(child.stderr as NodeJS.ReadableStream, 'data')) as [Buffer];
    const said = String(chunk);
    const list = (token = '') =>
      fetch(/http:\S+/.exec(said)?.[0] ?? said, { ...LIST, headers: { ...HEADERS, authorization: `Bearer ${token}` } });
    return { child, end, said, list };
  }

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'prints its address and token on stderr, and ends on %s',
    async (signal) => {
      const { child, end, said, list } = await served();
      const token = /Bearer ([\w-]{32})"/.exec(said)?.[1];
      expect((await list(token)).status).toBe(200);
      expect((await list()).status).toBe(401);
      child.kill(signal);
      expect(await end).toMatchObject({ code: 0, stdout: '', signal: null });
    },
  );

  test('prints the generated token even with --quiet, because clients need it', async () => {
    const { child, end, said, list } = await served({}, ['--quiet']);
    expect((await list(/Bearer ([\w-]{32})"/.exec(said)?.[1])).status).toBe(200);
    child.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 0 });
  });

  test('reads its token from the environment, and never prints it', async () => {
    const { child, end, list } = await served({ AISEC_MCP_TOKEN: TOKEN });
    expect((await list(TOKEN)).status).toBe(200);
    expect((await list('another-token-of-good-length')).status).toBe(401);
    child.kill('SIGTERM');
    const { stdout, stderr } = await end;
    expect(stdout + stderr).not.toContain(TOKEN);
  });
});

describe('refuses to start', () => {
  test.each([
    { words: ['--http', '99999'], code: 2, says: '"99999" is not a port' },
    { words: ['8789'], code: 2, says: 'Add --http' },
    { words: ['--port', '8789'], code: 2, says: 'Add --http' },
    { words: ['--host', '127.0.0.1'], code: 2, says: 'Add --http' },
    { words: ['--http', '1', '2'], code: 2, says: 'Usage: aisec mcp' },
    { words: ['--http', '0', '--host', '192.0.2.1'], code: 2, says: 'is not an address of this machine' },
    { words: ['--toolsets', 'runtime,nothing'], code: 2, says: 'There is no toolset "nothing"' },
    { words: ['--http', '0'], token: 'k3y-of-15-chars', code: 3, says: '16 characters or more' },
    { words: ['--http', '0'], token: '', code: 3, says: '16 characters or more' },
    { words: ['--http', '0'], token: 'ein-schlüssel-mit-umlaut', code: 3, says: 'no bearer token' },
  ])('with exit code $code for $words: $says', async ({ words, token, code, says }) => {
    const environment: Record<string, string> = token === undefined ? {} : { AISEC_MCP_TOKEN: token };
    const end = await ended(run(['--simulate', ...words], { environment }));
    expect(end).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(says) });
    if (token !== undefined && token !== '') expect(end.stderr).not.toContain(token);
  });

  test('on a port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    try {
      const { port } = other.address() as AddressInfo;
      const end = await ended(run(['--simulate', '--http', String(port)]));
      expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(`127.0.0.1:${port} is in use.`) });
    } finally {
      other.close();
    }
  });
});
