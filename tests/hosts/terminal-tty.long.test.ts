/** The program in a real terminal: keys, signals, the pager, and input without echo. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { type RunningServer, startServer } from '../../fixtures/service/server.ts';
import { createService } from '../../fixtures/service/service.ts';
import { SHELLS } from '../../lib/hosts/terminal/shell/completion/completion.ts';
import { temporaryFolder } from '../support/folder.ts';
import { until } from '../support/machine.ts';
import { nodes } from '../support/nodes.ts';
import { ended, onPath, program, start } from '../support/program.ts';
import { hasTerminal, openTerminal, type Terminal, type TerminalOptions } from '../support/tmux.ts';
import { scenario } from '../system/scenarios/claims.ts';

if (!hasTerminal) process.stdout.write('skipped: tmux, a real terminal, is not installed\n');
const inTerminal = hasTerminal ? describe : describe.skip;
const path = hasTerminal ? program({ withCatalogue: true }) : '';
const LONG = ['--simulate', 'redteam-report-attacks-list', `job_id=${RED_TEAM_IDS.jobs.static}`];
const hasLess = spawnSync('less', ['--version']).status === 0;
if (!hasLess) process.stdout.write('skipped: less, a pager, is not installed\n');
const PROMPT = 'aisec (simulated)>';

/** Starts the program in a new folder. */
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

  test('Ctrl-C at the question of a deletion ends with 130', async () => {
    const terminal = open(['--simulate', 'redteam-targets-delete', 'target=hr-assistant']);
    await terminal.see('[y/N]');
    terminal.press('C-c');
    expect(await terminal.code()).toBe(130);
    expect(terminal.screen()).toContain('cancelled: Nothing was deleted.');
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

describe('Tab', () => {
  /** PowerShell is not installed where the tests run; terminal-completion.test.ts checks what it would read. */
  const INSTALLED = SHELLS.filter((shell) => shell !== 'powershell');

  /** How each shell is started without the user's settings, and how it reads the script. */
  const STARTS: Readonly<
    Record<(typeof INSTALLED)[number], { readonly command: readonly string[]; readonly source: string }>
  > = {
    bash: { command: ['bash', '--norc', '--noprofile'], source: 'source <(aisec completion bash)' },
    zsh: { command: ['zsh', '-f'], source: 'source <(aisec completion zsh)' },
    // On the screen, a suggestion looks like a completion.
    fish: {
      command: ['fish', '--no-config'],
      source: 'set -g fish_autosuggestion_enabled 0; aisec completion fish | source',
    },
  };

  const CASES = [
    { what: 'a subcommand', typed: 'aisec compl', line: 'aisec completion' },
    { what: 'a quoted command', typed: "aisec '!runtime-topics-l", line: "aisec '!runtime-topics-list'" },
    { what: 'an argument', typed: 'aisec runtime-scan profile_n', line: 'aisec runtime-scan profile_name=' },
    { what: 'a closed value', typed: 'aisec runtime-bulk-scan resume=t', line: 'aisec runtime-bulk-scan resume=true' },
    {
      what: 'the value of a field',
      typed: 'aisec redteam-scans-list --filter status=do',
      line: 'aisec redteam-scans-list --filter status=done',
    },
    {
      what: 'the direction of a field to sort by',
      typed: 'aisec redteam-scans-list --sort asr:d',
      line: 'aisec redteam-scans-list --sort asr:desc',
    },
    { what: 'the value of an option', typed: 'aisec --output ya', line: 'aisec --output yaml' },
    {
      what: 'a file',
      typed: 'aisec runtime-bulk-scan entry_id=two',
      line: 'aisec runtime-bulk-scan entry_id=two-prompts.csv',
    },
    {
      what: 'a file with the text of an argument',
      typed: 'aisec runtime-bulk-scan prompts_csv=@file:two',
      line: 'aisec runtime-bulk-scan prompts_csv=@file:two-prompts.csv',
    },
    {
      what: 'a name of the tenant',
      typed: 'aisec --simulate runtime-scan profile_name=pr',
      line: 'aisec --simulate runtime-scan profile_name=prod',
    },
  ];

  const path = hasTerminal ? program({ withCatalogue: true }) : '';
  if (!hasTerminal) process.stdout.write('skipped: tmux, in which shells are run, is not installed\n');

  describe.each(INSTALLED)('Tab in %s', (shell) => {
    const isThere = hasTerminal && spawnSync(shell, ['-c', 'true']).status === 0;
    if (hasTerminal && !isThere) process.stdout.write(`skipped: ${shell} is not installed\n`);
    let terminal: Terminal;

    beforeAll(async () => {
      if (!isThere) return;
      const folder = temporaryFolder('tab');
      writeFileSync(join(folder, 'two-prompts.csv'), 'prompt\na\nb\n');
      const profiles = ['__refresh', '--simulate', 'aisec-runtime-profiles-list'];
      expect(await ended(start(path, profiles, { folder, environment: {} }))).toMatchObject({ code: 0 });
      const { command, source } = STARTS[shell];
      const environment = { PATH: `${onPath(path)}:${process.env['PATH']}`, XDG_STATE_HOME: '', XDG_CACHE_HOME: '' };
      terminal = openTerminal(command, { folder, environment });
      terminal.type(`${source}; echo read-${shell.length}`);
      await terminal.see(/-\d/);
      terminal.press('Enter');
      await terminal.see(new RegExp(`^read-${shell.length}$`, 'm'));
    });

    (isThere ? test : test.skip).each(CASES)('completes $what', async ({ typed, line }) => {
      terminal.press('C-u', 'C-l');
      terminal.type(typed);
      await terminal.see(new RegExp(`${pattern(typed)}$`, 'm'));
      terminal.press('Tab');
      await terminal.see(new RegExp(`${pattern(line)}$`, 'm'));
    });

    (isThere ? test : test.skip)('lists what there is to choose from', async () => {
      terminal.press('C-u', 'C-l');
      terminal.type('aisec runtime-scan pro');
      await terminal.see(/ pro$/m);
      // At the first Tab, bash rings the bell.
      terminal.press('Tab', 'Tab');
      await terminal.see(/profile_name=[\s\S]*prompt=|prompt=[\s\S]*profile_name=/);
    });
  });

  function pattern(text: string): string {
    return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  }
});

describe('line ends', () => {
  const path = program({ withCatalogue: true });
  const SEPARATORS = ['\u2028', '\u2029', '\u0085', '\u000b', '\u000c', '\u001e', '\r'];
  const LIST = '!aisec-runtime-topics-list';

  const run = (node: string, words: readonly string[], input = '', folder = temporaryFolder('lines')) =>
    ended(start(path, ['--simulate', ...words], { folder, node, input, environment: {} }));

  describe.each(nodes().map((node) => ({ node })))('on $node', ({ node }) => {
    const scanned = async (file: string, text: string) => {
      const folder = temporaryFolder('lines');
      writeFileSync(join(folder, file), text);
      const line = ['runtime-bulk-scan', 'profile_name=prod', `entry_id=${file}`, '--output', 'context'];
      const { stdout } = await run(node, line, '', folder);
      return (JSON.parse(stdout) as { results: { prompt: string }[] }).results.map(({ prompt }) => prompt);
    };

    scenario('line-ends', 'a pipe runs no command after another line separator inside a value', async () => {
      const lines = SEPARATORS.map((each) => `!aisec-runtime-scan profile_name=prod prompt="Hi${each}${LIST} limit=1"`);
      const input = [...lines, ...SEPARATORS.map((each) => `# ${each}${LIST}`)].join('\n');
      const { stdout, code } = await run(node, ['--output', 'json'], input);
      const results = stdout
        .trim()
        .split('\n')
        .map((each) => (JSON.parse(each) as { command: string }).command);
      expect({ code, results }).toEqual({ code: 0, results: lines.map(() => 'aisec-runtime-scan') });
    });

    scenario('line-ends', 'a pipe ends a line at LF, CR LF and its end', async () => {
      const { stdout, code } = await run(node, ['--output', 'json'], `${LIST} limit=1\r\n\n${LIST} limit=2`);
      expect({ code, count: stdout.trim().split('\n').length }).toEqual({ code: 0, count: 2 });
    });

    scenario('line-ends', 'a file of prompts keeps other line separators inside a prompt', async () => {
      const prompts = [...SEPARATORS.map((each) => `one${each}two`), 'last'];
      expect(await scanned('a.txt', prompts.join('\r\n'))).toEqual(prompts);
      const rows = prompts.flatMap((prompt) => [`1,${prompt}`, `2,"${prompt}"`]);
      const twice = prompts.flatMap((prompt) => [prompt, prompt]);
      expect(await scanned('a.csv', ['id,prompt', ...rows].join('\r\n'))).toEqual(twice);
      // JSON contains the other characters unchanged.
      const plain = prompts.filter((prompt) => Array.from(prompt).every((each) => each >= ' '));
      const records = plain.map((prompt) => `\r{"prompt":"${prompt}"}`);
      expect(await scanned('a.jsonl', records.join('\n'))).toEqual(plain);
    });

    const inTerminal = hasTerminal ? test : test.skip;
    inTerminal('the war room runs no command behind a separator of a pasted line', async () => {
      const room = openTerminal([node, path, '--simulate'], { folder: temporaryFolder('room'), columns: 200 });
      await room.see('aisec (simulated)>');
      for (const separator of SEPARATORS.slice(0, 2)) {
        room.type(`runtime-topics-get topic_name=none${separator}${LIST} limit=1`);
        room.press('Enter');
        await room.see('belongs to no argument');
        expect(room.screen()).not.toContain('1 custom topic');
        room.press('C-l');
      }
    });
  });
});
