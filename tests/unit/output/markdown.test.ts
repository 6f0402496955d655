import fc from 'fast-check';
import { markdown } from '../../../lib/runtime/output/markdown.ts';
import {
  cell,
  heading,
  type Readable,
  type Table,
  tableOf,
  verticalTable,
} from '../../../lib/runtime/output/readable.ts';
import { anyCharacter } from '../../support/characters.ts';
import { shareOf } from '../../support/runs.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const readable = (table: Partial<Table>, more: Partial<Readable> = {}): Readable => ({
  title: 'T',
  simulated: false,
  tables: [{ columns: ['A', 'B'], rows: [], ...table }],
  notes: [],
  ...more,
});

/** Cells of a rendered row: a bar after an odd number of backslashes belongs to the text. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let current = '';
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (char === '\\') {
      current += char + line.charAt(at + 1);
      at += 1;
    } else if (char === '|') {
      cells.push(current);
      current = '';
    } else current += char;
  }
  return cells.slice(1);
}

const tableLines = (rendered: string) => rendered.split('\n').filter((line) => line.startsWith('|'));

const attacks = [
  '|',
  '\\|',
  '\\',
  '\n',
  '\r\n',
  '`',
  '```',
  '![](http://evil.example.com/x.png)',
  '[a](http://evil.example.com)',
  '[a][b]',
  '<http://evil.example.com>',
  '<img src=x onerror=1>',
  'http://evil.example.com',
  'www.evil.example.com',
  'ftp://evil',
  '&lt;b&gt;',
  '&#60;',
  '**b**',
  '_i_',
  '---',
  '| --- |',
  '\u202eevil',
  '\u200b',
  '\ufeff',
  '\u061c',
  '\u2028',
  '\u001b[31mred\u001b[0m',
  '\u001b]8;;http://evil\u0007x\u001b]8;;\u0007',
  '\u009b31m',
  '\0',
  '\t',
  'plain',
  'é😀',
];
const anyCell = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc
    .array(fc.oneof(fc.constantFrom(...attacks), fc.string({ maxLength: 3 })), { maxLength: 6 })
    .map((parts) => parts.join('')),
);

describe('markdown', () => {
  scenario('md-escape', 'keeps its rows and columns for any cells', () => {
    const tables = fc.integer({ min: 1, max: 4 }).chain((width) => {
      const row = fc.array(anyCell, { minLength: width, maxLength: width });
      return fc.record({ columns: row, rows: fc.array(row, { minLength: 1, maxLength: 4 }) });
    });
    fc.assert(
      fc.property(tables, anyCell, (table, note) => {
        const rendered = markdown(readable(table, { title: note, notes: [note], simulated: true }));
        const lines = tableLines(rendered);
        expect(lines.length).toBeGreaterThanOrEqual(table.rows.length + 2);
        const from = lines.findIndex((line) => /^\|(---\|)+$/.test(line)) - 1;
        const own = lines.slice(from, from + table.rows.length + 2);
        expect(own.map((line) => cellsOf(line).length)).toEqual(
          Array(table.rows.length + 2).fill(table.columns.length),
        );
      }),
      { numRuns: shareOf(500) },
    );
  });

  const HIDDEN =
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
  const harmless = (rendered: string) => {
    const unescaped = rendered.replace(/\\[\s\S]/g, '').replace(/<br>/g, '');
    expect(unescaped).not.toMatch(/[[\]<>]/);
    expect(unescaped).not.toMatch(/:\/\/|\bwww\./i);
    expect(unescaped).not.toMatch(HIDDEN);
  };

  scenario.each(attacks.map((attack) => ({ attack })))(
    'md-escape',
    'shows $attack as text: no image, link, markup or hidden character',
    ({ attack }) => {
      const table = { columns: ['A', attack], rows: [[`x ${attack} y`, attack]] };
      harmless(markdown({ ...readable({ ...table, title: attack }), notes: [attack] }).replace(/&lt;U\+/g, 'U+'));
    },
  );

  scenario('md-escape', 'has no live markup for any cells', () => {
    fc.assert(
      fc.property(anyCell, (value) => harmless(markdown(readable({ rows: [[value, value]] })).replace(/^###.*/, ''))),
      { numRuns: shareOf(500), examples: [['_WWW.evil.example.com']] },
    );
  });

  scenario.each([
    { text: 'two\nlines', shown: 'two<br>lines' },
    { text: 'a|b', shown: 'a\\|b' },
    { text: '`code`', shown: '\\`code\\`' },
    { text: 'a\u202eb', shown: 'a&lt;U+202E&gt;b' },
    { text: 'a\u00ad\u{e0041}b', shown: 'a&lt;U+00AD&gt;&lt;U+E0041&gt;b' },
    { text: '\u001b[31mred\u001b[0m', shown: 'red' },
    { text: '<b>&amp;', shown: '&lt;b&gt;&amp;amp;' },
    { text: 'snake_case_name', shown: 'snake_case_name' },
    { text: '_word_', shown: '\\_word\\_' },
    { text: 'see http://x', shown: 'see http:\\/\\/x' },
    { text: 'see www.x', shown: 'see www\\.x' },
    { text: 'a\tb\u0000\u007f\u009fc', shown: 'a bc' },
    { text: '\u001b]0;title\u0007x', shown: 'x' },
    { text: '\u001b]0;title', shown: '' },
    { text: 'plain, text: (1) 50% - é😀!', shown: 'plain, text: (1) 50% - é😀!' },
  ])('md-escape', '$text is written $shown', ({ text: value, shown }) => {
    expect(markdown(readable({ rows: [[value, 'x']] }))).toContain(`| ${shown} | x |`);
  });

  test('has a heading, its tables and its notes', () => {
    const tables = [
      { columns: ['A'], rows: [['1']] },
      { title: 'More', columns: ['B'], rows: [] },
    ];
    expect(markdown({ title: 'Topics', simulated: false, tables, notes: ['One.', 'Two.'] })).toBe(
      '### Topics\n\n| A |\n|---|\n| 1 |\n\n**More**\n\nNo entries.\n\nOne.\n\nTwo.\n',
    );
  });

  scenario('simulated-mark', 'begins with the mark if the simulated service answered', () => {
    expect(markdown(readable({}, { simulated: true }))).toMatch(/^### T\n\n\*\*SIMULATED\*\*/);
    expect(markdown(readable({}))).not.toContain('SIMULATED');
  });
});

describe('a cell', () => {
  test.each<[unknown, string]>([
    [null, ''],
    [undefined, ''],
    ['text', 'text'],
    [false, 'false'],
    [0, '0'],
    [[], ''],
    [['a', 2, null], 'a\n2\n'],
    [{ a: 1, b: 'x' }, 'a: 1\nb: x'],
    [{ a: { b: [1] }, c: null }, 'a: {"b":[1]}\nc: '],
    [[{ a: 1, b: 2 }, 'x'], 'a: 1, b: 2\nx'],
  ])('%j is %j', (value, shown) => {
    expect(cell(value)).toBe(shown);
  });

  test.each([
    ['last_modified_ts', 'Last Modified TS'],
    ['topic_id', 'Topic ID'],
    ['dlp-data-profiles', 'DLP Data Profiles'],
    ['name', 'Name'],
  ])('of a heading: %s is %s', (name, words) => {
    expect(heading(name)).toBe(words);
  });

  test('is in a table of rows or of a single record', () => {
    expect(tableOf([{ a_b: 1, c: 2 }, { a_b: 3 }])).toEqual({
      columns: ['A B', 'C'],
      rows: [
        ['1', '2'],
        ['3', ''],
      ],
    });
    expect(tableOf([{ a: 1, b: 2 }], { title: 'T', columns: ['b'] })).toEqual({
      title: 'T',
      columns: ['B'],
      rows: [['2']],
    });
    expect(verticalTable([['A', [1, 2]]])).toEqual({ columns: ['Field', 'Value'], rows: [['A', '1\n2']] });
  });
});
