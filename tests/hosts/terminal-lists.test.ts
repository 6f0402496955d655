/** `--filter` and `--sort` on lists, and printed values as arguments, over the real commands and the simulated service. */

import { PassThrough } from 'node:stream';
import { simulated } from '../../bin/simulated.ts';
import { PROGRAM } from '../../bin/subcommands.ts';
import { registry } from '../../commands/index.ts';
import { MODEL_SEED_IDS } from '../../fixtures/service/model-security/seed.ts';
import { withPrintedValues } from '../../lib/hosts/terminal/line/invocation.ts';
import { commandHelp } from '../../lib/hosts/terminal/result/command-help.ts';
import { main } from '../../lib/hosts/terminal/shell/main.ts';
import { plainMeasure } from '../../lib/hosts/terminal/ui/measure.ts';
import { catalogueOf } from '../../lib/manifest/describe.ts';
import { commandOf } from '../support/declared.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { LINE_ROWS } from '../support/lines.ts';
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
    [['--filter', 'job_type=static,status=partial'], 1, 'filtered by the service', 'status=PARTIALLY_COMPLETE'],
    [['--filter', `target_uuid=${CHAT}`], 2, 'filtered by the service', `target_id=${CHAT}`],
    [['--filter', 'asr>20'], 3, 'filtered here, over 6 records', 'limit=100'],
    [
      ['--filter', 'status=done,asr<20'],
      1,
      'filtered by the service; filtered here, over 4 records',
      'status=COMPLETED',
    ],
    [['--filter', 'created_at>90000 days ago'], 6, 'filtered here, over 6 records', 'limit=100'],
    [['--filter', 'status!=done'], 2, 'filtered here, over 6 records', 'limit=100'],
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

  test.each([
    { output: 'table', shown: /NAME +ASR\n\S.* 62\.5\n\S.* 43\.75\n/ },
    { output: 'csv', shown: /^name,asr\n[^,]+,62\.5\n[^,]+,43\.75\n/ },
  ])('print a table-only field as $output', async ({ output, shown }) => {
    const { stdout } = await run([SCANS, '--sort', 'asr:desc', '--fields', 'name,asr', '--output', output]);
    expect(stdout).toMatch(shown);
  });

  test.each([
    ['runtime-dlp-profiles-list', ['--filter', 'type=custom', 'size=2'], 2],
    ['model-security-rule-instances-list', [`security_group_uuid=${GROUP}`, '--filter', 'state!=allowing'], undefined],
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

  test.each([
    [[SCANS, '--filter', 'sttus=done'], 'there is no field "sttus"', 'Did you mean "status"?'],
    [[SCANS, '--filter', 'created_at>soon'], 'created_at is a time', 'yesterday'],
    [['redteam-scan-get', `job_id=${CHAT}`, '--filter', 'a=b'], 'is for lists', '--fields'],
    [['commands', '--filter', 'a=b'], 'Option --filter is for commands', ''],
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

  test('of a bulk scan are refused, with the options that filter its rows', async () => {
    const words = ['runtime-bulk-scan', 'profile_name=prod', 'prompts_csv=prompt\nHello'];
    const { code, stderr } = await run([...words, '--filter', 'decision=block']);
    expect([code, stderr.replace(/\s+/g, ' ')]).toEqual([2, expect.stringContaining('with --output jsonl --jq')]);
  });

  test('let the service sort if it can, and keep the limit', async () => {
    const { stderr, queries, records } = await list(
      ['model-security-models-list', '--sort', 'created_at', 'limit=2'],
      '/v1/models',
    );
    expect(stderr).toContain('note: sorted by the service.\n');
    expect(queries).toEqual([expect.stringMatching(/sort_field=created_at&sort_order=asc.*limit=2/)]);
    expect(records).toHaveLength(2);
  });
});

describe('printed values', () => {
  test.each([
    [[SCANS, 'status=done'], '/v1/scan', 'status=COMPLETED'],
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
    ['12h', '12 hours'],
    ['1y', '365 days'],
    ['4 days', '4 days'],
    ['2026-11-01', '2026-11-01'],
  ])('of ages are accepted for times: %s is %s', (typed, expected) => {
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

  test('of suggested values are kept as typed in a change', () => {
    const command = commandOf('aisec-redteam-scan-create');
    const pairs = [{ name: 'name', value: '✓ done' }];
    expect(withPrintedValues({ name: command.name, pairs, positionals: [] }, command).pairs).toEqual(pairs);
  });
});

/** Words that belong to platforms or to the wire format. */
const WORDS =
  /entry[_ ]?id|file entry|can be any word|may (?:then )?be any word|(?:^|\s)(?:pi|tc|tr id|url cats)(?=$|[\s:,.])/gim;

const page = {
  width: 200,
  measure: plainMeasure,
  style: { bold: (text: string) => text },
  shell: { dialect: 'posix' },
} as never;
const found = (where: string, text: string) => [...text.matchAll(WORDS)].map(([word]) => `${where}: ${word.trim()}`);

/** Runs the program in a pipe. */
async function output(argv: readonly string[], input: string) {
  const stdin = Object.assign(new PassThrough(), { isTTY: false });
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  let text = '';
  for (const stream of [stdout, stderr]) stream.on('data', (chunk) => (text += String(chunk)));
  stdin.end(input);
  await main(
    {
      ...{ argv, stdin, stdout, stderr, registry, simulated },
      environment: { XDG_STATE_HOME: temporaryFolder('words'), COLUMNS: '200' },
      catalogue: () => catalogueOf(registry),
      playbooks: async () => [],
      openApi: async () => '',
      version: '1.2.3',
    },
    PROGRAM,
  );
  return text;
}

test('help of every command has no platform or wire words', async () => {
  const catalogue = await catalogueOf(registry);
  expect(catalogue.length).toBeGreaterThan(150);
  // The context path comes from the interface.
  const help = (text: string) => text.replace(/^ +EntryID /gm, '');
  expectNone(
    catalogue.flatMap((command) => found(command.name, help(commandHelp(command, page)))),
    'words of platforms',
  );
});

test('tables and messages of every command have no such words', async () => {
  const lines = LINE_ROWS.filter(({ name }) => !/download|wait=true/.test(name)).map(({ line }) => line);
  const argv = ['--simulate', '--output', 'table', '--keep-going', '--files-dir', temporaryFolder('files')];
  const text = await output(argv, lines.join('\n'));
  expect(text.length).toBeGreaterThan(10_000);
  expectNone(found('output', text), 'words of platforms');
});

test.each([
  { line: 'runtime-dlp-dictionaries-create name=x category=Academic', says: 'The required argument file is missing.' },
  { line: 'runtime-bulk-scan profile_name=prod', says: 'Neither prompts_csv nor file is given.' },
  { line: 'runtime-bulk-scan profile_name=prod prompts_csv=prompts.csv', says: 'file=prompts.csv' },
])('$line says "$says"', async ({ line, says }) => {
  const text = await output(['--simulate', '--output', 'table'], line);
  expect(text).toContain(says);
  expectNone(found(line, text), 'words of platforms');
});

test('JSON keeps the names of the interface', async () => {
  const text = await output(['--simulate', '--output', 'json'], 'runtime-dlp-dictionaries-create name=x');
  expect(text).toContain('entry_id');
});
