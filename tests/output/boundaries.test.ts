import { text } from '../../lib/arguments/words.ts';
import { type Command, command } from '../../lib/command.ts';
import { NotFoundError, ResponseError } from '../../lib/errors.ts';
import { isoDate, milliseconds } from '../../lib/output/date.ts';
import { errorEntry } from '../../lib/output/entry.ts';
import { fitContext } from '../../lib/output/limit.ts';
import { markdown } from '../../lib/output/markdown.ts';
import { mergeContext } from '../../lib/output/merge.ts';
import { pollingKeys, standingIn } from '../../lib/output/polling.ts';
import { type Presentation, planned, present, unfinished } from '../../lib/output/present.ts';
import { cell, heading, tableOf } from '../../lib/output/readable.ts';
import {
  boolean,
  date,
  type Field,
  many,
  number,
  type Output,
  one,
  paged,
  record,
  silent,
  string,
  unknown,
  whole,
} from '../../lib/output/record.ts';
import { shape } from '../../lib/output/shape.ts';
import { MASK, maskBody, maskRecord, maskWire, secretTexts } from '../../lib/redaction/mask.ts';
import type { Result } from '../../lib/result.ts';
import type { Runtime } from '../../lib/runtime.ts';
import { expectNone } from '../support/expect-none.ts';
import { memoryFiles } from '../support/files.ts';
import { answering } from '../support/scripted.ts';

const TEXT = { columns: ['A'], rows: [] };

/** A note as markdown. */
const noted = (note: string) =>
  markdown({ title: 'T', simulated: false, tables: [], notes: [note] }).slice('### T\n\n'.length, -1);

/** A cell of a table as markdown. */
const celled = (value: string) =>
  markdown({ title: 'T', simulated: false, tables: [{ ...TEXT, rows: [[value]] }], notes: [] })
    .trimEnd()
    .split('\n')[4];

describe('a date', () => {
  test.each([
    ['2026-03-02T09:15:00.123456Z', '2026-03-02T09:15:00Z'],
    ['2026-03-02 09:15:00.5 UTC', '2026-03-02T09:15:00Z'],
    ['2026-03-02 09:15:00.123', '2026-03-02T09:15:00Z'],
    [' 2026-03-02 09:15\t', '2026-03-02T09:15:00Z'],
    ['at 2026-03-02 09:15', 'at 2026-03-02 09:15'],
    ['12026-03-02', '12026-03-02'],
    ['2026-02-30', '2026-02-30'],
    ['2026-04-31', '2026-04-31'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['2026-03-02T09:15:00+14:00', '2026-03-01T19:15:00Z'],
    ['2026-03-02T09:15:00+15:00', '2026-03-02T09:15:00+15:00'],
    ['2026-03-02T09:15:00-01:59', '2026-03-02T11:14:00Z'],
    ['2026-03-02T09:15:00+01:60', '2026-03-02T09:15:00+01:60'],
    ['2026-03-02T09:15:00+15:60', '2026-03-02T09:15:00+15:60'],
  ])('"%s" is %s', (given, iso) => {
    expect(isoDate(given)).toBe(iso);
  });

  test.each<[unknown, unknown]>([
    [5, 5],
    [undefined, undefined],
    ['soon', 'soon'],
    ['soon.5', 'soon.5'],
    ['1970-01-01T00:00:01Z', 1000],
    [' 1970-01-01T00:00:01Z ', 1000],
    ['1970-01-01T00:00:01.5Z', 1500],
    ['1970-01-01T00:00:01.05Z', 1050],
    ['1970-01-01T00:00:01.123987Z', 1123],
  ])('%p is %p in milliseconds', (given, time) => {
    expect(milliseconds(given)).toBe(time);
  });
});

describe('shaping', () => {
  const shaped = (field: Field, value: unknown, echo = {}) =>
    shape({ path: 'AiSec.Test', fields: { f: field } }, value === undefined ? {} : { f: value }, echo)['f'];

  test.each<{ field: Field; value: unknown; found: string; wanted: string }>([
    { field: string('S.'), value: {}, found: 'an object', wanted: 'a String' },
    { field: string('S.'), value: [], found: 'a list', wanted: 'a String' },
    { field: string('S.'), value: true, found: 'a boolean', wanted: 'a String' },
    { field: number('N.'), value: 'x', found: 'a string', wanted: 'a Number' },
    { field: number('N.'), value: '  ', found: 'a string', wanted: 'a Number' },
    { field: number('N.'), value: false, found: 'a boolean', wanted: 'a Number' },
    { field: boolean('B.'), value: 1, found: 'a number', wanted: 'a Boolean' },
    { field: unknown('U.', { items: {} }), value: {}, found: 'something else', wanted: 'a list of objects' },
    { field: unknown('U.', { items: {} }), value: [{}, 1], found: 'something else', wanted: 'a list of objects' },
  ])('says of $value that it is $found and not $wanted', ({ field, value, found, wanted }) => {
    expect(() => shaped(field, value)).toThrow(`The service sent ${found} at AiSec.Test.f, where ${wanted} belongs.`);
    expect(() => shaped(field, value)).toThrow(
      expect.objectContaining({
        hint: 'The service may have changed; report this with the command that you ran.',
      }) as ResponseError,
    );
  });

  test.each([undefined, null, ''])('a required field that is %p is an answer that is not used', (value) => {
    const run = () => shaped(string('S.', { required: true }), value);
    expect(run).toThrow(ResponseError);
    expect(run).toThrow(
      expect.objectContaining({
        message: 'The service answered without AiSec.Test.f.',
        hint: 'An answer without it is not used: try again, and report it if it stays.',
      }) as ResponseError,
    );
  });

  test.each<{ field: Field; value: unknown; kept: unknown }>([
    { field: string('S.'), value: '', kept: '' },
    { field: string('S.', { required: true }), value: '0', kept: '0' },
    { field: boolean('B.'), value: 'false', kept: false },
    { field: boolean('B.'), value: true, kept: true },
    { field: number('N.'), value: ' 7 ', kept: 7 },
    { field: number('N.'), value: Number.POSITIVE_INFINITY, kept: Number.POSITIVE_INFINITY },
    { field: number('N.', { asSent: true }), value: 'x', kept: 'x' },
    { field: unknown('U.', { tokens: 'cloud' }), value: ['aws', 1], kept: ['cloud_a', 1] },
    { field: unknown('U.'), value: ['aws'], kept: ['aws'] },
    { field: string('S.', { argument: 'f' }), value: 'sent', kept: 'given' },
    { field: string('S.', { httpStatus: true }), value: 'sent', kept: 'sent' },
    { field: string('S.', { httpStatus: true }), value: undefined, kept: '201' },
    { field: string('S.', { from: 'g' }), value: 'sent', kept: null },
    { field: string('S.', { from: ['g', 'f'], argument: 'f' }), value: undefined, kept: 'given' },
    { field: date('D.'), value: '2026-03-02', kept: '2026-03-02T00:00:00Z' },
  ])('keeps $kept of $value', ({ field, value, kept }) => {
    expect(shaped(field, value, { f: 'given', '#status': 201 })).toStrictEqual(kept);
  });

  test('takes members of members, and leaves what is none as it is', () => {
    const fields = { 'a.b.c': string('C.', { from: 'x.y' }), '.d': string('D.', { from: 'z' }), e: string('E.') };
    const sent = (x: unknown) => shape({ path: 'AiSec.Test', fields }, { x, z: '1' }, {});
    expect(sent({ y: '2' })).toStrictEqual({ a: { b: { c: '2' } }, '': { d: '1' }, e: null });
    for (const x of [null, 'y', 1]) expect(sent(x)).toMatchObject({ a: { b: { c: null } } });
  });
});

describe('the words for results', () => {
  const fields = { a: string('A.'), b: number('B.') };
  const type = record('AiSec.Test', 'Test', ['a', 'b'], fields);

  test('say what a record is and how many there are', () => {
    expect(type).toEqual({ path: 'AiSec.Test', title: 'Test', key: ['a', 'b'], fields });
    expect(record('AiSec.Test', 'Test', 'a', fields).key).toEqual(['a']);
    expect(fields.a).toEqual({ type: 'String', description: 'A.' });
    expect(whole('AiSec.Whole', 'Whole', fields.a)).toEqual({
      path: 'AiSec.Whole',
      title: 'Whole',
      key: [],
      fields: { '': fields.a },
    });
    expect(one(type)).toEqual({ record: type, many: false });
    expect(many(type)).toEqual({ record: type, many: true });
    expect(paged(type, 'a')).toEqual({ record: type, many: false, paged: 'a' });
    expect(silent(type)).toEqual({ record: type, many: false, silent: true });
  });
});

describe('readable text', () => {
  test.each([
    ['uuid_url_tsg', 'UUID URL TSG'],
    ['csp-ai.ip', 'CSP AI IP'],
    ['asr api arn', 'ASR API ARN'],
    ['__last__seen_ts_', 'Last Seen TS'],
    ['a-_b', 'A B'],
  ])('the heading of %s is %s', (name, words) => {
    expect(heading(name)).toBe(words);
  });

  test('a table has a title only where it is given one', () => {
    expect(tableOf([{ a: 1 }])).toStrictEqual({ columns: ['A'], rows: [['1']] });
    expect(tableOf([], { title: 'T', columns: ['a'] })).toStrictEqual({ title: 'T', columns: ['A'], rows: [] });
    expect(cell('x')).toBe('x');
  });

  test.each([
    ['one\ntwo', 'one<br>two', 'one\ntwo'],
    ['one\r\ntwo\rthree', 'one<br>two<br>three', 'one\ntwo\nthree'],
    ['a*b\nc', 'a\\*b<br>c', 'a\\*b\nc'],
    ['a\nb\nc', 'a<br>b<br>c', 'a\nb\nc'],
    ['see http://x', 'see http:\\/\\/x', 'see http:\\/\\/x'],
    ['see www.x', 'see www\\.x', 'see www\\.x'],
    ['_a_b_', '\\_a_b\\_', '\\_a_b\\_'],
    ['ä_b', 'ä\\_b', 'ä\\_b'],
    ['&amp; &#1; & b', '&amp;amp; &amp;#1; & b', '&amp;amp; &amp;#1; & b'],
    ['a\tb', 'a b', 'a b'],
    ['a\u0000\u007f\u009fb', 'ab', 'ab'],
    ['\u001b[31mred\u001b[0m', 'red', 'red'],
    ['\u001b]0;title\u0007x', 'x', 'x'],
    ['\u001b]0;title\u001b\\x', 'x', 'x'],
    ['\u001b]0;title', '', ''],
    ['\u001bMx', 'x', 'x'],
    ['a\u202eb\u00ad', 'a&lt;U+202E&gt;b&lt;U+00AD&gt;', 'a&lt;U+202E&gt;b&lt;U+00AD&gt;'],
    ['a\u{e0041}\u{e0001}', 'a&lt;U+E0041&gt;&lt;U+E0001&gt;', 'a&lt;U+E0041&gt;&lt;U+E0001&gt;'],
  ])('%j means itself', (value, inCell, inNote) => {
    expect(celled(value)).toBe(`| ${inCell} |`);
    expect(noted(value)).toBe(inNote);
  });

  test('a table without rows says so, below its title', () => {
    const tables = [{ ...TEXT, title: 'Rows' }, TEXT];
    expect(markdown({ title: 'T', simulated: false, tables, notes: [] })).toBe(
      '### T\n\n**Rows**\n\nNo entries.\n\nNo entries.\n',
    );
  });
});

describe('a mask', () => {
  const hidden = { secret: true } as const;

  test('of a record hides its secret fields and nothing else', () => {
    const fields = { key: string('K.', hidden), name: string('N.'), 'in.key': string('I.', hidden) };
    const value = { key: 's', name: 'n', in: { key: 't', name: 'm' }, list: [{ key: 'u' }, { x: 1 }] };
    expect(maskRecord(value, { fields })).toEqual({
      key: MASK,
      name: 'n',
      in: { key: MASK, name: 'm' },
      list: [{ key: MASK }, { x: 1 }],
    });
    expect(value.key).toBe('s');
    expect(maskRecord(value, { fields: { name: fields.name } })).toBe(value);
  });

  test('of an answer hides what is a secret wherever it stands, and copies nothing where there is none', () => {
    const type = record('AiSec.Test', 'Test', [], { key: string('K.', { ...hidden, from: ['outer.inner', 'other'] }) });
    const rows = [{ other: 'a' }, { b: 1 }];
    const wire = { outer: { inner: 's' }, inner: 'shown', rows, api_key: 'k', none: null, gone: undefined };
    expect(maskWire(wire, type)).toEqual({
      outer: { inner: MASK },
      inner: 'shown',
      rows: [{ other: MASK }, { b: 1 }],
      api_key: MASK,
      none: null,
    });
    expect(rows).toEqual([{ other: 'a' }, { b: 1 }]);
    const clean = { a: [{ b: null }, 1, null], c: { inner: 's' } };
    expect(maskWire(clean, type)).toBe(clean);
  });

  const args = { key: text('K.', hidden), more: text('M.', hidden), name: text('N.') };
  test.each<{ what: string; body: unknown; values: Record<string, unknown>; masked: unknown }>([
    { what: 'whole', body: { a: 'secret' }, values: { key: 'secret' }, masked: { a: MASK } },
    { what: 'a part', body: { a: 'x secret y' }, values: { key: 'secret' }, masked: { a: `x ${MASK} y` } },
    { what: 'a part of three', body: { a: 'xabcx' }, values: { key: 'abc' }, masked: { a: `x${MASK}x` } },
    { what: 'too short for a part', body: { a: 'xabx' }, values: { key: 'ab' }, masked: { a: 'xabx' } },
    { what: 'short but whole', body: { a: 'ab' }, values: { key: 'ab' }, masked: { a: MASK } },
    { what: 'part of another', body: ['-secrets-'], values: { key: 'secret', more: 'secrets' }, masked: [`-${MASK}-`] },
    {
      what: 'part of one before',
      body: ['-secrets-'],
      values: { key: 'secrets', more: 'secret' },
      masked: [`-${MASK}-`],
    },
    { what: 'no secret', body: { a: 'name' }, values: { name: 'name', key: 'secret' }, masked: { a: 'name' } },
    { what: 'not given', body: { a: null, b: undefined }, values: {}, masked: { a: null } },
    { what: 'a list', body: { a: [1, 2], b: [1] }, values: { key: [1, 2] }, masked: { a: MASK, b: [1] } },
    {
      what: 'in an object',
      body: { a: '+one+' },
      values: { key: { a: ['one', null, 2] } },
      masked: { a: `+${MASK}+` },
    },
    { what: 'by its name', body: { x: { token_preview: 't' } }, values: {}, masked: { x: { token_preview: MASK } } },
  ])('of a body hides a secret that is $what', ({ body, values, masked }) => {
    expect(maskBody(body, args, values)).toEqual(masked);
  });

  test('knows every text of a secret', () => {
    expect(secretTexts(args, { key: { a: 'x', b: ['y', 1, null] }, more: undefined, name: 'n' })).toEqual(['x', 'y']);
    expectNone(secretTexts(args, { key: 5, name: 'n' }), 'secret texts');
  });
});

describe('the context', () => {
  const write = (value: unknown, key?: readonly string[]) => [
    { path: 'A.B', value, ...(key === undefined ? {} : { key }) },
  ];

  test.each<{ what: string; before: unknown; value: unknown; key?: readonly string[]; after: unknown }>([
    { what: 'a first value', before: undefined, value: 1, after: 1 },
    { what: 'a first list', before: undefined, value: [1, 1], after: [1, 1] },
    { what: 'a first record in place of null', before: null, value: { id: 1 }, key: ['id'], after: { id: 1 } },
    {
      what: 'a first list that repeats',
      before: undefined,
      value: [{ id: 1 }, { id: 1, a: 2 }],
      key: ['id'],
      after: [{ id: 1, a: 2 }],
    },
    { what: 'a second value', before: 1, value: 2, after: [1, 2] },
    { what: 'what is no record', before: [{ id: 1 }], value: 5, key: ['id'], after: [{ id: 1 }, 5] },
    {
      what: 'a record with one of two keys',
      before: { id: 1 },
      value: { id: 1 },
      key: ['id', 'b'],
      after: [{ id: 1 }, { id: 1 }],
    },
    {
      what: 'a record whose key is null',
      before: { id: null },
      value: { id: null },
      key: ['id'],
      after: [{ id: null }, { id: null }],
    },
    {
      what: 'an equal of the first of two',
      before: [{ id: 1 }, { id: 1, b: 2 }],
      value: { id: 1, c: 3 },
      key: ['id'],
      after: [
        { id: 1, c: 3 },
        { id: 1, b: 2 },
      ],
    },
    { what: 'an empty key', before: [1], value: 2, key: [], after: 2 },
  ])('takes $what', ({ before, value, key, after }) => {
    const context = { A: { B: before, other: 1 } };
    expect(mergeContext(context, write(value, key))).toEqual({ A: { B: after, other: 1 } });
    expect(context).toEqual({ A: { B: before, other: 1 } });
  });

  const type = record('AiSec.Thing', 'Thing', 'id', { id: number('I.'), key: string('K.', { secret: true }) });
  const base: Result = {
    command: 'aisec-test',
    writes: [],
    readable: { title: 'T', simulated: false, tables: [], notes: ['First.'] },
    raw: { all: true },
    showRaw: false,
    simulated: false,
    warnings: [],
    planned: false,
    files: [{ entry: 'e', name: 'before', size: 1, contentType: 'text/plain' }],
  };
  const declared = (output: Output): Command =>
    command('aisec-test', 'Test.', { effect: 'read', args: {}, output, run: async () => ({}) });

  /** What becomes of a value where so many bytes have room, and the files and warnings that it leaves. */
  async function fitted(value: unknown, room: number, output: Output = many(type), more: Result['writes'] = []) {
    const files = memoryFiles();
    const warnings: string[] = [];
    const log = { debug: () => undefined, info: () => undefined, warn: (line: string) => warnings.push(line) };
    const runtime = { ...answering(() => ({})).runtime, files, log, contextLimit: room } satisfies Runtime;
    const before = { ...base, writes: [{ path: 'AiSec.Thing', key: ['id'], value }, ...more] };
    const result = await fitContext(before, declared(output), runtime);
    return { before, result, files: files.contents, warnings };
  }

  const rows = [1, 2, 3, 4].map((id) => ({ id, key: 'k' }));
  /** Bytes of one of these rows as JSON, with its comma. */
  const ROW = JSON.stringify(rows[0]).length + 1;

  test.each([
    { what: 'exactly as long as the room', value: rows, room: ROW * 4 + 1 },
    { what: 'nothing', value: undefined, room: 4 },
    { what: 'text of more bytes than characters', value: 'ä'.repeat(50), room: 102 },
    { what: 'far shorter', value: rows, room: 100_000 },
  ])('keeps a value that is $what', async ({ value, room }) => {
    const { before, result, files } = await fitted(value, room);
    expect(result).toBe(before);
    expect(files).toEqual({});
  });

  test('keeps as many records as there is room for, and has all of them in a file, without secrets', async () => {
    const { result, files, warnings } = await fitted(rows, ROW * 3);
    const note = 'The context holds 3 of 4 records; all of them are in AiSec-Thing.jsonl.';
    expect(result.writes).toEqual([{ path: 'AiSec.Thing', key: ['id'], value: rows.slice(0, 3) }]);
    expect(files).toEqual({
      'AiSec-Thing.jsonl': rows.map(({ id }) => `${JSON.stringify({ id, key: MASK })}\n`).join(''),
    });
    expect(warnings).toEqual([note]);
    expect(result.readable).toEqual({ ...base.readable, notes: ['First.', note] });
    expect(result.raw).toEqual({ truncated: { kept: 3, total: 4, file: 'AiSec-Thing.jsonl' } });
    expect(result.truncated).toMatchObject({ kept: 3, total: 4, note, isForRoom: true });
    expect(result.whole).toEqual([{ path: 'AiSec.Thing', key: ['id'], value: rows }]);
    expect(result.files.map(({ name, contentType }) => [name, contentType])).toEqual([
      ['before', 'text/plain'],
      ['AiSec-Thing.jsonl', 'application/jsonl'],
    ]);
    expect((await fitted(rows, ROW * 3 - 1)).result.writes[0]?.value).toEqual(rows.slice(0, 2));
    expect((await fitted(rows, 1)).result.writes[0]?.value).toEqual([]);
  });

  test('keeps first what tells most', async () => {
    const output = { ...many(type), telling: ({ id }: Readonly<Record<string, unknown>>) => id === 3 };
    const list = ['text', ...rows];
    const { result } = await fitted(list, ROW * 2, output);
    expect(result.writes[0]?.value).toEqual([rows[2], 'text']);
  });

  test('cuts the longest list inside a record, but none that is a secret', async () => {
    const fields = {
      short: unknown('S.'),
      long: unknown('L.'),
      hidden: unknown('H.', { secret: true }),
      n: number('N.'),
    };
    const output = one(record('AiSec.Thing', 'Thing', [], fields));
    const value = { short: [1], long: rows, hidden: rows.concat(rows), n: 7 };
    const around = JSON.stringify({ ...value, long: [] }).length;
    const { result } = await fitted(value, around + ROW * 2, output);
    expect(result.writes[0]?.value).toEqual({ ...value, long: rows.slice(0, 2) });
    expect(result.readable.notes[1]).toContain('holds 2 of 4');
  });

  test('leaves a value that is no list, and says nothing of it', async () => {
    for (const value of ['x'.repeat(200), { text: 'x'.repeat(200) }]) {
      const { result, files, warnings } = await fitted(value, 100);
      expect(result.writes[0]?.value).toEqual(value);
      expect([result.raw, result.readable.notes, files, warnings]).toStrictEqual([{ all: true }, ['First.'], {}, []]);
      expect(result.files).toHaveLength(1);
    }
  });

  test('gives each value its part of the room', async () => {
    const other = { path: 'AiSec.Other', value: [1] };
    const { result } = await fitted(rows, ROW * 4, many(type), [other]);
    expect(result.writes).toEqual([{ path: 'AiSec.Thing', key: ['id'], value: rows.slice(0, 2) }, other]);
    const exact = { path: 'AiSec.Other', value: 'x'.repeat(ROW * 2 - 2) };
    expect((await fitted(rows, ROW * 4, many(type), [exact])).result.writes[1]).toEqual(exact);
  });

  // What an estimate lets pass must be what the exact count lets pass as well.
  test.each<{ what: string; value: unknown }>([
    { what: 'control characters', value: '\u0001'.repeat(100) },
    { what: 'many numbers', value: Array.from({ length: 60 }, (_, at) => -(10 ** -300) / (at + 3)) },
    { what: 'names', value: Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}${'\u0001'.repeat(40)}`, 1])) },
    { what: 'nested lists', value: [[['\u0001'.repeat(50)], ['\u0001'.repeat(50)]]] },
    { what: 'nothing much', value: [null, true, {}, [], ''] },
  ])('never lets $what pass that has no room', async ({ value }) => {
    const size = Buffer.byteLength(JSON.stringify(value));
    const fits = async (room: number) => {
      const { before, result } = await fitted(value, room);
      return result === before;
    };
    expect(await fits(size - 1)).toBe(false);
    for (const room of [size, size + 1, size * 20 + 1000]) expect(await fits(room)).toBe(true);
  });
});

const NOTHING_SAID = { notes: [], tables: [], warnings: [] };

describe('a command that is run again', () => {
  const standing = { position: { at: 3 }, started: 1000, elapsed: 40_001 };
  const pause = { standing, waitMs: 30_001, progress: 'Half.', isNews: true, leftSeconds: 90 };

  test('tells the platform when, with what and for how long', () => {
    expect(pollingKeys('aisec-x', { a: 1, job_standing: 'old' }, pause)).toEqual({
      PollingCommand: 'aisec-x',
      NextRun: '31',
      PollingArgs: { a: 1, job_standing: '{"position":{"at":3},"started":1000,"elapsed":41000}' },
      Timeout: '110',
    });
    expect(pollingKeys('aisec-x', {}, { ...pause, waitMs: 5, leftSeconds: undefined })).toMatchObject({
      NextRun: '10',
      Timeout: '604800',
    });
  });

  test('finds its standing again', () => {
    const handed = JSON.parse(JSON.stringify(pollingKeys('x', {}, pause).PollingArgs));
    expect(standingIn(handed)).toEqual({ ...standing, elapsed: 41_000 });
    const more = '{"position":{},"started":0,"elapsed":5,"more":1}';
    expect(standingIn({ job_standing: more })).toStrictEqual({ position: {}, started: 0, elapsed: 5 });
    const shown = '{"position":{},"started":0,"elapsed":5,"progress":"Half."}';
    expect(standingIn({ job_standing: shown })).toStrictEqual({ ...JSON.parse(shown) });
    expect(standingIn({ job_standing: shown.replace('"Half."', '7') })).not.toHaveProperty('progress');
    for (const job_standing of [undefined, '']) expect(standingIn({ job_standing })).toBeUndefined();
  });

  test.each([
    '{',
    'null',
    '5',
    '{"position":{}}',
    '{"position":[],"started":1,"elapsed":1}',
    '{"position":{},"started":1}',
    '{"position":{},"started":"1","elapsed":1}',
    '{"started":1,"elapsed":1}',
  ])('refuses the standing %s', (job_standing) => {
    expect(() => standingIn({ job_standing })).toThrow('job_standing is set by the platform and cannot be given.');
  });

  test('says how far it came, and leaves nothing', () => {
    const output = one(record('AiSec.Scan', 'Scan', [], { id: string('I.') }));
    const scan = command('aisec-x', 'X.', { effect: 'run', args: {}, output, run: async () => ({}) });
    expect(unfinished(scan, true, pause)).toEqual({
      command: 'aisec-x',
      writes: [],
      readable: { title: 'Scan', simulated: true, tables: [], notes: ['Half.'] },
      raw: { progress: 'Half.' },
      showRaw: false,
      simulated: true,
      warnings: [],
      planned: false,
      files: [],
    });
  });
});

describe('a result', () => {
  const generic = {
    showRaw: false,
    ignoreOutputs: false,
    extend: [],
    timeoutSeconds: undefined,
    retries: 0,
    retrySeconds: 30,
    without: [],
  };
  const fields = {
    id: string('I.'),
    key: string('K.', { secret: true }),
    keys: unknown('K.', { secret: true, once: true, show: () => 'two keys' }),
    shown: unknown('S.', { secret: true, show: (value) => (Array.isArray(value) ? value.length : '') }),
    'in.side': string('S.', { heading: 'Inside' }),
    rows: unknown('R.', { rows: ['a'] }),
    told: unknown('T.', { rows: ['a'], show: (value) => [value, null, 'x', { a: 2 }] }),
  };
  const type = record('AiSec.Test', 'Test', 'id', fields);
  const args = { page: text('P.'), name: text('N.') };
  const declared = (more: Partial<Command> = {}): Command => ({
    ...command('aisec-test', 'Test.', { effect: 'read', args, output: one(type), run: async () => ({}) }),
    ...more,
  });

  function presented(records: Presentation['records'], more: Partial<Presentation> = {}, values = {}) {
    return present({
      command: declared(),
      args: { values, typed: values, generic },
      page: undefined,
      output: one(type),
      asides: NOTHING_SAID,
      files: [],
      wire: {},
      records,
      simulated: false,
      ...more,
    });
  }

  const full = {
    id: '1',
    key: 'k',
    keys: ['a'],
    shown: [1, 2],
    in: { side: 's' },
    rows: [{ a: 1 }, null, 'x'],
    told: { a: 1 },
  };

  test('shows secrets as their fields say, and tells where they are', () => {
    const { readable, ...rest } = presented([full]);
    expect(readable.tables).toEqual([
      {
        columns: ['Field', 'Value'],
        rows: [
          ['ID', '1'],
          ['Key', MASK],
          ['Keys', 'two keys'],
          ['Shown', '2'],
          ['Inside', 's'],
        ],
      },
      { title: 'Rows', columns: ['A'], rows: [['1']] },
      { title: 'Told', columns: ['A'], rows: [['1'], ['2']] },
    ]);
    expect(readable.notes).toEqual([
      'key is hidden here: it is in the context, at AiSec.Test.key.',
      'keys is told this one time only: it is in the context, at AiSec.Test.keys.',
      'shown is shown here without its secrets: it is in the context, at AiSec.Test.shown.',
    ]);
    expect(rest).not.toHaveProperty('failure');
    expect(rest).toMatchObject({ warnings: [], planned: false, showRaw: false });
  });

  test('shows lists by columns', () => {
    const { readable, writes } = presented([full, {}], { output: many(type) });
    expect(readable.tables).toEqual([
      {
        columns: ['ID', 'Key', 'Keys', 'Shown', 'Inside', 'Rows', 'Told'],
        rows: [
          ['1', MASK, 'two keys', '2', 's', 'a: 1\n\nx', 'a: 1\n\nx\na: 2'],
          ['', '', 'two keys', '', '', '', '\n\nx\na: 2'],
        ],
      },
    ]);
    expect(writes).toEqual([{ path: 'AiSec.Test', key: ['id'], value: [full, {}] }]);
  });

  test('leaves the remarks of a command that are none, and what failed', () => {
    const failure = new NotFoundError('Gone.');
    const remarks = () => ['Said.', undefined];
    const result = presented([{}], { command: declared({ remarks }), asides: { ...NOTHING_SAID, failure } });
    expect(result.readable.notes).toStrictEqual(['Said.']);
    expect(result.failure).toBe(failure);
    expectNone(presented([{}], { command: declared({ remarks }), wire: [] }).readable.notes, 'notes below the table');
  });

  test('of a record that is one value leaves that value', () => {
    const pets = whole('AiSec.Pets', 'Pets', unknown('P.'));
    const { writes, readable } = presented([{ '': ['cat', 'dog'] }], { output: one(pets) });
    expect(writes).toEqual([{ path: 'AiSec.Pets', key: [], value: ['cat', 'dog'] }]);
    expect(readable.tables).toEqual([{ columns: ['Field', 'Value'], rows: [['Value', 'cat\ndog']] }]);
  });

  test('shows rows that are no list as none, and without columns where none are declared', () => {
    const bare = record('AiSec.Test', 'Test', [], { rows: unknown('R.', { rows: [] }) });
    for (const rows of [null, 'x', { a: 1 }]) {
      expect(presented([{ rows }], { output: one(bare) }).readable.tables[1]).toEqual({
        title: 'Rows',
        columns: [],
        rows: [],
      });
    }
    expect(presented([{ rows: [{ a: 1 }] }], { output: one(bare) }).readable.tables[1]?.rows).toEqual([[]]);
  });

  test('of a list without pages says nothing of them', () => {
    const page = { records: [], count: 0, more: false, total: 0, pages: 0, repeated: false };
    expectNone(presented([], { page }).readable.notes, 'notes below the table');
  });

  test('of a silent command leaves nothing', () => {
    expectNone(presented([full], { output: silent(type) }).writes, 'writes to the context');
  });

  test.each([
    { from: '.', value: { a: { b: 1 } } },
    { from: '', value: { a: { b: 1 } } },
    { from: 'a.b', value: 1 },
    { from: 'a.c', value: undefined },
    { from: 'a..b', value: undefined },
  ])('leaves $value of the answer where "$from" is asked for', ({ from, value }) => {
    const extended = { values: {}, typed: {}, generic: { ...generic, extend: [{ path: 'Mine', from }] } };
    const { writes } = presented([], { wire: { a: { b: 1 } }, args: extended });
    expect(writes).toEqual(value === undefined ? [] : [{ path: 'Mine', value }]);
  });

  const page = { records: [], count: 5, more: true, total: undefined, pages: undefined, repeated: false };
  test.each([
    { named: ['page'], values: { page: 2 }, note: '5 shown, there are more: go on with page=3, or a higher size.' },
    {
      named: ['offset'],
      values: { offset: 2 },
      note: '5 shown, there are more: go on with offset=7, or a higher limit.',
    },
    { named: ['skip'], values: {}, note: '5 shown, there are more: go on with skip=5, or a higher limit.' },
    { named: [], values: {}, note: '5 shown, there are more: go on with a higher limit.' },
  ])('says how a list by $named goes on', ({ named, values, note }) => {
    const own = Object.fromEntries(named.map((name) => [name, text('P.')]));
    expect(presented([], { command: declared({ args: own }), page }, values).readable.notes).toEqual([note]);
  });

  const plan = { method: 'POST', url: 'https://h/x', body: { a: 'k', b: 1 } } as const;
  const dry = (command: Command, body: unknown = plan.body) =>
    planned(
      command,
      { values: {}, typed: {}, generic },
      { ...plan, body },
      { notes: ['N.'], tables: [TEXT], warnings: [] },
      true,
    );

  test('of a dry run shows the request, what it would cost, and that nothing was changed', () => {
    const { readable, raw } = dry(declared({ consumes: 'One scan.' }));
    expect(readable).toEqual({
      title: 'Dry run: aisec-test',
      simulated: true,
      tables: [
        {
          columns: ['Field', 'Value'],
          rows: [
            ['Method', 'POST'],
            ['Address', 'https://h/x'],
            ['Body', '{\n  "a": "k",\n  "b": 1\n}'],
          ],
        },
        TEXT,
      ],
      notes: ['Nothing was changed.', 'It would use up: One scan.', 'N.'],
    });
    expect(raw).toEqual({ dry_run: true, method: 'POST', url: 'https://h/x', body: { a: 'k', b: 1 } });
    const without = planned(
      declared(),
      { values: {}, typed: {}, generic },
      { ...plan, body: undefined },
      NOTHING_SAID,
      false,
    );
    expect(without.readable.tables[0]?.rows[2]).toEqual(['Body', '']);
    expect(without.readable.notes).toEqual(['Nothing was changed.']);
    expectNone(without.files, 'files');
  });

  test('of a failure says the hint only where there is one', () => {
    expect(errorEntry(new NotFoundError('Gone.')).Contents).toBe('Gone.');
    expect(errorEntry(new NotFoundError('Gone.', { hint: 'Look.' })).Contents).toBe('Gone.\nLook.');
  });
});
