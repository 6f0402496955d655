/** What an agent does that knows nothing but the default tools. */
import { closeConnectionsAfterEach, connect, ERAS } from './support.ts';

closeConnectionsAfterEach();

describe.each(ERAS)('an agent with the default tools, over %s', (era) => {
  test('finds, describes and runs a red-team scan, reads its report, and cannot delete the target', async () => {
    const { call, client } = await connect({ era });
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
    const [target] = (targets.structured['outputs'] as Record<string, { uuid: string }[]>)['AiSec.RedTeamTarget'] ?? [];
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

    const report = await call('aisec_read', { command: 'aisec-redteam-report-get', arguments: { job_id: scan?.uuid } });
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
