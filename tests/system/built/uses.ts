/** Uses every part of the installed program: a module that the build broke would fail here. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { LINE_ROWS } from '../../support/lines.ts';
import { until } from '../../support/machine.ts';
import { ended, ROOT, start } from '../../support/program.ts';
import { hasTerminal, openTerminal } from '../../support/tmux.ts';
import { describeWithRedis, redisServer } from '../../unit/queue/redis-server.ts';
import { neverLoaded, noting, runInstalled } from './package.ts';

const BLOCKED_MODEL = '5e9a3c07-d1b4-4f68-82c5-b7064e2f9d1a';
const GUARDRAILS = join(ROOT, 'tests', 'unit', 'guardrails', 'guardrails.yml');
const TOKEN = '0123456789abcdef0123456789abcdef';
const INITIALIZE = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const ROW = { row: 1, action: 'allow', category: 'benign', detected: false, prompt: 'a' };

/** A line with a secret. */
const KEY = LINE_ROWS.find(({ name }) => name === 'aisec-runtime-api-keys-create')?.line ?? '';

const FILES: Readonly<Record<string, string>> = {
  'prompts.csv': 'prompt\nhello\n',
  'many.csv': `prompt\n${'hello\n'.repeat(1001)}`,
  'labels.csv': 'prompt,label\nhello,false\nwhich shares to buy?,true\n',
  'rows.jsonl': `${JSON.stringify(ROW)}\n`,
  'secret.txt': 'D1000001\n',
  'policy.yml': 'version: 1\nredteam:\n  max_asr_percent: 100\n',
};

interface Use {
  /** The words on the command line. */
  readonly words: string;
  readonly input?: string;
  /** Default: 0. */
  readonly code?: number;
  readonly shows: RegExp;
}

const USES: readonly Use[] = [
  { words: '--simulate doctor --output table', shows: /Access token/ },
  { words: 'init', input: 'a\n', code: 2, shows: /init|terminal/ },
  { words: 'completion powershell', shows: /Register-ArgumentCompleter/ },
  { words: '--simulate --echo', input: '!aisec-runtime-topics-list\n', shows: /topics-list[\s\S]*investment-advice/ },
  { words: '--simulate runtime-topics-list --limit 5', code: 2, shows: /limit=5/ },
  { words: '__complete -- bash aisec runtime-pro', shows: /-profiles-list/ },
  { words: '__refresh --simulate aisec-runtime-profiles-list', shows: /^$/ },
  { words: '--simulate profiles', shows: /\[\]/ },
  { words: '--simulate export made.yml', shows: /"counts"/ },
  { words: `--simulate profiles diff ${GUARDRAILS}`, shows: /"changes"/ },
  {
    words: '--simulate topics eval labels.csv --topic investment-advice --profile prod',
    shows: /f1|topic/i,
  },
  { words: '--simulate report rows.jsonl --html made.html', code: 10, shows: /"report"/ },
  { words: `--simulate report ${BLOCKED_MODEL} --html made.html`, shows: /"report"/ },
  { words: `--simulate gate redteam ${RED_TEAM_IDS.jobs.static} --policy policy.yml`, shows: /support-chatbot/ },
  { words: '--simulate compare support-chatbot --output table', shows: /still open/ },
  { words: '--simulate dashboard --html made.html --output table', shows: /need attention/ },
  { words: '--simulate dashboard', shows: /"attention"/ },
  { words: '--simulate dashboard --output markdown', shows: /^### / },
  { words: '--simulate watch support-chatbot', shows: /done/ },
  { words: '--simulate explain 2c8f5e1b-0000-4000-8000-000000000000', code: 5, shows: /keeps no scan/ },
  { words: '--simulate guard --profile prod', input: 'hello\n', shows: /^hello/ },
  {
    words: '--simulate guard --profile prdo',
    input: 'hello\n',
    code: 5,
    shows: /^(?!hello)[\s\S]*"prdo" cannot be used/,
  },
  { words: '--simulate mcp', input: `${JSON.stringify(INITIALIZE)}\n`, shows: /serverInfo/ },
  { words: '--simulate --dry-run runtime-topics-delete topic_id=investment-advice', shows: /dry/i },
  {
    words: '--simulate --fault 401@/v1/scan runtime-bulk-scan profile_name=prod entry_id=prompts.csv',
    code: 4,
    shows: /Runtime API Key/,
  },
  { words: `--simulate ${KEY.replace('D1000001', '@file:secret.txt')}`, shows: /"api_key/ },
  { words: 'playbook new mine', shows: /mine\.yml/ },
  { words: '--simulate runtime-topics-list --output yaml', shows: /^- topic_id/ },
  { words: '--simulate runtime-topics-list --sort topic_name --fields topic_name', shows: /investment-advice/ },
  { words: '--simulate runtime topics list', shows: /investment-advice/ },
  {
    words: '--simulate --explain runtime-scan profile_name=prod prompt=hello --output table',
    shows: /^ALLOW/,
  },
  { words: '--simulate runtime-scan profile_name=prod prompt=@-', input: 'hello\n', shows: /"allow"/ },
  {
    words: '--simulate runtime-bulk-scan profile_name=prod entry_id=-',
    input: FILES['prompts.csv'] ?? '',
    shows: /"total":1/,
  },
  { words: '--simulate runtime-bulk-scan profile_name=prod entry_id=many.csv --output jsonl', shows: /"row":1001/ },
  { words: 'serve token ci --role read --tokens tokens.json', shows: /^aisec_/ },
  { words: '--simulate --log-level debug runtime-topics-list', shows: /"level"|debug/ },
];

interface Served {
  readonly words: string;
  readonly ready: RegExp;
  /** Paths to fetch. */
  readonly paths?: readonly string[];
}

const SERVED: readonly Served[] = [
  {
    words: '--simulate serve --port 0',
    ready: /listens on (http:\S+\d)/,
    paths: [
      '/openapi.json',
      '/v1/playbooks/scan-prompt/graph',
      '/v1/dashboard',
      `/v1/reports/${RED_TEAM_IDS.jobs.static}`,
    ],
  },
  { words: '--simulate mcp --http --port 0', ready: /connect to (http:\S+\d)\/mcp/ },
  { words: 'simulate --port 0', ready: /AISEC_BASE_URL=(http:\S+)/ },
];

/** Modules that no test of the installed program loads, and why. */
const UNUSED: Readonly<Record<string, string>> = {
  'bug-report: bugMessage': 'is for faults of the program itself, and no input is known that causes one',
  'argv: parseLine': 'is for users of the library, who may call a command by its line',
  'rehearse: rehearse': 'is for users of the library; the program rehearses by itself',
  'open-in-browser: openerOf': 'needs a browser and a display; tests/unit/dashboard/open-page.test.ts has its choice',
  'room-page: roomPage': 'needs a starred entry; tests/page/entries.long.test.ts saves its page',
};

/** @param program its path, once it exists */
export function checkUses(program: () => string, longMs: number): void {
  const tokens = { AISEC_SERVE_TOKEN: TOKEN, AISEC_MCP_TOKEN: TOKEN };
  const place = () => {
    const folder = temporaryFolder('uses');
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    return folder;
  };
  const served = async ({ words, ready, paths = [] }: Served) => {
    const child = start(program(), words.split(' '), { folder: place(), environment: noting(tokens) });
    let shown = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (shown += String(chunk)));
    const end = ended(child);
    await until(
      () => ready.test(shown) || child.exitCode !== null,
      () => shown,
    );
    const origin = ready.exec(shown)?.[1];
    for (const path of paths) {
      const response = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
      const root = join(dirname(program()), '..');
      const text = await response.text();
      if (path === '/openapi.json') expect(text === readFileSync(join(root, 'docs', 'api', path), 'utf8')).toBe(true);
    }
    child.kill('SIGTERM');
    const { stderr, code, signal } = await end;
    expect(origin ?? shown).toEqual(expect.any(String));
    expect(stderr).not.toMatch(/bug in aisec|error:/);
    expect({ code, signal }).toEqual({ code: expect.any(Number), signal: null });
  };

  describe('the installed program is used', () => {
    test.each(USES)(
      'as aisec $words',
      async ({ words, input, code = 0, shows }) => {
        const end = await runInstalled(program(), words.split(' '), {
          folder: place(),
          environment: {},
          ...(input === undefined ? {} : { input }),
        });
        expect(end).toMatchObject({ code });
        expect(`${end.stdout}${end.stderr}`).toMatch(shows);
        expect(end.stderr).not.toContain('bug in aisec');
      },
      longMs,
    );

    test.each(SERVED)('as aisec $words', served, longMs);

    if (hasTerminal) {
      const opened = (...words: readonly string[]) =>
        openTerminal([process.execPath, program(), ...words], {
          folder: place(),
          environment: noting({ PAGER: 'cat' }),
        });

      test('with a pager', async () => expect(await opened('help', 'options').code()).toBe(0), longMs);

      test(
        'as a war room',
        async () => {
          const room = opened('--simulate');
          const enter = async (line: string, shows: RegExp) => {
            room.type(line);
            room.press('Enter');
            await room.see(shows);
          };
          await room.see('aisec (simulated)>');
          await enter('runtime-topics-list --sort topic_name', /investment-advice/);
          room.press('C-l');
          await enter('commands topics', /runtime-topics-apply/);
          await enter('commands', /model-security/);
          room.press('C-l');
          await enter('runtime-topics-list limt=2', /limit/);
          room.press('C-d');
          expect(await room.code()).toBe(0);
        },
        longMs,
      );
    }

    describeWithRedis('with a queue', () => {
      const redis = redisServer();
      test(
        'by a worker, a service and a person',
        async () => {
          await served({ words: `--simulate worker --queue ${redis.url}`, ready: /(waits for work)/ });
          await served({ words: `--simulate serve --port 0 --queue ${redis.url}`, ready: /listens on (http:\S+\d)/ });
          const queue = ['queue', '--queue', redis.url, '--output', 'table'];
          expect(await runInstalled(program(), queue, { folder: place(), environment: {} })).toMatchObject({ code: 0 });
        },
        longMs,
      );

      // Last, because it needs the records of all other tests in this file.
      test('loads every module that it imports lazily', () => {
        if (!hasTerminal) return;
        expectNone(
          neverLoaded(program()).filter((name) => UNUSED[name] === undefined),
          'modules that no test of the installed program loads',
        );
      });
    });
  });
}
