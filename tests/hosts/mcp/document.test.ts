/** What docs/mcp.md shows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectNone } from '../../support/expect-none.ts';
import { ROOT } from '../../support/program.ts';
import { closeConnectionsAfterEach, connect } from './support.ts';

describe('docs/mcp.md', () => {
  closeConnectionsAfterEach();

  const text = readFileSync(join(ROOT, 'docs/mcp.md'), 'utf8');
  /** The target of the conversation, which the page shortens. */
  const TARGET = 'b4e2a1d7-6c38-4f95-a0b1-7d93e5c8f264';

  test('configurations are JSON, and each starts a read-only server', () => {
    const blocks = Array.from(text.matchAll(/^```json\n([\s\S]*?)^```/gm), ([, block = '']) => JSON.parse(block));
    const args = blocks.map(({ mcpServers, servers }) => Object(mcpServers ?? servers).aisec.args);
    expect(args).toEqual(blocks.map(() => ['mcp', '--read-only']));
    expect(args.length).toBeGreaterThan(4);
  });

  test('client configurations for HTTP are JSON with the address and the token', () => {
    const entries = Array.from(text.matchAll(/^\| [\w ]+ \| `(\{.*\})` \|$/gm), ([, entry = '']) => JSON.parse(entry));
    for (const { url, httpUrl, headers } of entries) {
      expect(url ?? httpUrl).toBe('http://127.0.0.1:8789/mcp');
      expect(headers.Authorization).toMatch(/^Bearer \$.*AISEC_MCP_TOKEN/);
    }
    expect(entries).toHaveLength(3);
  });

  test('a description names the tool, the required arguments, and how to wait for a job', async () => {
    const { call } = await connect();
    const { structured } = await call('aisec_describe', { command: 'aisec-redteam-scan-create' });
    expect(structured).toMatchObject({ tool: 'aisec_change', arguments: { required: ['name', 'target_uuid'] } });
    expect(structured['job']).toContain('wait: true');
  });

  test('the conversation shows the real answers of the tools', async () => {
    const section = /^## A first conversation\n([\s\S]*?)(?=^## )/m.exec(text)?.[1] ?? '';
    const calls = section.matchAll(/`(aisec[\w-]+)` `(\{[^`]*\})`(?:(?!```)[\s\S])*?\n```\n([\s\S]*?)^```/gm);
    const { call } = await connect();
    const found: string[] = [];
    let lines = 0;
    for (const [, tool = '', args = '', block = ''] of calls) {
      const answered = await call(tool, JSON.parse(args.replace('b4e2a1d7-...', TARGET)));
      const answers = uniform(answered.text).split('\n');
      for (const line of uniform(block)
        .split('\n')
        .filter((shown) => !/^[ .]*$/.test(shown))) {
        lines += 1;
        const [begin = ''] = line.split(/\.\.\.| \{ \.\.\. \}/);
        const isShort = begin !== line;
        if (!answers.some((answer) => (isShort ? answer.startsWith(begin.trimEnd()) : answer === line)))
          found.push(`${tool}: ${line}`);
      }
    }
    expect(lines).toBeGreaterThan(20);
    expectNone(found, 'lines of docs/mcp.md that no tool answers');
  });

  /** Replaces values that change with each run: markers, and ids of created records. */
  function uniform(words: string): string {
    return words.replace(/aisec-data-[0-9a-f]{12}/g, 'MARK').replace(/job_id=[0-9a-f-]{36}/g, 'job_id=ID');
  }
});
