import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folded } from '../../lib/hosts/terminal/render/wrap.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { until } from '../support/machine.ts';
import { scenario } from '../system/scenarios/claims.ts';
import { type Given, rehearse, run, start } from './terminal-support.ts';

const LIST = '!aisec-widget-list';
const json = (text: string): Record<string, unknown> => JSON.parse(text);

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
    { format: 'table', expected: /^Made widget +SIMULATED\nName {2}cog\nSize {2}4\n$/ },
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

  test('context is null if a command writes nothing', async () => {
    const { stdout } = await rehearse(['!aisec-widget-make name=cog ignore-outputs=true', '--output', 'context']);
    expect(stdout).toBe('null\n');
  });

  test('raw-response=true shows the raw response in place of the table', async () => {
    const { stdout } = await rehearse(['!aisec-widget-get cog raw-response=true', '--output', 'table']);
    expect(json(stdout)).toEqual({ name: 'cog', action: 'allow', note: 'turns' });
  });

  test.each(['context', 'jsonl'])(
    '%s has no place for the simulated mark, so a note says it even with --quiet',
    async (format) => {
      const { stderr } = await rehearse([...made, '--output', format, '--quiet']);
      expect(stderr).toContain('simulated service');
    },
  );

  describe('a truncated result', () => {
    const widgets = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`w${at}`, { note: 'x'.repeat(400) }]));
    const cut = async (format: string, more: Partial<Given> = {}) => {
      const directory = temporaryFolder('cut');
      const options = ['--files-dir', directory, '--context-limit', '20000', '--output', format, '--quiet'];
      const words = more.input === undefined ? [`${LIST} limit=250`] : [];
      const ended = await rehearse([...options, ...words], { widgets, ...more });
      return { ...ended, file: join(directory, 'AiSec-Widget.jsonl') };
    };
    const NOTE = /The context holds \d+ of 250 records; all of them are in AiSec-Widget\.jsonl\./;

    scenario('truncated-said', 'is marked in json, with the file that has all records', async () => {
      const { stdout, file } = await cut('json');
      const { truncated, outputs } = json(stdout) as {
        truncated: { kept: number };
        outputs: Record<string, unknown[]>;
      };
      expect(truncated).toEqual({ kept: outputs['AiSec.Widget']?.length, total: 250, file });
      expect(truncated.kept).toBeGreaterThan(10);
      expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(250);
    });

    scenario('truncated-said', 'is marked in an entry, for programs and for people', async () => {
      expect(json((await cut('entry')).stdout)).toMatchObject({
        Tags: ['truncated'],
        Contents: { truncated: { kept: expect.any(Number), total: 250, file: 'AiSec-Widget.jsonl' } },
        HumanReadable: expect.stringMatching(/of 250 records; all of them are in/),
      });
    });

    scenario.each([{ format: 'markdown' }, { format: 'table' }])(
      'truncated-said',
      'is marked in $format',
      async ({ format }) => {
        expect((await cut(format)).stdout.replace(/\\/g, '').replace(/\s+/g, ' ')).toMatch(NOTE);
      },
    );

    scenario('truncated-said', 'is marked on stderr with a context, even with --quiet', async () => {
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
    ])('truncated-said', 'says in $format that a list continues beyond its limit', async ({ format, marked }) => {
      expect(json((await rehearse([`${LIST} limit=2`, '--output', format], { widgets })).stdout)).toMatchObject(marked);
      const whole = json((await rehearse([`${LIST} limit=300`, '--output', format], { widgets })).stdout);
      for (const name of Object.keys(marked)) expect(whole).not.toHaveProperty(name);
    });

    scenario.each([{ format: 'jsonl' }, { format: 'context' }])(
      'truncated-said',
      'notes on stderr with $format that a list has more records than its limit',
      async ({ format }) => {
        const { stderr } = await rehearse([`${LIST} limit=2`, '--output', format, '--quiet'], { widgets });
        expect(stderr).toContain('note: 2 shown, there are more: continue with offset=2, or a higher limit.');
      },
    );
  });

  test('jsonl prints each record as it arrives, and prefetches one page more than have arrived', async () => {
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

  test('jsonl requests no further page while its reader is busy', async () => {
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

  test('a dry run is printed like any result, and changes nothing', async () => {
    const { code, stdout, requests } = await rehearse([...made, '--dry-run', '--output', 'table']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/POST[\s\S]*Nothing was changed\./);
    expectNone(
      requests.filter(({ url }) => url.includes('widgets')),
      'requests for widgets',
    );
  });

  test('a partial result is printed, with exit code 10', async () => {
    const { code, stdout, stderr } = await rehearse(['!aisec-widget-paint', '--output', 'table']);
    expect(code).toBe(10);
    expect(stdout).toContain('Half of them are painted.');
    expect(stderr).toContain('error: 1 of 2 widgets is not painted.');
  });
});

describe('errors', () => {
  const failing = ['!aisec-widget-delete name=cog'];

  test('a terminal shows message, hint, request id and the related rows', async () => {
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

  test.each(['json', 'jsonl', 'context', 'entry'])('%s prints one JSON object', async (format) => {
    const { stderr, stdout } = await rehearse([...failing, '--output', format]);
    expect(stdout).toBe('');
    expect(json(stderr)).toEqual({
      error: {
        code: 'conflict',
        message: 'cog is in use.',
        hint: 'Remove it there first.',
        retryable: false,
        command: 'aisec-widget-delete',
        status: 409,
        requestId: 'r-7',
      },
    });
  });

  test('every problem of a line has its own message and hint', async () => {
    const { stderr } = await rehearse(['!aisec-widget-make colour=gren shiny=perhaps', '--output', 'table']);
    expect(stderr.match(/^error: /gm)).toHaveLength(3);
    expect(stderr).toContain('Did you mean "green"?');
  });

  test('an error contains no control sequences', async () => {
    const { stderr } = await rehearse(['!aisec-widget-get name=\u001b]0;owned\u0007x', '--output', 'table']);
    const controls = Array.from(stderr).filter((character) => character < ' ' && character !== '\n');
    expectNone(
      controls.map((character) => JSON.stringify(character)),
      'control characters',
    );
  });
});

describe('an internal error', () => {
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

  test('says how to report it, and shows no secret and no path', async () => {
    const { code, stderr } = await crash([]);
    expect(code).toBe(8);
    expect(stderr).toBe(
      'error: Unexpected failure: cannot read *** of prompt.csv and x.txt, Bearer ***\n' +
        'hint: This is a bug in aisec: run the line again with --log-level debug and report what it prints.\n',
    );
  });

  test.each([{ level: 'debug' }, { level: 'trace' }])('prints it with --log-level $level', async ({ level }) => {
    const { code, stderr } = await crash(['--log-level', level]);
    expect(code).toBe(8);
    expect(stderr).toContain('hint: This is a bug in aisec: report all of this.');
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
        retryable: false,
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
  ])('is reported if $what is thrown', async ({ thrown }) => {
    const before = () => {
      throw thrown;
    };
    const { code, stderr } = await crash(['--log-level', 'debug'], { before });
    expect(code).toBe(8);
    expect(stderr).toMatch(/error: Unexpected failure: [\s\S]*report: aisec 1\.2\.3/);
    expect(stderr).not.toMatch(canaries);
  });

  test('outside commands shows no secret of the environment', async () => {
    const served = async () => {
      throw new Error('no service for canary-secret-9');
    };
    const environment = { AISEC_CLIENT_SECRET: 'canary-secret-9' };
    const { stderr } = await run(['simulate', '--log-level', 'debug'], { served, environment });
    expect(stderr).toMatch(/Unexpected failure: no service for \*\*\*/);
    expect(stderr).not.toMatch(canaries);
  });
});

test.each([
  { text: 'error: one two three', width: 14, shown: 'error: one two\nthree' },
  { text: '  indented words', width: 12, shown: '  indented\nwords' },
  { text: 'a/very/long/path/of/a/file stays', width: 10, shown: 'a/very/long/path/of/a/file\nstays' },
  { text: '\u001b[1mone\u001b[22m two', width: 7, shown: '\u001b[1mone\u001b[22m two' },
  { text: 'short\n\n  lines  stay', width: 14, shown: 'short\n\n  lines  stay' },
])('a message is wrapped only at spaces: $text', ({ text, width, shown }) => {
  expect(folded(text, width)).toBe(shown);
});
