/** What docs/mcp.md shows, and what an agent does that knows only the default tools. */
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

  /** Replaces values that change with each run: marks, and ids of created records. */
  function uniform(words: string): string {
    return words.replace(/aisec-data-[0-9a-f]{12}/g, 'MARK').replace(/job_id=[0-9a-f-]{36}/g, 'job_id=ID');
  }
});

describe('a conversation', () => {
  closeConnectionsAfterEach();

  describe('an agent with the default tools', () => {
    test('finds, describes and runs a red-team scan, reads its report, and cannot delete the target', async () => {
      const { call, client } = await connect();
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
        'aisec_search',
        'aisec_describe',
        'aisec_read',
        'aisec_change',
        'aisec_guard',
        'aisec-runtime-scan',
        'aisec-runtime-profiles-list',
        'aisec-redteam-targets-list',
      ]);

      const found = await call('aisec_search', { words: 'start a red-team scan of a target' });
      expect(found.text.split('\n')[0]).toContain('aisec-redteam-scan-create');
      const described = await call('aisec_describe', { command: 'aisec-redteam-scan-create' });
      expect(described.structured).toMatchObject({
        tool: 'aisec_change',
        arguments: { required: ['name', 'target_uuid'] },
      });
      expect(described.structured['job']).toContain('wait: true');

      const targets = await call('aisec-redteam-targets-list', { limit: 1 });
      const [target] =
        (targets.structured['outputs'] as Record<string, { uuid: string }[]>)['AiSec.RedTeamTarget'] ?? [];
      const started = await call('aisec_change', {
        command: 'aisec-redteam-scan-create',
        arguments: {
          name: 'nightly',
          target_uuid: target?.uuid,
          categories: { SECURITY: { JAILBREAK: true } },
          wait: true,
        },
      });
      expect({ text: started.text, isError: started.isError }).toMatchObject({ isError: false });
      const scan = (started.structured['outputs'] as Record<string, { uuid: string; status: string }>)[
        'AiSec.RedTeamScanGet'
      ];
      expect(scan?.status).toBe('COMPLETED');

      const report = await call('aisec_read', {
        command: 'aisec-redteam-report-get',
        arguments: { job_id: scan?.uuid },
      });
      expect({ text: report.text, isError: report.isError }).toMatchObject({ isError: false });

      const deletion = { command: 'aisec-redteam-targets-delete', arguments: { uuid: target?.uuid } };
      const refused = await call('aisec_change', deletion);
      expect(refused).toMatchObject({ isError: true, structured: { error: { code: 'usage' } } });
      expect(refused.text).toContain('confirm: true');
      const throughReading = await call('aisec_read', { ...deletion, confirm: true });
      expect(throughReading.text).toContain('aisec_change');
      const left = await call('aisec-redteam-targets-list');
      expect(JSON.stringify(left.structured)).toContain(target?.uuid);
    });
  });
});
