import fc from 'fast-check';
import { NotFoundError, PartialError, ValidationError } from '../../../lib/core/errors.ts';
import { management } from '../../../lib/runtime/api/call.ts';
import { path } from '../../../lib/runtime/api/path.ts';
import { text } from '../../../lib/runtime/arguments/builders.ts';
import type { GenericArguments } from '../../../lib/runtime/arguments/generic.ts';
import { command } from '../../../lib/runtime/engine/command.ts';
import { planned, presentedResult, type ResultExtras } from '../../../lib/runtime/engine/present.ts';
import { contextKey, entryOf, errorEntry, warningEntry } from '../../../lib/runtime/output/entry.ts';
import { markdown } from '../../../lib/runtime/output/markdown.ts';
import { MASK, maskWire } from '../../../lib/runtime/output/mask.ts';
import { mergeContext } from '../../../lib/runtime/output/merge.ts';
import { many, one, record, string, unknown } from '../../../lib/runtime/output/record.ts';
import type { ContextWrite, Result } from '../../../lib/runtime/output/result.ts';
import { expectNone } from '../../support/expect-none.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const CANARY = 'canary-5ecret';

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
      what: 'another record is appended',
      writes: [write({ id: 1 }, ['id']), write({ id: 2 }, ['id'])],
      value: [{ id: 1 }, { id: 2 }],
    },
    {
      what: 'a list remains a list',
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
      what: 'records without their key equal no other record',
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

  test('has each key once, with the last value', () => {
    fc.assert(
      fc.property(records, records, (first, second) => {
        const writes = [write(first, ['id']), write(second, ['id'])];
        const once = mergeContext({}, writes);
        const wanted = new Map([...first, ...second].map((row) => [row.id, row]));
        expect(rows(at(once))).toEqual([...wanted.values()].map((row) => row));
      }),
    );
  });

  test('and its other members are not changed by a merge', () => {
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

  scenario('proto-json', 'treats a hostile path or record as data', () => {
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
    'hides secret members of a response, at any depth and under each of their names',
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

  scenario('proto-json', 'keeps the members of a hostile response as data', () => {
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

const generic: GenericArguments = {
  showRaw: false,
  ignoreOutputs: false,
  extend: [],
  timeoutSeconds: undefined,
  retries: 0,
  retrySeconds: 30,
  ignored: [],
};
const extras: ResultExtras = { notes: [], tables: [], warnings: [] };

function presented(more: Partial<Parameters<typeof presentedResult>[0]> = {}): Result {
  const wire = { id: '1', key: CANARY };
  const records = [{ id: '1', key: CANARY, code: null, lines: [], quiet: 'q', rows: [{ a: 1, b: 2 }] }];
  const args = { values: {}, typed: {}, generic };
  return presentedResult({
    command: declared,
    args,
    output: declared.output,
    page: undefined,
    extras,
    wire,
    records,
    simulated: false,
    files: [],
    ...more,
  });
}

describe('a result', () => {
  const args = (more: Partial<GenericArguments>, values = {}) => ({
    values,
    typed: values,
    generic: { ...generic, ...more },
  });

  test('shows a record in two columns, nested rows in a separate table, and no hidden or empty fields', () => {
    const { readable: shown, writes } = presented();
    expect(shown.tables).toMatchObject([
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

  scenario('no-secret-anywhere', 'keeps a one-time secret only in its field, and the table says where', () => {
    const result = presented();
    expect(result.readable.notes).toEqual([
      'key is shown this one time only: it is in the context, at AiSec.Topic.key.',
    ]);
    expect(JSON.stringify({ ...result, writes: [] })).not.toContain(CANARY);
    expect(JSON.stringify(entryOf({ ...result, writes: [] }))).not.toContain(CANARY);
    expect(result.writes[0]?.value).toMatchObject({ key: CANARY });
  });

  test('of a list has a row for each record, and one write', () => {
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
      note: ['50 shown, there are more: continue with offset=60, or a higher limit.'],
    },
    {
      what: 'a part of a known number',
      page: { ...page, total: 80 },
      values: { skip: 0 },
      note: ['50 shown, there are 80: continue with skip=50, or a higher limit.'],
    },
    {
      what: 'a part, without a position',
      page,
      values: {},
      note: ['50 shown, there are more: continue with a higher limit.'],
    },
    {
      what: 'a page',
      page: { ...page, total: 80, pages: 2 },
      values: { page: 0 },
      note: ['80 records, page 1 of 2. Continue with page=1; the first is page=0.'],
    },
    {
      what: 'the last page, of an unknown number',
      page: { ...page, pages: 2 },
      values: { page: 1 },
      note: ['Page 2 of 2.'],
    },
    {
      what: 'a page after the last',
      page: { ...page, total: 80, pages: 2 },
      values: { page: 2 },
      note: ['There is no page=2: the last is page=1.'],
    },
    { what: 'the single page of an empty list', page: { ...page, total: 0, pages: 0 }, values: { page: 0 }, note: [] },
    {
      what: 'a repeated page',
      page: { ...page, repeated: true },
      values: {},
      note: [expect.stringContaining('may not be complete')],
    },
  ])('says how to see the rest if it has $what', ({ page: fetched, values, note }) => {
    const positions = Object.fromEntries(Object.keys(values).map((name) => [name, text('Position.')]));
    const command = { ...declared, args: positions };
    const list = { page: fetched, args: args({}, values), output: many(topic), wire: [], records: [] };
    expect(presented({ command, ...list }).readable.notes).toEqual(note);
  });

  test('keeps only extended keys if outputs are ignored', () => {
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

  test('has warnings, declared notes, extras and a partial failure', () => {
    const failure = new PartialError('Some failed.');
    const noting = { ...declared, notes: () => ['Look closer.', undefined] };
    const result = presented({
      command: noting,
      args: args({ ignored: ['using', 'debug-mode'] }),
      extras: { notes: ['Noted.'], tables: [{ columns: ['X'], rows: [['y']] }], warnings: ['Twice.'], failure },
    });
    expect(result.warnings).toEqual(['using, debug-mode: no effect here.', 'Twice.']);
    expect(result.readable.notes.slice(0, 2)).toEqual(['Noted.', 'Look closer.']);
    expect(result.readable.tables).toContainEqual({ columns: ['X'], rows: [['y']] });
    expect(result.failure).toBe(failure);
  });

  test('of a dry run is the unsent request, with its secrets hidden', () => {
    const secret = { ...declared, consumes: 'One scan.', args: { code: text('Code.', { secret: true }) } };
    const plan = { method: 'POST', url: 'https://h.example.com/x', body: { code: CANARY, a: 1 } } as const;
    const result = planned(secret, args({}, { code: CANARY }), plan, { ...extras, notes: ['Noted.'] }, true);
    expect(result).toMatchObject({ planned: true, simulated: true, writes: [] });
    expect(result.raw).toEqual({ dry_run: true, method: 'POST', url: plan.url, body: { code: MASK, a: 1 } });
    const cost = expect.stringMatching(/use up: One scan\.$/);
    expect(result.readable.notes).toEqual(['Nothing was changed.', cost, 'Noted.']);
    expect(JSON.stringify(result)).not.toContain(CANARY);
  });
});

describe('an entry', () => {
  test.each([
    { path: 'AiSec.T', key: undefined, written: 'AiSec.T' },
    { path: 'AiSec.T', key: [], written: 'AiSec.T(true)' },
    { path: 'AiSec.T', key: ['id'], written: 'AiSec.T(val.id && val.id == obj.id)' },
    { path: 'AiSec.T', key: ['a', 'b'], written: 'AiSec.T(val.a && val.a == obj.a && val.b == obj.b)' },
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

  test('shows the raw response instead of the table on request', () => {
    expect(entryOf({ ...presented(), showRaw: true })).not.toHaveProperty('HumanReadable');
  });

  scenario('simulated-mark', 'is marked in the table', () => {
    expect(entryOf(presented({ simulated: true })).HumanReadable).toContain('SIMULATED');
  });

  scenario('proto-json', 'treats any path of the context as an own member', () => {
    const writes = [{ path: '__proto__', value: { polluted: 1 } }];
    const { EntryContext = {} } = entryOf({ ...presented(), writes });
    expect(Object.getPrototypeOf(EntryContext)).toBe(Object.prototype);
  });

  test('of a failure has message, hint and rows; of a warning, its text', () => {
    const error = new NotFoundError('Not there.', { hint: 'Look.', rows: [{ a: 1, b: 'x' }] });
    expect(errorEntry(error)).toEqual({ Type: 4, ContentsFormat: 'text', Contents: 'Not there.\nLook.\na=1, b=x' });
    const problems = new ValidationError([{ message: 'One.', hint: 'Do.' }, { message: 'Two.' }]);
    expect(errorEntry(problems).Contents).toBe('One. Two.\nDo.');
    expect(warningEntry('Careful.')).toEqual({ Type: 11, ContentsFormat: 'text', Contents: 'Careful.' });
  });
});
