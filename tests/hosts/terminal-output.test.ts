/** Formats, fields and streams of printed results. */
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { folded } from '../../lib/hosts/terminal/ui/wrap.ts';
import { CsvReader } from '../../lib/runtime/bulk/csv.ts';
import { csvCell, csvRow } from '../../lib/runtime/select/csv.ts';
import { projector } from '../../lib/runtime/select/fields.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { until } from '../support/machine.ts';
import { scenario } from '../system/scenarios/claims.ts';
import { extra, type Given, keptIn, type Running, rehearse, run, SECRET, start } from './terminal-support.ts';

const LIST = '!aisec-widget-list';
const GET = '!aisec-widget-get cog';
const manyWidgets = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`widget-${at}`, { note: 'x' }]));

function cells(text: string): (readonly string[])[] {
  const reader = new CsvReader({ maxCellLength: text.length });
  return [...reader.push(text), ...reader.end()].map((row) => row.cells);
}

describe('--fields', () => {
  test.each([
    { format: 'jsonl', expected: '{"note":"turns","name":"cog"}\n{"note":"turns too","name":"nut"}\n' },
    { format: 'csv', expected: 'note,name\nturns,cog\nturns too,nut\n' },
    { format: 'yaml', expected: '- note: turns\n  name: cog\n- note: turns too\n  name: nut\n' },
  ])('selects and orders the fields of $format', async ({ format, expected }) => {
    const { code, stdout } = await rehearse([LIST, '--fields', 'note,name', '--output', format]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expected });
  });

  test('refuses an unknown field before a request, with the known fields and the nearest name', async () => {
    const { code, stderr, requests } = await rehearse([LIST, '--fields', 'name,nots']);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain('Unknown field "nots"');
    expect(stderr).toContain('Did you mean "note"? Fields: name, action, note.');
  });

  test.each([
    { argv: [LIST, '--fields', ','], problem: 'No field is named' },
    {
      argv: [LIST, '--fields', 'name', '--output', 'entry'],
      problem: '--fields cannot be combined with --output entry',
    },
    {
      argv: [GET, 'raw-response=true', '--fields', 'name'],
      problem: '--fields cannot be combined with raw-response=true',
    },
    { argv: ['doctor', '--fields', 'name'], problem: '--fields is for commands' },
    { argv: ['doctor', '--output', 'csv'], problem: 'has no output in csv' },
    { argv: ['doctor', '--jq', '.'], problem: '--jq is for commands' },
  ])('$argv is a usage error', async ({ argv, problem }) => {
    const { code, stderr } = await rehearse(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
  });

  test('does not change the context of later lines', async () => {
    const input = `${GET}\n!aisec-widget-get \${AiSec.Widget.name}\n`;
    const { code, stdout } = await rehearse(['--fields', 'note', '--output', 'context'], { input });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"note":"turns"}\n{"note":"turns"}\n' });
  });

  test('selects the fields of the outputs in json, and omits the raw response', async () => {
    const { stdout } = await rehearse([GET, '--fields', 'action']);
    const { outputs, ...others } = JSON.parse(stdout);
    expect(outputs).toEqual({ 'AiSec.Widget': { action: 'allow' } });
    expect(Object.keys(others)).toEqual(['command', 'readable', 'simulated']);
    expect(stdout).not.toContain('turns');
  });

  test('keeps selected members of nested values in place', () => {
    const record = { id: 1, owner: { name: 'a', mail: 'b' }, rows: [{ at: 1, to: 2 }, { at: 3 }] };
    const chosen = projector(['rows.to', 'owner.name', 'gone'])(record);
    expect(JSON.stringify(chosen)).toBe('{"rows":[{"to":2},{"to":null}],"owner":{"name":"a"},"gone":null}');
  });
});

describe('--jq', () => {
  test.each([
    { what: 'a text without quotes', jq: '.outputs["AiSec.Widget"].note', expected: 'turns\n' },
    { what: 'each result', jq: '.command, .simulated', expected: 'aisec-widget-get\ntrue\n' },
    { what: 'nothing', jq: 'empty', expected: '' },
  ])('prints $what', async ({ jq, expected }) => {
    const { code, stdout } = await rehearse([GET, '--jq', jq]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expected });
  });

  test('strips escape sequences of a text on a terminal', async () => {
    const given = { terminal: true, widgets: { cog: { note: '\u001b]0;owned\u0007x' } } };
    expect((await rehearse([GET, '--jq', '.outputs[].note'], given)).stdout).toBe('x\n');
  });

  test('ends with 2 at a record of --output jsonl that it cannot evaluate', async () => {
    const { code, stderr } = await rehearse([LIST, '--output', 'jsonl', '--jq', '.name | tonumber']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('jq: string cannot be parsed')]);
  });

  test('evaluates each record with --output jsonl, in order', async () => {
    const widgets = manyWidgets(130);
    const { stdout } = await rehearse([`${LIST} limit=130`, '--output', 'jsonl', '--jq', '.name'], { widgets });
    expect(stdout).toBe(`${Object.keys(widgets).join('\n')}\n`);
  });

  test('gets the selected fields', async () => {
    const { stdout } = await rehearse([LIST, '--fields', 'note', '--output', 'jsonl', '--jq', 'keys[]']);
    expect(stdout).toBe('note\nnote\n');
  });

  test.each([
    { what: 'a syntax error', jq: '.outputs[', message: /^error: jq: .*syntax error/ },
    { what: 'an expression of two halves', jq: '.a) | (.b', message: /^error: jq: .*syntax error/ },
  ])('refuses $what before anything is sent', async ({ jq, message }) => {
    const { code, stderr, requests } = await rehearse([GET, '--jq', jq]);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(2);
  });

  test('a run-time error is one line with exit code 2, after earlier results and without the value', async () => {
    const exitCode = process.exitCode;
    const { code, stdout, stderr } = await rehearse([GET, '--jq', '.command, (.outputs[].note | keys)']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: 'aisec-widget-get\n' });
    expect(stderr).toMatch(/^error: jq: string has no keys\.\n/);
    expect(stderr).not.toContain('turns');
    expect(process.exitCode).toBe(exitCode);
  });

  test('an expression that needs too much memory is a usage error', async () => {
    // The library reports that it has aborted.
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const { code, stderr } = await rehearse([GET, '--jq', '"a" * 1e9']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^error: jq: .* too much memory\.\n/) });
  });

  test('a halt is an error', async () => {
    expect((await rehearse([GET, '--jq', '1, ("x" | halt_error)'])).code).toBe(2);
  });
});

describe('csv', () => {
  test('has a header and a row for each record, streamed from a list', async () => {
    const { stdout } = await rehearse([LIST, '--output', 'csv']);
    expect(stdout).toBe('name,action,note\ncog,allow,turns\nnut,block,turns too\n');
    expect((await rehearse([LIST, '--output', 'csv'], { widgets: {} })).stdout).toBe('name,action,note\n');
  });

  test.each([
    { value: 'a,b', text: '"a,b"' },
    { value: { a: [1, null] }, text: '"{""a"":[1,null]}"' },
  ])('writes $value as $text', ({ value, text }) => {
    expect(csvCell(value)).toBe(text);
  });

  const FORMULAS = [
    '=cmd',
    ' =cmd',
    '\u00a0=cmd',
    'safe\n=cmd',
    '\tcmd',
    '\rcmd',
    '+1+1',
    '-1+1',
    '@SUM(A1)',
    '"=cmd"',
    "'=cmd",
    '\u200b=cmd',
    '\uff1dcmd',
    'safe\r\n\t=cmd',
  ];
  scenario.each(FORMULAS.map((text) => ({ text, name: JSON.stringify(text) })))(
    'csv-formula',
    'guards $name in every line of its cell',
    async ({ text }) => {
      const { stdout } = await rehearse([LIST, '--output', 'csv', '--fields', 'note'], {
        widgets: { cog: { note: text } },
      });
      const [, [cell = ''] = []] = cells(stdout);
      for (const line of cell.split(/\r\n|\n|\r/).filter((each) => each !== ''))
        expect(line).toMatch(/^'|^safe$|^cmd$/);
      expect(cell.replace(/'(?=[\s\S])/g, '')).toBe(text.replace(/'/g, ''));
    },
  );

  scenario.each([{ value: -1 }, { value: 1.5e-7 }, { value: 0 }])(
    'csv-formula',
    'leaves the number $value',
    ({ value }) => {
      expect(csvCell(value)).toBe(String(value));
    },
  );

  test('a row with a single empty cell is not an empty line', () => {
    expect(csvRow({ a: null }, ['a'])).toBe('""');
  });
});

describe('yaml', () => {
  test.each(['csv', 'yaml'])('%s strips escape sequences on a terminal', async (format) => {
    const given = { terminal: true, widgets: { cog: { note: '\u009b2Jx' } } };
    const { stdout } = await rehearse([GET, '--output', format], given);
    expect(['\u001b', '\u009b'].filter((character) => stdout.includes(character))).toEqual([]);
  });
});

describe('the pager', () => {
  const folder = temporaryFolder('pager');
  const paged = async (pager: string | undefined, argv: string[] = [], given: Partial<Given> = {}) => {
    const environment = {
      NO_COLOR: '1',
      PATH: process.env['PATH'] ?? '',
      ...(pager === undefined ? {} : { PAGER: pager }),
    };
    const words = given.input === undefined ? [`${LIST} limit=60`] : [];
    return rehearse([...argv, ...words], {
      terminal: true,
      columns: 100,
      rows: 24,
      widgets: manyWidgets(60),
      ...given,
      environment: { ...environment, ...given.environment },
    });
  };
  const MARK = "sed 's/^/paged: /'";

  test('shows a result that does not fit on the screen', async () => {
    const { code, stdout } = await paged(MARK);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^paged: /);
    expect(
      stdout
        .trim()
        .split('\n')
        .every((line) => line.startsWith('paged: ')),
    ).toBe(true);
    expect(stdout).toContain('widget-59');
  });

  describe('in a war room', () => {
    const ROOM = { terminal: true, columns: 100, rows: 24, widgets: manyWidgets(60) };
    const room = (pager: string, more: Record<string, string> = {}, argv: string[] = []) =>
      start(['--simulate', ...argv], {
        ...ROOM,
        environment: { NO_COLOR: '1', PATH: process.env['PATH'] ?? '', PAGER: pager, ...more },
      });
    const finished = async (running: Running) => {
      running.stdin.write('exit\r');
      expect(await running.code).toBe(0);
      return running.output();
    };

    test.each([
      { line: `${LIST} limit=60`, has: 'paged: widget-59' },
      { line: `${LIST} limit=60 --output json`, has: 'paged: ' },
    ])('shows a long result, and continues: $line', async ({ line, has }) => {
      const running = room(`${MARK}; echo END-OF-PAGER`);
      running.stdin.write(`${line}\r`);
      await running.see('END-OF-PAGER');
      running.stdin.write(`${LIST} limit=1\r`);
      await running.see('widget-0');
      expect(await finished(running)).toContain(has);
    });

    test.each([
      { what: 'several lines at once', keys: `${LIST} limit=60\r${LIST} limit=1\r`, pager: MARK },
      { what: '--no-pager', keys: `${LIST} limit=60\r`, pager: MARK, argv: ['--no-pager'] },
      { what: '--no-pager on the line', keys: `${LIST} limit=60 --no-pager\r`, pager: MARK },
      { what: 'PAGER=cat', keys: `${LIST} limit=60\r`, pager: 'cat' },
      { what: 'a pager that does not exist', keys: `${LIST} limit=60\r`, pager: '/nowhere/pager' },
    ])('is not used with $what', async ({ keys, pager, argv }) => {
      const running = room(pager, {}, argv);
      running.stdin.write(keys);
      await running.see('widget-59');
      expect(await finished(running)).not.toContain('paged: ');
    });

    test('receives Ctrl-C and the keys while it is open', async () => {
      const file = join(folder, 'room-goes-on');
      const running = room('echo open; while [ ! -e "$FILE" ]; do sleep 0.1; done; cat; echo shut', { FILE: file });
      running.stdin.write(`${LIST} limit=60\r`);
      await running.see('open');
      expect(running.stdin.isPaused()).toBe(true);
      process.emit('SIGINT');
      process.emit('SIGINT');
      writeFileSync(file, '');
      await running.see('shut');
      running.stdin.write(`${LIST} limit=1\r`);
      expect(await finished(running)).toContain('widget-59');
      expect(running.errors()).not.toMatch(/stopped|cancelled/i);
    });

    test('ends with the war room', async () => {
      const running = room('echo open; exec sleep 300');
      running.stdin.write(`${LIST} limit=60\r`);
      await running.see('open');
      process.emit('SIGTERM', 'SIGTERM');
      expect(await running.code).toBe(143);
    });
  });

  test('gets no secrets, in its arguments or its environment', async () => {
    const file = join(folder, 'seen');
    const given = { environment: { AISEC_CLIENT_SECRET: 'canary-9', SEEN: file } };
    const { code } = await paged('{ env; tr "\\0" " " </proc/$$/cmdline; } >"$SEEN"; cat -', [], given);
    expect(code).toBe(0);
    const seen = readFileSync(file, 'utf8');
    expect(seen).toContain('SEEN=');
    expect(seen).not.toContain('canary-9');
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

describe('results', () => {
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

    test.each(['context', 'jsonl'])(
      '%s cannot show the simulated mark, so a note does, even with --quiet',
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

      scenario.each([{ format: 'markdown' }, { format: 'table' }])(
        'truncated-said',
        'is marked in $format',
        async ({ format }) => {
          expect((await cut(format)).stdout.replace(/\\/g, '').replace(/\s+/g, ' ')).toMatch(NOTE);
        },
      );

      scenario('truncated-said', 'is complete in jsonl, on a single line and in a pipe', async () => {
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
        expect(json((await rehearse([`${LIST} limit=2`, '--output', format], { widgets })).stdout)).toMatchObject(
          marked,
        );
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

      scenario('truncated-said', 'is marked in an entry, for programs and people', async () => {
        expect(json((await cut('entry')).stdout)).toMatchObject({
          Tags: ['truncated'],
          Contents: { truncated: { kept: expect.any(Number), total: 250, file: 'AiSec-Widget.jsonl' } },
          HumanReadable: expect.stringMatching(/of 250 records; all of them are in/),
        });
      });

      scenario('truncated-said', 'is marked on stderr with a context, even with --quiet', async () => {
        const { stdout, stderr } = await cut('context');
        expect(json(stdout)).not.toHaveLength(250);
        expect(stderr).toMatch(NOTE);
      });
    });

    test('jsonl prints each record as it arrives, and prefetches one page beyond the pages that have arrived', async () => {
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
      // Enough time for another request, if it did not wait.
      await new Promise((next) => setTimeout(next, 60));
      const whilePaused = running.requests.length;
      running.stdout.resume();
      expect(await running.code).toBe(0);
      expect([whilePaused, running.requests.length]).toEqual([2, 4]);
      expect(running.output().trim().split('\n')).toHaveLength(250);
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

    test('says how to report it, and shows no secret or path', async () => {
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
      // Stack frames name files of the program and of the engine.
      expect(report).toMatch(/ lib\/runtime\/api\/exchange\.ts:\d+:\d+| \(lib\/runtime\/api\/exchange\.ts:\d+:\d+\)/);
      expect(report).not.toMatch(/(^|[( ])(file:|[A-Z]:)?[\\/]/m);
      expect(stderr).not.toMatch(canaries);
    });

    test.each<{ what: string; thrown: unknown }>([
      { what: 'nothing', thrown: undefined },
      { what: 'an error without a stack', thrown: { message: 'canary-secret-2' } },
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
  });

  test.each([
    { text: 'error: one two three', width: 14, shown: 'error: one two\nthree' },
    { text: 'a/very/long/path/of/a/file stays', width: 10, shown: 'a/very/long/path/of/a/file\nstays' },
    { text: '\u001b[1mone\u001b[22m two', width: 7, shown: '\u001b[1mone\u001b[22m two' },
  ])('a message is wrapped only at spaces: $text', ({ text, width, shown }) => {
    expect(folded(text, width)).toBe(shown);
  });
});

const LINE = `!aisec-widget-key name=cog key=${SECRET}`;
const MAKE = '!aisec-widget-make name=cog';

describe('a one-time secret', () => {
  const record = { name: 'cog', key: SECRET };

  scenario.each([
    { what: 'a table', argv: [LINE, '--output', 'table'] },
    { what: 'a quiet table', argv: [LINE, '--output', 'table', '--quiet'] },
    { what: 'markdown', argv: [LINE, '--output', 'markdown'] },
    { what: 'fields without it', argv: [LINE, '--output', 'context', '--fields', 'name'] },
    { what: 'jq', argv: [LINE, '--output', 'json', '--jq', '.command'] },
    { what: 'no output in the context', argv: [`${LINE} ignore-outputs=true`, '--output', 'json'] },
    { what: 'a raw response', argv: [`${LINE} raw-response=true`, '--output', 'table'] },
  ])('secret-kept', 'with $what is saved in a file whose path is printed', async ({ argv }) => {
    const { code, stdout, stderr, state } = await rehearse(argv, { extra });
    expect(code).toBe(0);
    expect(keptIn(state)).toEqual([{ path: expect.stringContaining('AiSec-WidgetKey'), mode: 0o600, value: record }]);
    expect(stderr).toContain(`saved in ${keptIn(state)[0]?.path}`);
    expect(stdout + stderr).not.toContain(SECRET);
  });

  scenario('secret-kept', 'in a pipe is saved in a file too', async () => {
    const { stderr, state } = await rehearse(['--output', 'table'], { extra, input: `${LINE}\n${LINE}\n` });
    expect(keptIn(state).map(({ value }) => value)).toEqual([record, record]);
    for (const { path: file } of keptIn(state)) expect(stderr).toContain(file);
  });

  scenario('secret-kept', 'with --files-dir is saved in that directory', async () => {
    const folder = temporaryFolder('kept');
    await rehearse([LINE, '--output', 'table', '--files-dir', folder], { extra });
    expect(JSON.parse(readFileSync(join(folder, 'AiSec-WidgetKey.json'), 'utf8'))).toEqual(record);
  });

  scenario.each([
    { format: 'json' },
    { format: 'context' },
    { format: 'jsonl' },
    { format: 'entry' },
    { format: 'csv' },
    { format: 'yaml' },
  ])('secret-kept', 'is in the output of $format, and is not saved in a file', async ({ format }) => {
    const { stdout, stderr, state } = await rehearse([LINE, '--output', format], { extra });
    expect(stdout).toContain(SECRET);
    expect(stderr).not.toContain('saved');
    expectNone(keptIn(state), 'files');
  });

  scenario('secret-kept', 'with --reveal is in the table, and is not saved in a file', async () => {
    const { stdout, state } = await rehearse([LINE, '--output', 'table', '--reveal'], { extra });
    expect(stdout).toMatch(new RegExp(`Key +${SECRET}`));
    expectNone(keptIn(state), 'files');
  });

  scenario('secret-kept', '--reveal is refused for a command without a one-time secret', async () => {
    const { code, stderr, requests } = await rehearse([MAKE, '--output', 'table', '--reveal'], { extra });
    expect(code).toBe(2);
    expect(stderr).toContain('returns no one-time secret');
    expectNone(requests, 'requests');
  });

  scenario('secret-kept', 'is not requested if no directory is writable', async () => {
    const elsewhere = jest.spyOn(os, 'tmpdir').mockReturnValue('/dev/null/tmp');
    const { code, stderr, requests } = await rehearse(['!aisec-widget-key', 'name=cog', '--output', 'table'], {
      extra,
      environment: { XDG_STATE_HOME: '/dev/null/state' },
    });
    elsewhere.mockRestore();
    expect({ code, sent: requests.length }).toEqual({ code: 3, sent: 0 });
    expect(stderr).toContain('no directory is writable');
  });
});

describe('a change whose output fails', () => {
  /** Runs with an output whose writes fail. */
  async function failing(argv: readonly string[], code: string, given: Given = {}) {
    const running = start(['--simulate', ...argv], { extra, ...given });
    running.stdout._transform = (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code }));
    return { code: await running.code, stderr: running.errors(), state: running.state, requests: running.requests };
  }

  scenario.each([
    { what: 'a full device', code: 'ENOSPC', exit: 8 },
    { what: 'a closed reader', code: 'EPIPE', exit: 0 },
  ])('output-fails', 'by $what saves its result, and says that the change was made', async ({ code, exit }) => {
    const ended = await failing([MAKE, '--output', 'json'], code);
    expect(ended.code).toBe(exit);
    const [kept, ...others] = keptIn(ended.state);
    expect(kept).toMatchObject({ mode: 0o600, value: { outputs: { 'AiSec.WidgetMade': { name: 'cog', size: 4 } } } });
    expect(ended.stderr).toContain(`aisec-widget-make was carried out; its result is in ${kept?.path}.`);
    expectNone(others, 'files');
  });

  scenario('output-fails', 'a one-time secret in json is saved too', async () => {
    const { state } = await failing([LINE, '--output', 'json'], 'EPIPE');
    expect(JSON.stringify(keptIn(state).map(({ value }) => value))).toContain(SECRET);
  });

  scenario('output-fails', 'a read saves nothing', async () => {
    const { state, stderr } = await failing(['!aisec-widget-list', '--output', 'json'], 'EPIPE');
    expectNone(keptIn(state), 'files');
    expect(stderr).not.toContain('carried out');
  });

  scenario.each([{ format: 'text' }, { format: 'json' }])(
    'output-fails',
    'by jq saves its result, and the $format error says where',
    async ({ format }) => {
      const asked = format === 'json' ? ['--output', 'json'] : [];
      const { code, stderr, state } = await rehearse([MAKE, ...asked, '--jq', '.command | tonumber'], { extra });
      expect(code).toBe(10);
      const [kept] = keptIn(state);
      expect(kept?.value).toMatchObject({ outputs: { 'AiSec.WidgetMade': { name: 'cog' } } });
      expect(stderr).toContain(`aisec-widget-make was carried out; its result is in ${kept?.path}.`);
      expect(stderr).toContain('jq: ');
    },
  );

  scenario.each([
    { what: 'its whole input', jq: 'error' },
    { what: 'the secret', jq: 'error(.outputs["AiSec.WidgetKey"].key)' },
  ])('output-fails', 'by jq that raises $what shows no secret', async ({ jq }) => {
    const { code, stdout, stderr } = await rehearse([LINE, '--output', 'json', '--jq', jq], { extra });
    expect(code).toBe(10);
    expect(stdout + stderr).not.toContain(SECRET);
  });

  scenario('output-fails', 'a dry run saves nothing', async () => {
    const { state } = await failing([MAKE, '--output', 'json', '--dry-run'], 'EPIPE');
    expectNone(keptIn(state), 'files');
  });
});
