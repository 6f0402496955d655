import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { parse } from 'yaml';
import { RED_TEAM_IDS } from '../../fixtures/service/red-team/seed/ids.ts';
import { CancelledError, UsageError } from '../../lib/core/errors.ts';
import { redaction } from '../../lib/core/redaction/redact.ts';
import { newStop } from '../../lib/core/stop.ts';
import { readableInTerminal } from '../../lib/hosts/terminal/result/records/list.ts';
import { recordValue } from '../../lib/hosts/terminal/result/records/record-view.ts';
import { renderReadable, renderTable } from '../../lib/hosts/terminal/result/table.ts';
import { meter, shades, sparkline } from '../../lib/hosts/terminal/ui/cells.ts';
import { jsonText, longJsonText } from '../../lib/hosts/terminal/ui/json.ts';
import { graphemes, measureFor, partsOf, plainMeasure, simpleWidth } from '../../lib/hosts/terminal/ui/measure.ts';
import { sanitize } from '../../lib/hosts/terminal/ui/sanitize.ts';
import { PLAIN } from '../../lib/hosts/terminal/ui/style.ts';
import { cut } from '../../lib/hosts/terminal/ui/wrap.ts';
import { yamlText } from '../../lib/hosts/terminal/ui/yaml.ts';
import { keepBytes, nodeFiles } from '../../lib/node/files/files.ts';
import { nodeClock } from '../../lib/node/system/clock.ts';
import { markdown } from '../../lib/runtime/output/markdown.ts';
import { type Readable, type ShownRecord, type Table, verticalTable } from '../../lib/runtime/output/readable.ts';
import { boolean, date, number, string, unknown } from '../../lib/runtime/output/record.ts';
import { anyCharacter } from '../support/characters.ts';
import { commandOf } from '../support/declared.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { expectProportion } from '../support/growth.ts';
import { LINES } from '../support/lines.ts';
import { atWallTime, machineClock } from '../support/machine.ts';
import { shareOf, someOf } from '../support/runs.ts';
import { warRoom } from '../support/simulated.ts';
import { scenario } from '../system/scenarios/claims.ts';
import { altering, type Given, run } from '../unit/report/support.ts';
import { rehearse } from './terminal-support.ts';

const ESC = '\u001b';
let measure: Awaited<ReturnType<typeof measureFor>>;
beforeAll(async () => {
  measure = await measureFor('\u00e9');
});
const page = (width: number) => ({ width, style: PLAIN, measure });
const lines = (table: Table, width = 80) => renderTable(table, page(width));

/** Characters that a terminal interprets or a reader cannot see, except line ends and the emoji joiner. */
const shownAs = (characters: readonly string[]) => characters.map((character) => JSON.stringify(character));
const dangerous = (text: string): string[] => text.match(/[^\P{Cc}\n]|(?!\u200d)\p{Cf}/gu) ?? [];

describe('clean', () => {
  scenario.each([
    { what: 'colour', text: `a${ESC}[31mb${ESC}[0m`, shown: 'ab' },
    { what: 'a moved cursor', text: `a${ESC}[2J${ESC}[1;1Hb`, shown: 'ab' },
    { what: 'a window title', text: `a${ESC}]0;owned\u0007b`, shown: 'ab' },
    { what: 'a link', text: `${ESC}]8;;http://evil${ESC}\\click${ESC}]8;;${ESC}\\`, shown: 'click' },
    { what: 'a device string', text: `a${ESC}Pq#0${ESC}\\b`, shown: 'ab' },
    { what: 'eight-bit sequences', text: 'a\u009b31mb\u009d0;x\u009cc', shown: 'abc' },
    { what: 'a sequence without an end', text: `a${ESC}]0;hidden text`, shown: 'a]0;hidden text' },
    { what: 'a lone escape', text: `a${ESC}`, shown: 'a' },
    { what: 'a reset', text: `a${ESC}cb`, shown: 'ab' },
    { what: 'bells, backspaces and nulls', text: 'a\u0007\u0008\u0000b\u007f', shown: 'ab' },
    { what: 'returns', text: 'good\rbad\r\nend', shown: 'good\nbad\nend' },
    { what: 'a tab', text: 'a\tb', shown: 'a  b' },
    { what: 'reordered text', text: 'a\u202eb\u2066c', shown: 'a<U+202E>b<U+2066>c' },
    { what: 'text without width', text: 'pass\u200bword\ufeff', shown: 'pass<U+200B>word<U+FEFF>' },
    { what: 'text in tags', text: 'a\u{e0041}', shown: 'a<U+E0041>' },
    { what: 'a joiner between letters', text: 'a\u200db', shown: 'a<U+200D>b' },
    {
      what: 'an emoji made of several characters',
      text: '👩\u200d💻 👩🏽\u200d🚀 ❤\ufe0f\u200d🔥',
      shown: '👩\u200d💻 👩🏽\u200d🚀 ❤\ufe0f\u200d🔥',
    },
  ])('terminal-escape', '$what has no effect and hides nothing', ({ text, shown }) => {
    expect(sanitize(text)).toBe(shown);
  });

  scenario('terminal-escape', 'removes everything that a terminal would act on', () => {
    const piece = fc.oneof(
      fc.constantFrom(ESC, '[', ']', '\u009b', '\u0007', '\u200d', '\u202e', 'P', '\\', '8;;', 'm'),
      fc.string(),
    );
    fc.assert(fc.property(fc.array(piece), (pieces) => dangerous(sanitize(pieces.join(''))).length === 0));
  });

  /** Searches the rest of the text again for every introducer: slow but correct. */
  const slowly = (text: string) =>
    text
      .replace(/\r\n?|[\u2028\u2029]/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
      .replace(/(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)/g, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
      .replace(/(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-Z\\^-~]/g, '')
      .replace(/\t/g, '  ')
      .replace(/[^\P{Cc}\n]/gu, '');

  scenario('control-strings', 'removes the same characters as a slow parser that restarts at every introducer', () => {
    const piece = fc.oneof(
      fc.constantFrom(ESC, '\u0007', '\u009c', `${ESC}\\`, '\r', '\t', ';', '0', ' ', 'm', '\\', ']', '[', 'P', '_'),
      fc.integer({ min: 0, max: 0x1f }).map((code) => String.fromCharCode(code)),
      fc.integer({ min: 0x80, max: 0x9f }).map((code) => String.fromCharCode(code)),
      fc.constantFrom(...INTRODUCERS),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('').replace(/[\p{Cf}\u115f\u1160\u17b4\u17b5\u3164\uffa0]/gu, '');
        expect(sanitize(text)).toBe(slowly(text));
      }),
      { numRuns: shareOf(1000) },
    );
  });
});

/** Characters that start an escape sequence. */
const INTRODUCERS = [
  ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)),
  ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(0x80 + code)),
  ...['[', ']', 'P', 'X', '^', '_', '(', '#', ' ', '\\', '%'].map((next) => ESC + next),
];

describe('a text that consists of introducers only', () => {
  const MIXTURES = [
    ...[
      '\u009d\u009b',
      `\u0090${ESC}`,
      `${ESC}]${ESC}[`,
      `\u009d${ESC}[0`,
      `${ESC}]x\u009d`,
      `${ESC}[ `,
      `\u009b0`,
      'a\u009d\u0007',
    ],
    ...[
      '\u200b',
      '\u202e',
      '\u200d',
      'e\u0301',
      '\u0301',
      '👩\u200d',
      ' ',
      '\u00a0',
      '\u3000',
      '\n',
      ' \n',
      '&',
      '"token":"',
      '://',
    ],
  ];
  /** By code points, because people read a report on a terminal. */
  const named = (part: string) => ({
    part,
    named: Array.from(part, (each) => each.codePointAt(0)?.toString(16)).join(' '),
  });
  const parts = [...INTRODUCERS, ...MIXTURES].map(named);
  const cell = (text: string): Readable => ({
    title: text,
    simulated: false,
    tables: [{ columns: ['A', 'B', 'C'], rows: [['x', text, 'y']] }],
    notes: [text],
  });
  const redact = redaction({ secrets: ['canary-secret', '\u009d\u009d\u009d\u009d'] });

  scenario.each(someOf(parts, 0))('control-strings', 'is cleaned in linear time: $named', async ({ part }) => {
    await expectProportion((size) => {
      const text = part.repeat(size);
      return () => sanitize(text);
    });
  });

  scenario.each(someOf([...MIXTURES, '\u009d', `${ESC}]`, '\u0000'].map(named), 0))(
    'control-strings',
    'is redacted, rendered and shortened in linear time: $named',
    async ({ part }) => {
      await expectProportion((size) => {
        const [text, readable] = [part.repeat(size), cell(part.repeat(size))];
        return async () => {
          cut(sanitize(text), page(80));
          jsonText(text);
          redact.text(text);
          redact.value({ body: JSON.stringify({ prompt: text }) });
          await renderReadable(readable, page(80));
          await renderReadable(readable, page(30));
          sanitize(markdown(readable));
        };
      });
    },
  );
});

describe('jsonText', () => {
  scenario('terminal-escape', 'escapes what a terminal would act on, and keeps the value', () => {
    const anything = fc.string({ unit: anyCharacter });
    fc.assert(
      fc.property(fc.dictionary(anything, anything), fc.boolean(), (value, indented) => {
        const text = jsonText(value, indented);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(/[^\P{Cc}\n]|\p{Cf}/u.test(text)).toBe(false);
      }),
    );
  });

  scenario('control-strings', 'writes the same text in slices of any size, and ends after a stop', async () => {
    const stop = new AbortController();
    for (const shift of [0, 1, 2, 3]) {
      const value = { text: `${'x'.repeat(49_988 + shift)}\u{e0041}\u009d${'\u{1f600}\u202e'.repeat(40_000)}` };
      for (const indented of [true, false])
        expect(await longJsonText(value, indented, stop.signal)).toBe(jsonText(value, indented));
    }
    stop.abort();
    await expect(longJsonText('\u009d'.repeat(200_000), false, stop.signal)).rejects.toThrow(CancelledError);
  });
});

describe('a table', () => {
  const table: Table = {
    columns: ['Name', 'Action', 'Text'],
    rows: [
      ['cog', 'allow', 'short'],
      ['nut', 'block', 'a text that is long enough to go over several lines'],
      ['pin', 'allow', 'short'],
    ],
  };

  test('has columns, with a rule between rows of several lines', async () => {
    expect(await lines(table, 40)).toEqual([
      'Name  Action  Text',
      '────  ──────  ──────────────────────────',
      'cog   allow   short',
      '',
      'nut   block   a text that is long enough',
      '              to go over several lines',
      '',
      'pin   allow   short',
    ]);
  });

  test('keeps the lines of a cell, and breaks a word wider than the table', async () => {
    expect(
      await lines({ columns: ['Field', 'Value'], rows: [['Body', `{\n  "a": 1\n}\n${'x'.repeat(50)}`]] }, 50),
    ).toEqual([
      'Field  Value',
      `─────  ${'─'.repeat(43)}`,
      'Body   {',
      '         "a": 1',
      '       }',
      `       ${'x'.repeat(43)}`,
      `       ${'x'.repeat(7)}`,
    ]);
  });

  test('stays within its width and has no control sequences, for any content', async () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(`${ESC}[31m`, '漢'.repeat(60), 'y'.repeat(300)),
    );
    const rows = fc.array(fc.tuple(text, text, text), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 60, max: 200 }), async (cells, width) => {
        for (const line of await lines({ columns: ['One', 'Two', 'Three'], rows: cells }, width)) {
          expect(stringWidth(line)).toBeLessThanOrEqual(width);
          expectNone(shownAs(dangerous(line)), 'characters that act on a terminal');
        }
      }),
    );
  });

  test('with texts of millions of characters is truncated between characters, and says by how much', async () => {
    const rows = [['x', `${'a'.repeat(99_999)}😀${'b'.repeat(20_000_000)}`]];
    const made = await lines({ columns: ['A', 'B'], rows });
    const shown = made.join(' ').replace(/\s+/g, ' ');
    expect(shown.slice(-100)).toContain('… (20,000,002 more characters: --output json has all of them)');
    expect(shown.match(/a{50}/g)?.length).toBeGreaterThan(1000);
    expect(/b{3}|[\ud800-\udfff]/.test(shown)).toBe(false);
  });

  scenario.each([{ text: '漢 ' }, { text: 'e\u0301' }])(
    'control-strings',
    'with long texts takes linear time: $text',
    async ({ text }) => {
      await expectProportion((size) => {
        const table = { columns: ['A', 'B', 'C'], rows: [[text.repeat(size), 'x', text.repeat(size)]] };
        return () => lines(table);
      });
    },
  );

  scenario('control-strings', 'of any length ends soon after a stop', async () => {
    const stop = new AbortController();
    let [rows, read] = [Array.from({ length: 20_000 }, () => ['one', 'a text of several words', '漢字']), 0];
    rows = new Proxy(rows, {
      get: (list, name) => {
        if (name === '1000') stop.abort();
        if (typeof name === 'string' && /^\d+$/.test(name)) read = Number(name);
        return Reflect.get(list, name) as unknown;
      },
    });
    const laid = renderTable({ columns: ['A', 'B', 'C'], rows }, { ...page(80), signal: stop.signal });
    await expect(laid).rejects.toThrow(CancelledError);
    expect(read).toBeLessThan(5000);
  });

  test('measures every simple character as the library does', () => {
    const wrong: string[] = [];
    const codes = Array.from({ length: 0x10000 - 0x20 }, (_, index) => 0x20 + index);
    for (const code of someOf(codes, 0)) {
      const character = String.fromCharCode(code);
      for (const part of partsOf(character)) {
        if ('simple' in part && simpleWidth(character) !== stringWidth(character)) wrong.push(code.toString(16));
      }
    }
    expectNone(wrong, 'code points of another width');
  });

  test('splits characters like a segmenter of the whole text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom(
        'e\u0301',
        '漢',
        '\u3099',
        'か\u3099',
        '👩\u200d💻',
        '🇩🇪',
        '\u0600',
        'क\u094dष',
        '각',
        '\u11a8',
        '\r\n',
        'x',
      ),
      fc.constantFrom('漢'.repeat(999), 'a'.repeat(1000), 'ж'.repeat(1001), '🇩🇪'.repeat(60)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        const whole = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
        expect([...graphemes(text)]).toEqual(whole);
      }),
      { numRuns: shareOf(100) },
    );
  });

  test('becomes one block per record if columns would be too narrow, and keeps ids whole', async () => {
    const id = '0b6c2f74-9d3e-4a81-b5f6-e8127ac49d30';
    expect(
      await lines(
        {
          columns: ['ID', 'Parent', 'Text'],
          rows: [
            [id, id, 'two words'],
            [id, id, ''],
          ],
        },
        60,
      ),
    ).toEqual([
      `  ID      ${id}`,
      `  Parent  ${id}`,
      '  Text    two words',
      '────────────────────────────────────────',
      `  ID      ${id}`,
      `  Parent  ${id}`,
      '  Text',
    ]);
  });
});

describe('a result on the screen', () => {
  const readable: Readable = {
    title: 'Scan',
    simulated: true,
    tables: [{ columns: ['Name', 'Action'], rows: [['block', 'block']] }],
    notes: ['1 shown.'],
  };

  test('colours only the verdict on a terminal', async () => {
    const coloured = { ...PLAIN, red: (text: string) => `<${text}>` };
    expect(await renderReadable(readable, { ...page(80), style: coloured })).toContain('block  <block>');
  });

  test.each([
    { what: 'a terminal', environment: {}, terminal: true, coloured: true },
    { what: 'NO_COLOR', environment: { NO_COLOR: '1' }, terminal: true, coloured: false },
    { what: 'an empty NO_COLOR', environment: { NO_COLOR: '' }, terminal: true, coloured: true },
    { what: 'TERM=dumb', environment: { TERM: 'dumb' }, terminal: true, coloured: false },
    { what: 'a pipe', environment: {}, terminal: false, coloured: false },
  ])('$what: colour is $coloured', async ({ environment, terminal, coloured }) => {
    const { stdout } = await rehearse(['!aisec-widget-get nut', '--output', 'table'], { environment, terminal });
    expect(stdout.includes(ESC)).toBe(coloured);
  });

  scenario.each([{ format: 'table' }, { format: 'markdown' }])(
    'terminal-escape',
    'a response has no control sequences as $format',
    async ({ format }) => {
      const widgets = { cog: { note: `${ESC}]0;owned\u0007${ESC}[2Jhello\u202e` } };
      const argv = ['!aisec-widget-get cog', '--output', format];
      const { stdout } = await rehearse(argv, { widgets, terminal: true, environment: { NO_COLOR: '1' } });
      expect(stdout).toContain('hello');
      expectNone(shownAs(dangerous(stdout)), 'characters that act on a terminal');
    },
  );

  scenario('terminal-escape', 'JSON keeps the data, escaped', async () => {
    const note = `${ESC}[2J\u009b2J\u202e`;
    const argv = ['!aisec-widget-get cog', '--output', 'context'];
    const { stdout } = await rehearse(argv, { widgets: { cog: { note } }, terminal: true });
    expectNone(shownAs(dangerous(stdout)), 'characters that act on a terminal');
    expect(JSON.parse(stdout)).toMatchObject({ note });
  });
});

describe('files', () => {
  const folder = () => temporaryFolder('files');
  const write = async (directory: string, name: string, text: string) => {
    const writer = await nodeFiles(directory).create(name, 'text/plain');
    await writer.write(text);
    return writer.close();
  };

  test('a new file never replaces another file', async () => {
    const directory = join(folder(), 'new');
    const saved = [
      await write(directory, 'a.zip', '1'),
      await write(directory, 'a.zip', '22'),
      await write(directory, 'a.zip', '333'),
    ];
    expect(saved.map(({ name, size }) => [name, size])).toEqual([
      ['a.zip', 1],
      ['a (1).zip', 2],
      ['a (2).zip', 3],
    ]);
    expect(saved.map(({ entry }) => readFileSync(entry, 'utf8'))).toEqual(['1', '22', '333']);
    expect(readdirSync(directory)).toHaveLength(3);
  });

  test.each([
    { what: 'a path', name: '../../evil.sh', saved: 'evil.sh' },
    { what: 'a path with a drive', name: 'C:\\x\\evil.bat', saved: 'evil.bat' },
    { what: 'a hidden file', name: '.profile', saved: 'profile' },
    { what: 'a device of Windows', name: 'con', saved: '_con' },
    { what: 'a device with an extension', name: 'COM1.tar.gz', saved: '_COM1.tar.gz' },
    { what: 'a name that begins like a device', name: 'console.txt', saved: 'console.txt' },
    { what: 'a name that ends in full stops and spaces', name: 'report. . ', saved: 'report' },
    { what: 'a directory', name: '..', saved: 'file' },
    { what: 'a name that cannot be typed', name: 'a\n\u202eb"?.txt', saved: 'ab.txt' },
    { what: 'a long name', name: `${'漢'.repeat(300)}.zip`, saved: `${'漢'.repeat(66)}.zip` },
  ])('$what becomes a plain name in its directory', async ({ name, saved }) => {
    const directory = folder();
    await write(directory, name, 'x');
    expect(readdirSync(directory)).toEqual([saved]);
  });

  test.each([
    { what: 'is not there', make: (path: string) => path, message: 'does not exist' },
    { what: 'is a directory', make: (path: string) => mkdirSync(path), message: 'is a directory' },
  ])('an entry that $what is refused', async ({ make, message }) => {
    const path = join(folder(), 'a.csv');
    make(path);
    const found = nodeFiles('.').find(path);
    await expect(found).rejects.toThrow(UsageError);
    await expect(found).rejects.toThrow(message);
  });

  test('a file gets its name only when it is complete', async () => {
    const directory = folder();
    const writer = await nodeFiles(directory).create('a.txt', 'text/plain');
    await writer.write('half');
    expect(readdirSync(directory)).not.toContain('a.txt');
    await writer.write(' and half');
    await writer.close();
    expect(readdirSync(directory)).toEqual(['a.txt']);
    expect(readFileSync(join(directory, 'a.txt'), 'utf8')).toBe('half and half');
  });

  test('bytes are kept unchanged, and nothing remains of an interrupted download', async () => {
    const directory = folder();
    const bytes = Uint8Array.from([0, 255, 128, 10]);
    const { entry } = await keepBytes(directory)('a.bin', 'application/octet-stream', [
      bytes.slice(0, 2),
      bytes.slice(2),
    ]);
    expect([...readFileSync(entry)]).toEqual([...bytes]);
    const broken = async function* () {
      yield bytes;
      throw new Error('the line is dead');
    };
    await expect(keepBytes(directory)('b.bin', 'application/octet-stream', broken())).rejects.toThrow(
      'the line is dead',
    );
    expect(readdirSync(directory)).toEqual(['a.bin']);
  });
});

scenario.each([{ ms: 3_600_000 }, { ms: -3_600_000 }])(
  'clock-jump',
  'a wall clock that jumps by $ms ms does not change the elapsed time',
  ({ ms }) => {
    const clock = nodeClock();
    const before = clock.elapsed();
    const jumped = machineClock.now() + ms;
    const [after, wall] = atWallTime(jumped, () => [clock.elapsed(), clock.now()] as const);
    expect(wall).toBe(jumped);
    expect(after).toBeGreaterThanOrEqual(before);
    expect(after - before).toBeLessThan(1_800_000);
  },
);

test('a wait ends when it is stopped, and does not start if it was stopped before', async () => {
  const stopper = newStop();
  const clock = nodeClock();
  const waits = clock.wait(60_000, stopper.stop);
  stopper.now();
  await expect(waits).rejects.toThrow(CancelledError);
  await expect(clock.wait(1, stopper.stop)).rejects.toThrow(CancelledError);
});

scenario('long-timers', "a wait longer than Node's maximum timer uses several timers", async () => {
  jest.useFakeTimers();
  try {
    let isOver = false;
    void nodeClock()
      .wait(2 ** 31 + 5000)
      .then(() => {
        isOver = true;
      });
    await jest.advanceTimersByTimeAsync(2 ** 31 + 4000);
    expect(isOver).toBe(false);
    await jest.advanceTimersByTimeAsync(2000);
    expect(isOver).toBe(true);
  } finally {
    jest.useRealTimers();
  }
});

const AMBIGUOUS = [
  ...['yes', 'No', 'ON', 'off', 'y', 'N', 'true', 'null', '~', '', '=', '<<', '-', '?', '!x', '&a', '*a', '%a', '@a'],
  ...['1:30', '1:30:15.5', '0o7', '010', '0x1F', '0b11', '1_000', '1e3', '.5', '.inf', '-.INF', '.nan', '+1', '5.'],
  ...['2027-01-31', '2027-01-31T10:00:00Z', 'a\u2028b', 'a\u2029b', 'a\u0085b', '\ufeffx', 'a\u00a0b', 'x\u007f'],
  ...['a: b', 'a #b', 'a\nb', 'a\n\n', ' a', 'a ', '\ta', 'a\rb', 'a\n---\nb', '...', '---', 'a\\nb', '"a"', "'a'"],
];

const readers = ['1.1', '1.2'] as const;

scenario('yaml-11', 'means the same to readers of both versions: strings that look like other types', () => {
  for (const text of AMBIGUOUS)
    for (const version of readers)
      for (const value of [text, { key: text }, { [text]: [text] }])
        expect({ text, version, value: parse(yamlText(value), { version }) as unknown }).toEqual({
          text,
          version,
          value,
        });
});

scenario('yaml-11', 'quotes what other readers of 1.1 parse as line ends, numbers, times or keywords', () => {
  for (const text of AMBIGUOUS)
    expect(yamlText(text)).toMatch(/^(?:"[^\u0085\u2028\u2029]*"|\|-?\n[\s\S]*|a: b|a #b|a\\nb)$/);
});

scenario('yaml-11', 'means the same to readers of both versions: any value', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...AMBIGUOUS));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        text.filter((name) => name !== '__proto__'),
        tie('value'),
        { maxKeys: 4, noNullPrototype: true },
      ),
    ),
  }));
  fc.assert(
    fc.property(value, (each) => {
      for (const version of readers) expect(parse(yamlText(each), { version })).toEqual(each);
    }),
    { numRuns: shareOf(400) },
  );
});

describe('a field value', () => {
  test.each([
    ['status', string('A.'), 'PARTIALLY_COMPLETE', '◐ partial'],
    ['severity', string('A.'), 'HIGH', '▆ high'],
    ['action', string('A.'), 'block', 'block'],
    ['created_at', date('A.'), '2026-11-21T12:00:00.000460Z', '2026-11-21T12:00:00Z'],
    ['asr', number('A.'), '27.08', '27.08 %'],
    ['stats', unknown('A.'), 'total: 6\nactive: 5\nfailed: 0', '6 total · 5 active'],
    ['tags', unknown('A.'), 'geography: ["Global","Europe"]\nempty: []', 'geography: Global, Europe'],
    ['fields', unknown('A.'), 'kind: {"type":"string","enum":["A","B"]}', 'kind: type: string, enum: A | B'],
    ['fields', unknown('A.'), 'kind: {"a":{"b":{"c":{"d":1}}}}', 'kind: {"a":{"b":{"c":{"d":1}}}}'],
    ['fields', unknown('A.'), 'kind: {"on":true,"off":[false]}', 'kind: on: yes, off: no'],
  ])('%s of %j reads well', (name, field, text, wanted) => {
    expect(recordValue(name, field, text)).toBe(wanted);
  });
});

/** Renders a record that contains texts. */
function shown(values: Readonly<Record<string, string>>, headline: readonly string[], style = PLAIN): Promise<string> {
  const fields = Object.keys(values).map((name) => [name, string('A.')] as const);
  const of: ShownRecord = { many: false, fields, view: { headline } };
  const table = { ...verticalTable(Object.entries(values)), of };
  const readable = { title: 'Scan', simulated: false, tables: [table], notes: [] };
  return renderReadable(readable, { width: 80, style, measure: plainMeasure });
}

describe('the first line of a record', () => {
  test.each([
    [{ status: 'COMPLETED', name: 'monthly' }, '✓ done  monthly'],
    [{ status: 'PARTIALLY_COMPLETE', name: 'monthly' }, '◐ partial  monthly'],
    [{ status: 'SOMETHING_NEW', name: 'monthly' }, 'SOMETHING_NEW  monthly'],
    [{ action: 'block', category: 'malicious' }, 'BLOCK  malicious'],
    [{ eval_outcome: 'BLOCKED', model_uri: 'hub.example.com/a' }, 'BLOCKED  hub.example.com/a'],
  ])('of %j is %j', async (values, wanted) => {
    expect(await shown(values, Object.keys(values))).toBe(wanted);
  });
});

test.each([
  ['true', 'Scan\nTimeout  yes'],
  ['false', 'Scan'],
])('a timeout that is %s reads %j', async (text, wanted) => {
  const of: ShownRecord = { many: false, fields: [['timeout', boolean('A.')]], view: {} };
  const table = { ...verticalTable([['Timeout', text]]), of };
  const readable = { title: 'Scan', simulated: false, tables: [table], notes: [] };
  expect(await renderReadable(readable, page(80))).toBe(wanted);
});

describe('the note about a hidden value', () => {
  test('names the place of a secret that is shown only once', async () => {
    const line = `!aisec-runtime-api-keys-create ${LINES['aisec-runtime-api-keys-create']}`;
    expect((await notesOf(line)).join()).toContain('shown this one time only: it is in the context, at AiSec.');
  });
});

async function notesOf(line: string): Promise<readonly string[]> {
  const result = await warRoom().run(line);
  return readableInTerminal(result, commandOf(result.command)).notes;
}

describe('numbers', () => {
  const { targets } = RED_TEAM_IDS;
  const shown = async (words: readonly string[], given: Given = {}) => {
    const { stdout } = await run(words, {
      terminal: { columns: 80, rows: 60 },
      environment: { NO_COLOR: '1' },
      ...given,
    });
    return stdout.split('\n').map((line) => line.trimEnd());
  };

  describe('a line of scores', () => {
    test.each([
      { values: [0, 12, 13, 50, 99, 100], line: '▁▁▂▅██' },
      { values: [-5, 400], line: '▁█' },
      { values: [undefined, 50], line: '·▅' },
      { values: [], line: '' },
    ])('of $values is $line', ({ values, line }) => {
      expect(sparkline(values)).toBe(line);
    });
  });

  describe('a bar', () => {
    test.each([
      { part: 1, whole: 1000, bar: '█░░░░' },
      { part: 999, whole: 1000, bar: '████░' },
      { part: 0, whole: 0, bar: '░░░░░' },
      { part: 1, whole: 0, bar: '█████' },
    ])('for $part of $whole is $bar', ({ part, whole, bar }) => {
      expect(meter(part, whole, 5)).toBe(bar);
    });
  });

  describe('a heat line', () => {
    test('shades by the largest number, and only 0 is a dot', () => {
      expect(
        shades([
          [0, 1, 50],
          [51, 100, 0],
        ]),
      ).toEqual(['··░░▒▒', '▓▓██··']);
      expect(shades([[0, 0]])).toEqual(['····']);
      expect(shades([])).toEqual([]);
    });
  });

  describe('at a terminal', () => {
    test('a quota has three bars', async () => {
      const lines = await shown(['redteam-metering-quota']);
      expect(lines.filter((line) => /^(?:static|dynamic|custom)/.test(line))).toEqual([
        'static   12 of 50      █████░░░░░░░░░░░░░░░',
        'dynamic  2 of 5        ████████░░░░░░░░░░░░',
        'custom   5, unlimited',
      ]);
    });

    test('violations are shaded by detector and severity', async () => {
      const app = ['app_id=1d5e9b37-a8c2-4f60-b3d9-4e07c6f28a51', 'app_name=support-chat'];
      const lines = await shown(['runtime-customer-apps-violations', ...app]);
      expect(lines.find((line) => line.startsWith('DETECTION TYPE'))).toMatch(
        /^DETECTION TYPE +C H M L +CRITICAL +HIGH/,
      );
      expect(lines.find((line) => line.startsWith('dlp'))).toMatch(/^dlp +░░▓▓▒▒░░ +4 +19 +11 +2 +36$/);
    });

    const scansOf = (target: string, more: object) =>
      altering('/v1/scan', (body) => {
        const { data = [] } = body as { data?: readonly { target_id: string; job_type: string }[] };
        const own = data.filter((scan) => scan.target_id === target).map((scan) => ({ ...scan, ...more }));
        return { data: own, pagination: { total_items: 2 } };
      });
    const SAME = { job_metadata: { categories: {} }, total: 48 };

    test.each([
      { what: 'of the same attacks', more: SAME, options: [], line: ['Score  ▁▃  7.14 → 36.2 in 2 scans'] },
      { what: 'in another order', more: SAME, options: ['--sort', 'asr'], line: ['Score  ▁▃  7.14 → 36.2 in 2 scans'] },
      { what: 'of different attacks', more: {}, options: [], line: [] },
      { what: 'of several targets', more: undefined, options: [], line: [] },
    ])('scans have a score line if they are comparable: $what', async (given) => {
      const alter =
        given.more === undefined ? altering('', (body) => body) : scansOf(targets.supportChatbot, given.more);
      const lines = await shown(['redteam-scans-list', ...given.options], { alter });
      expect(lines.filter((line) => line.startsWith('Score '))).toEqual(given.line);
    });

    test.each([
      { what: 'JSON', more: ['--output', 'json'] },
      { what: 'chosen fields', more: ['--fields', 'static'] },
    ])('$what have only the numbers', async ({ more }) => {
      const { stdout } = await run(['redteam-metering-quota', ...more]);
      expect(stdout).not.toMatch(/[█░]/);
      expect(stdout).toContain('12');
    });
  });
});
