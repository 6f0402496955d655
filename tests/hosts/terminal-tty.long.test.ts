/** The program in a real terminal: keys, signals, the pager, and answers that are not echoed. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { type RunningServer, startServer } from '../../fixtures/service/server.ts';
import { createService } from '../../fixtures/service/service.ts';
import { temporaryFolder } from '../support/folder.ts';
import { until } from '../support/machine.ts';
import { program } from '../support/program.ts';
import { hasTerminal, openTerminal, type Terminal, type TerminalOptions } from '../support/tmux.ts';

if (!hasTerminal) process.stdout.write('skipped: tmux, a real terminal, is not installed\n');
const inTerminal = hasTerminal ? describe : describe.skip;
const path = hasTerminal ? program({ withCatalogue: true }) : '';
const LONG = ['--simulate', 'redteam-report-attacks-list', `job_id=${RED_TEAM_IDS.jobs.static}`];
const hasLess = spawnSync('less', ['--version']).status === 0;
if (!hasLess) process.stdout.write('skipped: less, a pager, is not installed\n');
const PROMPT = 'aisec (simulated)>';

/** Starts the program in a folder of its own. */
function open(
  words: readonly string[],
  options: Partial<TerminalOptions> = {},
): Terminal & { readonly folder: string } {
  const folder = temporaryFolder('tty');
  const environment = {
    XDG_STATE_HOME: '',
    XDG_CONFIG_HOME: '',
    XDG_CACHE_HOME: '',
    PAGER: 'less',
    ...options.environment,
  };
  const terminal = openTerminal([process.execPath, path, ...words], { folder, ...options, environment });
  return { ...terminal, folder };
}

inTerminal('the war room', () => {
  let room: Terminal;
  const run = async (line: string, seen: string | RegExp) => {
    room.type(line);
    room.press('Enter');
    await room.see(seen);
  };
  const clear = async () => {
    room.press('C-c', 'C-l');
    await room.see(new RegExp(`^${PROMPT.replace(/[()]/g, '\\$&')}$`));
  };

  beforeAll(async () => {
    room = open(['--simulate']);
    await room.see(PROMPT);
  });

  test('Ctrl-R searches the history, and Enter moves the match to the line', async () => {
    await run('runtime-topics-list limit=1', '1 custom topic');
    await run('runtime-profiles-list limit=2', '2 security profiles');
    await clear();
    room.press('C-r');
    room.type('topics');
    await room.see('(search: runtime-topics-list limit=1) topics');
    room.press('Enter');
    await room.see(`${PROMPT} runtime-topics-list limit=1`);
    room.press('Enter');
    await room.see('1 custom topic');
  });

  test('Ctrl-R again moves to an older entry, and Ctrl-G restores the typed line', async () => {
    await clear();
    room.type('list');
    room.press('C-r');
    await room.see(/\(search: runtime-topics-list limit=1\) list$/m);
    room.press('C-r');
    await room.see(/\(search: runtime-profiles-list limit=2\) list$/m);
    room.press('C-g');
    await room.see(`${PROMPT} list`);
  });

  test('the arrow key restores an entry of several lines, which runs unchanged', async () => {
    await clear();
    await run('runtime-scan profile_name=prod prompt="one', /^\.\.\. \(Ctrl-C drops the line\)$/m);
    await run('two"', 'Scan ID');
    await clear();
    room.press('Up');
    await room.see('two"');
    await room.see('prompt="one');
    room.press('Enter');
    await room.see(/Prompt +one\n +two/);
  });

  test('Ctrl-C at the question of a deletion deletes nothing', async () => {
    await clear();
    await run('redteam-targets-delete target=hr-assistant', '[y/N]');
    room.press('C-c');
    await room.see('cancelled: Nothing was deleted.');
    await clear();
    await run('redteam-targets-list', 'hr-assistant');
  });

  (hasLess ? test : test.skip)('shows a long result page by page, and gives the keys back after q', async () => {
    await clear();
    await run(LONG.slice(1).join(' '), /^:$/m);
    expect(room.screen()).toMatch(/^Attacks of the Red-Team Scan/m);
    room.press('C-c', 'C-c', 'Space');
    await room.see(/\(END\)|^:$/m);
    room.press('q');
    await room.see(/^aisec \(simulated\)>$/m);
    await run('runtime-topics-list limit=1', '1 custom topic');
    room.type('runtime-topics-li');
    room.press('Tab');
    await room.see('> runtime-topics-list');
    await clear();
  });

  test('apply asks in the war room, and later lines see its changes', async () => {
    const file = join(temporaryFolder('tty'), 'g.json');
    writeFileSync(file, '{"version": 1, "profiles": [{"name": "tty-profile"}]}');
    await clear();
    await run(`apply ${file}`, '[y/N]');
    room.press('C-c');
    await room.see('cancelled: Nothing was changed.');
    await clear();
    await run(`apply ${file}`, '[y/N]');
    room.type('y');
    room.press('Enter');
    await room.see('1 created, 0 updated, 0 deleted, 0 unchanged');
    await clear();
    await run(`profiles diff ${file}`, '0 to create, 0 to update, 0 to delete, 1 unchanged');
    await run('runtime-profiles-get tty-profile', 'Policy');
  });
});

inTerminal('a command', () => {
  (hasLess ? test : test.skip).each([
    { argv: ['help', 'runtime-scan'], begins: 'aisec runtime-scan' },
    { argv: ['commands'], begins: 'runtime \\(' },
  ])('begins with the first line of $argv', async ({ argv, begins }) => {
    const terminal = open(argv);
    await terminal.see(/^:$/m);
    expect(terminal.screen()).toMatch(new RegExp(`^${begins}`));
  });

  (hasLess ? test : test.skip)('shows a long result page by page, until q', async () => {
    const terminal = open(LONG);
    await terminal.see(/^:$/m);
    expect(terminal.screen()).toMatch(/^Attacks of the Red-Team Scan/);
    expect(terminal.screen()).not.toContain('48 attacks');
    terminal.press('q');
    expect(await terminal.code()).toBe(0);
  });

  test.each([{ PAGER: 'cat' }, { PAGER: '' }])('is not delayed by a pager with %j', async (environment) => {
    const terminal = open(LONG, { environment });
    expect(await terminal.code()).toBe(0);
    expect(terminal.screen()).toContain('48 attacks');
  });

  test('Ctrl-C at the question of a deletion ends with 130', async () => {
    const terminal = open(['--simulate', 'redteam-targets-delete', 'target=hr-assistant']);
    await terminal.see('[y/N]');
    terminal.press('C-c');
    expect(await terminal.code()).toBe(130);
    expect(terminal.screen()).toContain('cancelled: Nothing was deleted.');
  });

  test('accepts options inside its quotes', async () => {
    const terminal = open([
      '--simulate',
      '--no-pager',
      'runtime-scan profile_name=prod prompt="My card is 4111 1111 1111 1111" --explain',
    ]);
    expect(await terminal.code()).toBe(0);
    expect(terminal.screen()).toMatch(/^dlp +prompt +malicious +block +profile: Sensitive Content$/m);
  });

  test('suggests after a block how to learn more', async () => {
    const terminal = open(['--simulate', 'runtime-scan', 'profile_name=prod', 'prompt=My card is 4111 1111 1111 1111']);
    expect(await terminal.code()).toBe(0);
    expect(terminal.screen()).toContain('scan with --explain.');
  });
});

inTerminal('aisec init', () => {
  let server: RunningServer;
  let settings: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const service = createService();
    server = await startServer(service, { port: 0 });
    settings = service.settings(server.origin);
  });
  afterAll(() => server.close());

  const start = () => {
    const addresses = ['token-url', 'scanner-base-url', 'dlp-base-url'];
    const names = ['AISEC_TOKEN_URL', 'AISEC_SCANNER_BASE_URL', 'AISEC_DLP_BASE_URL'];
    return open(['init', ...addresses.map((name, at) => `--${name}=${settings[names[at] ?? '']}`)]);
  };
  const answer = async (terminal: Terminal, question: string, text: string) => {
    await terminal.see(question);
    terminal.type(text);
    terminal.press('Enter');
  };
  const fileOf = (folder: string) => join(folder, '.config', 'aisec', 'settings.yml');

  test('writes a file only for its owner, and echoes no secret', async () => {
    const terminal = start();
    const { AISEC_CLIENT_SECRET: secret = '', AISEC_RUNTIME_API_KEY: key = '' } = settings;
    await answer(terminal, 'Server URL', server.origin);
    await answer(terminal, 'API Client ID', settings['AISEC_CLIENT_ID'] ?? '');
    await answer(terminal, 'API Client Secret (not shown)', secret);
    await answer(terminal, 'Tenant Services Group ID', settings['AISEC_TSG_ID'] ?? '');
    await answer(terminal, 'Runtime API Key (not shown)', key);
    expect(await terminal.code()).toBe(0);
    const shown = terminal.screen();
    expect(shown).toContain('Saved profile default');
    expect(shown).not.toContain(secret);
    expect(shown).not.toContain(key);
    expect(statSync(fileOf(terminal.folder)).mode & 0o777).toBe(0o600);
    expect(readFileSync(fileOf(terminal.folder), 'utf8')).toContain(secret);
  });

  test('writes nothing after Ctrl-C, and ends with 130', async () => {
    const terminal = start();
    await answer(terminal, 'Server URL', server.origin);
    await answer(terminal, 'API Client ID', 'client');
    await terminal.see('API Client Secret (not shown)');
    terminal.type('canary');
    terminal.press('C-c');
    expect(await terminal.code()).toBe(130);
    expect(terminal.screen()).toMatch(/^cancelled: no answer; nothing was written\.$/m);
    expect(terminal.screen()).not.toContain('canary');
    expect(existsSync(fileOf(terminal.folder))).toBe(false);
  });
});

inTerminal('a terminal that is closed', () => {
  test.each([
    { what: 'the war room', words: ['--simulate'], seen: PROMPT },
    { what: 'a server', words: ['serve', '--simulate', '--port', '0'], seen: 'Ctrl-C stops it.' },
  ])('ends $what as SIGHUP does, without a crash', async ({ words, seen }) => {
    const folder = temporaryFolder('tty');
    const keeper = `trap : HUP; "$@"; echo $? > ended`;
    const { see, hangUp } = openTerminal(['sh', '-c', keeper, 'sh', process.execPath, path, ...words], { folder });
    await see(seen);
    hangUp();
    const ended = () => (existsSync(join(folder, 'ended')) ? readFileSync(join(folder, 'ended'), 'utf8') : '');
    await until(() => ended() !== '');
    expect(ended()).toBe('129\n');
  });
});
