/** The text of the line on the page: what the form writes, and what the palette finds. */
import { parseLine } from '../../../lib/client/argv.ts';
import {
  commandIn,
  helpWanted,
  lineOf,
  MASK,
  secretKey,
  shortLine,
  withPair,
  withSecrets,
  withWords,
} from '../../../web/line/text.ts';

const NASTY = [
  'a b',
  '"',
  "it's `x` \\",
  '{"a": [1, "b"]}',
  'two\nlines',
  '\\${x}',
  '${AiSec.Topic.topic_id}',
  'a=b',
  '--x',
  '\u202e',
];

describe('The form', () => {
  it.each(NASTY)('writes a line that is read back as it was filled in: %j', (value) => {
    const { name, pairs } = parseLine(
      lineOf('aisec-x', [
        { name: 'one', value },
        { name: 'two', value: '2' },
      ]),
    );
    expect([name, pairs]).toEqual([
      'aisec-x',
      [
        { name: 'one', value },
        { name: 'two', value: '2' },
      ],
    ]);
  });

  it('changes an argument in its place, adds a new one at the end, and removes an empty one', () => {
    const pairs = [
      { name: 'a', value: '1' },
      { name: 'b', value: '2' },
    ];
    expect(withPair(pairs, 'a', '3')).toEqual([{ name: 'a', value: '3' }, pairs[1]]);
    expect(withPair(pairs, 'c', '3')).toEqual([...pairs, { name: 'c', value: '3' }]);
    expect(withPair(pairs, 'a', '')).toEqual([pairs[1]]);
    const words = [...pairs, { name: '', value: 'word' }, { name: '', value: 'two words' }, { name: 'a', value: '4' }];
    expect(lineOf('aisec-x', withPair(words, 'b', '3'))).toBe('!aisec-x a=1 b=3 word "two words" a=4');
  });

  it('keeps a secret out of the line until it is sent', () => {
    const secrets = new Map([[secretKey('aisec-x', 'key'), 'a "b" $& c']]);
    const line = lineOf('aisec-x', [{ name: 'key', value: MASK }]);
    expect(line).not.toContain('b');
    const full = withSecrets(line, ['key'], secrets) ?? '';
    expect(parseLine(full).pairs).toEqual([{ name: 'key', value: 'a "b" $& c' }]);
  });

  it.each([
    ['another argument', `!aisec-x other="key=${MASK}"`, `!aisec-x other="key=${MASK}"`],
    ['another command', `!aisec-y key=${MASK}`, undefined],
    ['a line whose secret is unknown', `!aisec-x second=${MASK}`, undefined],
  ])('does not go into %s', (_, line, expected) => {
    const secrets = new Map([[secretKey('aisec-x', 'key'), 'SECRET']]);
    expect(withSecrets(line, ['key', 'second'], secrets)).toBe(expected);
  });
});

it.each([
  ['help', ''],
  ['!help redteam scans', 'redteam scans'],
  ['?', ''],
  ['? runtime-scan', 'runtime-scan'],
  [' commands ', ''],
  ['helper', undefined],
  ['aisec-runtime-scan prompt=help', undefined],
])('Help is wanted by %j: %j', (line, words) => {
  expect(helpWanted(line)).toBe(words);
});

it('The command of a line is its first word, without the mark', () => {
  expect(['', ' !aisec-x a=1', 'aisec-x', '!'].map(commandIn)).toEqual(['', 'aisec-x', 'aisec-x', '']);
});

it.each([
  ['!aisec-runtime-scan profile_name=prod prompt="a \\"b\\" c=d"', 'runtime-scan profile_name=prod "a \\"b\\" c=d"'],
  ['!aisec-runtime-scan prompt=`x y` limit=3', 'runtime-scan `x y` limit=3'],
  ['not-a-command a="b', 'not-a-command a="b'],
])('In a list, the line %s is short', (line, short) => {
  expect(shortLine(line)).toBe(short);
});

it('The palette finds offers with all words, first those that have them in their text', () => {
  const [get, list, remove] = [
    { text: 'topics-get', description: 'Get a topic of the list.' },
    { text: 'topics-list' },
    { text: 'topics-delete', description: 'Delete a topic.' },
  ] as const;
  expect(withWords([get, list, remove], 'TOPIC  list')).toEqual([list, get]);
});
