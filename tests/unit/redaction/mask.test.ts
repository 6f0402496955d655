import { text } from '../../../lib/runtime/arguments/builders.ts';
import { MASK, maskBody, maskRecord, maskSecrets, maskWire, secretTexts } from '../../../lib/runtime/output/mask.ts';
import { record, string } from '../../../lib/runtime/output/record.ts';
import { expectNone } from '../../support/expect-none.ts';

describe('a mask', () => {
  const hidden = { secret: true } as const;

  test('of a record hides exactly its secret fields', () => {
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

  test('of a context value also hides one-time secrets', () => {
    const fields = { key: string('K.', hidden), code: string('C.', { once: true }), name: string('N.') };
    expect(maskSecrets({ key: 's', code: 'c', name: 'n' }, { fields })).toEqual({ key: MASK, code: MASK, name: 'n' });
    expect(maskRecord({ key: 's', code: 'c' }, { fields })).toEqual({ key: MASK, code: 'c' });
    const value = { name: 'n' };
    expect(maskSecrets(value, { fields: { name: fields.name } })).toBe(value);
  });

  test('hides a whole object, an empty text and a number by their name', () => {
    const fields = { key: string('K.', hidden) };
    expect(maskRecord({ key: { inner: 's' } }, { fields })).toEqual({ key: MASK });
    expect(maskRecord([{ key: '' }, { key: 0 }, { key: null }], { fields })).toEqual([
      { key: MASK },
      { key: MASK },
      { key: null },
    ]);
    expect(maskRecord('text', { fields })).toBe('text');
    expect(maskRecord(null, { fields })).toBeNull();
    expect(maskRecord(undefined, { fields })).toBeUndefined();
    expect(maskRecord({ key: undefined, list: [undefined, 'x', { key: 's' }] }, { fields })).toEqual({
      ...{ key: undefined, list: [undefined, 'x', { key: '(hidden)' }] },
    });
  });

  test('hides a field by its path, but not a field that ends in the same letters', () => {
    const fields = { 'auth.key': string('K.', hidden) };
    const value = { auth: { key: 's', 'my-key': 'm' }, key: 'k', oauth: { key: 'o' }, 'x.key': 'x' };
    expect(maskRecord(value, { fields })).toEqual({
      auth: { key: MASK, 'my-key': 'm' },
      key: 'k',
      oauth: { key: 'o' },
      'x.key': 'x',
    });
  });

  test('copies only the lists and objects that it changes', () => {
    const fields = { key: string('K.', hidden) };
    const value = { list: [{ key: 'a' }, { x: 1 }], other: { y: 1 } };
    const masked = maskRecord(value, { fields }) as typeof value;
    expect(value.list[0]).toEqual({ key: 'a' });
    expect(masked.list[1]).toBe(value.list[1]);
    expect(masked.other).toBe(value.other);
  });

  test('of a response hides secrets anywhere, and does not copy a response without secrets', () => {
    const type = record('AiSec.Test', 'Test', [], {
      key: string('K.', { ...hidden, from: ['outer.inner', 'other'] }),
      open: string('O.'),
    });
    const rows = [{ other: 'a' }, { b: 1 }];
    const wire = { outer: { inner: 's' }, inner: 'shown', open: 'o', rows, api_key: 'k', none: null, gone: undefined };
    expect(maskWire(wire, type)).toEqual({
      outer: { inner: MASK },
      inner: 'shown',
      open: 'o',
      rows: [{ other: MASK }, { b: 1 }],
      api_key: MASK,
      none: null,
    });
    expect(rows).toEqual([{ other: 'a' }, { b: 1 }]);
    const clean = { a: [{ b: null }, 1, null], c: { inner: 's' } };
    expect(maskWire(clean, type)).toBe(clean);
  });

  const args = { key: text('K.', hidden), more: text('M.', hidden), name: text('N.') };
  test.each<[what: string, body: unknown, values: Record<string, unknown>, masked: unknown]>([
    ['the whole body', 'secret', { key: 'secret' }, MASK],
    ['a part of three characters', { a: 'xabcx' }, { key: 'abc' }, { a: `x${MASK}x` }],
    ['too short for a part', { a: 'xabx' }, { key: 'ab' }, { a: 'xabx' }],
    ['short but whole', { a: 'ab' }, { key: 'ab' }, { a: MASK }],
    ['part of a later one', ['-secrets-'], { key: 'secret', more: 'secrets' }, [`-${MASK}-`]],
    ['part of an earlier one', ['-secrets-'], { key: 'secrets', more: 'secret' }, [`-${MASK}-`]],
    ['next to an open argument', { a: 'name' }, { name: 'name', key: 'secret' }, { a: 'name' }],
    ['not given', { a: null, b: undefined }, {}, { a: null }],
    ['a list', { a: [1, 2], b: [1] }, { key: [1, 2] }, { a: MASK, b: [1] }],
    ['in an object', { a: '+one+' }, { key: { a: ['one', null, 2] } }, { a: `+${MASK}+` }],
    ['absent, though its name is known', { api_key: null, token_preview: undefined }, { key: null }, { api_key: null }],
    ['not given, next to a member that JSON omits', { a: Boolean }, {}, { a: Boolean }],
    ['known by its name', { x: { token_preview: 't' } }, {}, { x: { token_preview: MASK } }],
  ])('of a body hides a secret that is %s', (_, body, values, masked) => {
    expect(maskBody(body, args, values)).toEqual(masked);
  });

  test('finds every text of a secret', () => {
    expect(secretTexts(args, { key: { a: 'x', b: ['y', 1, null] }, more: undefined, name: 'n' })).toEqual(['x', 'y']);
    expectNone(secretTexts(args, { key: 5, name: 'n' }), 'secret texts');
  });
});
