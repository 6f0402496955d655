import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { CancelledError, ConfigurationError, UsageError } from '../../lib/core/errors.ts';
import { newStop } from '../../lib/core/stop.ts';
import { jsonText, longJsonText } from '../../lib/hosts/terminal/render/json.ts';
import { graphemes, measureFor, partsOf, simpleWidth } from '../../lib/hosts/terminal/render/measure.ts';
import { sanitize } from '../../lib/hosts/terminal/render/sanitize.ts';
import { PLAIN } from '../../lib/hosts/terminal/render/style.ts';
import { renderReadable, renderTable } from '../../lib/hosts/terminal/render/table.ts';
import { cut } from '../../lib/hosts/terminal/render/wrap.ts';
import { nodeClock } from '../../lib/node/clock.ts';
import { keepBytes, nodeFiles } from '../../lib/node/files/files.ts';
import { markdown } from '../../lib/output/markdown.ts';
import type { Readable, Table } from '../../lib/output/readable.ts';
import { redaction } from '../../lib/redaction/redact.ts';
import { anyCharacter } from '../support/characters.ts';
import { expectNone } from '../support/expect-none.ts';
import { temporaryFolder } from '../support/folder.ts';
import { expectProportion } from '../support/growth.ts';
import { atWallTime, machineClock } from '../support/machine.ts';
import { shareOf, someOf } from '../support/runs.ts';
import { scenario } from '../system/scenarios/claims.ts';
import { rehearse } from './terminal-support.ts';

const ESC = '\u001b';
let measure: Awaited<ReturnType<typeof measureFor>>;
beforeAll(async () => {
  measure = await measureFor('\u00e9');
});
const page = (width: number) => ({ width, style: PLAIN, measure });
const lines = (table: Table, width = 80) => renderTable(table, page(width));

/** Characters that a terminal interprets or a reader cannot see, except line ends and the joiner of emoji. */
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
    { what: 'text of no width', text: 'pass\u200bword\ufeff', shown: 'pass<U+200B>word<U+FEFF>' },
    { what: 'text in tags', text: 'a\u{e0041}', shown: 'a<U+E0041>' },
    { what: 'a joiner between letters', text: 'a\u200db', shown: 'a<U+200D>b' },
    {
      what: 'a picture made of several',
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

  /** Reads the rest of the text again for every introducer: slow, and right. */
  const slowly = (text: string) =>
    text
      .replace(/\r\n?|[\u2028\u2029]/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      .replace(/(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)/g, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      .replace(/(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-Z\\^-~]/g, '')
      .replace(/\t/g, '  ')
      .replace(/[^\P{Cc}\n]/gu, '');

  scenario('control-strings', 'removes the same as a reader that continues from every introducer', () => {
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

/** Characters that begin an escape sequence. */
const INTRODUCERS = [
  ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)),
  ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(0x80 + code)),
  ...['[', ']', 'P', 'X', '^', '_', '(', '#', ' ', '\\', '%'].map((next) => ESC + next),
];

describe('a text of nothing but introducers', () => {
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
  /** By code points, because a report is read on a terminal. */
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

  scenario.each(['\u009d', '\u0090\u009b', `${ESC}]`, `${ESC}_\u0098`].map(named))(
    'control-strings',
    'two hundred thousand times in a response has no effect: $named',
    async ({ part }) => {
      const widgets = { cog: { note: `${part.repeat(200_000)}\u0007end` } };
      const { stdout, code } = await rehearse(['!aisec-widget-get cog', '--output', 'table'], { widgets });
      expect({ code, dangers: dangerous(stdout) }).toEqual({ code: 0, dangers: [] });
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

  test('a missing value is null', () => {
    expect(jsonText(undefined)).toBe('null');
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

  test('keeps an address whole, so that it can be copied', async () => {
    const address = `https://service.example.com/${'path/'.repeat(12)}`;
    const rows = [['models', `see ${address} for more`]];
    expect(await lines({ columns: ['What', 'Where'], rows }, 40)).toEqual(
      expect.arrayContaining([expect.stringMatching(/ see$/), expect.stringContaining(` ${address}`)]),
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

  test('counts wide characters as wide', async () => {
    const [head, rule, first, second] = await lines({
      columns: ['Wide', 'Next'],
      rows: [
        ['漢字かな', 'a'],
        ['👩\u200d💻', 'b'],
      ],
    });
    expect([head, rule].map((line) => line?.indexOf('N')).concat(rule?.lastIndexOf('  '))).toEqual([10, -1, 8]);
    expect([first, second].map((line) => stringWidth(line ?? ''))).toEqual([11, 11]);
  });

  test('without rows has a message', async () => {
    expect(await lines({ title: 'Parts', columns: ['A'], rows: [] })).toEqual(['Parts', 'No entries.']);
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

  test('with a long text of wide characters without a space keeps every character', async () => {
    const count = shareOf(8000);
    const text = '漢字👩\u200d💻'.repeat(count);
    const made = await lines({ columns: ['A', 'B'], rows: [['x', text]] });
    expect(made.join('').replace(/[^漢]/g, '')).toHaveLength(count);
    expect(made.join('').match(/👩\u200d💻/g)).toHaveLength(count);
    for (const line of made) expect(stringWidth(line)).toBeLessThanOrEqual(80);
  });

  test('with texts of millions of characters is truncated between characters, and says by how much', async () => {
    const rows = [['x', `${'a'.repeat(99_999)}😀${'b'.repeat(20_000_000)}`]];
    const made = await lines({ columns: ['A', 'B'], rows });
    const shown = made.join(' ').replace(/\s+/g, ' ');
    expect(shown.slice(-100)).toContain('… (20,000,002 more characters: --output json has all of them)');
    expect(shown.match(/a{50}/g)?.length).toBeGreaterThan(1000);
    expect(/b{3}|[\ud800-\udfff]/.test(shown)).toBe(false);
  });

  scenario.each([
    { text: '漢' },
    { text: '漢 ' },
    { text: 'é' },
    { text: '👩\u200d💻' },
    { text: 'e\u0301' },
    { text: '日本語 und more. ' },
  ])('control-strings', 'with long texts takes linear time: $text', async ({ text }) => {
    await expectProportion((size) => {
      const table = { columns: ['A', 'B', 'C'], rows: [[text.repeat(size), 'x', text.repeat(size)]] };
      return () => lines(table);
    });
  });

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

  scenario('control-strings', 'does not block other work of the program', async () => {
    const rows = Array.from({ length: 20_000 }, () => ['one', 'a text of several words', '漢字']);
    let turns = 0;
    const count = setInterval(() => {
      turns += 1;
    }, 0);
    await lines({ columns: ['A', 'B', 'C'], rows });
    clearInterval(count);
    expect(turns).toBeGreaterThan(3);
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

  test('with many rows has all of them', async () => {
    const rows = Array.from({ length: 5000 }, (_, index) => [`n${index}`, 'allow', `text ${index} `.repeat(20)]);
    expect((await lines({ ...table, rows })).length).toBeGreaterThan(10_000);
  });
});

describe('a result on the screen', () => {
  const readable: Readable = {
    title: 'Scan',
    simulated: true,
    tables: [{ columns: ['Name', 'Action'], rows: [['block', 'block']] }],
    notes: ['1 shown.'],
  };

  test('separates title, tables and notes, and says that it is simulated', async () => {
    expect(await renderReadable(readable, page(80))).toBe(
      `Scan${' '.repeat(67)}SIMULATED\nName   Action\n─────  ──────\nblock  block\n\n1 shown.`,
    );
  });

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

  test('a text is read in chunks that split no character', async () => {
    const directory = folder();
    const text = '漢👩'.repeat(60_000);
    writeFileSync(join(directory, 'a.csv'), text);
    const files = nodeFiles(directory);
    const reader = await files.read(await files.find(join(directory, 'a.csv')));
    const pieces: string[] = [];
    for (let piece = await reader.next(); piece !== undefined; piece = await reader.next()) pieces.push(piece);
    await reader.close();
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(text);
    expectNone(
      pieces.filter((piece) => piece.includes('\ufffd')),
      'pieces with half a character',
    );
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

  test('an error names a directory that cannot be written', async () => {
    const made = nodeFiles('/dev/null/x').create('a.txt', 'text/plain');
    await expect(made).rejects.toThrow(ConfigurationError);
    await expect(made).rejects.toThrow('/dev/null/x');
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
