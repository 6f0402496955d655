/** Tests the Model Context Protocol adapter, in both generations of the SDK. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as check } from 'node:test';
import { AWAY, CARD, framework, INJECTION, MESSAGE, until } from '../framework.mjs';

const V1 = '1.32.2';
const V2 = '2.4.0';

const { aisec, folder, guardOf, imported, shows } = await framework([
  `@modelcontextprotocol/sdk@${V1}`,
  `@modelcontextprotocol/client@${V2}`,
  `@modelcontextprotocol/server@${V2}`,
  'zod@4.6.7',
]);
const { guardTransport } = await imported('aisec/guard/mcp');
const { z } = await imported('zod');

const client1 = await imported('@modelcontextprotocol/sdk/client/index.js');
const server1 = await imported('@modelcontextprotocol/sdk/server/mcp.js');
const stdio1 = await imported('@modelcontextprotocol/sdk/client/stdio.js');
const memory1 = await imported('@modelcontextprotocol/sdk/inMemory.js');
const client2 = await imported('@modelcontextprotocol/client');
const stdio2 = await imported('@modelcontextprotocol/client/stdio');
const server2 = await imported('@modelcontextprotocol/server');
const GENERATIONS = [
  { version: V1, Client: client1.Client, McpServer: server1.McpServer, Memory: memory1.InMemoryTransport },
  { version: V2, Client: client2.Client, McpServer: server2.McpServer, Memory: server2.InMemoryTransport },
];

/** A server for a separate process, with its own guard. */
const STDIO = `
const [generation, isGuarded] = process.argv.slice(2);
const { McpServer } = await import(generation === '1' ? '@modelcontextprotocol/sdk/server/mcp.js' : '@modelcontextprotocol/server');
const { StdioServerTransport } = await import('@modelcontextprotocol/' + (generation === '1' ? 'sdk/server/stdio.js' : 'server/stdio'));
const { createAisec } = await import('aisec');
const { createGuard } = await import('aisec/guard');
const { guardTransport } = await import('aisec/guard/mcp');
const { z } = await import('zod');
const server = new McpServer({ name: 'mail', version: '1.0.0' });
server.registerTool('echo', { description: 'Echoes.', inputSchema: z.object({ body: z.string() }) }, async ({ body }) => {
  process.stderr.write('ran\\n');
  return { content: [{ type: 'text', text: body.replaceAll('#', '1') }] };
});
const guard = createGuard(createAisec({ simulate: true }), { profile: 'prod' });
const transport = new StdioServerTransport();
await server.connect(isGuarded === 'yes' ? guardTransport(guard, transport, { server: 'mail' }) : transport);
`;
const program = join(folder, 'server.mjs');
writeFileSync(program, STDIO);

try {
  for (const generation of GENERATIONS) await inMemory(generation);
  for (const [number, version, { Client }, { StdioClientTransport }] of [
    ['1', V1, client1, stdio1],
    ['2', V2, client2, stdio2],
  ])
    for (const side of ['client', 'server']) await overStdio({ number, version, Client, StdioClientTransport, side });
  await check("the document's program prints the documented output", async () => {
    await shows('mcp');
    await shows('mcp', { isAway: true });
  });
} finally {
  await aisec.close();
}

async function inMemory({ version, Client, McpServer, Memory }) {
  /** Connects a client and a server, with a guard on one side. */
  const connected = async ({ side = 'client', options = {}, scanner = aisec, instructions = 'Be kind.' } = {}) => {
    const state = { ran: [], logs: [], errors: [] };
    const server = new McpServer({ name: 'mail', version: '1.0.0' }, { capabilities: { logging: {} }, instructions });
    const inputSchema = z.object({ body: z.string() });
    server.registerTool('send', { description: 'Sends.', inputSchema }, async ({ body }) => {
      state.ran.push(body);
      // Digits instead of signs make the answer bad, but not the call.
      const text = body.replaceAll('#', '1');
      await server.server.notification({ method: 'notifications/message', params: { level: 'info', data: text } });
      return { content: [{ type: 'text', text }], _meta: { usage: 7 } };
    });
    server.registerTool('bad', { description: INJECTION }, async () => ({ content: [] }));
    server.registerPrompt('greet', { description: 'Greets.' }, async () => ({
      messages: [{ role: 'user', content: { type: 'text', text: INJECTION } }],
    }));
    server.registerResource('note', 'note://1', {}, async () => ({ contents: [{ uri: 'note://1', text: INJECTION }] }));
    const [here, there] = Memory.createLinkedPair();
    const guard = guardOf(options, scanner);
    const guarded = (transport, of) => (of === side ? guardTransport(guard, transport, { server: 'mail' }) : transport);
    const client = new Client({ name: 'trial', version: '1.0.0' });
    client.onerror = (error) => state.errors.push(error.message);
    client.fallbackNotificationHandler = async ({ params }) => state.logs.push(params.data);
    await server.connect(guarded(there, 'server'));
    await client.connect(guarded(here, 'client'));
    const call = async (body) => client.callTool({ name: 'send', arguments: { body } });
    return { state, client, server, call };
  };
  const blocked = (result) => {
    assert.equal(result.isError, true);
    assert.equal(result.content[0].text, MESSAGE);
  };
  for (const side of ['client', 'server']) {
    const titled = (title, run) => check(`SDK ${version}, guard of the ${side}: ${title}`, run);
    await titled('passes a call, its result and its metadata', async () => {
      const { call, state, client } = await connected({ side });
      const { content, _meta } = await call('Good morning.');
      assert.deepEqual([content[0].text, _meta.usage, state.logs], ['Good morning.', 7, ['Good morning.']]);
      await client.close();
    });
    await titled('refuses a bad call before the server runs it', async () => {
      const { call, state } = await connected({ side });
      blocked(await call(INJECTION));
      assert.deepEqual(state.ran, []);
    });
    await titled('replaces a bad result, and drops a bad log', async () => {
      const { call, state } = await connected({ side, options: { mask: { input: true, output: true } } });
      blocked(await call(CARD.replaceAll('1', '#')));
      assert.deepEqual([state.ran.length, state.logs, state.errors], [1, [], []]);
    });
    await titled('removes a tool with a bad description, and refuses calls to it', async () => {
      const { client } = await connected({ side });
      assert.deepEqual(
        (await client.listTools()).tools.map(({ name }) => name),
        ['send'],
      );
      blocked(await client.callTool({ name: 'bad' }));
    });
    await titled('refuses to connect to a server with bad instructions', async () => {
      await assert.rejects(connected({ side, instructions: INJECTION }), new RegExp(MESSAGE));
    });
    await titled('refuses a bad prompt and a bad resource', async () => {
      const { client } = await connected({ side });
      await assert.rejects(client.getPrompt({ name: 'greet' }), new RegExp(MESSAGE));
      await assert.rejects(client.readResource({ uri: 'note://1' }), new RegExp(MESSAGE));
    });
    await titled('stops the scan when the caller cancels', async () => {
      let ended = 0;
      const stopping = new AbortController();
      const hanging = {
        call: (name, args, { signal }) =>
          JSON.stringify(args).includes('stay here')
            ? new Promise((_, fail) => {
                signal.addEventListener('abort', () => {
                  ended += 1;
                  fail(Object.assign(new Error('stopped'), { code: 'cancelled' }));
                });
                stopping.abort();
              })
            : aisec.call(name, args, { signal }),
      };
      const { client, state } = await connected({ side, scanner: hanging });
      const options = { signal: stopping.signal };
      const params = { name: 'send', arguments: { body: 'stay here' } };
      const calling = version === V1 ? client.callTool(params, undefined, options) : client.callTool(params, options);
      await assert.rejects(calling);
      await until(() => ended > 0);
      assert.deepEqual([ended, state.ran], [1, []]);
    });
    for (const onError of ['block', 'allow'])
      await titled(`follows onError ${onError} while the service is away`, async () => {
        const connecting = connected({ side, options: { onError }, scanner: AWAY });
        if (onError === 'block') return assert.rejects(connecting, new RegExp(MESSAGE));
        const { call } = await connecting;
        assert.equal((await call('fine')).content[0].text, 'fine');
      });
  }
}

async function overStdio({ number, version, Client, StdioClientTransport, side }) {
  await check(`SDK ${version} over stdio, guard of the ${side}`, async () => {
    const args = [program, number, side === 'server' ? 'yes' : 'no'];
    const transport = new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: 'pipe' });
    let log = '';
    transport.stderr?.on('data', (chunk) => {
      log += chunk;
    });
    const guard = guardOf();
    const client = new Client({ name: 'trial', version: '1.0.0' });
    await client.connect(side === 'client' ? guardTransport(guard, transport, { server: 'mail' }) : transport);
    const call = async (body) => (await client.callTool({ name: 'echo', arguments: { body } })).content[0].text;
    const texts = await Promise.all(['one', INJECTION, CARD.replaceAll('1', '#'), 'two'].map(call));
    assert.deepEqual(texts, ['one', MESSAGE, MESSAGE, 'two']);
    await client.close();
    assert.equal(log, 'ran\n'.repeat(3));
  });
}
