/** `--filter` and `--sort` on lists, and printed values as arguments, over the real commands and the simulated service. */
import { MODEL_SEED_IDS } from '../../fixtures/service/model-security/seed.ts';
import { withPrintedValues } from '../../lib/hosts/terminal/input/invocation.ts';
import { commandOf } from '../support/declared.ts';
import { run } from '../unit/report/support.ts';

const SCANS = 'redteam-scans-list';
const ATTACKS = ['redteam-report-attacks-list', 'job_id=2c8f5e1b-a7d0-4396-b4f8-e61d09c3a752'];
const GROUP = MODEL_SEED_IDS.groups.production;
const CHAT = 'b4e2a1d7-6c38-4f95-a0b1-7d93e5c8f264';

/** Runs a list in a pipe. @returns the records, the notes, and the queries of the list */
async function list(words: readonly string[], path = '/v1/scan') {
  const queries: string[] = [];
  const result = await run([...words, '--output', 'jsonl'], {
    alter: (at, response, url) => {
      if (at.endsWith(path)) queries.push(decodeURIComponent(url.search));
      return response;
    },
  });
  const records: Record<string, unknown>[] = result.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return { ...result, records, queries };
}

describe('--filter and --sort', () => {
  test.each([
    [['--filter', 'status=done'], 4, 'filtered by the service', 'status=COMPLETED'],
    [['--filter', 'status=✓ done'], 4, 'filtered by the service', 'status=COMPLETED'],
    [['--filter', 'job_type=static,status=partial'], 1, 'filtered by the service', 'status=PARTIALLY_COMPLETE'],
    [['--filter', `target_uuid=${CHAT}`], 2, 'filtered by the service', `target_id=${CHAT}`],
    [['--filter', 'asr>20'], 3, 'filtered here, over 6 records', 'limit=100'],
    [['--filter', 'name~chat', '--filter', 'asr>20'], 1, 'filtered here, over 6 records', 'limit=100'],
    [
      ['--filter', 'status=done,asr<20'],
      1,
      'filtered by the service; filtered here, over 4 records',
      'status=COMPLETED',
    ],
    [['--filter', 'created_at>90000 days ago'], 6, 'filtered here, over 6 records', 'limit=100'],
    [['--filter', 'created_at<90000 days ago'], 0, 'filtered here, over 6 records', 'limit=100'],
    [['--filter', 'status!=done'], 2, 'filtered here, over 6 records', 'limit=100'],
    [['--filter', 'target~chat', 'limit=1'], 1, 'filtered here, over 6 records', 'limit=100'],
    [['status=FAILED', '--filter', 'status=done'], 0, 'filtered here, over 1 record', 'status=FAILED'],
    [['--sort', 'asr:desc', 'limit=1'], 1, 'sorted here, over 6 records', 'limit=100'],
  ])('%j selects %d scans: %s', async (words, count, note, query) => {
    const { code, records, stderr, queries } = await list([SCANS, ...words]);
    expect([code, records.length]).toEqual([0, count]);
    expect(stderr).toContain(`note: ${note}.\n`);
    expect(queries.join('\n')).toContain(query);
  });

  test.each(['json', 'jsonl', 'context', 'entry', 'markdown', 'csv', 'yaml', 'table'])(
    'select and order the records in %s',
    async (format) => {
      const { code, stdout } = await run([SCANS, '--filter', 'asr>20', '--sort', 'score', '--output', format]);
      expect(code).toBe(0);
      const names = ['support-chatbot', 'hr-assistant', 'claims-agent'].map((name) => stdout.indexOf(name));
      expect(names.every((at) => at >= 0)).toBe(true);
      expect(names).toEqual(names.toSorted((one, other) => one - other));
      expect(stdout).not.toContain('legacy-kiosk');
    },
  );

  test('go with --fields and --jq', async () => {
    const { stdout } = await run([SCANS, '--sort', 'asr', '--fields', 'target_name,progress', '--output', 'csv']);
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'target_name,progress',
      'support-chatbot,100',
      'support-chatbot,100',
    ]);
    const chosen = await run([SCANS, '--filter', 'asr>40', '--output', 'jsonl', '--jq', '.target_name']);
    expect(chosen.stdout).toBe('hr-assistant\nclaims-agent\n');
  });

  test.each([
    { output: 'table', shown: /NAME +ASR\n\S.* 62\.5\n\S.* 43\.75\n/ },
    { output: 'csv', shown: /^name,asr\n[^,]+,62\.5\n[^,]+,43\.75\n/ },
    { output: 'jsonl', shown: /^\{"name":"[^"]+","asr":62\.5\}\n\{"name":"[^"]+","asr":43\.75\}\n/ },
    { output: 'json', shown: /"AiSec\.RedTeamScan":\[\{"name":"[^"]+","asr":62\.5\}/ },
  ])('print a field that only the table has as $output', async ({ output, shown }) => {
    const { stdout } = await run([SCANS, '--sort', 'asr:desc', '--fields', 'name,asr', '--output', output]);
    expect(stdout).toMatch(shown);
  });

  test('sort severities from critical to low', async () => {
    const { records } = await list([...ATTACKS, '--sort', 'severity'], '/list-attacks');
    const words = [...new Set(records.map(({ severity }) => severity))];
    expect(words).toEqual(['CRITICAL', 'HIGH', 'MEDIUM', 'LOW']);
    expect(records).toHaveLength(48);
  });

  test('sort in the query of the service where it can, and keep its limit', async () => {
    const { stderr, queries, records } = await list(
      ['model-security-models-list', '--sort', 'created_at', 'limit=2'],
      '/v1/models',
    );
    expect(stderr).toContain('note: sorted by the service.\n');
    expect(queries).toEqual([expect.stringMatching(/sort_field=created_at&sort_order=asc.*limit=2/)]);
    expect(records).toHaveLength(2);
  });

  test.each([
    ['runtime-dlp-profiles-list', ['--filter', 'type=custom', 'size=2'], 2],
    ['runtime-dlp-patterns-list', ['--filter', 'name~a', '--sort', 'name'], undefined],
    ['runtime-topics-list', ['--filter', 'topic name~zzz'], 0],
    ['model-security-rule-instances-list', [`security_group_uuid=${GROUP}`, '--filter', 'state!=allowing'], undefined],
    ['model-security-labels-keys', ['--filter', 'value~e'], undefined],
  ])('work on %s', async (name, words, count) => {
    const { code, records, stderr } = await list([name, ...words], '');
    expect([code, stderr.includes('error')]).toEqual([0, false]);
    expect(stderr).toContain('here, over');
    if (count !== undefined) expect(records).toHaveLength(count);
  });

  test('say how many records could not be compared', async () => {
    const { records, stderr } = await list([SCANS, '--filter', 'asr>20']);
    expect(records).toHaveLength(3);
    expect(stderr).toContain('note: 2 records left out: asr is empty or cannot be compared (>20).\n');
  });

  test('say nothing with --quiet', async () => {
    const { stderr } = await run([SCANS, '--filter', 'asr>20', '--quiet']);
    expect(stderr).toBe('');
  });

  test.each([
    [[SCANS, '--filter', 'sttus=done'], 'there is no field "sttus"', 'Did you mean "status"?'],
    [[SCANS, '--filter', 'created_at>soon'], 'created_at is a time', 'yesterday'],
    [['model-security-models-list', '--filter', 'created_at=never'], 'created_at is a time', 'yesterday'],
    [[SCANS, '--sort', 'asr:up'], 'no known direction', 'FIELD:desc'],
    [['redteam-scan-get', `job_id=${CHAT}`, '--filter', 'a=b'], 'is for lists', '--fields'],
    [['redteam-devices-delete', 'uuid=x', '--sort', 'a'], '', ''],
    [['commands', '--filter', 'a=b'], 'Option --filter is for commands', ''],
    [['doctor', '--sort', 'a'], 'Option --sort is for commands', ''],
  ])('refuse %j, and send nothing', async (words, message, hint) => {
    const sent: string[] = [];
    const { code, stderr, stdout } = await run(words, {
      alter: (at, response) => {
        sent.push(at);
        return response;
      },
    });
    expect([code, stdout, sent]).toEqual([2, '', []]);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });

  test('of a bulk scan are refused with what filters its rows', async () => {
    const words = ['runtime-bulk-scan', 'profile_name=prod', 'prompts_csv=prompt\nHello'];
    const { code, stderr } = await run([...words, '--filter', 'decision=block']);
    expect([code, stderr.replace(/\s+/g, ' ')]).toEqual([2, expect.stringContaining('with --output jsonl --jq')]);
  });

  test('work at the end of a line of the war room', async () => {
    const { stdout } = await run([], {
      terminal: { columns: 80, rows: 24 },
      typed: `${SCANS} --filter 'status=✓ done,asr>40' --sort asr\r\u0004`,
    });
    expect(stdout).toMatch(/claims-agent[\s\S]*hr-assistant[\s\S]*2 red-team scans/);
    expect(stdout).toContain('44% ████░░░░');
  });
});

describe('printed values', () => {
  test.each([
    [[SCANS, 'status=done'], '/v1/scan', 'status=COMPLETED'],
    [[SCANS, 'status=◐ partial'], '/v1/scan', 'status=PARTIALLY_COMPLETE'],
    [[SCANS, 'job_type=static'], '/v1/scan', 'job_type=STATIC'],
    [[...ATTACKS, 'severity=█ critical'], '/list-attacks', 'severity=CRITICAL'],
    [['redteam-network-channels-list', 'status=online,… draft'], '/v1/channels', 'status=ONLINE&status=DRAFT'],
    // Neither a choice nor a suggestion: the service decides.
    [[SCANS, 'status=odd'], '/v1/scan', 'status=odd'],
  ])('are accepted as arguments: %j', async (words, path, query) => {
    const { queries } = await list(words, path);
    expect(queries.join('\n')).toContain(query);
  });

  test.each([
    ['4d', '4 days'],
    ['30m', '30 minutes'],
    ['12h', '12 hours'],
    ['2w', '2 weeks'],
    ['1y', '365 days'],
    ['4 days', '4 days'],
    ['2026-11-01', '2026-11-01'],
    ['4x', '4x'],
    ['now', 'now'],
  ])('of ages are accepted where a time is wanted: %s is %s', (typed, expected) => {
    const pairs = [
      { name: 'start_time', value: typed },
      { name: 'search_query', value: typed },
    ];
    const command = commandOf('aisec-model-security-models-list');
    const {
      pairs: [time, text],
    } = withPrintedValues({ name: command.name, pairs, positionals: [] }, command);
    expect([time?.value, text?.value]).toEqual([expected, typed]);
  });

  test('of suggested values stay as typed in a change', () => {
    const command = commandOf('aisec-redteam-scan-create');
    const pairs = [{ name: 'name', value: '✓ done' }];
    expect(withPrintedValues({ name: command.name, pairs, positionals: [] }, command).pairs).toEqual(pairs);
  });
});
