import { parseLine } from '../../../lib/client/argv.ts';
import { type Problem, ValidationError } from '../../../lib/core/errors.ts';
import {
  type Argument,
  type Arguments,
  email,
  flag,
  json,
  list,
  momentOf,
  notClearable,
  number,
  offset,
  pages,
  skip,
  text,
  time,
  uuid,
  uuids,
} from '../../../lib/runtime/arguments/builders.ts';
import { readArguments } from '../../../lib/runtime/arguments/read.ts';
import { lookUp, parsePath } from '../../../lib/runtime/arguments/references.ts';
import { combinedBytes, exclusive, needs, oneOf, onlyWith, type Rule } from '../../../lib/runtime/arguments/rules.ts';
import { didYouMean, suggest } from '../../../lib/runtime/arguments/suggest.ts';
import { expectNone } from '../../support/expect-none.ts';
import { NAME, readPairs, readTyped } from './reading.ts';

const ID = '01234567-89ab-cdef-0123-456789ABCDEF';

const SOME_TEXT = expect.stringMatching(/\w/) as string;

function problemsOf(run: () => unknown): readonly Problem[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ValidationError) return error.problems;
    throw error;
  }
  return [];
}

/** Returns the messages and hints for one value. */
function messagesOf(argument: Argument, value: unknown): string[] {
  return problemsOf(() => readTyped(argument, value)).flatMap(({ message, hint }) =>
    hint === undefined ? [message] : [message, hint],
  );
}

describe('a value', () => {
  const choices = ['one', 'two'];
  const an = (pattern: string) => ({ pattern, title: 'an x' });
  const deep: unknown = JSON.parse(`${'['.repeat(101)}${']'.repeat(101)}`);
  test.each<[what: string, argument: Argument, value: unknown, ...messages: string[]]>([
    ['not a number', number('N.'), 'x', 'whole number', 'digits'],
    ['not a Boolean', flag('F.'), 'x', 'true or false', 'yes and no'],
    ['not JSON', json()('J.', {}), '[', 'line 1, column 2: the text ends too early', 'backticks'],
    ['too small', number('N.', { schema: { minimum: 2 } }), 1, 'at least 2, not "1".'],
    ['too small, of a secret', number('N.', { secret: true, schema: { minimum: 2 } }), 1, 'at least 2.'],
    ['too short', text('T.', { schema: { minLength: 3 } }), 'ab', 'at least 3 characters'],
    ['too long', text('T.', { schema: { maxLength: 2 } }), 'a😀b', 'at most 2 characters; it has 3'],
    ['too many bytes', text('T.', { schema: { maxBytes: 3 } }), 'ää', 'at most 3 bytes; it has 4'],
    ['too few entries', list('L.', { schema: { minItems: 2 } }), 'x', 'at least 2 entries'],
    ['too many entries', list('L.', { schema: { maxItems: 1 } }), 'x,y', 'at most 1 entries'],
    ['in no named format', text('T.', { schema: { pattern: '^x' } }), 'y', 'a form that is not allowed'],
    ['of another form', text('T.', { schema: an('^x') }), 'y', 'must be an x, not "y".'],
    ['rejected by another keyword', number('N.', { schema: { multipleOf: 2 } }), 3, 'a is not valid.'],
    ['not a choice', text('T.', { choices }), 'zzz', 'does not take "zzz"', 'Choices: one, two.'],
    [
      'nearly a choice',
      text('T.', { choices }),
      'twp',
      'does not take "twp"',
      'Did you mean "two"? Choices: one, two.',
    ],
    [
      'not a choice of a number',
      number('N.', { choices: ['1', '2'] }),
      '3',
      'does not take this value',
      'Choices: 1, 2.',
    ],
    [
      'a secret that is not a choice',
      text('T.', { secret: true, choices }),
      'on',
      'take this value',
      'Choices: one, two.',
    ],
    [
      'a list instead of one value',
      text('T.'),
      ['x', 'y'],
      'takes one value, and this is a list of 2',
      'run the command once',
    ],
    [
      'not a choice of a list',
      list('L.', { choices }),
      'one,zzz',
      'a (at 1) does not take "zzz"',
      'Choices: one, two.',
    ],
    ['not a UUID in a list', uuids('U.'), `${ID},x`, 'a (at 1) must be a UUID, not "x".'],
    ['a list without a UUID', uuids('U.'), '[]', 'at least 1 entry'],
    ['more than a UUID', uuid('U.'), `${ID}0`, `must be a UUID, not "${ID}0".`],
    ['not an address', email('E.'), 'a@b c', 'must be an email address'],
    ['not a time', time('T.'), 'soon', 'must be an ISO 8601 time'],
    ['null where nothing can be cleared', notClearable('K.'), 'null', 'other than null: it cannot be cleared'],
    ['sixty characters', uuid('U.'), 'x'.repeat(60), `not "${'x'.repeat(60)}".`],
    ['longer than sixty characters', uuid('U.'), `${'x'.repeat(60)}yz`, `not "${'x'.repeat(60)}...".`],
    ['page -1', pages.page, '-1', 'at least 0, not "-1".'],
    ['a position that is not on a page', pages.size, '0', 'at least 1, not "0".'],
    ['a position before the first', offset(), '-1', 'at least 0, not "-1".'],
    ['a negative number of records', skip(), '-1', 'at least 0, not "-1".'],
    ['too deep', json()('J.', {}), deep, 'nested deeper than 100 levels'],
  ])('that is %s is refused', (_, argument, value, ...messages) => {
    expect(messagesOf(argument, value)).toEqual(messages.map((each) => expect.stringContaining(each)));
  });

  test.each<[argument: Argument, value: unknown, becomes: unknown]>([
    [number('N.', { choices: ['1', '2'] }), '2', 2],
    [list('L.', { tokens: 'cloud' }), 'cloud_a,aws,x', ['aws', 'aws', 'x']],
    [text('T.', { default: 'd' }), null, 'd'],
    [notClearable('K.'), 'nullable', 'nullable'],
    [time('T.'), '7 days ago', '7 days ago'],
  ])('of %j: %j becomes %j', (argument, value, becomes) => {
    expect(readTyped(argument, value)).toEqual(becomes);
  });

  test('of a clearable argument causes one message, from its own schema', () => {
    const argument = text('T.', { clearable: true, schema: an('^x') });
    expect(messagesOf(argument, 'y')).toEqual([expect.stringContaining('an x')]);
    const two = number('N.', { clearable: true, schema: { minimum: 2 } });
    expect(messagesOf(two, '1')).toEqual([expect.stringContaining('at least 2')]);
  });

  const word = { type: 'string', ...an('^x') };
  const named = (name: string, schema: object) => ({ type: 'object', properties: { [name]: schema } });
  test.each<[schema: Parameters<ReturnType<typeof json>>[1], value: unknown, message: string]>([
    [{ type: 'object', additionalProperties: word }, { k: 'y' }, 'a (at k) must be an x, not "y".'],
    [{ type: 'array', items: named('a/b~c %', word) }, [{}, { 'a/b~c %': 'y' }], 'a (at 1/a~1b~0c %) must be an x'],
    [{ type: 'object', required: ['k'] }, {}, 'a lacks "k".'],
    [{ type: 'array', items: { type: 'object' } }, [1], 'a (at 0) must be an object.'],
    [{ type: 'array' }, {}, 'a must be an array.'],
    [named('k', { pattern: '^x' }), { k: 'y' }, 'a (at k) has a character or a form that is not allowed'],
  ])('of JSON by %j: %j is refused with its position', (schema, value, message) => {
    for (const more of [{}, { clearable: true }]) {
      expect(messagesOf(json()('J.', schema, more), value)).toEqual([expect.stringContaining(message)]);
    }
  });

  test('of JSON may be null only where it can be cleared', () => {
    expect(messagesOf(json()('J.', { type: 'object' }), ' null ')).toEqual([SOME_TEXT]);
    expect(readTyped(json()('J.', { type: 'object' }, { clearable: true }), 'null')).toBeNull();
  });

  test('causes at most a hundred problems', () => {
    const ids = Array.from({ length: 100 }, () => 'x');
    expect(messagesOf(uuids('U.'), ids)).toHaveLength(100);
    expect(messagesOf(uuids('U.'), [...ids, 'x'])).toHaveLength(100);
  });
});

describe('reading', () => {
  const secret = { key: text('K.', { secret: true }), name: text('N.') };

  const optional = { a: text('A.') };
  const Y = 'y'.repeat(60);
  test.each<[line: string, args: Arguments, message: string, hint: string]>([
    ['x=1', {}, 'no argument "x"', 'takes no arguments'],
    ['word=1', secret, 'no argument "word"', 'takes key, name'],
    ['Word1=1', secret, 'no argument of that name', 'takes key, name'],
    ['1word=1', secret, 'no argument of that name', 'takes key, name'],
    ['word1=1', secret, 'no argument of that name', 'takes key, name'],
    ['namE=1', secret, 'no argument "namE"', 'Did you mean "name"?'],
    [`${Y}z=1`, {}, `no argument "${Y}".`, 'takes no arguments'],
    [`${Y}z`, {}, `"${Y}" belongs to no argument`, 'name=value'],
    ['a=${X.Y}', optional, 'a: ${X.Y} finds nothing', 'Run the command'],
    ['a=${Deep}', optional, 'a: ${Deep} refers to a value that is nested deeper than 100 levels', 'Run the command'],
  ])('"%s" is refused, with a hint', (line, args, message, hint) => {
    const Deep: unknown = JSON.parse(`${'['.repeat(101)}${']'.repeat(101)}`);
    const run = () => readArguments({ name: NAME, args }, parseLine(`!x ${line}`), { context: { Deep } });
    const problem = { message: expect.stringContaining(message), hint: expect.stringContaining(hint) };
    expect(problemsOf(run)).toMatchObject([problem]);
  });

  test.each<[name: string, first: unknown, second: unknown]>([
    ['a', ['x'], 'y'],
    ['a', 'x', ['y']],
    ['using', '1', '2'],
  ])('refuses %s=%j together with %j as given more than once', (name, first, second) => {
    const run = () =>
      readPairs(
        { a: list('A.') },
        [first, second].map((value) => [name, value] as const),
      );
    expect(problemsOf(run)).toEqual([{ argument: name, message: expect.stringContaining('more than once') }]);
  });

  test.each<[rules: Rule[], refused: string[]]>([
    [[needs('b', 'x', 'a')], ['a']],
    [
      [oneOf('c'), needs('b', 'x', 'a')],
      ['a', 'c'],
    ],
  ])('reports problems of an argument before problems of rules (%#)', (rules, refused) => {
    const args = { a: number('A.'), b: text('B.') };
    const run = () => readPairs(args, Object.entries({ a: 'z', b: 'x' }), { rules });
    expect(problemsOf(run).map(({ argument }) => argument)).toEqual(refused);
  });

  test('accepts a secret source only as the whole value', () => {
    const value = readArguments({ name: NAME, args: secret }, parseLine('!x key=x@env:Y'), { secretSource: () => 'z' });
    expect(value.values['key']).toBe('x@env:Y');
  });

  const wrong = {
    'raw-response': ['untrue', 'trueish', 'nope', 'uno'],
    'execution-timeout': ['2073601', 'x12', '12x', '1.5'],
    'extend-context': ['=x', '1a=x', 'a b=x', 'a$=x', 'ab'],
  };
  const pairs = Object.entries(wrong).flatMap(([name, values]) => values.map((value) => [name, value] as const));
  test.each(pairs)('refuses %s=%s', (name, value) => {
    const problem = { argument: name, message: expect.stringMatching(new RegExp(`^${name} must `)) };
    expect(problemsOf(() => readPairs({}, [[name, value]]))).toEqual([problem]);
  });
});

describe('a reference', () => {
  const context = {
    Rows: [
      { id: 1, kind: 'a', in: { x: 'p' } },
      { id: 2, kind: 'b', in: { x: 'q' }, none: null },
      { id: 3, kind: 'b', tags: ['s', 't'] },
    ],
    One: { id: 7, 'a-b': 'dash' },
    Many: Array.from({ length: 12 }, (_, at) => at),
  };
  test.each([
    ["Rows( val.kind  ==  'b'  &&  val.id === 3 ).id", 3],
    ['Rows(val.kind != "b").id', 1],
    ['Rows(val.kind!=="a"&&val.in.x=="q").id', 2],
    ['Rows(val.none != "x").id', [1, 2, 3]],
    ['Rows(val.none == "null").id', undefined],
    ['Rows(val.tags == "s,t").id', 3],
    ['Rows(val.in == \'{"x":"p"}\').id', 1],
    ['Rows(val.gone == "x").id', undefined],
    ['Rows.gone.more', undefined],
    [' One.id ', 7],
  ])('%s finds %j', (path, value) => {
    expect(lookUp(context, parsePath(path) ?? [])).toEqual(value);
  });
});

describe('a rule', () => {
  const args = { a: text('A.'), b: text('B.'), c: text('C.'), f: flag('F.') };
  const apartOf = exclusive('a', 'b', 'c');
  const only = onlyWith('a', 'x', 'b', '0');
  const bytes = combinedBytes(['a', 'b'], 4);
  const broken = (rule: Rule, values: object) =>
    problemsOf(() => readPairs(args, Object.entries(values), { rules: [rule] }));

  // The text of each rule is also its documentation.
  test.each<[rule: Rule, description: string, values: object, argument: string, message: string, hint: string]>([
    [oneOf('a', 'b'), 'One of a or b is required.', {}, 'a', 'Give a or b.', 'One of a or b is required.'],
    [apartOf, 'a cannot be given together with b, c.', { a: '1', c: '1' }, 'a', 'together', 'Leave out a, or c.'],
    [apartOf, 'a cannot be given together with b, c.', { a: '1', b: '1', c: '1' }, 'a', 'together', 'or b, c.'],
    [needs('f', true, 'a'), 'f=true requires a.', { f: 'yes' }, 'a', 'f=true requires a.', 'Add a=<value>'],
    [only, 'b applies only to a=x.', { b: '1' }, 'b', 'only to a=x', 'Leave out b, or set a=x.'],
    [only, 'b applies only to a=x.', { a: 'y', b: '1' }, 'b', 'only to a=x', 'Leave out b'],
    [bytes, 'a, b may have at most 4 bytes together.', { a: 'ä', b: 'äx' }, 'a', 'together. They have 5.', ''],
  ])('%j, "%s", refuses %j', (rule, description, values, argument, message, hint) => {
    expect(rule.description).toBe(description);
    const problems = broken(rule, values);
    expect(problems).toMatchObject([{ argument, message: expect.stringContaining(message) }]);
    expect(problems[0]?.hint ?? '').toContain(hint);
  });

  test.each<[rule: Rule, values: object]>([
    [apartOf, { a: '1' }],
    [apartOf, { b: '1', c: '1' }],
    [only, { a: 'x', b: '1' }],
    [only, { a: 'y', b: '0' }],
    [only, { a: 'y' }],
    [bytes, { b: 'xxxx' }],
    [oneOf('a', 'b'), { b: '1' }],
    [needs('f', true, 'a'), { f: 'no' }],
  ])('%j accepts %j', (rule, values) => {
    expectNone(broken(rule, values), 'problems');
  });
});

describe('did you mean', () => {
  test.each([
    ['prmopt', ['prompt'], 'prompt'],
    ['abdc', ['abcd'], 'abcd'],
    ['badc', ['abcd'], undefined],
    ['bac', ['abc'], 'abc'],
    ['ab', ['ba'], 'ba'],
    ['aab', ['bab', 'aba'], 'bab'],
    ['abcxyz', ['abcdef'], undefined],
    ['abcdxy', ['abcdef'], 'abcdef'],
    ['top', ['top-list', 'list'], 'top-list'],
    ['to', ['to-the-list'], undefined],
    [`${'a'.repeat(100)}zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz`, ['a'.repeat(100)], 'a'.repeat(100)],
    ['PROMPT', ['prompt'], 'prompt'],
    ['topics-list', ['aisec-runtime-topics-list'], 'aisec-runtime-topics-list'],
    ['', ['prompt'], undefined],
  ])('%s among %j suggests %s', (word, choices, meant) => {
    expect(suggest(word, choices)).toBe(meant);
    expect(didYouMean(word, choices, '!')).toBe(meant === undefined ? undefined : `Did you mean "!${meant}"?`);
  });
});

describe('a time', () => {
  const now = Date.UTC(2026, 10, 21, 12);
  test.each<[string | undefined, 'from' | 'to' | undefined, string | undefined]>([
    [undefined, undefined, undefined],
    ['now', undefined, '2026-11-21T12:00:00Z'],
    ['5 minutes ago', undefined, '2026-11-21T11:55:00Z'],
    ['1hour', undefined, '2026-11-21T11:00:00Z'],
    ['12 days', undefined, '2026-11-09T12:00:00Z'],
    ['2 week ago', 'to', '2026-11-07T12:00:00Z'],
    ['2026-11-20', undefined, '2026-11-20T00:00:00Z'],
    ['2026-11-20', 'from', '2026-11-20T00:00:00Z'],
    ['2026-11-20', 'to', '2026-11-20T23:59:59.999999Z'],
    ['2026-11-20T00:00:00', 'to', '2026-11-20T00:00:00Z'],
    ['2026-11-20T10:20+02:00', 'to', '2026-11-20T08:20:00Z'],
  ])('%s as a bound %s is %s', (typed, bound, moment) => {
    expect(momentOf('a', typed, now, bound)).toBe(moment);
  });

  test.each(['2026-02-30', '2026-13-01', '2026-11-20T25:00:00Z', 'x 5 days', '5 days agone', '5 years', 'x2026-11-20'])(
    '%s is refused',
    (typed) => {
      const problem = { argument: 'a', message: expect.stringMatching(`^a: .*"${typed}"`) };
      expect(problemsOf(() => momentOf('a', typed, now))).toEqual([problem]);
    },
  );
});
