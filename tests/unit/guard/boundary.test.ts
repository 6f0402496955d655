/** Places where a text may be cut. */
import { boundaryBefore, cutBefore, pairBoundary } from '../../../lib/guard/stream.ts';

test.each<[string, string, number, number]>([
  ['at white space that is near', `${'a'.repeat(10)} ${'b'.repeat(41)}`, 50, 11],
  ['not at white space that is far', `${'a'.repeat(10)} ${'b'.repeat(41)}`, 51, 51],
  ['not behind its last character, which may grow', 'ab', 9, 1],
  ['not in a character', 'aae\u0301', 3, 2],
  ['not before an accent on white space', 'aa \u0301', 3, 2],
  ['nowhere in a single character', 'a\u0301', 1, 0],
  ['nowhere in nothing', '', 5, 0],
  ['nowhere before its start', 'abc', -1, 0],
])('a text is cut %s', (_, text, wished, place) => {
  expect(boundaryBefore(text, wished)).toBe(place);
});

test.each<[string, string, string, number, number]>([
  ['as it is', 'one two', 'one two', 4, 4],
  ['after a mask of another length', '1234 aaaa aaaa', 'X aaaa aaaa', 12, 10],
  ['after a mask that ends as the original', '1111 bbbb bbbb', 'XXX1 bbbb bbbb', 10, 10],
  ['not right after such a mask', '1111 bbbbbb', 'XXX1 bbbbbb', 5, 0],
  ['not before a mask', 'aaaa bbbb 1234', 'aaaa bbbb X', 5, 0],
])('a masked text is cut %s', (_, text, shown, wished, place) => {
  expect(cutBefore(text, shown, wished)).toBe(place);
});

test.each([
  [1, 2],
  [2, 2],
  [3, 3],
])('a window of %d characters that begins with a pair takes %d', (wished, taken) => {
  expect(pairBoundary('😀abc', wished)).toBe(taken);
});
