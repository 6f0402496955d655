import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scenario } from '../scenarios/claims.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { until } from '../support/machine.ts';
import { type Given, registry, rehearse, run, start } from './terminal-support.ts';

const LIST = '!aisec-widget-list';
const json = (text: string): Record<string, unknown> => JSON.parse(text);

describe('what is run', () => {
  test('a quoted line is one command', async () => {
    const { code, stdout } = await rehearse(['!aisec-widget-get name="cog"']);
    expect(code).toBe(0);
    expect(json(stdout)).toMatchObject({ command: 'aisec-widget-get', simulated: true });
  });

  test('words that the shell has split are taken as they are, quotes and references of any kind included', async () => {
    const { code, requests } = await rehearse(['aisec-widget-make', 'name=a "b" c=d', 'prompt=$(x) `y` \\n']);
    expect(code).toBe(0);
    expect(json(requests.at(-1)?.body ?? '')).toMatchObject({ name: 'a "b" c=d', prompt: '$(x) `y` \\n' });
  });

  test('a word without a name goes to the argument that may be typed without one', async () => {
    const { stdout } = await rehearse(['!aisec-widget-get', 'nut', '--output', 'context']);
    expect(json(stdout)).toEqual({ name: 'nut', action: 'block', note: 'turns too' });
  });

  test.each([
    { argv: ['comands'], message: '"comands" is neither', hint: 'Did you mean "commands"?' },
    { argv: ['!aisec-widget-lst'], message: 'There is no command "aisec-widget-lst"', hint: '!aisec-widget-list' },
    { argv: ['help', '!aisec-widget-lst'], message: 'There is no command', hint: 'aisec-widget-list' },
    { argv: ['--outptu', 'json', LIST], message: 'Unknown option --outptu.', hint: 'Did you mean "--output"?' },
    { argv: ['--output', 'jason', LIST], message: 'does not take "jason"', hint: 'Did you mean "json"?' },
    { argv: ['--port', '1', LIST], message: 'Option --port belongs to: aisec simulate.', hint: undefined },
    { argv: ['simulate', '--port', '70000'], message: 'whole number up to 65535', hint: undefined },
    { argv: ['commands', 'more'], message: '"more" is too much', hint: 'Usage: aisec commands [--json]' },
    { argv: ['!aisec-widget-get name="open'], message: 'is not closed', hint: 'Add the closing "' },
  ])('$argv is refused with exit code 2', async ({ argv, message, hint }) => {
    const { code, stdout, stderr } = await run(['--simulate', ...argv]);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    const { error } = json(stderr) as { error: { message: string; hint?: string } };
    expect(error.message).toContain(message);
    if (hint === undefined) expect(error).not.toHaveProperty('hint');
    else expect(error.hint).toContain(hint);
  });

  test('without credentials and without the simulated service nothing is sent, and every missing setting is named', async () => {
    const environment = { AISEC_BASE_URL: 'http://127.0.0.1:9', HOME: '/nowhere' };
    const { code, stderr, stdout } = await run([LIST], { environment });
    expect(code).toBe(3);
    expect(stdout).toBe('');
    for (const name of ['AISEC_CLIENT_ID', 'AISEC_CLIENT_SECRET', 'AISEC_TSG_ID']) expect(stderr).toContain(name);
  });
});

describe('formats', () => {
  const made = ['!aisec-widget-make name=cog'];

  test.each([
    {
      format: 'json',
      expected:
        /^\{"command":"aisec-widget-make","outputs":\{"AiSec.WidgetMade":\{"name":"cog","size":4\}\},"readable":"#.*,"raw":\{.*\},"simulated":true\}\n$/,
    },
    { format: 'context', expected: /^\{"name":"cog","size":4\}\n$/ },
    { format: 'jsonl', expected: /^\{"name":"cog","size":4\}\n$/ },
    {
      format: 'entry',
      expected: /^\{"Type":1,.*"HumanReadable":.*"AiSec.WidgetMade\(val.name && val.name == obj.name\)"/,
    },
    { format: 'markdown', expected: /^### Made widget\n\n\*\*SIMULATED\*\*/ },
    { format: 'table', expected: /^SIMULATED Made widget\n\nField {2}Value\n─+ {2}─+\nName {3}cog\nSize {3}4\n$/ },
  ])('$format', async ({ format, expected }) => {
    const { code, stdout } = await rehearse([...made, '--output', format]);
    expect(code).toBe(0);
    expect(stdout).toMatch(expected);
  });

  test('json is the default in a pipe, on one line; a terminal gets a table, and indented json on demand', async () => {
    expect((await rehearse(made)).stdout.trim().split('\n')).toHaveLength(1);
    expect((await rehearse(made, { terminal: true })).stdout).toContain('Made widget');
    const { stdout } = await rehearse([...made, '--output', 'json'], { terminal: true });
    expect(stdout.split('\n').length).toBeGreaterThan(5);
    expect(json(stdout)).toMatchObject({ outputs: { 'AiSec.WidgetMade': { name: 'cog', size: 4 } } });
  });

  test('context is null when a command leaves nothing', async () => {
    const { stdout } = await rehearse(['!aisec-widget-make name=cog ignore-outputs=true', '--output', 'context']);
    expect(stdout).toBe('null\n');
  });

  test('raw-response=true shows the answer in place of the table', async () => {
    const { stdout } = await rehearse(['!aisec-widget-get cog raw-response=true', '--output', 'table']);
    expect(json(stdout)).toEqual({ name: 'cog', action: 'allow', note: 'turns' });
  });

  test.each(['context', 'jsonl'])(
    '%s leaves no room for the simulated mark: a note says it, even a quiet one',
    async (format) => {
      const { stderr } = await rehearse([...made, '--output', format, '--quiet']);
      expect(stderr).toContain('simulated service');
    },
  );

  describe('a result that is cut', () => {
    const widgets = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`w${at}`, { note: 'x'.repeat(400) }]));
    const cut = async (format: string, more: Partial<Given> = {}) => {
      const directory = temporaryFolder('cut');
      const options = ['--files-dir', directory, '--context-limit', '20000', '--output', format, '--quiet'];
      const words = more.input === undefined ? [`${LIST} limit=250`] : [];
      const ended = await rehearse([...options, ...words], { widgets, ...more });
      return { ...ended, file: join(directory, 'AiSec-Widget.jsonl') };
    };
    const NOTE = /The context holds \d+ of 250 records; all of them are in AiSec-Widget\.jsonl\./;

    scenario('truncated-said', 'says so in json, with the file that has everything', async () => {
      const { stdout, file } = await cut('json');
      const { truncated, outputs } = json(stdout) as {
        truncated: { kept: number };
        outputs: Record<string, unknown[]>;
      };
      expect(truncated).toEqual({ kept: outputs['AiSec.Widget']?.length, total: 250, file });
      expect(truncated.kept).toBeGreaterThan(10);
      expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(250);
    });

    scenario('truncated-said', 'says so in an entry, in what machines read and in what people read', async () => {
      expect(json((await cut('entry')).stdout)).toMatchObject({
        Tags: ['truncated'],
        Contents: { truncated: { kept: expect.any(Number), total: 250, file: 'AiSec-Widget.jsonl' } },
        HumanReadable: expect.stringMatching(/of 250 records; all of them are in/),
      });
    });

    scenario.each([{ format: 'markdown' }, { format: 'table' }])(
      'truncated-said',
      'says so in $format',
      async ({ format }) => {
        expect((await cut(format)).stdout.replace(/\\/g, '').replace(/\s+/g, ' ')).toMatch(NOTE);
      },
    );

    scenario('truncated-said', 'says so beside a context, even a quiet one', async () => {
      const { stdout, stderr } = await cut('context');
      expect(json(stdout)).not.toHaveLength(250);
      expect(stderr).toMatch(NOTE);
    });

    scenario('truncated-said', 'is whole in jsonl, alone and in a pipe', async () => {
      const alone = await cut('jsonl');
      expect(alone.stdout.trim().split('\n')).toHaveLength(250);
      expect(alone.stderr).not.toMatch(NOTE);
      const piped = await cut('jsonl', { input: `${LIST} limit=250\n!aisec-widget-get \${AiSec.Widget.[0].name}\n` });
      expect(piped.code).toBe(0);
      expect(piped.stdout.trim().split('\n')).toHaveLength(251);
      expect(piped.stderr).toMatch(NOTE);
    });

    scenario.each([
      { format: 'json', marked: { truncated: { kept: 2, total: null, file: null } } },
      { format: 'entry', marked: { Tags: ['truncated'] } },
    ])('truncated-said', 'says in $format that a list goes on behind its limit', async ({ format, marked }) => {
      expect(json((await rehearse([`${LIST} limit=2`, '--output', format], { widgets })).stdout)).toMatchObject(marked);
      const whole = json((await rehearse([`${LIST} limit=300`, '--output', format], { widgets })).stdout);
      for (const name of Object.keys(marked)) expect(whole).not.toHaveProperty(name);
    });

    scenario.each([{ format: 'jsonl' }, { format: 'context' }])(
      'truncated-said',
      'says beside $format that a list goes on behind its limit',
      async ({ format }) => {
        const { stderr } = await rehearse([`${LIST} limit=2`, '--output', format, '--quiet'], { widgets });
        expect(stderr).toContain('note: 2 shown, there are more: go on with offset=2, or a higher limit.');
      },
    );
  });

  test('jsonl prints each record when it arrives, and asks for as many pages at once as have come, and one more', async () => {
    const widgets = Object.fromEntries(
      Array.from({ length: 250 }, (_, index) => [`w${index}`, { note: 'x'.repeat(400) }]),
    );
    const before = [0];
    const running = start(['--simulate', `${LIST} limit=250`, '--output', 'jsonl'], {
      widgets,
      before: () => void before.push(running.output().split('\n').length - 1),
    });
    expect(await running.code).toBe(0);
    expect(before.slice(-2)).toEqual([100, 100]);
    const lines = running.output().trim().split('\n');
    expect(lines).toHaveLength(250);
    expect(json(lines[249] ?? '')).toMatchObject({ name: 'w249' });
  });

  test('jsonl holds up the next page while its reader is busy', async () => {
    const widgets = Object.fromEntries(
      Array.from({ length: 250 }, (_, index) => [`w${index}`, { note: 'x'.repeat(900) }]),
    );
    const running = start(['--simulate', `${LIST} limit=250`, '--output', 'jsonl'], { widgets });
    running.stdout.pause();
    await until(() => running.requests.length > 1);
    // Time enough for one more, if it did not wait.
    await new Promise((next) => setTimeout(next, 60));
    const whilePaused = running.requests.length;
    running.stdout.resume();
    expect(await running.code).toBe(0);
    expect([whilePaused, running.requests.length]).toEqual([2, 4]);
    expect(running.output().trim().split('\n')).toHaveLength(250);
  });

  test('a dry run looks like any result and changes nothing', async () => {
    const { code, stdout, requests } = await rehearse([...made, '--dry-run', '--output', 'table']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/POST[\s\S]*Nothing was changed\./);
    expectNone(
      requests.filter(({ url }) => url.includes('widgets')),
      'requests for widgets',
    );
  });

  test('what is done in part is shown, and the exit code says that it is not all', async () => {
    const { code, stdout, stderr } = await rehearse(['!aisec-widget-paint', '--output', 'table']);
    expect(code).toBe(10);
    expect(stdout).toContain('Half of them are painted.');
    expect(stderr).toContain('error: 1 of 2 widgets is not painted.');
  });
});

describe('errors', () => {
  const failing = ['!aisec-widget-delete name=cog'];

  test('people read message, hint, request id and the rows that belong to it', async () => {
    const { code, stderr } = await rehearse([...failing, '--output', 'table']);
    expect(code).toBe(5);
    expect(stderr).toBe(
      [
        'error: cog is in use.',
        'hint: Remove it there first.',
        'request id: r-7',
        '',
        'Profile  Revision',
        '───────  ────────',
        'prod     3',
        '',
      ].join('\n'),
    );
  });

  test.each(['json', 'jsonl', 'context', 'entry'])(
    'programs that asked for %s read one JSON object',
    async (format) => {
      const { stderr, stdout } = await rehearse([...failing, '--output', format]);
      expect(stdout).toBe('');
      expect(json(stderr)).toEqual({
        error: {
          code: 'conflict',
          message: 'cog is in use.',
          hint: 'Remove it there first.',
          command: 'aisec-widget-delete',
          status: 409,
          requestId: 'r-7',
        },
      });
    },
  );

  test('every problem of a line has its own message and hint', async () => {
    const { stderr } = await rehearse(['!aisec-widget-make colour=gren shiny=perhaps', '--output', 'table']);
    expect(stderr.match(/^error: /gm)).toHaveLength(3);
    expect(stderr).toContain('Did you mean "green"?');
  });

  test('nothing in an error acts on the terminal', async () => {
    const { stderr } = await rehearse(['!aisec-widget-get name=\u001b]0;owned\u0007x', '--output', 'table']);
    const controls = Array.from(stderr).filter((character) => character < ' ' && character !== '\n');
    expectNone(
      controls.map((character) => JSON.stringify(character)),
      'control characters',
    );
  });
});

describe('a fault of the program itself', () => {
  const canaries = /canary-secret|\/home\/ana|Users/;
  const fault = () => {
    const places = '/home/ana/notes/prompt.csv and file:///C:/Users/ana/x.txt';
    throw new TypeError(`cannot read canary-secret-1 of ${places}, Bearer abcdefghijklmnopqrstuvwxyz`);
  };
  const crash = (argv: readonly string[], given: Given = {}) =>
    rehearse(['!aisec-widget-get cog', ...(argv.includes('--output') ? [] : ['--output', 'table']), ...argv], {
      before: fault,
      ...given,
    });

  test('says how to get what is to be reported, and tells no secret and no place', async () => {
    const { code, stderr } = await crash([]);
    expect(code).toBe(8);
    expect(stderr).toBe(
      'error: Unexpected failure: cannot read *** of prompt.csv and x.txt, Bearer ***\n' +
        'hint: This is a fault of aisec itself; run the line again with --log-level debug and report what it prints.\n',
    );
  });

  test.each([{ level: 'debug' }, { level: 'trace' }])('prints it with --log-level $level', async ({ level }) => {
    const { code, stderr } = await crash(['--log-level', level]);
    expect(code).toBe(8);
    expect(stderr).toContain('hint: This is a fault of aisec itself: report all of this.');
    const report = stderr.slice(stderr.indexOf('report: '));
    expect(report).toMatch(/^report: aisec 1\.2\.3, Node v\d+\.\d+\.\d+, \w+ \w+\n {2}at /);
    // Frames name the program's own files, and the engine's.
    expect(report).toMatch(/ lib\/api\/exchange\.ts:\d+:\d+| \(lib\/api\/exchange\.ts:\d+:\d+\)/);
    expect(report).not.toMatch(/(^|[( ])(file:|[A-Z]:)?[\\/]/m);
    expect(stderr).not.toMatch(canaries);
  });

  test('is one JSON object for a program', async () => {
    const { stderr } = await crash(['--log-level', 'debug', '--output', 'json']);
    const last = stderr.trim().split('\n').at(-1) ?? '';
    expect(JSON.parse(last)).toEqual({
      error: {
        code: 'error',
        message: expect.stringMatching(/^Unexpected failure: cannot read \*\*\* of prompt\.csv/),
        hint: expect.any(String),
        command: 'aisec-widget-get',
        report: {
          version: '1.2.3',
          node: process.version,
          platform: `${process.platform} ${process.arch}`,
          stack: expect.arrayContaining([expect.stringMatching(/^at .*exchange\.ts:\d+:\d+\)?$/)]),
        },
      },
    });
    expect(stderr).not.toMatch(canaries);
  });

  test.each([
    { what: 'nothing', thrown: undefined },
    { what: 'an object without a text', thrown: Object.create(null) },
    { what: 'an object that fails again', thrown: { toString: fault } },
    { what: 'an error without a stack', thrown: { message: 'canary-secret-2' } },
    { what: 'a text', thrown: 'of canary-secret-1' },
  ])('is reported where $what is thrown', async ({ thrown }) => {
    const before = () => {
      throw thrown;
    };
    const { code, stderr } = await crash(['--log-level', 'debug'], { before });
    expect(code).toBe(8);
    expect(stderr).toMatch(/error: Unexpected failure: [\s\S]*report: aisec 1\.2\.3/);
    expect(stderr).not.toMatch(canaries);
  });

  test('that lies outside of commands tells no secret of the environment', async () => {
    const served = async () => {
      throw new Error('no service for canary-secret-9');
    };
    const environment = { AISEC_CLIENT_SECRET: 'canary-secret-9' };
    const { stderr } = await run(['simulate', '--log-level', 'debug'], { served, environment });
    expect(stderr).toMatch(/Unexpected failure: no service for \*\*\*/);
    expect(stderr).not.toMatch(canaries);
  });
});

describe('a pipe', () => {
  test('runs one command a line; comments and blank lines are passed over, and the context lives on', async () => {
    const input = `\ufeff# first\r\n\r\n${LIST}\r\n  # then\n!aisec-widget-get name=\${AiSec.Widget.[1].name}\n`;
    const { code, stdout } = await rehearse(['--output', 'context'], { input });
    expect(code).toBe(0);
    expect(stdout.trim().split('\n').map(json)[1]).toMatchObject({ name: 'nut' });
  });

  test('stops at the first error, and says in which line it was', async () => {
    const input = `${LIST}\n!aisec-widget-get name=gone\n${LIST}\n`;
    const { code, stdout, stderr } = await rehearse(['--output', 'table'], { input });
    expect(code).toBe(5);
    expect(stdout.match(/Widget$/gm)).toHaveLength(1);
    expect(stderr).toContain('error: line 2: ');
  });

  test('--keep-going runs every line and ends with the first failure', async () => {
    const input = `!aisec-widget-get name=gone\n!aisec-widget-nope\n${LIST}\n`;
    const { code, stdout, stderr } = await rehearse(['--keep-going'], { input });
    expect(code).toBe(5);
    expect(stdout.trim().split('\n').map(json)).toMatchObject([{ command: 'aisec-widget-list' }]);
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => json(line)['error']),
    ).toMatchObject([{ code: 'not-found' }, { code: 'usage' }]);
  });

  test('that is empty does nothing, and says so', async () => {
    const { code, stderr } = await rehearse([], { input: '# nothing\n' });
    expect(code).toBe(0);
    expect(stderr).toContain('no command on standard input');
  });
});

describe('being stopped', () => {
  scenario('abort', 'Ctrl-C while a command waits ends it with 130 and one line', async () => {
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
    expect(json(running.errors())).toMatchObject({ error: { code: 'cancelled' } });
  });

  test('listeners are gone afterwards, so that a second Ctrl-C does what it always does', async () => {
    const before = process.listenerCount('SIGINT');
    await rehearse([LIST]);
    expect(process.listenerCount('SIGINT')).toBe(before);
  });

  test('a reader who leaves is no error', async () => {
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
    for (const part of ['aisec doctor', 'aisec simulate [--port N]', '--files-dir DIR', '--tsg-id TEXT']) {
      expect(stdout).toContain(part);
    }
    expect(stdout).not.toMatch(/--client-secret|--runtime-api-key/);
  });

  test.each([[['help', 'aisec-widget-make']], [['!aisec-widget-make', '--help']]])(
    '%s describes a command',
    async (argv) => {
      const { stdout } = await run(argv);
      expect(stdout).toContain('!aisec-widget-make');
      expect(stdout).toMatch(/name +\(required\) Name of the widget\./);
      expect(stdout).toMatch(/colour +\(default red\) Colour\.\n +One of: red, green, grey\./);
      expect(stdout).toMatch(/shiny +\(optional, aisec\)/);
      expect(stdout).toMatch(/Outputs: AiSec.WidgetMade\n +name +\(String\) Name\./);
      expect(stdout).toContain('  !aisec-widget-make name=cog colour=green');
    },
  );

  test('help of a subcommand has its own options', async () => {
    expect((await run(['help', 'simulate'])).stdout).toMatch(/--fault FAULT/);
  });

  test('commands: one line each, or everything as JSON', async () => {
    const { stdout } = await run(['commands']);
    expect(stdout.trim().split('\n')).toHaveLength(Object.keys(registry).length);
    expect(stdout).toMatch(/^!aisec-widget-list {4}List the widgets\.$/m);
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
      expect(stderr).toMatch(/is a secret and cannot be given as an option.*AISEC_/);
      expect(stderr).not.toContain('canary');
      expectNone(requests, 'requests');
    },
  );

  scenario('secret-settings', 'a secret in the environment is accepted', async () => {
    const { stdout } = await run(['doctor', '--output', 'table', '--timeout', '1'], {
      environment: { AISEC_CLIENT_SECRET: 'canary', AISEC_CLIENT_ID: 'me', HOME: '/nowhere' },
    });
    expect(stdout).toMatch(/AISEC_CLIENT_SECRET +\(set\) +environment/);
    expect(stdout).not.toContain('canary');
  });

  scenario('secret-settings', 'a settings file is accepted; one that others can read draws a warning', async () => {
    const folder = temporaryFolder('settings');
    const file = join(folder, 'settings.yml');
    writeFileSync(file, 'client_secret: canary\ntsg_id: "0034"\n', { mode: 0o644 });
    chmodSync(file, 0o644);
    const argv = ['doctor', '--output', 'table', '--config', file];
    const open = await run(argv);
    expect(open.stderr).toMatch(/^warning: .*can be read by other users/);
    expect(open.stdout).toMatch(/AISEC_CLIENT_SECRET +\(set\) +file/);
    chmodSync(file, 0o600);
    expect((await run(argv)).stderr).toBe('');
  });

  test('an option goes before the environment', async () => {
    const { stdout } = await run(['doctor', '--output', 'table', '--tsg-id', '0099'], {
      environment: { AISEC_TSG_ID: '0012', HOME: '/nowhere' },
    });
    expect(stdout).toContain('Tenant 0099');
    expect(stdout).toMatch(/AISEC_TSG_ID +0099 +flag/);
  });

  test('no log holds a credential or a token, whatever its level', async () => {
    const { stderr, stdout } = await rehearse([LIST, '--log-level', 'debug']);
    expect(stderr).toContain('request');
    expect(stderr + stdout).not.toContain('canary-secret');
  });

  test('--quiet leaves errors and results only', async () => {
    const { stderr } = await rehearse(['!aisec-widget-list using=other', '--quiet']);
    expect(stderr).toBe('');
    expect((await rehearse(['!aisec-widget-list using=other'])).stderr).toContain('warning: using: no effect here.');
  });
});

describe('doctor', () => {
  test('names the tenant and tests each plane', async () => {
    const { code, stdout } = await rehearse(['doctor', '--output', 'table']);
    expect(code).toBe(0);
    expect(stdout).toContain('SIMULATED Tenant 0012');
    expect(stdout).toMatch(/Access token +passed\nManagement API +passed\nScanner API +passed/);
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
    // The planes that not every client has: this service has none of them.
    const others = states[0] === 'passed' ? 'not available' : 'not tested';
    expect(checks.map(({ state }) => state)).toEqual([...states, others, others, others]);
    if (states[0] === 'passed') expect(checks.at(-1)?.detail).toContain('ask the tenant for a model security licence');
    expect(stderr === '').toBe(expected === 0);
  });

  test('says which setting is missing, and that the scanner may go without', async () => {
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

  test('passes over what needs credentials where only the scanner has its settings', async () => {
    const scanner = { AISEC_RUNTIME_API_KEY: 'key', AISEC_SCANNER_BASE_URL: 'http://127.0.0.1:9' };
    const { code, stdout } = await run(['doctor', '--timeout', '1'], {
      environment: { ...scanner, AISEC_CLIENT_ID: '-', HOME: '/nowhere' },
    });
    const { checks } = json(stdout) as { checks: { state: string }[] };
    // Nothing listens there: that the scanner was tried is what is seen.
    expect(checks.slice(0, 4).map(({ state }) => state)).toEqual([
      'not configured',
      'not tested',
      'failed',
      'not tested',
    ]);
    expect(code).toBe(9);
  });

  test('scans nothing', async () => {
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

  test('a port that is taken is named', async () => {
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

test('what starts cold stays cold: help and completion load no dispatcher, checker, client, log, yaml or table', () => {
  const terminal = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'lib', 'hosts', 'terminal');
  const entries = ['main.ts', 'subcommands/help.ts', 'subcommands/commands.ts', 'completion.ts'];
  const loaded = new Set(entries.flatMap((entry) => [...loadedWith(join(terminal, entry))]));
  expect(loaded).toContain('yargs-parser');
  expect([...loaded].filter((name) => !name.startsWith('/') && !name.startsWith('node:'))).toEqual(['yargs-parser']);
  expectNone(
    [...loaded].filter((name) => /dispatch|\/(log|transport|output|settings)\/(?!parameters|readable)/.test(name)),
    'modules that a cold start loads',
  );
});
