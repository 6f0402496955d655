import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { number as integer } from '../../lib/arguments/builders.ts';
import { command } from '../../lib/engine/command.ts';
import { endings } from '../../lib/hosts/terminal/modes/interrupt.ts';
import { number, one, record } from '../../lib/output/record.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { scenario } from '../system/scenarios/claims.ts';
import { registry, rehearse, run, start } from './terminal-support.ts';

const LIST = '!aisec-widget-list';
const json = (text: string): Record<string, unknown> => JSON.parse(text);

describe('the command line', () => {
  test('a quoted line is one command', async () => {
    const { code, stdout } = await rehearse(['!aisec-widget-get name="cog"']);
    expect(code).toBe(0);
    expect(json(stdout)).toMatchObject({ command: 'aisec-widget-get', simulated: true });
  });

  test('words split by the shell are used unchanged, with quotes and references', async () => {
    const { code, requests } = await rehearse(['aisec-widget-make', 'name=a "b" c=d', 'prompt=$(x) `y` \\n']);
    expect(code).toBe(0);
    expect(json(requests.at(-1)?.body ?? '')).toMatchObject({ name: 'a "b" c=d', prompt: '$(x) `y` \\n' });
  });

  test('a value without a name is the positional argument', async () => {
    const { stdout } = await rehearse(['!aisec-widget-get', 'nut', '--output', 'context']);
    expect(json(stdout)).toEqual({ name: 'nut', action: 'block', note: 'turns too' });
  });

  test.each([
    { argv: ['comands'], message: '"comands" is neither', hint: 'Did you mean "commands"?' },
    { argv: ['!aisec-widget-lst'], message: 'There is no command "aisec-widget-lst"', hint: '!aisec-widget-list' },
    { argv: ['help', '!aisec-widget-lst'], message: 'There is no command', hint: 'aisec-widget-list' },
    { argv: ['--outptu', 'json', LIST], message: 'Unknown option --outptu.', hint: 'Did you mean "--output"?' },
    { argv: ['--output', 'jason', LIST], message: 'does not take "jason"', hint: 'Did you mean "json"?' },
    {
      argv: ['--port', '1', LIST],
      message: 'Option --port belongs to: aisec mcp, aisec serve, aisec simulate.',
      hint: undefined,
    },
    { argv: ['simulate', '--port', '70000'], message: 'takes at most 65535', hint: undefined },
    { argv: ['serve', '--rate', '100000000'], message: 'takes at most 1000000', hint: undefined },
    { argv: ['serve', '--rate', '1'.repeat(400)], message: 'takes at most 1000000', hint: undefined },
    { argv: ['serve', '--rate', '1.5'], message: 'needs a whole number.', hint: undefined },
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
    { argv: ['--timeout', '3600000', LIST], name: '--timeout' },
    { argv: ['serve', '--grace', '2073601'], name: '--grace' },
  ])('long-timers', '$argv is refused before any request', async ({ argv, name }) => {
    const { code, stderr, requests } = await rehearse(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(`Option ${name} takes at most 2073600 seconds (24 days).`);
    expectNone(requests, 'requests');
  });

  scenario('long-timers', 'of 24 days works', async () => {
    const { code, stdout } = await rehearse(['--timeout', '2073600', LIST, '--output', 'json']);
    expect([code, json(stdout)['command']]).toEqual([0, 'aisec-widget-list']);
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

  test('that is empty does nothing, and says so', async () => {
    const { code, stderr } = await rehearse([], { input: '# nothing\n' });
    expect(code).toBe(0);
    expect(stderr).toContain('no command on standard input');
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

  test.each([[['--help']], [['help']]])('%s shows subcommands and options', async (argv) => {
    const { code, stdout } = await run(argv);
    expect(code).toBe(0);
    for (const part of ['aisec doctor', 'simulate', 'aisec help options']) expect(stdout).toContain(part);
    const options = (await run(['help', 'options'])).stdout;
    for (const part of ['--files-dir DIR', '--tsg-id TEXT']) expect(options).toContain(part);
    expect(stdout + options).not.toMatch(/--client-secret|--runtime-api-key/);
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

  test('help of a subcommand lists its own options', async () => {
    expect((await run(['help', 'simulate'])).stdout).toMatch(/--fault FAULT/);
  });

  test('commands: one line each, or everything as JSON', async () => {
    const { stdout } = await run(['commands']);
    expect(stdout.trim().split('\n')).toHaveLength(Object.keys(registry).length);
    expect(stdout).toMatch(/^widget-list {4}List the widgets\.$/m);
    expect(JSON.parse((await run(['commands', '--json'])).stdout)).toHaveLength(Object.keys(registry).length);
  });
});

describe('settings', () => {
  scenario.each([
    { option: '--client-secret=canary' },
    { option: '--client_secret' },
    { option: '--clientSecret=canary' },
    { option: '--runtime-api-key' },
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
    const { stdout } = await run(['doctor', '--output', 'table', '--timeout', '1'], {
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

  test('an option takes precedence over the environment', async () => {
    const { stdout } = await run(['doctor', '--output', 'table', '--tsg-id', '0099'], {
      environment: { AISEC_TSG_ID: '0012', HOME: '/nowhere' },
    });
    expect(stdout).toContain('Tenant 0099');
    expect(stdout).toMatch(/AISEC_TSG_ID +flag +0099/);
  });

  test('no log of any level has a credential or a token', async () => {
    const { stderr, stdout } = await rehearse([LIST, '--log-level', 'debug']);
    expect(stderr).toContain('request');
    expect(stderr + stdout).not.toContain('canary-secret');
  });

  test('--quiet prints only errors and results', async () => {
    const { stderr } = await rehearse(['!aisec-widget-list using=other', '--quiet']);
    expect(stderr).toBe('');
    expect((await rehearse(['!aisec-widget-list using=other'])).stderr).toContain('warning: using: no effect here.');
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
    // Optional planes: this service has none.
    const others = states[0] === 'passed' ? 'not available' : 'not tested';
    expect(checks.map(({ state }) => state)).toEqual([...states, others, others, others]);
    if (states[0] === 'passed') expect(checks.at(-1)?.detail).toContain('ask the tenant for a model security licence');
    expect(stderr === '').toBe(expected === 0);
  });

  test('names the missing setting, and says that the scanner does not need it', async () => {
    const { code, stdout } = await run(['doctor'], { environment: { HOME: '/nowhere' } });
    expect(code).toBe(3);
    const { checks } = json(stdout) as { checks: { state: string; detail: string }[] };
    expect(checks.map(({ state }) => state)).toEqual([
      'failed',
      'not tested',
      'not configured',
      ...Array.from({ length: 3 }, () => 'not tested'),
    ]);
    expect(checks[0]?.detail).toContain('AISEC_CLIENT_ID');
    expect(checks[2]?.detail).toContain('AISEC_RUNTIME_API_KEY');
  });

  test('skips checks that need credentials if only the scanner has settings', async () => {
    const scanner = { AISEC_RUNTIME_API_KEY: 'key', AISEC_SCANNER_BASE_URL: 'http://127.0.0.1:9' };
    const { code, stdout } = await run(['doctor', '--timeout', '1'], {
      environment: { ...scanner, AISEC_CLIENT_ID: '-', HOME: '/nowhere' },
    });
    const { checks } = json(stdout) as { checks: { state: string }[] };
    // Nothing listens there, so the error shows that the scanner was tried.
    expect(checks.slice(0, 4).map(({ state }) => state)).toEqual([
      'not configured',
      'not tested',
      'failed',
      'not tested',
    ]);
    expect(code).toBe(9);
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

  test('names a port that is in use', async () => {
    const served = async () => Promise.reject(Object.assign(new Error('listen'), { code: 'EADDRINUSE' }));
    const { code, stderr } = await run(['simulate', '--output', 'table'], { served });
    expect(code).toBe(2);
    expect(stderr).toMatch(/error: Port 8787 is in use\.\nhint: .*--port 0/);
  });
});

/** Files that are loaded together with one, before it does anything. */
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

test('help and completion load no dispatcher, checker, client, log, yaml or table module', () => {
  const lib = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'lib');
  const entries = [
    ...['cli/main.ts', 'cli/usage.ts', 'hosts/terminal/render/print-long.ts', 'hosts/terminal/views/command-help.ts'],
    'hosts/terminal/complete/completion.ts',
  ];
  const loaded = new Set(entries.flatMap((entry) => [...loadedWith(join(lib, entry))]));
  expect(loaded).toContain('yargs-parser');
  expect([...loaded].filter((name) => !name.startsWith('/') && !name.startsWith('node:'))).toEqual(['yargs-parser']);
  expectNone(
    [...loaded].filter((name) =>
      /dispatch|\/(log|transport|output|settings|features|runs)\/(?!parameters|readable)|hosts\/(?!terminal)/.test(
        name,
      ),
    ),
    'modules that a cold start loads',
  );
});
