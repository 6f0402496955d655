/** Counts the tokens of the tools offered to agents. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { scratchFolder } from '../scratch-folder.mjs';
import { AISEC, cleanEnvironment } from '../start-program.mjs';
import { table } from './measure.mjs';

const LIST_LIMIT = 2500;
const SELECTIONS = ['the default', 'runtime', 'dlp', 'red-team', 'model-security', 'all'];

export async function measureMcp() {
  const environment = { HOME: scratchFolder('bench-mcp') };
  const rows = [];
  for (const name of SELECTIONS) {
    const words = name === SELECTIONS[0] ? [] : ['--toolsets', name];
    const [all, reads] = [await toolsOf(environment, words), await toolsOf(environment, [...words, '--read-only'])];
    const limit = words.length === 0 ? `below ${LIST_LIMIT}` : '';
    rows.push([name, String(all.count), String(all.tokens), limit, String(reads.count), String(reads.tokens)]);
  }
  const columns = ['toolset', 'tools', 'tokens', 'limit', 'tools with --read-only', 'tokens with --read-only'];
  const note = `Tokens of \`tools/list\` as JSON, by o200k_base; other models count differently. \`tests/hosts/mcp/tokens.test.ts\` fails if a list grows by more than 15 %.`;
  return `## Agents\n\n${note} Counted on ${new Date().toISOString().slice(0, 10)}.\n\n${table(columns, rows)}`;
}

async function toolsOf(environment, words) {
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const args = [AISEC, '--simulate', '--quiet', 'mcp', ...words];
  const env = cleanEnvironment(environment);
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  const { tools } = await client.listTools();
  await client.close();
  return { count: tools.length, tokens: countTokens(JSON.stringify(tools)) };
}
