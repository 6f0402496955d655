import fc from 'fast-check';
import { ResponseError } from '../../../lib/core/errors.ts';
import { isoDate } from '../../../lib/core/text/date.ts';
import { boolean, date, type Fields, number, string, unknown } from '../../../lib/runtime/output/record.ts';
import { shape } from '../../../lib/runtime/output/shape.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const CANARY = 'canary-5ecret';

/** Shapes one response field. */
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
  ])('context-exact', 'a field sent as $what is null', ({ wire }) => {
    expect(shaped(all, wire)).toStrictEqual({ text: null, count: null, flag: null, when: null, whole: null });
  });

  scenario('context-exact', 'keeps false, 0 and empty text, and drops undeclared fields', () => {
    const wire = { text: '', count: 0, flag: false, when: '', whole: [], more: 1, constructor: 2 };
    expect(shaped(all, wire)).toStrictEqual({ text: '', count: 0, flag: false, when: '', whole: [] });
  });

  const fields: { what: string; field: Fields[string]; wire: Record<string, unknown>; value: unknown }[] = [
    { what: 'text of a number', field: string('S.'), wire: { f: 12 }, value: '12' },
    { what: 'a number that is sent as text', field: number('N.'), wire: { f: '12.5' }, value: 12.5 },
    { what: 'a Boolean that is sent as text', field: boolean('B.'), wire: { f: 'true' }, value: true },
    { what: 'a date', field: date('D.'), wire: { f: '2026-03-02 09:15:00' }, value: '2026-03-02T09:15:00Z' },
    {
      what: 'a date as sent',
      field: date('D.', { asSent: true }),
      wire: { f: '2026-03-02 x' },
      value: '2026-03-02 x',
    },
    { what: 'milliseconds as sent', field: string('S.', { asSent: true }), wire: { f: 5 }, value: 5 },
    {
      what: 'members of an unknown value',
      field: unknown('U.'),
      wire: { f: { a: null, b: '2026-03-02 09:15:00' } },
      value: { a: null, b: '2026-03-02 09:15:00' },
    },
    { what: 'another name', field: string('S.', { from: 'other' }), wire: { f: 'no', other: 'x' }, value: 'x' },
    {
      what: 'the first existing name',
      field: string('S.', { from: ['a', 'b'] }),
      wire: { a: null, b: 'x' },
      value: 'x',
    },
    { what: 'a member of a member', field: string('S.', { from: 'a.b' }), wire: { a: { b: 'x' } }, value: 'x' },
    {
      what: 'no member of a value that is not an object',
      field: string('S.', { from: 'a.length' }),
      wire: { a: 'x' },
      value: null,
    },
    { what: 'no inherited member', field: unknown('U.', { from: 'toString' }), wire: {}, value: null },
    { what: 'an argument', field: string('S.', { argument: 'name' }), wire: { f: 'sent' }, value: 'given' },
    {
      what: 'the sent value rather than the argument',
      field: string('S.', { from: 'f', argument: 'name' }),
      wire: { f: 'sent' },
      value: 'sent',
    },
    { what: 'a constant', field: boolean('B.', { constant: true }), wire: { f: false }, value: true },
    {
      what: 'a value derived from the answer',
      field: number('N.', { derive: ({ l }) => (Array.isArray(l) ? l.length : 0) }),
      wire: { l: [1, 2] },
      value: 2,
    },
    { what: 'a neutral token', field: string('S.', { tokens: 'cloud' }), wire: { f: 'aws' }, value: 'cloud_a' },
    { what: 'the HTTP status', field: number('N.', { httpStatus: true }), wire: {}, value: 201 },
    {
      what: 'rows by their declared members',
      field: unknown('U.', { items: { a: string('A.') } }),
      wire: { f: [{ a: 1, b: 2 }, {}] },
      value: [{ a: '1' }, { a: null }],
    },
    {
      what: 'documented members as sent',
      field: unknown('U.', { members: { a: string('A.'), c: date('C.') } }),
      wire: { f: { a: 1, b: 2, c: '2026-01-02' } },
      value: { a: 1, b: 2, c: '2026-01-02' },
    },
  ];
  scenario.each(fields)('context-exact', 'accepts $what', ({ field, wire, value }) => {
    expect(shaped({ f: field }, wire, { name: 'given', '#status': 201 })).toStrictEqual({ f: value });
  });

  test('writes a dotted name as a nested member', () => {
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
    'a $field.type that is $value is an error that shows its path, not its value',
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

  scenario.each([{ wire: {} }, { wire: { f: null } }, { wire: { f: '' } }])(
    'no-silent-allow',
    'a required field sent as $wire is an error',
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
    { sent: '2026-03-02 09:15:00', kept: '2026-03-02T09:15:00Z' },
    { sent: '2026-03-02T09:15', kept: '2026-03-02T09:15:00Z' },
    { sent: '2026-03-02', kept: '2026-03-02T00:00:00Z' },
    { sent: '2026-03-02T09:15:00+02:00', kept: '2026-03-02T07:15:00Z' },
    { sent: '2026-03-02T23:30:00-0130', kept: '2026-03-03T01:00:00Z' },
    { sent: '2027-09-29 23:59:59 +0000 UTC', kept: '2027-09-29T23:59:59Z' },
    { sent: '2024-02-29T00:00:00Z', kept: '2024-02-29T00:00:00Z' },
    { sent: 1_772_442_900_000, kept: '2026-03-02T09:15:00Z' },
    { sent: 0, kept: '1970-01-01T00:00:00Z' },
    // The value that services written in Go send for "never".
    { sent: '0001-01-01T00:00:00Z', kept: '0001-01-01T00:00:00Z' },
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
      '2026-01-01T10:60:00Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01T10:00:60Z',
      '2026-01-01T10:00:00+99:99',
      '1772442900',
      '2026-03-02T09:15:00Z and more',
      Number.NaN,
      1e17,
      null,
      undefined,
      true,
    ].map((sent) => ({ sent })),
  )('context-exact', '$sent is kept', ({ sent }) => {
    expect(isoDate(sent)).toBe(sent);
  });

  test('in any form denotes the same moment', () => {
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
