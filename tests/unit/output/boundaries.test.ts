import type { Runtime } from '../../../lib/core/runtime.ts';
import { milliseconds } from '../../../lib/core/text/date.ts';
import { text } from '../../../lib/runtime/arguments/builders.ts';
import { type Command, command } from '../../../lib/runtime/engine/command.ts';
import { fitContext } from '../../../lib/runtime/engine/limit.ts';
import { type Presentation, presentedResult, unfinished } from '../../../lib/runtime/engine/present.ts';
import { entryOf } from '../../../lib/runtime/output/entry.ts';
import { MASK } from '../../../lib/runtime/output/mask.ts';
import { mergeContext } from '../../../lib/runtime/output/merge.ts';
import { checkpointIn, pollingKeys } from '../../../lib/runtime/output/polling.ts';
import {
  many,
  number,
  type Output,
  one,
  record,
  silent,
  string,
  unknown,
  whole,
} from '../../../lib/runtime/output/record.ts';
import type { Result } from '../../../lib/runtime/output/result.ts';
import { expectNone } from '../../support/expect-none.ts';
import { memoryFiles } from '../../support/files.ts';
import { answering } from '../../support/scripted.ts';

describe('a date', () => {
  test.each<[unknown, unknown]>([
    [5, 5],
    ['soon.5', 'soon.5'],
    [' 1970-01-01T00:00:01Z ', 1000],
    ['1970-01-01T00:00:01.5Z', 1500],
    ['1970-01-01T00:00:01.05Z', 1050],
    ['1970-01-01T00:00:01.123987Z', 1123],
  ])('%p becomes %p milliseconds', (sent, time) => {
    expect(milliseconds(sent)).toBe(time);
  });
});

describe('the context', () => {
  test.each<[what: string, before: unknown, value: unknown, key: readonly string[] | undefined, after: unknown]>([
    [
      'a record whose second key is missing in both',
      { id: 1 },
      { id: 1, b: null, c: 2 },
      ['id', 'b'],
      { id: 1, b: null, c: 2 },
    ],
    [
      'a record whose second key is missing in one',
      { id: 1 },
      { id: 1, b: 2 },
      ['id', 'b'],
      [{ id: 1 }, { id: 1, b: 2 }],
    ],
    [
      'the first of two equal records',
      [{ id: 1 }, { id: 1, b: 2 }],
      { id: 1, c: 3 },
      ['id'],
      [
        { id: 1, c: 3 },
        { id: 1, b: 2 },
      ],
    ],
  ])('merges %s', (_, before, value, key, after) => {
    const context = { A: { B: before, other: 1 } };
    const write = { path: 'A.B', value, ...(key === undefined ? {} : { key }) };
    expect(mergeContext(context, [write])).toEqual({ A: { B: after, other: 1 } });
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

  /** Fits a value into this many bytes, and returns the remaining files and warnings. */
  async function fitted(value: unknown, room: number, output: Output = many(type), more: Result['writes'] = []) {
    const files = memoryFiles();
    const warnings: string[] = [];
    const log = { debug: () => undefined, info: () => undefined, warn: (line: string) => warnings.push(line) };
    const runtime = { ...answering(() => ({})).runtime, files, log, contextLimit: room } satisfies Runtime;
    const before = { ...base, writes: [{ path: 'AiSec.Thing', key: ['id'], value }, ...more] };
    const lister = command('aisec-test', 'Test.', { effect: 'read', args: {}, output, run: async () => ({}) });
    const result = await fitContext(before, lister, runtime);
    return { before, result, kept: result.writes[0]?.value, files: files.contents, warnings };
  }

  const rows = [1, 2, 3, 4].map((id) => ({ id, key: 'k' }));
  /** Bytes of one of these rows as JSON, with its comma. */
  const ROW = JSON.stringify(rows[0]).length + 1;

  test.each<[what: string, value: unknown, room: number]>([
    ['exactly as long as the limit', rows, ROW * 4 + 1],
    ['nothing', undefined, 4],
    ['a text of more bytes than characters', 'ä'.repeat(50), 102],
    ['far shorter', rows, 100_000],
  ])('keeps a value that is %s', async (_, value, room) => {
    const { before, result, files } = await fitted(value, room);
    expect(result).toBe(before);
    expect(files).toEqual({});
  });

  test.each([{ list: [] }, { list: [1, 2] }])('keeps a value that is too long for its text, with %j', async (lists) => {
    const { before, result, files, warnings } = await fitted({ ...lists, text: 'a'.repeat(500) }, 200);
    expect({ result, files, warnings }).toEqual({ result: before, files: {}, warnings: [] });
  });

  test('keeps as many records as fit, and writes all records to a file, without secrets', async () => {
    const { result, files, warnings } = await fitted(rows, ROW * 3);
    const note = 'The context holds 3 of 4 records; all of them are in AiSec-Thing.jsonl.';
    expect(result.writes).toEqual([{ path: 'AiSec.Thing', key: ['id'], value: rows.slice(0, 3) }]);
    expect(files).toEqual({
      'AiSec-Thing.jsonl': rows.map(({ id }) => `${JSON.stringify({ id, key: MASK })}\n`).join(''),
    });
    expect([warnings, result.readable]).toEqual([[note], { ...base.readable, notes: ['First.', note] }]);
    expect(result.raw).toEqual({ truncated: { kept: 3, total: 4, file: 'AiSec-Thing.jsonl' } });
    expect(result.truncated).toMatchObject({ kept: 3, total: 4, note, isForSize: true });
    expect(result.uncut).toEqual([{ path: 'AiSec.Thing', key: ['id'], value: rows }]);
    const listed = result.files.map(({ name, contentType }) => `${name}: ${contentType}`);
    expect(listed).toEqual(['before: text/plain', 'AiSec-Thing.jsonl: application/jsonl']);
    expect((await fitted(rows, ROW * 3 - 1)).kept).toEqual(rows.slice(0, 2));
    expectNone((await fitted(rows, 1)).kept, 'records in a context of one byte');
  });

  test('keeps priority records first', async () => {
    const output = { ...many(type), priority: ({ id }: Readonly<Record<string, unknown>>) => id === 3 };
    expect((await fitted(['text', ...rows], ROW * 2, output)).kept).toEqual([rows[2], 'text']);
  });

  test('shortens the longest list inside a record, but no secret list', async () => {
    const hidden = unknown('H.', { secret: true });
    const fields = { short: unknown('S.'), long: unknown('L.'), hidden, n: number('N.') };
    const value = { short: [1], long: rows, hidden: rows.concat(rows), n: 7 };
    const around = JSON.stringify({ ...value, long: [] }).length;
    const { kept, result } = await fitted(value, around + ROW * 2, one(record('AiSec.Thing', 'Thing', [], fields)));
    expect(kept).toEqual({ ...value, long: rows.slice(0, 2) });
    expect(result.readable.notes[1]).toContain('2 of 4');
  });

  test.each<[what: string, value: unknown]>([
    ['a text', 'x'.repeat(200)],
    ['a record without a list', { text: 'x'.repeat(200) }],
  ])('keeps %s complete, without a note', async (_, value) => {
    const { kept, result, files, warnings } = await fitted(value, 100);
    expect(kept).toEqual(value);
    expect([result.raw, result.readable.notes, files, warnings]).toStrictEqual([{ all: true }, ['First.'], {}, []]);
    expect(result.files).toHaveLength(1);
  });

  test('gives each value an equal part of the limit', async () => {
    const other = { path: 'AiSec.Other', value: ['x'.repeat(ROW * 2 - 4)] };
    const { result } = await fitted(rows, ROW * 4, many(type), [other]);
    expect(result.writes).toEqual([{ path: 'AiSec.Thing', key: ['id'], value: rows.slice(0, 2) }, other]);
    expect(result.files).toHaveLength(2);
  });

  // A value that passes by estimate must pass by the exact count as well.
  test.each<[what: string, value: unknown]>([
    ['control characters', '\u0001'.repeat(100)],
    ['many numbers', Array.from({ length: 60 }, (_, at) => -(10 ** -300) / (at + 3))],
    ['long names', Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}${'\u0001'.repeat(40)}`, 1]))],
    ['nested lists', [[['\u0001'.repeat(50)], ['\u0001'.repeat(50)]]]],
    ['short values', [null, true, {}, [], '']],
  ])('accepts %s at their exact size, and not one byte below', async (_, value) => {
    const size = Buffer.byteLength(JSON.stringify(value));
    const passes = async (room: number) => {
      const { before, result } = await fitted(value, room);
      return result === before;
    };
    expect(await passes(size - 1)).toBe(false);
    for (const room of [size, size * 20 + 1000]) expect(await passes(room)).toBe(true);
  });
});

const NO_EXTRAS = { notes: [], tables: [], warnings: [] };

describe('a command that is run again', () => {
  const checkpoint = { position: { at: 3 }, started: 1000, elapsed: 40_001 };
  const suspension = { checkpoint, waitMs: 30_001, progress: 'Half.', hasNewProgress: true, leftSeconds: 90 };

  test('passes command, arguments, wait and timeout to the platform', () => {
    expect(pollingKeys('aisec-x', { a: 1, job_checkpoint: 'old' }, suspension)).toEqual({
      PollingCommand: 'aisec-x',
      NextRun: '31',
      PollingArgs: { a: 1, job_checkpoint: '{"position":{"at":3},"started":1000,"elapsed":41000}' },
      Timeout: '110',
    });
    const least = pollingKeys('aisec-x', {}, { ...suspension, waitMs: 5, leftSeconds: undefined });
    expect(least).toMatchObject({ NextRun: '10', Timeout: '604800' });
  });

  const known = { position: {}, started: 0, elapsed: 5 };
  test.each<[handed: unknown, read: unknown]>([
    [undefined, undefined],
    ['', undefined],
    [pollingKeys('x', {}, suspension).PollingArgs['job_checkpoint'], { ...checkpoint, elapsed: 41_000 }],
    [JSON.stringify({ ...known, more: 1 }), known],
    [JSON.stringify({ ...known, progress: 'Half.' }), { ...known, progress: 'Half.' }],
    [JSON.stringify({ ...known, progress: 7 }), known],
  ])('reads job_checkpoint=%s as %j', (job_checkpoint, read) => {
    expect(checkpointIn({ job_checkpoint })).toStrictEqual(read);
  });

  test.each([
    '{',
    'null',
    '{"position":[],"started":1,"elapsed":1}',
    '{"position":{},"started":1}',
    '{"position":{},"started":"1","elapsed":1}',
    '{"started":1,"elapsed":1}',
  ])('refuses job_checkpoint=%s', (job_checkpoint) => {
    expect(() => checkpointIn({ job_checkpoint })).toThrow('job_checkpoint is set by the platform');
  });

  test('shows its progress, and writes no context', () => {
    const output = one(record('AiSec.Scan', 'Scan', [], { id: string('I.') }));
    const scan = command('aisec-x', 'X.', { effect: 'run', args: {}, output, run: async () => ({}) });
    expect(unfinished(scan, true, suspension)).toEqual({
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
  const platform = { showRaw: false, ignoreOutputs: false, timeoutSeconds: undefined, retries: 0, retrySeconds: 30 };
  const generic = { ...platform, extend: [], ignored: [] };
  const fields = {
    id: string('I.'),
    key: string('K.', { secret: true }),
    keys: unknown('K.', { secret: true, once: true, show: () => 'two keys' }),
    shown: unknown('S.', { secret: true, show: (value) => (Array.isArray(value) ? value.length : '') }),
    'in.side': string('S.', { heading: 'Inside' }),
    rows: unknown('R.', { rows: ['a'] }),
    derived: unknown('T.', { rows: ['a'], show: (value) => [value, null, 'x', { a: 2 }] }),
  };
  const type = record('AiSec.Test', 'Test', 'id', fields);
  const declared = (more: Partial<Command> = {}): Command => ({
    ...command('aisec-test', 'Test.', { effect: 'read', args: {}, output: one(type), run: async () => ({}) }),
    ...more,
  });

  function presented(records: Presentation['records'], more: Partial<Presentation> = {}, values = {}) {
    const always = { page: undefined, extras: NO_EXTRAS, files: [], wire: {}, simulated: false };
    const args = { values, typed: values, generic };
    return presentedResult({ command: declared(), args, output: one(type), records, ...always, ...more });
  }

  const lists = { rows: [{ a: 1 }, null, 'x'], derived: { a: 1 } };
  const full = { id: '1', key: 'k', keys: ['a'], shown: [1, 2], in: { side: 's' }, ...lists };

  test('shows secrets as their fields declare, and notes where they are', () => {
    const { readable, ...rest } = presented([full]);
    const cells = { ID: '1', Key: MASK, Keys: 'two keys', Shown: '2', Inside: 's' };
    expect(readable.tables).toMatchObject([
      { columns: ['Field', 'Value'], rows: Object.entries(cells) },
      { title: 'Rows', columns: ['A'], rows: [['1']] },
      { title: 'Derived', columns: ['A'], rows: [['1'], ['2']] },
    ]);
    expect(readable.notes).toEqual([
      expect.stringMatching(/^key is hidden here.*AiSec\.Test\.key\.$/),
      expect.stringMatching(/^keys .*one time only.*AiSec\.Test\.keys\.$/),
      expect.stringMatching(/^shown .*without its secrets.*AiSec\.Test\.shown\.$/),
    ]);
    expect(rest).not.toHaveProperty('failure');
    expect(rest).toMatchObject({ warnings: [], planned: false, showRaw: false });
  });

  test('of a record with a single value writes that value', () => {
    const pets = whole('AiSec.Pets', 'Pets', unknown('P.'));
    const { writes, readable } = presented([{ '': ['cat', 'dog'] }], { output: one(pets) });
    expect(writes).toEqual([{ path: 'AiSec.Pets', key: [], value: ['cat', 'dog'] }]);
    expect(readable.tables).toMatchObject([{ columns: ['Field', 'Value'], rows: [['Value', 'cat\ndog']] }]);
  });

  test('of a silent command writes nothing', () => {
    expectNone(presented([full], { output: silent(type) }).writes, 'writes to the context');
  });

  const page = { records: [], count: 5, more: true, total: undefined, pages: undefined, repeated: false };
  test.each<[name: string, values: object, next: string]>([
    ['page', { page: 2 }, 'page=3, or a higher size.'],
    ['skip', {}, 'skip=5, or a higher limit.'],
  ])('of a list by %s, with %j, continues with %s', (name, values, next) => {
    const lister = declared({ args: { [name]: text('P.') } });
    const result = presented([], { command: lister, page }, values);
    expect(result.readable.notes.join()).toMatch(new RegExp(` ${next}$`));
    expect(result.truncated).toMatchObject({ kept: 5, total: null, isForSize: false });
    expect(entryOf(result)).toMatchObject({ Tags: ['truncated'] });
  });
});
