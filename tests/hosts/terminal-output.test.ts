/** Tests of formats, fields and streams of printed results. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CsvReader } from '../../lib/bulk/csv.ts';
import { csvCell, csvRow } from '../../lib/project/csv.ts';
import { projector } from '../../lib/project/fields.ts';
import { temporaryFolder } from '../support/folder.ts';
import { scenario } from '../system/scenarios/claims.ts';
import { type Given, type Running, rehearse, start } from './terminal-support.ts';

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
    { format: 'context', expected: '[{"note":"turns","name":"cog"},{"note":"turns too","name":"nut"}]\n' },
    { format: 'csv', expected: 'note,name\nturns,cog\nturns too,nut\n' },
    { format: 'yaml', expected: '- note: turns\n  name: cog\n- note: turns too\n  name: nut\n' },
  ])('selects and orders the fields of $format', async ({ format, expected }) => {
    const { code, stdout } = await rehearse([LIST, '--fields', 'note,name', '--output', format]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expected });
  });

  test('selects the fields of the outputs in json, and omits the raw response', async () => {
    const { stdout } = await rehearse([GET, '--fields', 'action']);
    const { outputs, ...others } = JSON.parse(stdout);
    expect(outputs).toEqual({ 'AiSec.Widget': { action: 'allow' } });
    expect(Object.keys(others)).toEqual(['command', 'readable', 'simulated']);
    expect(stdout).not.toContain('turns');
  });

  test('shows the request of a dry run whatever the fields', async () => {
    const { stdout } = await rehearse(['widget-make', 'name=cog', '--dry-run', '--fields', 'size']);
    expect(JSON.parse(stdout).raw).toMatchObject({ dry_run: true, method: 'POST' });
  });

  test('makes a table of these fields, with ids in full', async () => {
    const id = '0b7fd2a4-93c5-4f1e-8a06-5d3c1e9b7f28';
    const { stdout } = await rehearse([LIST, '--fields', 'note,name', '--output', 'table'], {
      widgets: { [id]: { note: 'first', action: 'block' } },
    });
    expect(stdout).toMatch(/NOTE +NAME\n/i);
    expect(stdout).toContain(id);
    expect(stdout).not.toMatch(/action|block/i);
  });

  test('keeps selected members of nested values in place', () => {
    const record = { id: 1, owner: { name: 'a', mail: 'b' }, rows: [{ at: 1, to: 2 }, { at: 3 }] };
    const chosen = projector(['rows.to', 'owner.name', 'gone'])(record);
    expect(JSON.stringify(chosen)).toBe('{"rows":[{"to":2},{"to":null}],"owner":{"name":"a"},"gone":null}');
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
});

describe('--jq', () => {
  test.each([
    { what: 'a text as it is', jq: '.outputs["AiSec.Widget"].note', expected: 'turns\n' },
    { what: 'each result', jq: '.command, .simulated', expected: 'aisec-widget-get\ntrue\n' },
    { what: 'an object on one line', jq: '.outputs[] | {name}', expected: '{"name":"cog"}\n' },
    { what: 'nothing', jq: 'empty', expected: '' },
    { what: 'a comment', jq: '1 # one', expected: '1\n' },
  ])('prints $what', async ({ jq, expected }) => {
    const { code, stdout } = await rehearse([GET, '--jq', jq]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expected });
  });

  test('reads json on a terminal too, and indents objects there', async () => {
    const { stdout } = await rehearse([GET, '--jq', '.outputs[] | {name}'], { terminal: true });
    expect(stdout).toBe('{\n  "name": "cog"\n}\n');
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
    { what: 'an unknown function', jq: 'foo', message: /^error: jq: foo\/0 is not defined/ },
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

  test('an expression that needs too much memory is its own fault', async () => {
    // The library says that it has aborted.
    jest.spyOn(console, 'error').mockImplementation(() => undefined);
    const { code, stderr } = await rehearse([GET, '--jq', '"a" * 1e9']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^error: jq: .* too much memory\.\n/) });
  });

  test('a halt is an error', async () => {
    expect((await rehearse([GET, '--jq', '1, ("x" | halt_error)'])).code).toBe(2);
  });

  test('reads a result of a megabyte', async () => {
    const size = 1_000_000;
    const { code, stdout } = await rehearse([GET, '--jq', '.outputs[].note | length'], {
      widgets: { cog: { note: 'x'.repeat(size) } },
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${size}\n` });
  });

  test('is refused with an output format other than json', async () => {
    const { code, stderr } = await rehearse([GET, '--jq', '.', '--output', 'csv']);
    expect(code).toBe(2);
    expect(stderr).toContain('--jq cannot be combined with --output csv');
  });
});

describe('csv', () => {
  test('has a header and a row for each record, streamed from a list', async () => {
    const { stdout } = await rehearse([LIST, '--output', 'csv']);
    expect(stdout).toBe('name,action,note\ncog,allow,turns\nnut,block,turns too\n');
  });

  test('has a header without records', async () => {
    expect((await rehearse([LIST, '--output', 'csv'], { widgets: {} })).stdout).toBe('name,action,note\n');
  });

  test('has one row for a single record', async () => {
    expect((await rehearse([GET, '--output', 'csv'])).stdout).toBe('name,action,note\ncog,allow,turns\n');
  });

  test.each([
    { value: 'a,b', text: '"a,b"' },
    { value: 'say "x"', text: '"say ""x"""' },
    { value: 'a\nb', text: '"a\nb"' },
    { value: { a: [1, null] }, text: '"{""a"":[1,null]}"' },
    { value: null, text: '' },
    { value: false, text: 'false' },
  ])('writes $value as $text', ({ value, text }) => {
    expect(csvCell(value)).toBe(text);
  });

  test('a row with a single empty cell is not an empty line', () => {
    expect(csvRow({ a: null }, ['a'])).toBe('""');
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
});

describe('yaml', () => {
  test('prints the context value, and quotes texts that look like other types', async () => {
    const { stdout } = await rehearse([GET, '--output', 'yaml'], { widgets: { cog: { action: 'yes', note: '0012' } } });
    expect(stdout).toBe('name: cog\naction: "yes"\nnote: "0012"\n');
    for (const version of ['1.1', '1.2'] as const) {
      expect(parse(stdout, { version })).toEqual({ name: 'cog', action: 'yes', note: '0012' });
    }
  });

  test.each(['csv', 'yaml'])('%s strips escape sequences on a terminal', async (format) => {
    const given = { terminal: true, widgets: { cog: { note: '\u009b2Jx' } } };
    const { stdout } = await rehearse([GET, '--output', format], given);
    expect(['\u001b', '\u009b'].filter((character) => stdout.includes(character))).toEqual([]);
  });

  test.each(['csv', 'yaml'])('%s has no place for the simulated mark, so a note says it', async (format) => {
    expect((await rehearse([GET, '--output', format, '--quiet'])).stderr).toContain('simulated service');
  });
});

describe('errors', () => {
  test('are text in a pipe, unless a format for programs is named', async () => {
    const plain = await rehearse(['!aisec-widget-get']);
    expect(plain.stderr).toMatch(/^error: /);
    const asked = await rehearse(['!aisec-widget-get', '--output', 'json']);
    expect(JSON.parse(asked.stderr)).toMatchObject({ error: { code: 'arguments' } });
    expect(plain.code).toBe(asked.code);
  });
});

describe('the width', () => {
  const long = { cog: { note: 'word '.repeat(60).trim() } };
  const widest = async (argv: string[], COLUMNS: string) => {
    const { stdout } = await rehearse([GET, ...argv], { environment: { COLUMNS }, widgets: long });
    return Math.max(...stdout.split('\n').map((line) => line.length));
  };

  test('is COLUMNS if a table is named as the format', async () => {
    const wide = await widest(['--output', 'table'], '150');
    expect(wide).toBeGreaterThan(120);
    expect(wide).toBeLessThanOrEqual(150);
  });

  test.each(['', 'wide', '-5', '0'])('is 80 if COLUMNS is "%s"', async (COLUMNS) => {
    const wide = await widest(['--output', 'table'], COLUMNS);
    expect(wide).toBeGreaterThan(60);
    expect(wide).toBeLessThanOrEqual(80);
  });

  test('is that of the terminal if there is a terminal', async () => {
    const given = { terminal: true, columns: 60, environment: { COLUMNS: '150', NO_COLOR: '1' }, widgets: long };
    const { stdout } = await rehearse([GET, '--output', 'table'], given);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
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

  test('shows a result that is higher than the screen', async () => {
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

  test('is less if PAGER is not set', async () => {
    const { stdout } = await paged(undefined);
    expect(stdout).toContain('widget-59');
  });

  const off: { what: string; pager: string; argv?: string[]; given?: Partial<Given> }[] = [
    { what: '--no-pager', pager: MARK, argv: ['--no-pager'] },
    { what: 'PAGER=cat', pager: 'cat' },
    { what: 'an empty PAGER', pager: '' },
    { what: 'a dumb terminal', pager: MARK, given: { environment: { TERM: 'dumb' } } },
    { what: 'a pipe', pager: MARK, given: { terminal: false } },
    { what: 'lines from a pipe', pager: MARK, given: { input: `${LIST} limit=60\n` } },
    { what: 'a result that fits', pager: MARK, given: { rows: 200 } },
    { what: 'a terminal of unknown height', pager: MARK, given: { rows: 0 } },
    { what: 'records that are streamed', pager: MARK, argv: ['--output', 'jsonl'] },
  ];
  test.each(off)('is not used with $what', async ({ pager, argv, given }) => {
    const { code, stdout } = await paged(pager, argv, given);
    expect(code).toBe(0);
    expect(stdout).not.toContain('paged: ');
    expect(stdout).toContain('widget-59');
  });

  test('is replaced by plain output if it does not exist', async () => {
    const { code, stdout } = await paged('/nowhere/pager');
    expect(code).toBe(0);
    expect(stdout).toContain('widget-59');
    const none = await paged(undefined, [], { environment: { PATH: '/nowhere' } });
    expect(none.stdout).toContain('widget-59');
  });

  test('may be quit before the end, and its exit code is ignored', async () => {
    const widgets = Object.fromEntries(Object.keys(manyWidgets(300)).map((name) => [name, { note: 'x'.repeat(800) }]));
    const given = { widgets, columns: 3000 };
    const { code, stdout } = await paged('head -2; exit 3', ['--output', 'json'], given);
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(2);
  });

  test('gets Ctrl-C while it is open', async () => {
    const file = join(folder, 'go-on');
    const before = process.listenerCount('SIGINT');
    const running = start(['--simulate', `${LIST} limit=60`], {
      terminal: true,
      columns: 100,
      rows: 24,
      widgets: manyWidgets(60),
      environment: {
        PATH: process.env['PATH'] ?? '',
        FILE: file,
        PAGER: 'echo open; while [ ! -e "$FILE" ]; do sleep 0.1; done; cat',
      },
    });
    await running.see('open');
    // Without a listener the signal would end the process; the listener that stops a command is gone.
    expect(process.listenerCount('SIGINT')).toBe(before + 1);
    process.emit('SIGINT');
    writeFileSync(file, '');
    expect(await running.code).toBe(0);
    expect(running.output()).toContain('widget-59');
    expect(running.errors()).not.toMatch(/stopped/i);
    expect(process.listenerCount('SIGINT')).toBe(before);
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
    ])('shows a long result, and goes on: $line', async ({ line, has }) => {
      const running = room(`${MARK}; echo END-OF-PAGER`);
      running.stdin.write(`${line}\r`);
      await running.see('END-OF-PAGER');
      running.stdin.write(`${LIST} limit=1\r`);
      await running.see('widget-0');
      expect(await finished(running)).toContain(has);
    });

    test('shows the whole context', async () => {
      const running = room(`${MARK}; echo END-OF-PAGER`);
      running.stdin.write(`${LIST} limit=60 --no-pager\r`);
      await running.see('widget-59');
      expect(running.output()).not.toContain('paged: ');
      running.stdin.write('context\r');
      await running.see('END-OF-PAGER');
      expect(await finished(running)).toMatch(/^paged: +"name": "widget-59"/m);
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

    test('has Ctrl-C and the keys while it is open', async () => {
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

    test('is ended with the room', async () => {
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
});
