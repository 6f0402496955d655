import fc from 'fast-check';
import { management } from '../../lib/api/call.ts';
import { path } from '../../lib/api/path.ts';
import type { Generic } from '../../lib/arguments/generic.ts';
import { json, text, list as texts } from '../../lib/arguments/words.ts';
import { command } from '../../lib/command.ts';
import { NotFoundError, PartialError, ResponseError, ValidationError } from '../../lib/errors.ts';
import { isoDate } from '../../lib/output/date.ts';
import { contextKey, entryOf, errorEntry, warningEntry } from '../../lib/output/entry.ts';
import { markdown } from '../../lib/output/markdown.ts';
import { mergeContext } from '../../lib/output/merge.ts';
import type { Asides } from '../../lib/output/present.ts';
import { planned, present } from '../../lib/output/present.ts';
import { cell, heading, type Readable, type Table, tableOf, verticalTable } from '../../lib/output/readable.ts';
import { boolean, date, type Fields, many, number, one, record, string, unknown } from '../../lib/output/record.ts';
import { shape } from '../../lib/output/shape.ts';
import { MASK, maskBody, maskWire } from '../../lib/redaction/mask.ts';
import type { ContextWrite, Result } from '../../lib/result.ts';
import { scenario } from '../scenarios/claims.ts';
import { expectNone } from '../support/expect-none.ts';

const CANARY = 'canary-5ecret';

/** One field, shaped from what the service sent. */
function shaped(fields: Fields, wire: Readonly<Record<string, unknown>>, echo: Readonly<Record<string, unknown>> = {}) {
  return shape({ path: 'AiSec.Test', fields }, wire, echo);
}

describe('shaping', () => {
  const all = {
    text: string('T.'),
    count: number('N.'),
    flag: boolean('B.'),
    when: date('D.'),
    whole: unknown('U.'),
  };

  scenario.each([
    { what: 'null', wire: { text: null, count: null, flag: null, when: null, whole: null }, kept: null },
    { what: 'nothing', wire: {}, kept: null },
  ])('context-exact', 'a field for which the service sends $what is null', ({ wire }) => {
    expect(shaped(all, wire)).toStrictEqual({ text: null, count: null, flag: null, when: null, whole: null });
  });

  scenario('context-exact', 'keeps false, 0 and empty text, and drops what is not declared', () => {
    const wire = { text: '', count: 0, flag: false, when: '', whole: [], more: 1, constructor: 2 };
    expect(shaped(all, wire)).toStrictEqual({ text: '', count: 0, flag: false, when: '', whole: [] });
  });

  const fields: { what: string; field: Fields[string]; wire: Record<string, unknown>; value: unknown }[] = [
    { what: 'text of a number', field: string('S.'), wire: { f: 12 }, value: '12' },
    { what: 'a number that is sent as text', field: number('N.'), wire: { f: '12.5' }, value: 12.5 },
    { what: 'a Boolean that is sent as text', field: boolean('B.'), wire: { f: 'true' }, value: true },
    { what: 'a date', field: date('D.'), wire: { f: '2026-03-02 09:15:00' }, value: '2026-03-02T09:15:00Z' },
    {
      what: 'a date as it was sent',
      field: date('D.', { asSent: true }),
      wire: { f: '2026-03-02 x' },
      value: '2026-03-02 x',
    },
    { what: 'milliseconds as they were sent', field: string('S.', { asSent: true }), wire: { f: 5 }, value: 5 },
    {
      what: 'members of an unknown value',
      field: unknown('U.'),
      wire: { f: { a: null, b: '2026-03-02 09:15:00' } },
      value: { a: null, b: '2026-03-02 09:15:00' },
    },
    { what: 'another name', field: string('S.', { from: 'other' }), wire: { f: 'no', other: 'x' }, value: 'x' },
    {
      what: 'the first name that is there',
      field: string('S.', { from: ['a', 'b'] }),
      wire: { a: null, b: 'x' },
      value: 'x',
    },
    { what: 'a member of a member', field: string('S.', { from: 'a.b' }), wire: { a: { b: 'x' } }, value: 'x' },
    {
      what: 'no member of what is no object',
      field: string('S.', { from: 'a.length' }),
      wire: { a: 'x' },
      value: null,
    },
    { what: 'no inherited member', field: unknown('U.', { from: 'toString' }), wire: {}, value: null },
    { what: 'an argument', field: string('S.', { argument: 'name' }), wire: { f: 'sent' }, value: 'given' },
    {
      what: 'what was sent before the argument',
      field: string('S.', { from: 'f', argument: 'name' }),
      wire: { f: 'sent' },
      value: 'sent',
    },
    { what: 'a constant', field: boolean('B.', { constant: true }), wire: { f: false }, value: true },
    {
      what: 'what follows from the answer',
      field: number('N.', { derive: ({ l }) => (Array.isArray(l) ? l.length : 0) }),
      wire: { l: [1, 2] },
      value: 2,
    },
    { what: 'a neutral token', field: string('S.', { tokens: 'cloud' }), wire: { f: 'aws' }, value: 'cloud_a' },
    {
      what: 'a word that the table of tokens lacks',
      field: string('S.', { tokens: 'cloud' }),
      wire: { f: 'new' },
      value: 'new',
    },
    { what: 'the HTTP status', field: number('N.', { httpStatus: true }), wire: {}, value: 201 },
    {
      what: 'rows by their declared members',
      field: unknown('U.', { items: { a: string('A.') } }),
      wire: { f: [{ a: 1, b: 2 }, {}] },
      value: [{ a: '1' }, { a: null }],
    },
    {
      what: 'documented members as they were sent',
      field: unknown('U.', { members: { a: string('A.'), c: date('C.') } }),
      wire: { f: { a: 1, b: 2, c: '2026-01-02' } },
      value: { a: 1, b: 2, c: '2026-01-02' },
    },
  ];
  scenario.each(fields)('context-exact', 'takes $what', ({ field, wire, value }) => {
    expect(shaped({ f: field }, wire, { name: 'given', '#status': 201 })).toStrictEqual({ f: value });
  });

  test('puts a dotted name inside', () => {
    const nested = { 'a.b': string('B.', { from: 'x' }), 'a.c': string('C.', { from: 'y' }), d: string('D.') };
    expect(shaped(nested, { x: '1', y: '2' })).toStrictEqual({ a: { b: '1', c: '2' }, d: null });
  });

  const mistyped: { field: Fields[string]; value: unknown }[] = [
    { field: string('S.'), value: { a: CANARY } },
    { field: string('S.'), value: [CANARY] },
    { field: string('S.'), value: true },
    { field: number('N.'), value: CANARY },
    { field: number('N.'), value: '' },
    { field: number('N.'), value: true },
    { field: boolean('B.'), value: 1 },
    { field: boolean('B.'), value: 'yes' },
    { field: date('D.'), value: {} },
    { field: unknown('U.', { items: { a: string('A.') } }), value: { a: CANARY } },
  ];
  scenario.each(mistyped)(
    'unknown-response-field',
    'a $field.type that is $value is an error that names its path and not its value',
    ({ field, value }) => {
      const run = () => shaped({ f: field }, { f: value });
      expect(run).toThrow(ResponseError);
      expect(run).toThrow('AiSec.Test.f');
      expect(run).not.toThrow(CANARY);
    },
  );

  scenario('unknown-response-field', 'names the row of a list', () => {
    const run = () => shaped({ f: unknown('U.', { items: { a: number('A.') } }) }, { f: [{ a: 1 }, { a: 'x' }] });
    expect(run).toThrow('AiSec.Test.f[1].a');
  });

  scenario.each([{ wire: {} }, { wire: { f: null } }])(
    'no-silent-allow',
    'a required field is an error where it is $wire',
    ({ wire }) => {
      expect(() => shaped({ f: string('S.', { required: true }) }, wire)).toThrow(
        'The service answered without AiSec.Test.f.',
      );
    },
  );
});

describe('a date', () => {
  scenario.each([
    { sent: '2026-03-02T09:15:00Z', kept: '2026-03-02T09:15:00Z' },
    { sent: '2026-03-02T09:15:00.123456Z', kept: '2026-03-02T09:15:00Z' },
    { sent: '2026-03-02T09:15:59.999Z', kept: '2026-03-02T09:15:59Z' },
    { sent: '2026-03-02 09:15:00', kept: '2026-03-02T09:15:00Z' },
    { sent: '2026-03-02T09:15:00', kept: '2026-03-02T09:15:00Z' },
    { sent: '2026-03-02T09:15', kept: '2026-03-02T09:15:00Z' },
    { sent: '2026-03-02', kept: '2026-03-02T00:00:00Z' },
    { sent: '2026-03-02T09:15:00+02:00', kept: '2026-03-02T07:15:00Z' },
    { sent: '2026-03-02T23:30:00-0130', kept: '2026-03-03T01:00:00Z' },
    { sent: '2027-09-29 23:59:59 +0000 UTC', kept: '2027-09-29T23:59:59Z' },
    { sent: '2024-02-29T00:00:00Z', kept: '2024-02-29T00:00:00Z' },
    { sent: 1_772_442_900_000, kept: '2026-03-02T09:15:00Z' },
    { sent: 0, kept: '1970-01-01T00:00:00Z' },
    // What services written in Go send for "never".
    { sent: '0001-01-01T00:00:00Z', kept: '0001-01-01T00:00:00Z' },
    { sent: '0099-12-31T00:00:00Z', kept: '0099-12-31T00:00:00Z' },
  ])('context-exact', '$sent is $kept', ({ sent, kept }) => {
    expect(isoDate(sent)).toBe(kept);
  });

  scenario.each(
    [
      '',
      'never',
      '2026-02-30',
      '2025-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-01-00',
      '2026-01-01T24:00:00Z',
      '2026-01-01T10:60:00Z',
      '2026-01-01T10:00:60Z',
      '2026-01-01T10:00:00+99:99',
      '02/03/2026',
      '1772442900',
      '2026',
      '2026-03-02T09:15:00Z and more',
      Number.NaN,
      Number.POSITIVE_INFINITY,
      1e17,
      null,
      undefined,
      true,
    ].map((sent) => ({ sent })),
  )('context-exact', '$sent is left alone', ({ sent }) => {
    expect(isoDate(sent)).toBe(sent);
  });

  test('in any form of one moment is that moment', () => {
    const moments = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(moments, fc.integer({ min: -14 * 60, max: 14 * 60 }), (moment, minutes) => {
        const wanted = moment.toISOString().replace(/\.\d+Z$/, 'Z');
        const local = new Date(moment.getTime() + minutes * 60_000).toISOString().slice(0, 19);
        const two = (value: number) => String(Math.floor(Math.abs(value))).padStart(2, '0');
        const zone = `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
        const forms = [
          moment.toISOString(),
          local + zone,
          local.replace('T', ' ') + zone.replace(':', ''),
          moment.getTime(),
        ];
        expect(forms.map(isoDate)).toEqual(Array(4).fill(wanted));
        expect(isoDate(isoDate(wanted))).toBe(wanted);
      }),
    );
  });
});

const readable = (table: Partial<Table>, more: Partial<Readable> = {}): Readable => ({
  title: 'T',
  simulated: false,
  tables: [{ columns: ['A', 'B'], rows: [], ...table }],
  notes: [],
  ...more,
});

/** Cells of a rendered row: a bar that follows an odd number of backslashes belongs to the text. */
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
  '\\\\|',
  '\\',
  '\n',
  '\r',
  '\r\n',
  '`',
  '```',
  '![](http://evil.example.com/x.png)',
  '![x](//evil)',
  '[a](http://evil.example.com)',
  '[a]: http://evil.example.com',
  '[a][b]',
  '<http://evil.example.com>',
  '<script>alert(1)</script>',
  '<img src=x onerror=1>',
  'http://evil.example.com',
  'https://evil.example.com',
  'www.evil.example.com',
  'WWW.evil.example.com',
  'ftp://evil',
  '&lt;b&gt;',
  '&#60;',
  '**b**',
  '_i_',
  '~~s~~',
  '# h',
  '---',
  '| --- |',
  '\u202eevil',
  '\u2066x\u2069',
  '\u200b',
  '\u200d',
  '\ufeff',
  '\u061c',
  '\u2028',
  '\u0085',
  '\u001b[31mred\u001b[0m',
  '\u001b]8;;http://evil\u0007x\u001b]8;;\u0007',
  '\u009b31m',
  '\0',
  '\u0007',
  '\t',
  'plain',
  'é😀',
];
const anyCell = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.oneof(fc.constantFrom(...attacks), fc.string({ maxLength: 3 })), { maxLength: 6 })
    .map((parts) => parts.join('')),
);

describe('markdown', () => {
  scenario('md-escape', 'keeps its rows and columns whatever its cells hold', () => {
    const tables = fc.integer({ min: 1, max: 4 }).chain((width) => {
      const row = fc.array(anyCell, { minLength: width, maxLength: width });
      return fc.record({ columns: row, rows: fc.array(row, { minLength: 1, maxLength: 4 }) });
    });
    fc.assert(
      fc.property(tables, anyCell, (table, aside) => {
        const rendered = markdown(readable(table, { title: aside, notes: [aside], simulated: true }));
        const lines = tableLines(rendered);
        expect(lines.length).toBeGreaterThanOrEqual(table.rows.length + 2);
        const from = lines.findIndex((line) => /^\|(---\|)+$/.test(line)) - 1;
        const own = lines.slice(from, from + table.rows.length + 2);
        expect(own.map((line) => cellsOf(line).length)).toEqual(
          Array(table.rows.length + 2).fill(table.columns.length),
        );
      }),
      { numRuns: 500 },
    );
  });

  const HIDDEN =
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
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
      harmless(markdown({ ...readable({ ...table, title: attack }), notes: [attack] }).replace(/\[U\+/g, 'U+'));
    },
  );

  scenario('md-escape', 'has no live markup whatever its cells hold', () => {
    fc.assert(
      fc.property(anyCell, (value) => harmless(markdown(readable({ rows: [[value, value]] })).replace(/^###.*/, ''))),
      { numRuns: 500 },
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
    { text: 'a & b', shown: 'a & b' },
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

  scenario('simulated-mark', 'begins with the mark where the simulated service answered', () => {
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

  test('stands in a table of rows, or of one record', () => {
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

describe('the context', () => {
  const write = (value: unknown, key?: readonly string[], at = 'AiSec.T'): ContextWrite => ({
    path: at,
    value,
    ...(key && { key }),
  });
  const at = (context: unknown) => (context as { AiSec: { T: unknown } }).AiSec.T;
  const merged = (...writes: ContextWrite[]) => at(mergeContext({}, writes));

  test.each<{ what: string; writes: ContextWrite[]; value: unknown }>([
    { what: 'a first record is an object', writes: [write({ id: 1 }, ['id'])], value: { id: 1 } },
    {
      what: 'an equal record is updated',
      writes: [write({ id: 1, a: 1, b: 1 }, ['id']), write({ id: 1, a: 2 }, ['id'])],
      value: { id: 1, a: 2, b: 1 },
    },
    {
      what: 'another is appended',
      writes: [write({ id: 1 }, ['id']), write({ id: 2 }, ['id'])],
      value: [{ id: 1 }, { id: 2 }],
    },
    {
      what: 'a list stays a list',
      writes: [write([{ id: 1 }], ['id']), write({ id: 1, a: 1 }, ['id'])],
      value: [{ id: 1, a: 1 }],
    },
    {
      what: 'all parts of a key count',
      writes: [write({ a: 1, b: 1 }, ['a', 'b']), write({ a: 1, b: 2 }, ['a', 'b'])],
      value: [
        { a: 1, b: 1 },
        { a: 1, b: 2 },
      ],
    },
    {
      what: 'records without their key equal none',
      writes: [write({ id: null }, ['id']), write({ id: null }, ['id'])],
      value: [{ id: null }, { id: null }],
    },
    {
      what: 'equal records of one write become one',
      writes: [
        write({ id: 1 }, ['id']),
        write(
          [
            { id: 2, a: 1 },
            { id: 2, b: 2 },
          ],
          ['id'],
        ),
      ],
      value: [{ id: 1 }, { id: 2, a: 1, b: 2 }],
    },
    {
      what: 'they do so the first time as well, and the last of them has the last word',
      writes: [
        write(
          [
            { id: 2, a: 1 },
            { id: 2, a: 2, b: 2 },
          ],
          ['id'],
        ),
      ],
      value: [{ id: 2, a: 2, b: 2 }],
    },
    {
      what: 'a number is not its text',
      writes: [write({ id: 1 }, ['id']), write({ id: '1' }, ['id'])],
      value: [{ id: 1 }, { id: '1' }],
    },
    { what: 'an empty key replaces', writes: [write({ a: 1 }, []), write({ b: 2 }, [])], value: { b: 2 } },
    { what: 'no key appends', writes: [write('x'), write('x')], value: ['x', 'x'] },
    { what: 'null counts as nothing', writes: [write(null), write({ id: 1 }, ['id'])], value: { id: 1 } },
  ])('$what', ({ writes, value }) => {
    expect(merged(...writes)).toEqual(value);
  });

  const records = fc.uniqueArray(fc.record({ id: fc.nat(12), value: fc.nat(3) }), {
    selector: ({ id }) => id,
    maxLength: 8,
  });
  const rows = (value: unknown) => (value === undefined ? [] : [value].flat());

  test('holds each key once, with the last word', () => {
    fc.assert(
      fc.property(records, records, (first, second) => {
        const writes = [write(first, ['id']), write(second, ['id'])];
        const once = mergeContext({}, writes);
        const wanted = new Map([...first, ...second].map((row) => [row.id, row]));
        expect(rows(at(once))).toEqual([...wanted.values()].map((row) => row));
      }),
    );
  });

  test('is not changed by a merge, nor is what else it holds', () => {
    fc.assert(
      fc.property(
        records,
        records,
        fc.constantFrom<readonly string[] | undefined>(['id'], [], undefined),
        (first, second, key) => {
          const before = { AiSec: { T: first, Other: 1 }, more: [2] };
          const copy = structuredClone(before);
          const after = mergeContext(before, [write(second, key)]);
          expect(before).toEqual(copy);
          expect(after).toMatchObject({ AiSec: { Other: 1 }, more: [2] });
          if (key === undefined) expect(rows(at(after))).toEqual([...first, ...second]);
        },
      ),
    );
  });

  scenario('proto-json', 'takes a hostile path or record as its own', () => {
    const hostile: unknown = JSON.parse('{"__proto__": {"polluted": 1}, "id": 1}');
    const paths = ['__proto__.polluted', 'constructor.prototype.polluted', '__proto__', 'AiSec.__proto__.polluted'];
    for (const at of paths) {
      const context = mergeContext(mergeContext({}, [write(hostile, ['id'], at)]), [write(hostile, ['id'], at)]);
      expect(Reflect.get(Object.getPrototypeOf(context), 'polluted')).toBeUndefined();
      expect(Reflect.get({}, 'polluted')).toBeUndefined();
    }
  });
});

describe('a mask', () => {
  const issued = record('AiSec.Key', 'Keys', 'id', {
    id: string('Id.'),
    api_key: string('Key.', { secret: true, once: true }),
    code: string('Code.', { secret: true, from: ['auth.code', 'auth_code'] }),
  });

  scenario(
    'no-secret-anywhere',
    'hides secret members of an answer, at any depth and under every name of theirs',
    () => {
      const wire = {
        id: 1,
        api_key: CANARY,
        auth_code: CANARY,
        auth: { code: CANARY, kind: 'x' },
        more: [{ api_key: CANARY }],
      };
      const masked = maskWire(wire, issued);
      expect(JSON.stringify(masked)).not.toContain(CANARY);
      expect(masked).toMatchObject({ id: 1, api_key: MASK, auth: { kind: 'x' }, more: [{ api_key: MASK }] });
      expect(maskWire([{ api_key: CANARY }, { api_key: null }], issued)).toEqual([
        { api_key: MASK },
        { api_key: null },
      ]);
    },
  );

  const plain = record('AiSec.Plain', 'Plain', 'id', { id: string('Id.') });
  test('leaves an answer without secrets as it is', () => {
    const wire = { id: 1 };
    expect(maskWire(wire, plain)).toEqual(wire);
  });

  const args = {
    auth_config: text('A.', { secret: true }),
    codes: texts('C.', { secret: true }),
    login: json()('L.', {}, { secret: true }),
    name: text('N.'),
  };
  scenario.each([
    {
      what: 'a member',
      body: { name: 'n', auth: { auth_config: CANARY } },
      left: { name: 'n', auth: { auth_config: MASK } },
    },
    { what: 'an item of a list', body: { all: ['n', CANARY] }, left: { all: ['n', MASK] } },
    { what: 'the whole body', body: CANARY, left: MASK },
    { what: 'a list', body: { codes: ['c-1', 'c-2'] }, left: { codes: MASK } },
    {
      what: 'an item of a secret list',
      body: { first: 'c-1', more: [{ code: 'c-2' }] },
      left: { first: MASK, more: [{ code: MASK }] },
    },
    {
      what: 'a member of a secret object',
      body: { type: 'basic', password: 'p-1' },
      left: { type: 'basic', password: MASK },
    },
    { what: 'part of a text', body: { header: `Bearer ${CANARY}` }, left: { header: `Bearer ${MASK}` } },
  ])('no-secret-anywhere', 'hides a secret argument that is $what of a body', ({ body, left }) => {
    const masked = maskBody(body, args, {
      auth_config: CANARY,
      codes: ['c-1', 'c-2'],
      login: { password: 'p-1' },
      name: 'n',
    });
    expect(JSON.stringify(masked)).not.toMatch(/canary|c-[12]|p-1/);
    expect(masked).toEqual(left);
  });

  scenario('proto-json', 'keeps the members of a hostile answer its own', () => {
    const wire = JSON.parse(`{"__proto__": {"polluted": 1}, "api_key": "${CANARY}"}`);
    const masked = maskWire(wire, issued);
    expect(Object.getPrototypeOf(masked)).toBe(Object.prototype);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

const topic = record('AiSec.Topic', 'Topics', 'id', {
  id: string('Id.'),
  key: string('Key.', { secret: true, once: true }),
  code: string('Code.', { secret: true }),
  lines: unknown('Lines.', { show: () => ['one', 'two'] }),
  quiet: string('Quiet.', { hidden: true }),
  rows: unknown('Rows.', { rows: ['a'] }),
});

const declared = command('aisec-test', 'Test.', {
  effect: 'read',
  args: {},
  output: one(topic),
  call: () => management.get(path`/v1/x`),
});

const generic: Generic = {
  showRaw: false,
  ignoreOutputs: false,
  extend: [],
  timeoutSeconds: undefined,
  retries: 0,
  retrySeconds: 30,
  without: [],
};
const asides: Asides = { notes: [], tables: [], warnings: [] };

function presented(more: Partial<Parameters<typeof present>[0]> = {}): Result {
  const wire = { id: '1', key: CANARY };
  const records = [{ id: '1', key: CANARY, code: null, lines: [], quiet: 'q', rows: [{ a: 1, b: 2 }] }];
  const args = { values: {}, typed: {}, generic };
  return present({
    command: declared,
    args,
    output: declared.output,
    page: undefined,
    asides,
    wire,
    records,
    simulated: false,
    files: [],
    ...more,
  });
}

describe('a result', () => {
  const args = (more: Partial<Generic>, values = {}) => ({
    values,
    typed: values,
    generic: { ...generic, ...more },
  });

  test('shows a record in two columns, nested rows in a table of their own, and nothing hidden or empty', () => {
    const { readable: shown, writes } = presented();
    expect(shown.tables).toEqual([
      {
        columns: ['Field', 'Value'],
        rows: [
          ['ID', '1'],
          ['Key', MASK],
          ['Lines', 'one\ntwo'],
        ],
      },
      { title: 'Rows', columns: ['A'], rows: [['1']] },
    ]);
    expect(writes).toEqual([{ path: 'AiSec.Topic', key: ['id'], value: expect.objectContaining({ quiet: 'q' }) }]);
  });

  scenario('no-secret-anywhere', 'keeps a one-time secret in its field alone, and the table says where', () => {
    const result = presented();
    expect(result.readable.notes).toEqual([
      'key is told this one time only: it is in the context, at AiSec.Topic.key.',
    ]);
    expect(JSON.stringify({ ...result, writes: [] })).not.toContain(CANARY);
    expect(JSON.stringify(entryOf({ ...result, writes: [] }))).not.toContain(CANARY);
    expect(result.writes[0]?.value).toMatchObject({ key: CANARY });
  });

  test('of a list has a row for each record, and a write for all', () => {
    const records = ['1', '2'].map((id) => ({ id, key: null, code: null, lines: [], quiet: '', rows: [] }));
    const result = presented({ output: many(topic), wire: records, records });
    expect(result.readable.tables[0]).toMatchObject({ columns: ['ID', 'Key', 'Code', 'Lines', 'Rows'] });
    expect(result.writes).toEqual([{ path: 'AiSec.Topic', key: ['id'], value: records }]);
  });

  test('of an empty list writes nothing', () => {
    expectNone(presented({ output: many(topic), wire: [], records: [] }).writes, 'writes to the context');
  });

  const page = { records: [], count: 50, more: true, total: undefined, pages: undefined, repeated: false };
  test.each([
    { what: 'everything', page: { ...page, more: false }, values: {}, note: [] },
    {
      what: 'a part of unknown size',
      page,
      values: { offset: 10 },
      note: ['50 shown, there are more: go on with offset=60, or a higher limit.'],
    },
    {
      what: 'a part of a known number',
      page: { ...page, total: 80 },
      values: { skip: 0 },
      note: ['50 shown, there are 80: go on with skip=50, or a higher limit.'],
    },
    {
      what: 'a part, without a position',
      page,
      values: {},
      note: ['50 shown, there are more: go on with a higher limit.'],
    },
    {
      what: 'a page',
      page: { ...page, total: 80, pages: 2 },
      values: { page: 0 },
      note: ['Page 0 of 2, counted from 0, with 80 records in all. Go on with page=1.'],
    },
    {
      what: 'the last page, of an unknown number',
      page: { ...page, pages: 2 },
      values: { page: 1 },
      note: ['Page 1 of 2, counted from 0.'],
    },
    {
      what: 'a page behind the last one',
      page: { ...page, total: 80, pages: 2 },
      values: { page: 2 },
      note: ['There is no page 2: pages are counted from 0, and there are 2, with 80 records in all.'],
    },
    { what: 'the one page of nothing', page: { ...page, total: 0, pages: 0 }, values: { page: 0 }, note: [] },
    {
      what: 'a repeated page',
      page: { ...page, repeated: true },
      values: {},
      note: [expect.stringContaining('may not be complete')],
    },
  ])('says how to see the rest when it has $what', ({ page: fetched, values, note }) => {
    const positions = Object.fromEntries(Object.keys(values).map((name) => [name, text('Position.')]));
    const command = { ...declared, args: positions };
    const list = { page: fetched, args: args({}, values), output: many(topic), wire: [], records: [] };
    expect(presented({ command, ...list }).readable.notes).toEqual(note);
  });

  test('keeps only further keys when outputs are to be ignored', () => {
    const extend = [
      { path: 'Mine', from: 'id' },
      { path: 'All', from: '.' },
      { path: 'None', from: 'nothing' },
    ];
    expect(presented({ args: args({ ignoreOutputs: true, extend }) }).writes).toEqual([
      { path: 'Mine', value: '1' },
      { path: 'All', value: { id: '1', key: MASK } },
    ]);
  });

  test('carries warnings, remarks, asides and a partial failure', () => {
    const failure = new PartialError('Some failed.');
    const remarking = { ...declared, remarks: () => ['Look closer.', undefined] };
    const result = presented({
      command: remarking,
      args: args({ without: ['using', 'debug-mode'] }),
      asides: { notes: ['Noted.'], tables: [{ columns: ['X'], rows: [['y']] }], warnings: ['Twice.'], failure },
    });
    expect(result.warnings).toEqual(['using, debug-mode: no effect here.', 'Twice.']);
    expect(result.readable.notes.slice(0, 2)).toEqual(['Noted.', 'Look closer.']);
    expect(result.readable.tables).toContainEqual({ columns: ['X'], rows: [['y']] });
    expect(result.failure).toBe(failure);
  });

  test('of a dry run is the request that was not made, with its secrets hidden', () => {
    const secret = { ...declared, args: { code: text('Code.', { secret: true }) } };
    const plan = { method: 'POST', url: 'https://h.example.com/x', body: { code: CANARY, a: 1 } } as const;
    const result = planned(secret, args({}, { code: CANARY }), plan, { ...asides, notes: ['Noted.'] }, true);
    expect(result).toMatchObject({ planned: true, simulated: true, writes: [] });
    expect(result.raw).toEqual({ dry_run: true, method: 'POST', url: plan.url, body: { code: MASK, a: 1 } });
    expect(result.readable.notes).toEqual(['Nothing was changed.', 'Noted.']);
    expect(JSON.stringify(result)).not.toContain(CANARY);
  });
});

describe('an entry', () => {
  test.each([
    { path: 'AiSec.T', key: undefined, written: 'AiSec.T' },
    { path: 'AiSec.T', key: [], written: 'AiSec.T(true)' },
    { path: 'AiSec.T', key: ['id'], written: 'AiSec.T(val.id && val.id == obj.id)' },
    { path: 'AiSec.T', key: ['a', 'b'], written: 'AiSec.T(val.a && val.a == obj.a && val.b && val.b == obj.b)' },
  ])('names $path by key $key: $written', ({ path: at, key, written }) => {
    expect(contextKey(key === undefined ? { path: at } : { path: at, key })).toBe(written);
  });

  test('of a result has table, contents and context', () => {
    const result = presented();
    expect(entryOf(result)).toEqual({
      Type: 1,
      ContentsFormat: 'json',
      Contents: { id: '1', key: MASK },
      HumanReadable: markdown(result.readable),
      ReadableContentsFormat: 'markdown',
      EntryContext: { 'AiSec.Topic(val.id && val.id == obj.id)': result.writes[0]?.value },
    });
    expect(entryOf({ ...result, raw: 'text' })).toMatchObject({ ContentsFormat: 'text', Contents: 'text' });
  });

  test('shows the raw answer in place of the table where that was asked for', () => {
    expect(entryOf({ ...presented(), showRaw: true })).not.toHaveProperty('HumanReadable');
  });

  scenario('simulated-mark', 'is marked in the table', () => {
    expect(entryOf(presented({ simulated: true })).HumanReadable).toContain('SIMULATED');
  });

  scenario('proto-json', 'takes any path of the context as its own member', () => {
    const writes = [{ path: '__proto__', value: { polluted: 1 } }];
    const { EntryContext = {} } = entryOf({ ...presented(), writes });
    expect(Object.getPrototypeOf(EntryContext)).toBe(Object.prototype);
  });

  test('of a failure is message, hint and rows; of a warning, its text', () => {
    const error = new NotFoundError('Not there.', { hint: 'Look.', rows: [{ a: 1, b: 'x' }] });
    expect(errorEntry(error)).toEqual({ Type: 4, ContentsFormat: 'text', Contents: 'Not there.\nLook.\na=1, b=x' });
    const problems = new ValidationError([{ message: 'One.', hint: 'Do.' }, { message: 'Two.' }]);
    expect(errorEntry(problems).Contents).toBe('One. Two.\nDo.');
    expect(warningEntry('Careful.')).toEqual({ Type: 11, ContentsFormat: 'text', Contents: 'Careful.' });
  });
});
