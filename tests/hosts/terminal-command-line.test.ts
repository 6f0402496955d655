import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SUBCOMMANDS } from '../../bin/subcommands.ts';
import { registry as real } from '../../commands/index.ts';
import { bulkScan } from '../../commands/runtime/bulk-scan.ts';
import { nearestCommand } from '../../lib/client/names/command-name.ts';
import { SCANNER_URLS } from '../../lib/core/wire.ts';
import { endings } from '../../lib/hosts/terminal/line/interrupt.ts';
import { commandHelp } from '../../lib/hosts/terminal/result/command-help.ts';
import { complete } from '../../lib/hosts/terminal/room/completion/completion.ts';
import { chosen } from '../../lib/hosts/terminal/shell/init/dialogue.ts';
import { plainMeasure } from '../../lib/hosts/terminal/ui/measure.ts';
import { PLAIN } from '../../lib/hosts/terminal/ui/style.ts';
import { describe as describeCommand } from '../../lib/manifest/describe.ts';
import { number as integer } from '../../lib/runtime/arguments/builders.ts';
import { command } from '../../lib/runtime/engine/command.ts';
import { number, one, record } from '../../lib/runtime/output/record.ts';
import { manPage } from '../../scripts/man-page.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { scenario } from '../system/scenarios/claims.ts';
import { CTRL_D, type Given, registry, rehearse, run, start } from './terminal-support.ts';

const LIST = '!aisec-widget-list';
const json = (text: string): Record<string, unknown> => JSON.parse(text);

describe('the command line', () => {
  test.each([
    { argv: ['comands'], message: '"comands" is neither', hint: 'Did you mean "commands"?' },
    { argv: ['!aisec-widget-lst'], message: 'There is no command "aisec-widget-lst"', hint: '!aisec-widget-list' },
    { argv: ['--outptu', 'json', LIST], message: 'Unknown option --outptu.', hint: 'Did you mean "--output"?' },
    { argv: ['--output', 'jason', LIST], message: 'does not take "jason"', hint: 'Did you mean "json"?' },
    {
      argv: ['--port', '1', LIST],
      message: 'Option --port belongs to: aisec mcp, aisec serve, aisec simulate.',
      hint: undefined,
    },
    { argv: ['simulate', '--port', '70000'], message: 'takes at most 65535', hint: undefined },
    { argv: ['--context-limit', '9'.repeat(17), LIST], message: 'takes at most 9007199254740991', hint: undefined },
    {
      argv: ['doctor', 'more'],
      message: 'Too many arguments for aisec doctor: "more"',
      hint: 'Usage: aisec doctor',
    },
    { argv: ['!aisec-widget-get name="open'], message: 'is not closed', hint: 'Add the closing "' },
  ])('$argv is refused with exit code 2', async ({ argv, message, hint }) => {
    const { code, stdout, stderr } = await run(['--simulate', ...argv]);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    const [error, advice, ...others] = stderr.trimEnd().split('\n');
    expect(error).toMatch(/^error: /);
    expect(error).toContain(message);
    expect(others).toEqual([]);
    if (hint === undefined) expect(advice).toBeUndefined();
    else expect(advice).toContain(hint);
  });

  test('without credentials or --simulate nothing is sent, and every missing setting is named', async () => {
    const environment = { AISEC_BASE_URL: 'http://127.0.0.1:9', HOME: '/nowhere' };
    const { code, stderr, stdout } = await run([LIST], { environment });
    expect(code).toBe(3);
    expect(stdout).toBe('');
    for (const name of ['AISEC_CLIENT_ID', 'AISEC_CLIENT_SECRET', 'AISEC_TSG_ID']) expect(stderr).toContain(name);
  });
});

describe('a time limit', () => {
  scenario.each([
    { argv: ['--timeout', '2073601', LIST], name: '--timeout' },
    { argv: ['serve', '--grace', '2073601'], name: '--grace' },
  ])('long-timers', '$argv is refused before any request', async ({ argv, name }) => {
    const { code, stderr, requests } = await rehearse(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(`Option ${name} takes at most 2073600 seconds (24 days).`);
    expectNone(requests, 'requests');
  });
});

describe('a pipe', () => {
  test('runs one command per line, skips comments and blank lines, and keeps the context', async () => {
    const input = `\ufeff# first\r\n\r\n${LIST}\r\n  # then\n!aisec-widget-get name=\${AiSec.Widget.[1].name}\n`;
    const { code, stdout } = await rehearse(['--output', 'context'], { input });
    expect(code).toBe(0);
    expect(stdout.trim().split('\n').map(json)[1]).toMatchObject({ name: 'nut' });
  });

  test('stops at the first error, and names its line', async () => {
    const input = `${LIST}\n!aisec-widget-get name=gone\n${LIST}\n`;
    const { code, stdout, stderr } = await rehearse(['--output', 'table'], { input });
    expect(code).toBe(5);
    expect(stdout.match(/Widget +SIMULATED$/gm)).toHaveLength(1);
    expect(stderr).toContain('error: line 2: ');
  });

  test('--keep-going runs every line and ends with the first failure', async () => {
    const input = `!aisec-widget-get name=gone\n!aisec-widget-nope\n${LIST}\n`;
    const { code, stdout, stderr } = await rehearse(['--keep-going'], { input });
    expect(code).toBe(5);
    expect(stdout.trim().split('\n').map(json)).toMatchObject([{ command: 'aisec-widget-list' }]);
    const lines = stderr.match(/^error: line \d+: .*/gm);
    expect(lines).toEqual([expect.stringContaining('line 1'), expect.stringContaining('There is no command')]);
  });
});

describe('interruption', () => {
  scenario('abort', 'Ctrl-C during a wait ends the command with 130 and one line', async () => {
    const running = start(['--simulate', '!aisec-widget-wait', '--output', 'table'], { terminal: true });
    await running.see('still waiting');
    process.emit('SIGINT');
    expect(await running.code).toBe(130);
    expect(running.errors()).toMatch(/cancelled: [^\n]+\n$/);
    expect(running.output()).toBe('');
  });

  scenario('abort', 'Ctrl-C in a pipe runs no further line', async () => {
    const input = `${LIST}\n!aisec-widget-wait\n${LIST}\n`;
    const running = start(['--simulate', '--keep-going'], { input });
    await running.see('aisec-widget-list');
    process.emit('SIGINT');
    expect(await running.code).toBe(130);
    expect(running.output().trim().split('\n')).toHaveLength(1);
    expect(running.errors()).toMatch(/^line 2: cancelled: /);
  });

  test.each([
    { stdin: true, stdout: true, stderr: true, heard: ['SIGTERM', 'SIGHUP'] },
    { stdin: false, stdout: false, stderr: true, heard: ['SIGTERM', 'SIGHUP'] },
    { stdin: false, stdout: false, stderr: undefined, heard: ['SIGTERM'] },
  ])('listens to SIGHUP only with a terminal: $stdin, $stdout, $stderr', ({ stdin, stdout, stderr, heard }) => {
    const streams = { stdin: { isTTY: stdin }, stdout: { isTTY: stdout }, stderr: { isTTY: stderr } };
    expect(endings(streams)).toEqual(heard);
    expect(endings(streams, 'win32')).toEqual(['SIGBREAK', 'SIGHUP']);
  });

  test('removes its listeners afterwards, so that a second Ctrl-C has its default effect', async () => {
    const before = process.listenerCount('SIGINT');
    await rehearse([LIST]);
    expect(process.listenerCount('SIGINT')).toBe(before);
  });

  test('a closed reader is not an error', async () => {
    const running = start(['--simulate'], { input: `${LIST}\n${LIST}\n`, before: () => void leave() });
    const leave = () => running.stdout.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    expect(await running.code).toBe(0);
    expect(running.errors()).toBe('');
  });

  test('results that cannot be written are an error', async () => {
    const running = start(['--simulate', LIST], { before: () => void fill() });
    const fill = () => running.stdout.destroy(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    expect(await running.code).toBe(8);
    expect(running.errors()).toContain('could not be written (ENOSPC)');
  });
});

describe('help', () => {
  test('--version', async () => {
    expect(await run(['--version'])).toMatchObject({ code: 0, stdout: 'aisec 1.2.3\n', stderr: '' });
  });

  test.each([[['help', 'aisec-widget-make']], [['!aisec-widget-make', '--help']]])(
    '%s describes a command',
    async (argv) => {
      const { stdout } = await run(argv);
      expect(stdout).toMatch(/^aisec widget-make\n/);
      expect(stdout).toMatch(/name +\(required\) Name of the widget\./);
      expect(stdout).toMatch(/colour +\(default red\) Colour\.\n +One of: red, green, grey\./);
      expect(stdout).toMatch(/shiny +\(specific to aisec\)/);
      expect(stdout).toMatch(/Outputs: AiSec.WidgetMade\n +name +\(String\) Name\./);
      expect(stdout).toContain('  aisec widget-make name=cog colour=green');
      expect(stdout).not.toContain('!');
    },
  );
});

describe('settings', () => {
  scenario.each([
    { option: '--client-secret=canary' },
    { option: '--clientSecret=canary' },
    { option: '--AISEC_RUNTIME_API_KEY' },
  ])(
    'secret-settings',
    '$option is refused before anything is read, and its value is not repeated',
    async ({ option }) => {
      const { code, stderr, requests } = await rehearse([option, 'canary', LIST]);
      expect(code).toBe(2);
      expect(stderr).toMatch(/is a secret and cannot be given as an option[\s\S]*AISEC_/);
      expect(stderr).not.toContain('canary');
      expectNone(requests, 'requests');
    },
  );

  scenario('secret-settings', 'a secret in the environment is accepted', async () => {
    const { stdout } = await run(['doctor', '--output', 'table', '--timeout', '0.2'], {
      environment: { AISEC_CLIENT_SECRET: 'canary', AISEC_CLIENT_ID: 'me', HOME: '/nowhere' },
    });
    expect(stdout).toMatch(/AISEC_CLIENT_SECRET +environment +\(set\)/);
    expect(stdout).not.toContain('canary');
  });

  scenario('secret-settings', 'a settings file is accepted, with a warning if other users can read it', async () => {
    const folder = temporaryFolder('settings');
    const file = join(folder, 'settings.yml');
    writeFileSync(file, 'client_secret: canary\ntsg_id: "0034"\n', { mode: 0o644 });
    chmodSync(file, 0o644);
    const argv = ['doctor', '--output', 'table', '--config', file];
    const open = await run(argv);
    expect(open.stderr).toMatch(/^warning: .*can be read by other users/);
    expect(open.stdout).toMatch(/AISEC_CLIENT_SECRET +file +\(set\)/);
    chmodSync(file, 0o600);
    expect((await run(argv)).stderr).toBe('');
  });

  test('no log of any level has a credential or a token', async () => {
    const { stderr, stdout } = await rehearse([LIST, '--log-level', 'debug']);
    expect(stderr).toContain('request');
    expect(stderr + stdout).not.toContain('canary-secret');
  });
});

describe('doctor', () => {
  test('names the tenant and tests each plane', async () => {
    const { code, stdout } = await rehearse(['doctor', '--output', 'table']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Tenant 0012 +SIMULATED$/m);
    expect(stdout).toMatch(/Access token +✓ passed\nManagement API +✓ passed\nScanner API +✓ passed/);
  });

  test.each([
    { refuse: { '/token': 401 }, code: 4, states: ['failed', 'not tested', 'passed'] },
    { refuse: { '/mgmt/': 403 }, code: 4, states: ['passed', 'failed', 'passed'] },
    { refuse: { '/scan/results': 401 }, code: 4, states: ['passed', 'passed', 'failed'] },
    { refuse: { '/scan/results': 404 }, code: 0, states: ['passed', 'passed', 'passed'] },
  ])('$refuse ends with $code', async ({ refuse, code: expected, states }) => {
    const { code, stdout, stderr } = await rehearse(['doctor'], { refuse });
    expect(code).toBe(expected);
    const { checks } = json(stdout) as { checks: { state: string; detail?: string }[] };
    // Optional planes: this service does not have them.
    const others = states[0] === 'passed' ? 'not available' : 'not tested';
    expect(checks.map(({ state }) => state)).toEqual([...states, others, others, others]);
    if (states[0] === 'passed') expect(checks.at(-1)?.detail).toContain('ask the tenant for a model security licence');
    expect(stderr === '').toBe(expected === 0);
  });

  test('does not scan', async () => {
    const { requests } = await rehearse(['doctor']);
    const asked = requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`);
    expect(asked).toEqual([
      'POST /token',
      'GET /aisec/v1/mgmt/profiles/tsg/0012',
      'GET /v1/scan/results',
      'GET /v2/api/data-profiles',
      'GET /ai-red-teaming/mgmt-plane/v1/target',
      'GET /aims/mgmt/v1/security-groups',
    ]);
    expect(requests[2]?.url).toMatch(/scan_ids=[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test.each([
    {
      what: 'nothing is set',
      environment: { HOME: '/nowhere' },
      code: 3,
      states: ['failed', 'not tested', 'not configured', 'not tested'],
    },
    {
      // No server listens there, so the error shows that the program tried the scanner.
      what: 'only the scanner has settings',
      environment: { AISEC_RUNTIME_API_KEY: 'key', AISEC_SCANNER_BASE_URL: 'http://127.0.0.1:9', AISEC_CLIENT_ID: '-' },
      code: 9,
      states: ['not configured', 'not tested', 'failed', 'not tested'],
    },
  ])('ends with $code if $what', async ({ environment, code: expected, states }) => {
    const { code, stdout } = await run(['doctor', '--timeout', '0.2'], {
      environment: { HOME: '/nowhere', ...environment },
    });
    const { checks } = json(stdout) as { checks: { state: string; detail?: string }[] };
    expect({ code, states: checks.slice(0, 4).map(({ state }) => state) }).toEqual({ code: expected, states });
    if (expected === 3) expect(checks[0]?.detail).toContain('AISEC_CLIENT_ID');
  });
});

describe('a wait', () => {
  const Polled = record('AiSec.Polled', 'Polled', 'seconds', { seconds: number('Seconds.') });
  const poll = command('aisec-widget-poll', 'Poll a widget.', {
    effect: 'read',
    args: { interval: integer('Time between two polls, in seconds.', { default: '15' }) },
    output: one(Polled),
    run: async ({ interval }) => ({ seconds: interval }),
  });
  const polled = async (argv: readonly string[], environment = {}) =>
    json(
      (await run([...argv, '--output', 'context'], { extra: { [poll.name]: async () => poll }, environment })).stdout,
    );

  test('polls every second on the simulated service, because its jobs take seconds', async () => {
    expect(await polled(['--simulate', 'widget-poll'])).toEqual({ seconds: 1 });
    expect(await polled(['--simulate', 'widget-poll interval=7'])).toEqual({ seconds: 7 });
  });

  test('polls as declared on a tenant', async () => {
    expect(await polled(['widget-poll'], { AISEC_BASE_URL: 'http://127.0.0.1:9' })).toEqual({ seconds: 15 });
  });
});

describe('simulate', () => {
  const settings = { AISEC_BASE_URL: 'http://127.0.0.1:9', AISEC_TSG_ID: '1' };

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'prints what an environment file needs and serves until %s',
    async (signal) => {
      const ports: number[] = [];
      let closed = false;
      const running = start(
        ['simulate', '--port', '0', '--latency', '5', '--fault', '503x2', '--quirk', 'a', '--quirk', 'b'],
        {
          served: async (port) => {
            ports.push(port);
            return {
              origin: 'http://127.0.0.1:9',
              settings,
              close: async () => {
                closed = true;
              },
            };
          },
        },
      );
      await running.see('Ctrl-C stops it.');
      expect(running.output()).toBe('AISEC_BASE_URL=http://127.0.0.1:9\nAISEC_TSG_ID=1\n');
      expect(closed).toBe(false);
      process.emit(signal);
      expect(await running.code).toBe(0);
      expect(closed).toBe(true);
      expect(ports).toEqual([0]);
      expect(running.simulations).toEqual([{ latencyMs: 5, faults: ['503x2'], quirks: ['a', 'b'] }]);
    },
  );
});

/** Files that are loaded with a module before it runs anything. */
function loadedWith(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  if (!file.endsWith('.ts')) return seen;
  const source = readFileSync(file, 'utf8');
  for (const [, from = ''] of source.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)';/gm)) {
    loadedWith(from.startsWith('.') ? resolve(dirname(file), from) : from, seen);
  }
  return seen;
}

test('help and completion load no dispatcher, checker, client, log, yaml or table module', () => {
  const lib = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'lib');
  const entries = [
    ...[
      '../bin/subcommands.ts',
      'hosts/terminal/shell/main.ts',
      'hosts/terminal/shell/usage.ts',
      'hosts/terminal/result/print-long.ts',
      'hosts/terminal/result/command-help.ts',
    ],
    'hosts/terminal/room/completion/completion.ts',
  ];
  const loaded = new Set(entries.flatMap((entry) => [...loadedWith(join(lib, entry))]));
  expect(loaded).toContain('yargs-parser');
  expect([...loaded].filter((name) => !name.startsWith('/') && !name.startsWith('node:'))).toEqual(['yargs-parser']);
  expectNone(
    [...loaded].filter((name) =>
      /dispatch|\/(log|transport|output|settings|runs)\/(?!parameters|readable|record)|features\/(?!\w+\/terminal\/)|hosts\/(?!terminal)/.test(
        name,
      ),
    ),
    'modules that a cold start loads',
  );
});

describe('the first minute', () => {
  const json = (text: string) => JSON.parse(text);
  const names = Object.keys(real);

  describe('the short form', () => {
    test('works in a pipe, with references in lines and masks in --echo', async () => {
      const input = 'widget-get cog\nwidget-make name=${AiSec.Widget.name} auth_config=canary\n';
      const { code, stdout, requests } = await rehearse(['--echo'], { input });
      expect(code).toBe(0);
      expect(json(requests.at(-1)?.body ?? '')['name']).toBe('cog');
      expect(stdout).toContain('widget-make name=${AiSec.Widget.name} auth_config=***');
      expect(stdout).not.toContain('auth_config=canary');
    });

    test('a subcommand takes precedence over a short name, and hides no command', async () => {
      const list = registry['aisec-widget-list'];
      if (list === undefined) throw new Error('there is no list');
      const { stdout } = await rehearse(['commands'], { extra: { 'aisec-commands': list } });
      expect(stdout).toContain('widget-list ');
      expectNone(
        Object.keys(SUBCOMMANDS).filter((name) => names.includes(`aisec-${name}`)),
        'hidden commands',
      );
    });

    test.each([
      { word: 'runtme-scan', hint: 'Did you mean "runtime-scan"?' },
      { word: 'topics-list', hint: 'Did you mean "runtime-topics-list"?' },
      { word: '!aisec-runtime-scn', hint: 'Did you mean "!aisec-runtime-scan"?' },
      { word: 'scans-list', hint: 'Did you mean "redteam-scans-list" or "model-security-scans-list"?' },
      { word: 'doctr', hint: 'Did you mean "doctor"?' },
    ])('$word: $hint', ({ word, hint }) => {
      expect(nearestCommand(word, names, Object.keys(SUBCOMMANDS))).toBe(hint);
    });
  });

  describe('help', () => {
    test.each([
      { argv: ['-h'], shown: 'Subcommands' },
      { argv: ['gate', '-h'], shown: '--max-asr N' },
      { argv: ['widget-make', 'name=a', '-h'], shown: 'aisec widget-make name=cog colour=green' },
      { argv: ['help', 'widget-make'], shown: 'aisec widget-make\n' },
      { argv: ['help', 'exit-codes'], shown: '130' },
    ])('$argv shows $shown', async ({ argv, shown }) => {
      const { code, stdout } = await run(argv);
      expect(code).toBe(0);
      expect(stdout).toContain(shown);
    });

    test('names both arguments if one of the two is required, and Tab offers both', () => {
      const bulk = describeCommand(bulkScan);
      const shown = commandHelp(bulk, {
        width: 200,
        style: PLAIN,
        measure: plainMeasure,
        shell: { dialect: 'posix', options: [] },
      });
      expect(shown).toMatch(/prompts_csv +\(required unless file is given,/);
      expect(shown).toMatch(/file +\(path of a file,/);
      expect(shown).toContain('  aisec runtime-bulk-scan profile_name=prod file=prompts.csv');
      const offered = (line: string) => complete(`!${bulk.name} ${line}`, [bulk], {}, {})[0];
      expect(offered('')).toEqual(['profile_name=', 'prompts_csv=', 'file=']);
      expect(offered('profile_name=a ')).toEqual(['prompts_csv=', 'file=']);
      expect(offered('profile_name=a entry_id=b ')).not.toContain('prompts_csv=');
      expect(offered('profile_name=a prompts_csv=b ')).toContain('file=');
    });

    test('the manual page has every section, option and subcommand, and no line that troff would misread', () => {
      const page = manPage('1.2.3');
      for (const part of ['NAME', 'SYNOPSIS', 'SUBCOMMANDS', 'OPTIONS', 'EXIT STATUS', 'ENVIRONMENT', 'FILES']) {
        expect(page).toContain(`.SH "${part}"`);
      }
      for (const name of Object.keys(SUBCOMMANDS)) expect(page).toContain(`\\fBaisec ${name}`);
      expect(page).toContain('\\-\\-files\\-dir DIR');
      const requests = page.split('\n').filter((line) => /^[.']/.test(line));
      expectNone(
        requests.filter((line) => !/^\.(TH|SH|TP|br|nf|fi)\b/.test(line)),
        'unknown requests',
      );
    });
  });

  const ANSWERS = ['http://127.0.0.1:9', 'client', 'canary-secret', '0012', 'canary-key'];

  /** Runs aisec init; types each answer when its question appears. */
  async function dialogue(argv: readonly string[], answers: readonly (readonly [string, string])[], given: Given) {
    const running = start(['init', ...argv, '--timeout', '0.2'], given);
    for (const [question, answer] of answers) {
      await running.see(question);
      running.stdin.write(answer);
    }
    const code = await running.code;
    return { ...running, code, stdout: running.output(), stderr: running.errors() };
  }

  const QUESTIONS = ['Server URL', 'Client ID', 'Client Secret', 'Group ID', 'Runtime API Key'];
  const typed = QUESTIONS.map((question, index) => [question, `${ANSWERS[index]}\r`] as const);
  const LOCAL = ['--token-url', 'http://127.0.0.1:9/token', '--scanner-base-url', 'http://127.0.0.1:9'];

  describe('aisec init', () => {
    let home = '';
    let path = '';

    beforeEach(() => {
      home = temporaryFolder('init');
      path = join(home, '.config', 'aisec', 'settings.yml');
    });

    test('asks, tests, and writes a private section without echoing a secret', async () => {
      const { code, stdout, stderr } = await dialogue(LOCAL, [...typed, ['Save these settings anyway?', 'y\r']], {
        environment: { HOME: home },
      });
      expect(code).toBe(0);
      expect(stdout).toContain('"state":"failed"');
      expect(stdout + stderr).not.toContain('canary');
      expect(stderr).toContain('The management address of your region, such as https://');
      expect(stderr).toContain(`Saved profile default in ${path}`);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
      const shown = await run(['profiles'], { environment: { HOME: home } });
      expect(json(shown.stdout)).toEqual([
        { name: 'default', url: 'http://127.0.0.1:9', tenant: '0012', production: false, used: true },
      ]);
      expect(readFileSync(path, 'utf8')).toContain('client_secret: "canary-secret"');
    });

    scenario(
      'dry-run-everywhere',
      'a dry run asks and tests, names what would be saved, and writes nothing',
      async () => {
        const { code, stdout, stderr } = await dialogue(['--dry-run', ...LOCAL], typed, {
          environment: { HOME: home },
        });
        expect(code).toBe(9);
        expect(stderr).toContain(`profile default would be saved in ${path}, with scanner_base_url, token_url, url,`);
        expect(stdout + stderr).not.toMatch(/canary|Save these settings anyway/);
        expect(() => statSync(path)).toThrow();
      },
    );

    test.each([
      { key: '\u0003', title: 'Ctrl-C' },
      { key: '\u0004', title: 'Ctrl-D' },
    ])('$title ends the dialogue with 130, without writing', async ({ key }) => {
      const { code } = await dialogue([], [...typed.slice(0, 2), ['Client Secret', key]], {
        environment: { HOME: home },
      });
      expect(code).toBe(130);
      expect(() => statSync(path)).toThrow();
    });

    test('asks before it changes a section, and keeps every byte if the answer is no', async () => {
      const file = join(home, 'own.yml');
      writeFileSync(file, 'profiles:\n  prod: { tsg_id: "1" } # mine\n', { mode: 0o600 });
      const { code } = await dialogue(['--config', file, '--profile', 'prod'], [['Change it? [y/N]', 'n\r']], {});
      expect(code).toBe(130);
      expect(readFileSync(file, 'utf8')).toBe('profiles:\n  prod: { tsg_id: "1" } # mine\n');
    });

    test('an invalid file is refused before the first question', async () => {
      const file = join(home, 'bad.yml');
      writeFileSync(file, 'a: [canary');
      const { code, stderr } = await run(['init', '--config', file]);
      expect(code).toBe(3);
      expect(stderr).not.toMatch(/Server URL|canary/);
    });

    test('does not echo answers that were pasted ahead, and asks again after a wrong answer', async () => {
      const paste = ['nonsense', ...ANSWERS, 'y'].map((line) => `${line}\r`).join('');
      const { code, stdout, stderr } = await dialogue(LOCAL, [['Server URL', paste]], { environment: { HOME: home } });
      expect(code).toBe(0);
      expect(stderr).toContain('must be an absolute address');
      expect(stdout + stderr).not.toContain('canary');
    });

    test('writes nothing if the test fails and saving is declined, and returns the exit code of the test', async () => {
      const { code } = await dialogue(LOCAL, [...typed, ['Save these settings anyway?', '\r']], {
        environment: { HOME: home },
      });
      expect(code).toBe(9);
      expect(() => statSync(path)).toThrow();
    });

    test('says what to set instead if there is no terminal', async () => {
      const { code, stderr } = await run(['init'], { input: '', environment: { HOME: home } });
      expect(code).toBe(2);
      expect(stderr).toContain('AISEC_RUNTIME_API_KEY in the environment');
    });

    test.each([
      { answer: '2', means: SCANNER_URLS.EU },
      { answer: 'eu', means: SCANNER_URLS.EU },
      { answer: SCANNER_URLS.IN, means: SCANNER_URLS.IN },
      { answer: '0', means: '0' },
      { answer: '', means: '' },
    ])('reads "$answer" as "$means"', ({ answer, means }) => {
      expect(chosen(answer, Object.values(SCANNER_URLS))).toBe(means);
    });
  });

  const FILE = `tsg_id: "7"
profiles:
  staging: { url: https://staging.test, client_secret: canary }
  live: { tsg_id: "9", production: true }
  "odd": { url: "https://me:canary@x.test" }
`;

  describe('profiles', () => {
    let file = '';

    beforeEach(() => {
      file = join(temporaryFolder('profiles'), 'settings.yml');
      writeFileSync(file, FILE, { mode: 0o600 });
    });

    test('are listed without secrets; AISEC_PROFILE selects a profile, and --profile takes precedence', async () => {
      const used = async (argv: string[], environment = {}) => {
        const { stdout, stderr } = await run(['profiles', '--config', file, ...argv], { environment });
        expect(stdout + stderr).not.toContain('canary');
        return (json(stdout) as { name: string; used: boolean }[]).filter((each) => each.used).map(({ name }) => name);
      };
      expect(await used([])).toEqual([null]);
      expect(await used([], { AISEC_PROFILE: 'live' })).toEqual(['live']);
      expect(await used(['--profile', 'staging'], { AISEC_PROFILE: 'live' })).toEqual(['staging']);
    });

    test.each([
      { argv: ['--simulate'], prompt: 'aisec (simulated)> ' },
      { argv: ['--profile', 'staging'], prompt: 'aisec (staging)> ' },
      { argv: [], prompt: 'aisec (7)> ' },
      { argv: ['--profile', 'staging', '--tsg-id', '8'], prompt: 'aisec (8)> ' },
      { argv: ['--profile', 'live'], prompt: '\u001b[33maisec (live)' },
    ])('the war room of $argv has the prompt $prompt', async ({ argv, prompt }) => {
      const coloured = prompt.startsWith('\u001b');
      const running = start(['--config', file, ...argv], {
        terminal: true,
        environment: coloured ? {} : { NO_COLOR: '1' },
      });
      await running.see(prompt);
      running.stdin.write('exit\r');
      expect(await running.code).toBe(0);
    });
  });
});

const TENANT = 'url: https://management.test/api\ntsg_id: "77"\nclient_id: a\nclient_secret: b\n';

/** Opens a war room with a settings file, and leaves it. @returns the lines above the prompt */
async function welcomed(text: string, argv: readonly string[] = []): Promise<readonly string[]> {
  const config = join(temporaryFolder('welcome'), 'settings.yml');
  writeFileSync(config, text, { mode: 0o600 });
  const room = start(['--config', config, ...argv]);
  await room.see(/Try |Begin with/);
  room.stdin.write(CTRL_D);
  expect(await room.code).toBe(0);
  expect(room.requests).toEqual([]);
  return room.errors().split('\n').slice(0, 2);
}

test.each([
  {
    text: `${TENANT}profiles: {live: {production: true}}\n`,
    argv: ['--profile', 'live'],
    tenant: 'profile live, tenant 77, production',
  },
  { text: TENANT, argv: [], tenant: 'tenant 77' },
  { text: `${TENANT}profiles: {a: {}}\n`, argv: ['--profile', 'a', '--tsg-id', '88'], tenant: 'tenant 88' },
])('names $tenant, and sends the tenant no request', async ({ text, argv, tenant }) => {
  expect((await welcomed(text, argv))[0]).toBe(`aisec 1.2.3, ${tenant}, management.test`);
});

test.each([
  ['a tenant', TENANT, 'Try redteam-scans-list, dashboard or help. Tab completes, exit leaves.'],
  [
    'a scanner alone',
    'runtime_api_key: k\n',
    'Try runtime-scan prompt="hi", commands or help. Tab completes, exit leaves.',
  ],
  ['nothing', '', 'note: Nothing is set yet. Begin with: aisec init. Without a tenant, add --simulate.'],
])('says how to start with %s', async (_, text, begin) => {
  expect((await welcomed(text))[1]).toBe(begin);
});
