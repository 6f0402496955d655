/** Measures the server of agents: its start, calls over stdio and HTTP, and the tokens of its tools. */
import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { scratchFolder } from '../scratch-folder.mjs';
import { AISEC, cleanEnvironment, startProgram } from '../start-program.mjs';
import { SCAN } from './cold-start.mjs';
import { emptyNode, interleaved, measuredOn, median, over, repeated, spread, table, timeOf } from './measure.mjs';

const ROUNDS = 21;
/** Rounds of calls, and calls of each: one after the other, and all at once. */
const CALL_ROUNDS = 7;
const CALLS = 200;
const AT_ONCE = 50;
/** The start may take so many times that of a scan. */
const START_LIMIT = 2;
const LIST_LIMIT = 2500;
const TOKEN = 'token-of-the-benchmark';
const CHEAP = { name: 'aisec_describe', arguments: { command: 'aisec-runtime-scan' } };
const LIST = { name: 'aisec_read', arguments: { command: 'aisec-runtime-topics-list', arguments: { limit: 5 } } };
const SELECTIONS = ['the default', 'runtime', 'dlp', 'red-team', 'model-security', 'all'];

export async function measureMcp() {
  const environment = { HOME: scratchFolder('bench-mcp'), AISEC_MCP_TOKEN: TOKEN };
  const parts = [await startOf(environment), await callsOf(environment), await tokensOf(environment)];
  const note = `\`aisec mcp\` as it is built, on the simulated service; the client is the protocol's own, in its latest version.\n${measuredOn()}`;
  return `## Agents\n\n${note}\n\n${parts.join('\n')}`;
}

async function startOf(environment) {
  const scan = () => timeOf([process.execPath, AISEC, '--simulate', SCAN], environment);
  const [empty, scans, starts] = await interleaved([emptyNode, scan, listTime], ROUNDS, (time) => time(environment));
  const rows = [
    ['one scan, from start to end', spread(over(scans, empty)), '1', ''],
    [
      '`initialize` and `tools/list` answered',
      spread(over(starts, empty)),
      spread(over(starts, scans)),
      String(START_LIMIT),
    ],
  ];
  const columns = ['program', 'relative to an empty Node', 'relative to a scan', 'limit'];
  return `An empty process (\`node -e 0\`) is 1; ${ROUNDS} rounds, medians of the ratios within a round. Both programs have the simulated service inside.\n\n${table(columns, rows)}`;
}

/** Starts a server and asks for its tools, without a client, which would be part of the figure. @returns milliseconds */
async function listTime(environment) {
  const start = performance.now();
  const { child, stdout, ended } = await startProgram([AISEC, '--simulate', 'mcp'], { environment, stdio: 'pipe' });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answered = async (id) => {
    while (!stdout.text.includes(`"id":${id}`) || !stdout.text.endsWith('\n')) {
      await Promise.race([once(child.stdout, 'data'), ended.then(({ stderr }) => failed(stderr))]);
    }
  };
  const clientInfo = { name: 'bench', version: '1' };
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  await answered(1);
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/list' });
  await answered(2);
  const milliseconds = performance.now() - start;
  if (!stdout.text.includes('"aisec_search"')) failed(stdout.text);
  child.stdin.end();
  await ended;
  return milliseconds;
}

function failed(text) {
  throw new Error(`aisec mcp failed: ${text}`);
}

async function callsOf(environment) {
  const servers = [
    ['stdio', await overStdio(environment)],
    ['HTTP', await overHttp(environment)],
  ];
  try {
    const rows = [];
    for (const [title, call] of [
      ['`aisec_describe` of a command', CHEAP],
      ['a list of custom topics', LIST],
    ]) {
      for (const [transport, { client }] of servers) {
        const [single, parallel] = await interleaved([1, AT_ONCE], CALL_ROUNDS, (width) => rate(client, call, width));
        const ratio = (median(parallel) / median(single)).toFixed(1);
        rows.push([title, transport, spread(single, 0), spread(parallel, 0), ratio]);
      }
    }
    const columns = ['call', 'transport', 'calls per second here', `${AT_ONCE} at once`, 'ratio'];
    return `${CALL_ROUNDS} rounds of ${CALLS} calls on a warm server; client and server share the machine.\n\n${table(columns, rows)}`;
  } finally {
    for (const [, { close }] of servers) await close();
  }
}

/** Measures calls per second with a fixed concurrency. */
async function rate(client, call, width) {
  const work = async () => {
    const { isError, content } = await client.callTool(call);
    if (isError) failed(JSON.stringify(content));
  };
  return (await repeated(work, { calls: CALLS, width })).rate;
}

async function tokensOf(environment) {
  const rows = [];
  for (const name of SELECTIONS) {
    const words = name === SELECTIONS[0] ? [] : ['--toolsets', name];
    const [all, reads] = [await toolsOf(environment, words), await toolsOf(environment, [...words, '--read-only'])];
    const limit = words.length === 0 ? `below ${LIST_LIMIT}` : '';
    rows.push([name, String(all.count), String(all.tokens), limit, String(reads.count), String(reads.tokens)]);
  }
  const columns = ['toolset', 'tools', 'tokens', 'limit', 'tools with --read-only', 'tokens with --read-only'];
  return `Tokens of \`tools/list\` as JSON, by o200k_base; other models count differently. \`tests/hosts/mcp/tokens.test.ts\` holds each list to its figure and 15 % more.\n\n${table(columns, rows)}`;
}

async function toolsOf(environment, words) {
  const { client, close } = await overStdio(environment, words);
  const { tools } = await client.listTools();
  await close();
  return { count: tools.length, tokens: countTokens(JSON.stringify(tools)) };
}

async function overStdio(environment, words = []) {
  const client = newClient();
  const args = [AISEC, '--simulate', '--quiet', 'mcp', ...words];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env: cleanEnvironment(environment) }),
  );
  return { client, close: () => client.close() };
}

async function overHttp(environment) {
  const { found, stop } = await startProgram([AISEC, '--simulate', 'mcp', '--http', '0'], {
    environment,
    ready: { url: /(http:\S+)/ },
  });
  const client = newClient();
  const headers = { authorization: `Bearer ${TOKEN}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(found.url), { requestInit: { headers } }));
  const close = async () => {
    await client.close();
    await stop();
  };
  return { client, close };
}

function newClient() {
  return new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } });
}
