/** Size limits of a line, checked before the work that they limit. */
import { parseLine } from '../../../lib/client/argv.ts';
import { json, list, text } from '../../../lib/runtime/arguments/builders.ts';
import { resolveReferences } from '../../../lib/runtime/arguments/references.ts';
import { readPairs } from './reading.ts';

const args = { t: text('T.'), u: text('U.'), l: list('L.'), j: json()('J.', {}) };
const context = { A: 'x'.repeat(50_000) };
const times = (part: string, count: number) => part.repeat(count);

describe('a line', () => {
  test.each([
    [1000, undefined],
    [1001, 'more than 1000 words'],
  ])('of %i words: %s', (count, message) => {
    const read = () => parseLine(times('a ', count));
    if (message === undefined) expect(read().positionals).toHaveLength(count - 1);
    else expect(read).toThrow(message);
  });

  test('has at most five hundred arguments', () => {
    const line = (count: number) => `!x ${Array.from({ length: count }, (_, at) => `a${at}=1`).join(' ')}`;
    expect(parseLine(line(500)).pairs).toHaveLength(500);
    expect(() => parseLine(line(501))).toThrow('The line has 501 arguments; the limit is 500.');
  });

  test('has at most two hundred references across all arguments', () => {
    const read = (one: number, other: number) => () =>
      readPairs(
        args,
        [
          ['t', times('${B}', one)],
          ['u', times('${B}', other)],
        ],
        { context: { B: 'b' } },
      );
    expect(read(100, 100)().values).toMatchObject({ t: times('b', 100), u: times('b', 100) });
    expect(read(100, 101)).toThrow('more than 200 references');
  });
});

describe('an argument', () => {
  test.each([
    ['t', times('a', 4_000_001), 'more than 4000000 characters'],
    ['t', times('${A}', 81), 'a text of more than 4000000 characters'],
    ['l', times('a,', 50_001), 'l has more than 50000 entries'],
    ['l', Array.from({ length: 50_001 }, () => 'a'), 'l has more than 50000 entries'],
    ['extend-context', times('a=b::', 2001), 'more than 10000 characters'],
    ['using', times('[', 10_001), 'more than 10000 characters'],
    ['t', `\${${times('A.', 5001)}A}`, 'A reference has more than 10000 characters'],
    ['t', `text \${${times('A.', 5001)}A}`, 'A reference has more than 10000 characters'],
  ])('%s that is too large is refused with the name of the limit: case %#', (name, value, message) => {
    expect(() => readPairs(args, [[name, value]], { context })).toThrow(message);
  });

  test('of the maximum size is accepted', () => {
    expect(resolveReferences(times('${A}', 79), context, () => undefined)).toHaveLength(79 * 50_000);
    expect(readPairs(args, [['t', times('a', 4_000_000)]], { context }).values['t']).toHaveLength(4_000_000);
  });
});
