import { UsageError } from '../../../lib/core/errors.ts';
import { OPERATORS, type OperatorName } from '../../../lib/playbook/operators.ts';
import { isIn } from '../../../lib/playbook/parse-value.ts';

const LIST_HINT = 'Name the member that is meant, or keep one item with a filter.';

describe('an operator', () => {
  test.each<[OperatorName, unknown, unknown, boolean]>([
    ['isEqualString', 'a', 'a', true],
    ['isEqualString', 'a', 'A', false],
    ['isEqualString', 1, '1', true],
    ['isEqualString', ['b', 'a'], 'a', true],
    ['isEqualString', ['b', 'c'], 'a', false],
    ['isEqualString', 'a', ['a'], true],
    ['isEqualString', undefined, '', true],
    ['isEqualString', null, '', true],
    ['isEqualString', false, 'false', true],
    ['isNotEqualString', 'a', 'b', true],
    ['isNotEqualString', 'a', 'a', false],
    ['containsString', 'abc', 'b', true],
    ['containsString', 'abc', 'd', false],
    ['notContainsString', 'abc', 'd', true],
    ['notContainsString', 'abc', 'b', false],
    ['isEqualNumber', '2.0', 2, true],
    ['isEqualNumber', 3, 2, false],
    ['isEqualNumber', undefined, undefined, false],
    ['isEqualNumber', undefined, 1, false],
    ['isEqualNumber', 1, undefined, false],
    ['isEqualNumber', ' ', 0, false],
    ['isEqualNumber', [1, 2], 2, true],
    ['isEqualNumber', ' 2 ', '2', true],
    ['greaterThan', 3, 2, true],
    ['greaterThan', 2, 2, false],
    ['greaterThan', 1, 2, false],
    ['greaterThan', undefined, -1, false],
    ['isBefore', '2026-11-25T00:00:00Z', '2026-11-25T00:00:01Z', true],
    ['isBefore', '2026-11-25T00:00:00Z', '2026-11-25T00:00:00Z', false],
    ['isBefore', ['2027-01-01', '2026-01-01'], '2026-06-01', true],
    ['isBefore', undefined, '2026-06-01', false],
    ['isAfter', '2026-11-25T00:00:00+01:00', '2026-11-24T22:59:59Z', true],
    ['isAfter', '2026-01-01', '2026-06-01', false],
    ['isAfter', '2026-01-01', '', false],
    ['greaterThanOrEqual', 3, 2, true],
    ['greaterThanOrEqual', 2, 2, true],
    ['greaterThanOrEqual', 1, 2, false],
    ['lessThan', 1, 2, true],
    ['lessThan', 2, 2, false],
    ['lessThan', undefined, 2, false],
    ['lessThan', 3, 2, false],
    ['lessThanOrEqual', 2, 2, true],
    ['lessThanOrEqual', 3, 2, false],
    ['lessThanOrEqual', 1, 2, true],
    ['isTrue', true, undefined, true],
    ['isTrue', 'TRUE', undefined, true],
    ['isTrue', 'false', undefined, false],
    ['isTrue', 1, undefined, false],
    ['isTrue', ['x', 'true'], undefined, true],
    ['isFalse', 'False', undefined, true],
    ['isFalse', true, undefined, false],
    ['isFalse', undefined, undefined, false],
    ['isExists', '', undefined, true],
    ['isExists', null, undefined, false],
    ['isExists', undefined, undefined, false],
    ['isNotExists', undefined, undefined, true],
    ['isNotExists', null, undefined, true],
    ['isNotExists', 0, undefined, false],
    ['isEmpty', '', undefined, true],
    ['isEmpty', undefined, undefined, true],
    ['isEmpty', [], undefined, true],
    ['isEmpty', {}, undefined, true],
    ['isEmpty', [''], undefined, false],
    ['isEmpty', { a: 1 }, undefined, false],
    ['isEmpty', 'x', undefined, false],
    ['isEmpty', 0, undefined, false],
    ['isNotEmpty', 'x', undefined, true],
    ['isNotEmpty', {}, undefined, false],
  ])('%s of %j and %j is %j', (name, left, right, expected) => {
    expect(OPERATORS[name](left, right, false)).toBe(expected);
  });

  test.each<[OperatorName, unknown, unknown, boolean]>([
    ['isEqualString', 'aB', 'Ab', true],
    ['isNotEqualString', 'aB', 'Ab', false],
    ['containsString', 'xABx', 'ab', true],
  ])('%s of %j and %j ignores case on request: %j', (name, left, right, expected) => {
    expect(OPERATORS[name](left, right, true)).toBe(expected);
  });

  test.each<[OperatorName, unknown, unknown, string, string | undefined]>([
    ['isEqualString', { a: 1 }, 'a', 'An object cannot be compared with a text or a number.', LIST_HINT],
    ['isEqualString', 'a', ['a', 'b'], 'A list cannot be compared with a text or a number.', LIST_HINT],
    ['isTrue', [[1, 2]], undefined, 'A list cannot be compared with a text or a number.', LIST_HINT],
    ['isAfter', 'soon', '2026-06-01', '"soon" is not a time, and cannot be compared as one.', undefined],
    ['greaterThan', 'many', 1, '"many" is not a number, and cannot be compared as one.', undefined],
    [
      'greaterThan',
      1,
      'x'.repeat(61),
      `"${'x'.repeat(60)}" is not a number, and cannot be compared as one.`,
      undefined,
    ],
  ])('%s of %j and %j is refused', (name, left, right, message, hint) => {
    let thrown: unknown;
    try {
      OPERATORS[name](left, right, false);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(UsageError);
    expect(thrown).toMatchObject({ message, ...(hint === undefined ? {} : { hint }) });
  });

  test('has a unique name', () => {
    expect(Object.keys(OPERATORS)).toHaveLength(17);
    expect(['isEqualString', 'isNear', 'toString'].map((name) => isIn(OPERATORS, name))).toEqual([true, false, false]);
  });
});
