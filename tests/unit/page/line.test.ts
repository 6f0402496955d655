/** The text of the line on the page: what the form writes, and which offers still fit what is typed. */
import { parseLine } from '../../../lib/client/argv.ts';
import {
  commandIn,
  jsonMistake,
  lineOf,
  MASK,
  narrowed,
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
  });

  it('keeps a secret out of the line until it is sent', () => {
    const secrets = new Map([['key', 'a "b" $& c']]);
    const line = lineOf('aisec-x', [{ name: 'key', value: MASK }]);
    expect(line).not.toContain('b');
    expect(parseLine(withSecrets(line, secrets)).pairs).toEqual([{ name: 'key', value: 'a "b" $& c' }]);
    expect(withSecrets('!aisec-x other=1', secrets)).toBe('!aisec-x other=1');
  });

  it.each([
    ['{"a": 1}', undefined],
    ['', undefined],
    ['[${AiSec.Topic.topic_id}]', undefined],
    ['{"a": 1,}', 'Not valid JSON in line 1, column 9.'],
    ['{\n "a": true,}', 'Not valid JSON in line 2, column 12.'],
    ['[1', 'Not valid JSON in line 1, column 3.'],
  ])('says where %j is not JSON', (text, mistake) => {
    expect(jsonMistake(text)).toBe(mistake);
  });
});

describe('The offers for a word', () => {
  const [LIST, GET] = [{ text: 'aisec-topics-list ' }, { text: 'aisec-topics-get ' }];
  const names = { line: 'top', word: 'top', from: 0, offers: [LIST, GET] };
  const line = 'x id=';
  const ids = {
    line,
    word: '',
    from: 5,
    offers: [
      { text: '11', description: 'prod' },
      { text: '22', description: 'test' },
    ],
  };

  it.each([
    ['narrow while the word grows', names, 'topics-l', [LIST]],
    ['fit the short name, the full name and a part', names, 'topics-g', [GET]],
    ['fit by the name of a record', ids, 'x id=PRO', [ids.offers[0]]],
    ['fit inside a quote', { ...ids, word: '"', line: 'x id="' }, 'x id="2', [ids.offers[1]]],
    ['end with the whole word', ids, 'x id=22', []],
    ['stay away from a free text', { ...ids, word: '"a', line: 'x id="a', offers: [] }, 'x id="a b c', []],
  ])('%s', (_, answer, typed, offers) => {
    expect(narrowed(answer, typed, typed.length)?.offers).toEqual(offers);
  });

  it.each([
    ['after another word', names, 'topics-list l'],
    ['after a change before the word', ids, 'y id=1'],
    ['after a quote', ids, 'x id="'],
    ['in a reference', ids, 'x id=${'],
    ['after a shorter word', names, 'to'],
    ['if no offer fits', names, 'topz'],
  ])('come from the service %s', (_, answer, typed) => {
    expect(narrowed(answer, typed, typed.length)).toBeUndefined();
  });

  it('come from the service too if it has more', () => {
    const many = { ...names, offers: Array.from({ length: 100 }, (_, at) => ({ text: `topic${at} ` })) };
    expect(narrowed(many, 'topi', 4)).toMatchObject({ isAll: false });
  });
});

it('The command of a line is its first word, without the mark', () => {
  expect(['', ' !aisec-x a=1', 'aisec-x', '!'].map(commandIn)).toEqual(['', 'aisec-x', 'aisec-x', '']);
});

it('The palette finds texts with all words', () => {
  expect(withWords(['List the topics', 'Get a topic'], 'TOPIC  list', (text) => text)).toEqual(['List the topics']);
});
