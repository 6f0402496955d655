import { parseLine, parseOptions, parseWords } from '../../lib/arguments/argv.ts';
import { parseJsonText } from '../../lib/arguments/json-text.ts';
import { tokens } from '../../lib/arguments/lexer.ts';
import { readArguments } from '../../lib/arguments/read.ts';
import { lookUp, parsePath, resolveReferences } from '../../lib/arguments/references.ts';
import { apart, combinedBytes, needs, oneOf, onlyWith, type Rule } from '../../lib/arguments/rules.ts';
import { didYouMean, suggest } from '../../lib/arguments/suggest.ts';
import { momentOf } from '../../lib/arguments/time.ts';
import {
  type Argument,
  type Arguments,
  email,
  file,
  flag,
  json,
  kept,
  limit,
  list,
  number,
  offset,
  pages,
  skip,
  text,
  time,
  uuid,
  uuids,
} from '../../lib/arguments/words.ts';
import { AisecError, type Problem, UsageError, ValidationError } from '../../lib/errors.ts';

const NAME = 'aisec-test';
const ID = '01234567-89ab-cdef-0123-456789ABCDEF';

type Pairs = readonly (readonly [string, unknown])[];

function readPairs(args: Arguments, pairs: Pairs, context: unknown = {}, rules: readonly Rule[] = []) {
  const invocation = { name: NAME, pairs: pairs.map(([name, value]) => ({ name, value })), positionals: [] };
  return readArguments({ name: NAME, args, rules }, invocation, { context });
}

function problemsOf(run: () => unknown): readonly Problem[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ValidationError) return error.problems;
    throw error;
  }
  return [];
}

/** What is said of one value, and advised. */
function said(argument: Argument, value: unknown): (string | undefined)[] {
  return problemsOf(() => readPairs({ a: argument }, [['a', value]])).flatMap(({ message, hint }) =>
    hint === undefined ? [message] : [message, hint],
  );
}

const taken = (argument: Argument, value: unknown) => readPairs({ a: argument }, [['a', value]]).values['a'];

function failing(run: () => unknown): AisecError {
  try {
    run();
  } catch (error) {
    if (error instanceof AisecError) return error;
    throw error;
  }
  throw new Error('It was expected to fail.');
}

describe('a line', () => {
  test.each([
    { line: ' \t', message: 'The line is empty.', hint: 'Type a command, such as !aisec-...' },
    { line: '!a=b', message: 'The line does not begin with a command.', hint: 'Write !command name=value ...' },
  ])('"$line" is told what is missing', ({ line, message, hint }) => {
    const error = failing(() => parseLine(line));
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ message, hint });
  });

  test('begins with one exclamation mark, which is no part of the name', () => {
    expect(parseLine('  !x!y a=!b').name).toBe('x!y');
    expect(parseLine('x!y').name).toBe('x!y');
    expect(parseLine('!!x').name).toBe('!x');
    expect(parseWords('!x!', []).name).toBe('x!');
    expect(parseWords('x!y', []).name).toBe('x!y');
  });

  test('has five hundred arguments at most', () => {
    const line = (count: number) => `!x ${Array.from({ length: count }, (_, at) => `a${at}=1`).join(' ')}`;
    expect(parseLine(line(500)).pairs).toHaveLength(500);
    expect(failing(() => parseLine(line(501)))).toMatchObject({
      name: 'UsageError',
      message: 'The line has 501 arguments; 500 are the most that it may have.',
    });
  });

  test('may have names that end in a dash, but none that begin with one', () => {
    expect(parseLine('!x a-=1').pairs).toEqual([{ name: 'a-', value: '1' }]);
    expect(problemsOf(() => parseLine('!x -a=1'))).toEqual([{ argument: '-a', message: 'Unknown argument "-a".' }]);
  });

  test.each([
    { line: '"=x', position: 1, quote: '"' },
    { line: "x 'a", position: 3, quote: "'" },
    { line: 'x a=`b', position: 5, quote: '`' },
  ])('advises on the quote of $line', ({ line, position, quote }) => {
    expect(failing(() => tokens(line))).toMatchObject({
      message: `The quote opened at position ${position} is not closed.`,
      hint: `Add the closing ${quote}, or quote the value with another of " ' \`.`,
    });
  });

  test.each([
    { line: '=a', found: [{ value: '=a' }] },
    { line: '``', found: [{ value: '' }] },
    { line: 'a=`` b', found: [{ name: 'a', value: '' }, { value: 'b' }] },
    { line: 'a="b"\tc', found: [{ name: 'a', value: 'b' }, { value: 'c' }] },
    { line: 'a="\\q\\^\\\\"', found: [{ name: 'a', value: '\\q^\\' }] },
  ])('$line is taken apart', ({ line, found }) => {
    expect(tokens(line)).toEqual(found);
  });

  test.each(['_', '__proto__', 'constructor', 'prototype', '-a'])('knows no argument %s', (name) => {
    const problem = { argument: name, message: `Unknown argument "${name}".` };
    expect(problemsOf(() => parseLine(`!x ${name}=1`))).toEqual([problem]);
    expect(problemsOf(() => parseWords('x', [`${name}=1`]))).toEqual([problem]);
  });

  test('has a space after each closing quote, wherever other spaces are', () => {
    expect(failing(() => tokens('x a="b"c d'))).toMatchObject({
      message: 'There is text directly after the closing quote at position 7.',
      hint: 'Put a space after the quote, or write a quote inside the value as \\".',
    });
  });

  const spec = { name: 'text', quiet: 'flag', wait: 'number', each: 'texts' } as const;
  test.each([
    { argv: ['--wait', '30'], values: { wait: '30' } },
    { argv: ['--wait', '30.25'], values: { wait: '30.25' } },
    { argv: ['--quiet=false'], values: { quiet: false } },
    { argv: ['--each', 'a', '--each', 'b'], values: { each: ['a', 'b'] } },
    { argv: ['a', '--', '--name', 'b'], values: {}, positionals: ['a', '--name', 'b'] },
  ])('of options $argv', ({ argv, values, positionals = [] }) => {
    expect(parseOptions(argv, spec)).toEqual({ values, positionals });
  });

  test.each([
    { argv: ['--wait', 'x30'], message: 'Option --wait needs a number.', hint: 'For example --wait 30.' },
    { argv: ['--wait', '30.'], message: 'Option --wait needs a number.', hint: 'For example --wait 30.' },
    { argv: ['--name', ''], message: 'Option --name needs a value.', hint: undefined },
    { argv: ['--name', 'a', '--name', 'b'], message: 'Option --name is given more than once.', hint: undefined },
    { argv: ['--nmae', 'a'], message: 'Unknown option --nmae.', hint: 'Did you mean "--name"?' },
  ])('of options $argv is refused', ({ argv, message, hint }) => {
    expect(failing(() => parseOptions(argv, spec))).toMatchObject({ message, hint });
  });
});

describe('JSON', () => {
  const VALUE = 'expected a value: an object, an array, a text in double quotes, a number, true, false or null';
  const HALF = 'half of a surrogate pair';
  const ESCAPE = 'this backslash escape does not exist';
  const DIGITS = 'expected four hexadecimal digits after \\u';
  test.each([
    ['', 1, 'the text ends too early'],
    ['[', 2, 'the text ends too early'],
    ['[1,]', 4, VALUE],
    ['tru', 1, VALUE],
    ['[nul]', 2, VALUE],
    ['-', 1, VALUE],
    ['"a', 1, 'the text opened here is not closed'],
    ['{"a" 1}', 6, 'expected ":" after the key'],
    ['{a:1}', 2, 'expected a key in double quotes'],
    ['{"a":1,}', 8, 'expected a key in double quotes'],
    ['{"a":1,"a":2}', 8, 'this key is given twice'],
    ['{"a":1', 7, 'expected "," or "}"'],
    ['[1', 3, 'expected "," or "]"'],
    ['1 2', 3, 'there is text after the end of the JSON value'],
    ['"\n"', 2, 'a text holds a line break or a control character; write \\n instead'],
    ['"\\x"', 2, ESCAPE],
    ['"\\', 2, ESCAPE],
    ['"\\u12g4"', 2, DIGITS],
    ['"\\u 123"', 2, DIGITS],
    ['"\\u123 4"', 2, DIGITS],
    ['"\\udc00"', 2, HALF],
    ['"\\udfff"', 2, HALF],
    ['"\\ud800"', 2, HALF],
    ['"\\udbff"', 2, HALF],
    ['"\\ud800x\\udc00"', 2, HALF],
    ['"\\ud800\\ub000"', 2, HALF],
    ['"\\ud800\\uda00"', 2, HALF],
    ['"\\ud800\\udcg0"', 2, HALF],
    ['"\ud800"', 2, HALF],
    ['"\udc00\udc00"', 2, HALF],
    ['"\udbff\ue000"', 2, HALF],
    ['"\udfff"', 2, HALF],
  ])('%j stops being JSON at column %i: %s', (given, column, message) => {
    expect(parseJsonText(given)).toEqual({ fault: { line: 1, column, message } });
  });

  test.each([
    '"\\ud7ff\\ue000"',
    '"\\ud800\\udc00"',
    '"\\uDBFF\\uDFFF."',
    '"\ud800\udc00"',
    '"\udbff\udfff."',
    '"\ue000"',
    '" \\"\\\\\\/\\b\\f\\n\\r\\t"',
    ' [ 0 , -1.5e+3 , true , false , null ] ',
    '{}',
    '{ "a" : { } , "b" : [ [ ] ] }',
    '"\u007f"',
  ])('%j is what the engine reads', (given) => {
    expect(parseJsonText(given)).toEqual({ value: JSON.parse(given) });
  });

  test('may be nested a hundred levels deep', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(parseJsonText(nested(100))).toHaveProperty('value');
    expect(parseJsonText(nested(101))).toEqual({
      fault: { line: 1, column: 101, message: 'the value is nested deeper than 100 levels' },
    });
  });

  test('may not have more than twenty million characters', () => {
    expect(parseJsonText(`"${'a'.repeat(20_000_000)}"`)).toEqual({
      fault: { line: 1, column: 1, message: 'the text is longer than 20000000 characters' },
    });
  });
});

describe('a value', () => {
  test.each<{ what: string; argument: Argument; value: unknown; message: string; hint?: string }>([
    {
      what: 'no number',
      argument: number('N.'),
      value: 'x',
      message: 'a must be a whole number.',
      hint: 'Write digits only, such as 50.',
    },
    {
      what: 'no Boolean',
      argument: flag('F.'),
      value: 'x',
      message: 'a must be true or false.',
      hint: 'yes and no are accepted as well, in any case.',
    },
    {
      what: 'no JSON',
      argument: json()('J.', {}),
      value: '[',
      message: 'a is not valid JSON: line 1, column 2: the text ends too early.',
      hint: 'Quote JSON with backticks, so that nothing in it needs a backslash.',
    },
    {
      what: 'too small',
      argument: number('N.', { schema: { minimum: 2 } }),
      value: 1,
      message: 'a must be at least 2, not "1".',
    },
    {
      what: 'too small, of a secret',
      argument: number('N.', { secret: true, schema: { minimum: 2 } }),
      value: 1,
      message: 'a must be at least 2.',
    },
    {
      what: 'too short',
      argument: text('T.', { schema: { minLength: 3 } }),
      value: 'ab',
      message: 'a must have at least 3 characters.',
    },
    {
      what: 'too long',
      argument: text('T.', { schema: { maxLength: 2 } }),
      value: 'a😀b',
      message: 'a must have at most 2 characters; it has 3.',
    },
    {
      what: 'too many bytes',
      argument: text('T.', { schema: { maxBytes: 3 } }),
      value: 'ää',
      message: 'a must have at most 3 bytes; it has 4.',
    },
    {
      what: 'too few entries',
      argument: list('L.', { schema: { minItems: 2 } }),
      value: 'x',
      message: 'a must have at least 2 entries.',
    },
    {
      what: 'too many entries',
      argument: list('L.', { schema: { maxItems: 1 } }),
      value: 'x,y',
      message: 'a must have at most 1 entries.',
    },
    {
      what: 'of a form without a name',
      argument: text('T.', { schema: { pattern: '^x' } }),
      value: 'y',
      message: 'a has a character or a form that is not allowed.',
    },
    {
      what: 'of another form',
      argument: text('T.', { schema: { pattern: '^x', title: 'an x' } }),
      value: 'y',
      message: 'a must be an x, not "y".',
    },
    {
      what: 'refused by another keyword',
      argument: number('N.', { schema: { multipleOf: 2 } }),
      value: 3,
      message: 'a is not valid.',
    },
    {
      what: 'none of the choices',
      argument: text('T.', { choices: ['one', 'two'] }),
      value: 'zzz',
      message: 'a does not take "zzz".',
      hint: 'Choices: one, two.',
    },
    {
      what: 'nearly a choice',
      argument: text('T.', { choices: ['one', 'two'] }),
      value: 'twp',
      message: 'a does not take "twp".',
      hint: 'Did you mean "two"? Choices: one, two.',
    },
    {
      what: 'no choice of a number',
      argument: number('N.', { choices: ['1', '2'] }),
      value: '3',
      message: 'a does not take this value.',
      hint: 'Choices: 1, 2.',
    },
    {
      what: 'a secret that is no choice',
      argument: text('T.', { secret: true, choices: ['one'] }),
      value: 'on',
      message: 'a does not take this value.',
      hint: 'Choices: one.',
    },
    {
      what: 'no choice of a list',
      argument: list('L.', { choices: ['one'] }),
      value: 'one,zzz',
      message: 'a (at 1) does not take "zzz".',
      hint: 'Choices: one.',
    },
    { what: 'no UUID', argument: uuid('U.'), value: 'x', message: 'a must be a UUID, not "x".' },
    {
      what: 'no UUID in a list',
      argument: uuids('U.'),
      value: `${ID},x`,
      message: 'a (at 1) must be a UUID, not "x".',
    },
    { what: 'a list without a UUID', argument: uuids('U.'), value: '[]', message: 'a must have at least 1 entries.' },
    { what: 'more than a UUID', argument: uuid('U.'), value: `${ID}0`, message: `a must be a UUID, not "${ID}0".` },
    { what: 'no address', argument: email('E.'), value: 'a@b c', message: 'a must be an email address, not "a@b c".' },
    {
      what: 'no time',
      argument: time('T.'),
      value: 'soon',
      message: 'a must be an ISO 8601 time, or how long ago, such as 7 days, not "soon".',
    },
    {
      what: 'null where nothing can be cleared',
      argument: kept('K.'),
      value: 'null',
      message: 'a must be a text other than null: it cannot be cleared, not "null".',
    },
    {
      what: 'sixty characters',
      argument: uuid('U.'),
      value: 'x'.repeat(60),
      message: `a must be a UUID, not "${'x'.repeat(60)}".`,
    },
    {
      what: 'more than sixty characters',
      argument: uuid('U.'),
      value: `${'x'.repeat(60)}yz`,
      message: `a must be a UUID, not "${'x'.repeat(60)}...".`,
    },
    { what: 'page -1', argument: pages.page, value: '-1', message: 'a must be at least 0, not "-1".' },
    { what: 'no record on a page', argument: pages.size, value: '0', message: 'a must be at least 1, not "0".' },
    {
      what: 'a position before the first',
      argument: offset(),
      value: '-1',
      message: 'a must be at least 0, not "-1".',
    },
    {
      what: 'a number of records before none',
      argument: skip(),
      value: '-1',
      message: 'a must be at least 0, not "-1".',
    },
    {
      what: 'too deep',
      argument: json()('J.', {}),
      value: JSON.parse(`${'['.repeat(101)}${']'.repeat(101)}`),
      message: 'a is nested deeper than 100 levels.',
    },
  ])('that is $what: $message', ({ argument, value, message, hint }) => {
    expect(said(argument, value)).toEqual(hint === undefined ? [message] : [message, hint]);
  });

  test.each<{ argument: Argument; value: unknown; becomes: unknown }>([
    { argument: text('T.'), value: { a: 1 }, becomes: '{"a":1}' },
    { argument: file('F.'), value: 12, becomes: '12' },
    { argument: number('N.', { choices: ['1', '2'] }), value: '2', becomes: 2 },
    { argument: list('L.'), value: [1, true, 'x'], becomes: ['1', 'true', 'x'] },
    { argument: list('L.'), value: ' a , b ', becomes: ['a', 'b'] },
    { argument: list('L.'), value: ' ["a,b"] ', becomes: ['a,b'] },
    { argument: list('L.', { tokens: 'cloud' }), value: 'cloud_a,aws,x', becomes: ['aws', 'aws', 'x'] },
    { argument: json()('J.', { type: ['array', 'object'] }), value: ['cloud_a'], becomes: ['cloud_a'] },
    { argument: text('T.', { clearable: true }), value: 'x', becomes: 'x' },
    { argument: text('T.', { clearable: true }), value: null, becomes: undefined },
    { argument: text('T.', { default: 'd' }), value: null, becomes: 'd' },
    { argument: kept('K.'), value: 'nullable', becomes: 'nullable' },
    { argument: time('T.'), value: '7 days ago', becomes: '7 days ago' },
    { argument: uuids('U.'), value: ID, becomes: [ID] },
  ])('$value becomes $becomes', ({ argument, value, becomes }) => {
    expect(taken(argument, value)).toEqual(becomes);
  });

  test('of a clearable argument is checked against what it takes besides null, once', () => {
    const argument = text('T.', { clearable: true, schema: { pattern: '^x', title: 'an x' } });
    expect(said(argument, 'y')).toEqual(['a must be an x, not "y".']);
    expect(said(number('N.', { clearable: true, schema: { minimum: 2 } }), '1')).toEqual([
      'a must be at least 2, not "1".',
    ]);
  });

  const titled = { type: 'object', additionalProperties: { type: 'string', pattern: '^x', title: 'an x' } };
  const rows = {
    type: 'array',
    items: { type: 'object', properties: { 'a/b~c %': { type: 'string', pattern: '^x', title: 'an x' } } },
  };
  test.each([
    { schema: titled, value: { k: 'y' }, message: 'a (at k) must be an x, not "y".' },
    { schema: rows, value: [{}, { 'a/b~c %': 'y' }], message: 'a (at 1/a~1b~0c %) must be an x, not "y".' },
    { schema: { type: 'object', required: ['k'] }, value: {}, message: 'a lacks "k".' },
    { schema: { type: 'array', items: { type: 'object' } }, value: [1], message: 'a (at 0) must be an object.' },
    { schema: { type: 'object' }, value: 1, message: 'a must be an object.' },
    { schema: { type: 'array' }, value: {}, message: 'a must be an array.' },
    {
      schema: { type: 'object', properties: { k: { pattern: '^x' } } },
      value: { k: 'y' },
      message: 'a (at k) has a character or a form that is not allowed.',
    },
  ])('inside JSON is told by its place: $message', ({ schema, value, message }) => {
    expect(said(json()('J.', schema), value)).toEqual([message]);
    expect(said(json()('J.', schema, { clearable: true }), value)).toEqual([message]);
  });

  test('of JSON may be null only where it can be cleared', () => {
    expect(said(json()('J.', { type: 'object' }), ' null ')).toEqual(['a must be an object.']);
    expect(taken(json()('J.', { type: 'object' }, { clearable: true }), 'null')).toBeNull();
  });

  test('has a hundred problems at most', () => {
    const ids = Array.from({ length: 100 }, () => 'x');
    expect(said(uuids('U.'), ids)).toHaveLength(100);
    expect(said(uuids('U.'), [...ids, 'x'])).toHaveLength(100);
  });

  test('of a standing argument is what it says', () => {
    const args = { page: pages.page, size: pages.size, limit: limit(7), offset: offset(), skip: skip() };
    expect(readPairs(args, []).values).toEqual({ page: 0, size: 50, limit: 7, offset: 0, skip: undefined });
    expect(Object.values(args).map(({ description }) => description)).toEqual([
      'Page number, counted from 0.',
      'Number of records on a page.',
      'Maximum number of records to return.',
      'Number of records to skip before the first one.',
      'Number of records to skip before the first one.',
    ]);
    expect(
      [offset(), offset({ extension: true }), skip({ extension: true })].map(({ extension }) => extension),
    ).toEqual([undefined, true, true]);
    expect(kept('K.')).toMatchObject({ kind: 'text', required: true });
    expect([file('F.').kind, uuids('U.').kind, time('T.').kind]).toEqual(['file', 'list', 'text']);
  });
});

describe('reading', () => {
  const secret = { key: text('K.', { secret: true }), name: text('N.') };

  test.each<{ args: Arguments; line: string; message: string; hint: string }>([
    { args: {}, line: 'x=1', message: 'aisec-test has no argument "x".', hint: 'It takes none.' },
    {
      args: { abc: text('A.'), def: text('D.') },
      line: 'xyz=1',
      message: 'aisec-test has no argument "xyz".',
      hint: 'It takes abc, def.',
    },
    { args: secret, line: 'word=1', message: 'aisec-test has no argument "word".', hint: 'It takes key, name.' },
    { args: secret, line: 'Word1=1', message: 'aisec-test has no argument of that name.', hint: 'It takes key, name.' },
    { args: secret, line: '1word=1', message: 'aisec-test has no argument of that name.', hint: 'It takes key, name.' },
    { args: secret, line: 'word1=1', message: 'aisec-test has no argument of that name.', hint: 'It takes key, name.' },
    { args: secret, line: 'namE=1', message: 'aisec-test has no argument "namE".', hint: 'Did you mean "name"?' },
    {
      args: {},
      line: `${'y'.repeat(60)}z=1`,
      message: `aisec-test has no argument "${'y'.repeat(60)}".`,
      hint: 'It takes none.',
    },
    {
      args: {},
      line: `${'y'.repeat(60)}z`,
      message: `"${'y'.repeat(60)}" belongs to no argument of aisec-test.`,
      hint: 'Write name=value, and quote a value that holds spaces: name="two words".',
    },
    {
      args: { a: text('A.') },
      line: 'a=${X.Y}',
      message: 'a: ${X.Y} finds nothing in the context.',
      hint: 'Run the command that fills it first, or write \\${ for the text itself.',
    },
    {
      args: { a: text('A.') },
      line: 'a=${Deep}',
      message: 'a: ${Deep} finds what is nested deeper than 100 levels.',
      hint: 'Run the command that fills it first, or write \\${ for the text itself.',
    },
    {
      args: { a: text('The a.', { required: true }) },
      line: '',
      message: 'The required argument a is missing.',
      hint: 'a: The a.',
    },
  ])('"$line": $message', ({ args, line, message, hint }) => {
    const Deep: unknown = JSON.parse(`${'['.repeat(101)}${']'.repeat(101)}`);
    const run = () => readArguments({ name: NAME, args }, parseLine(`!x ${line}`), { context: { Deep } });
    expect(problemsOf(run)).toMatchObject([{ message, hint }]);
  });

  test('takes no typed value twice, and no second value beside a typed list', () => {
    for (const pair of [
      [['x'], 'y'],
      ['x', ['y']],
    ]) {
      const run = () =>
        readPairs(
          { a: list('A.') },
          pair.map((value) => ['a', value] as const),
        );
      expect(problemsOf(run)).toEqual([{ argument: 'a', message: 'a is given more than once.' }]);
    }
    expect(
      problemsOf(() =>
        readPairs({}, [
          ['using', '1'],
          ['using', '2'],
        ]),
      ),
    ).toHaveLength(1);
  });

  test('says of one argument only one thing: its own problem, before a rule', () => {
    const args = { a: number('A.'), b: text('B.') };
    const rules = [needs('b', 'x', 'a')];
    expect(
      problemsOf(() =>
        readPairs(
          args,
          [
            ['a', 'z'],
            ['b', 'x'],
          ],
          {},
          rules,
        ),
      ),
    ).toHaveLength(1);
    const other = [oneOf('c'), needs('b', 'x', 'a')];
    expect(
      problemsOf(() =>
        readPairs(
          args,
          [
            ['a', 'z'],
            ['b', 'x'],
          ],
          {},
          other,
        ),
      ).map(({ argument }) => argument),
    ).toEqual(['a', 'c']);
  });

  test('takes a secret from elsewhere only where the whole value says so', () => {
    const value = readArguments({ name: NAME, args: secret }, parseLine('!x key=x@env:Y'), { secretSource: () => 'z' });
    expect(value.values['key']).toBe('x@env:Y');
  });

  test.each([
    { given: ' true ', showRaw: true },
    { given: 'NO', showRaw: false },
  ])('takes "$given" for raw-response', ({ given, showRaw }) => {
    expect(readPairs({}, [['raw-response', given]]).generic.showRaw).toBe(showRaw);
  });

  test.each(['untrue', 'trueish', 'nope', 'uno'])('refuses %s for raw-response', (given) => {
    expect(problemsOf(() => readPairs({}, [['raw-response', given]]))).toEqual([
      { argument: 'raw-response', message: 'raw-response must be true or false.' },
    ]);
  });

  test.each([
    { given: '999999', seconds: 999_999 },
    { given: ' 12 ', seconds: 12 },
    { given: ' ', seconds: undefined },
  ])('takes "$given" for execution-timeout', ({ given, seconds }) => {
    expect(readPairs({}, [['execution-timeout', given]]).generic.timeoutSeconds).toBe(seconds);
  });

  test.each(['1000000', 'x12', '12x', '1.5'])('refuses %s for execution-timeout', (given) => {
    expect(problemsOf(() => readPairs({}, [['execution-timeout', given]]))).toHaveLength(1);
  });

  test.each([
    {
      given: ' a.b = x.y ::  :: c_1-d=.',
      extend: [
        { path: 'a.b', from: 'x.y' },
        { path: 'c_1-d', from: '.' },
      ],
    },
    { given: '_=', extend: [{ path: '_', from: '' }] },
    { given: ' ', extend: [] },
  ])('takes "$given" for extend-context', ({ given, extend }) => {
    expect(readPairs({}, [['extend-context', given]]).generic.extend).toEqual(extend);
  });

  test.each(['=x', '1a=x', 'a b=x', 'a$=x', 'ab'])('refuses %s for extend-context', (given) => {
    expect(problemsOf(() => readPairs({}, [['extend-context', given]]))).toEqual([
      { argument: 'extend-context', message: 'extend-context must read key=path, joined with "::".' },
    ]);
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
  const found = (path: string) => lookUp(context, parsePath(path) ?? []);

  test.each([
    ['Rows.[0].id', 1],
    ['Rows[1].id', 2],
    ['Many.[11]', 11],
    ['One.[0].id', 7],
    ['One.a-b', 'dash'],
    ['Rows.in.x', ['p', 'q']],
    ['Rows(val.kind=="b").id', [2, 3]],
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
    expect(found(path)).toEqual(value);
  });

  test.each([
    '',
    '.',
    '.One',
    '[0]',
    '(val.a=="b")',
    'One.',
    'One..id',
    'One id',
    'One.[x]',
    'One.[1',
    'One.x[1]y',
    'One(id==1)',
    'One(val==1)',
    'One(val.id=1)',
    'One(val.id==)',
    'One(val.id==1 2)',
    'One(val.id=="1"2)',
    'One(x val.id==1)',
    'One((val.id==1))',
    'One.(val.id==1)',
    'One.x (val.id==1)',
    'One$',
    '1One',
  ])('%s is none', (path) => {
    expect(parsePath(path)).toBeUndefined();
  });

  test.each([
    { given: '${One}', value: { id: 7, 'a-b': 'dash' }, missing: [] },
    { given: '-${One}-', value: '-{"id":7,"a-b":"dash"}-', missing: [] },
    { given: '${ One.id }', value: 7, missing: [] },
    { given: '${One.id}${One.id}', value: '77', missing: [] },
    { given: 'a${ Gone }b', value: 'ab', missing: ['Gone'] },
    { given: '${Gone}', value: undefined, missing: ['Gone'] },
    { given: '${One.id', value: '${One.id', missing: [] },
    { given: '${{One.id}}', value: '${{One.id}}', missing: [] },
    { given: '${a b} ${One.id}', value: '${a b} 7', missing: [] },
    { given: '${${One.id}}', value: '${7}', missing: [] },
    { given: '\\${One.id}', value: '${One.id}', missing: [] },
    { given: 'x\\\\${One.id}', value: 'x\\7', missing: [] },
    { given: '\\\\\\${One.id} ${One.id}', value: '\\${One.id} 7', missing: [] },
    { given: '\\x${One.id}', value: '\\x7', missing: [] },
    { given: '${One.id}\\${One.id}', value: '7${One.id}', missing: [] },
    { given: '${}', value: '${}', missing: [] },
  ])('in $given', ({ given, value, missing }) => {
    const told: string[] = [];
    expect(resolveReferences(given, context, (reference) => told.push(reference))).toEqual(value);
    expect(told).toEqual(missing);
  });
});

describe('a rule', () => {
  const args = { a: text('A.'), b: text('B.'), c: text('C.'), f: flag('F.') };
  const oneOfHint = 'One of a or b is required.';
  test.each<{ rule: Rule; description: string; given: Record<string, string>; problem?: Partial<Problem> }>([
    {
      rule: oneOf('a', 'b'),
      description: oneOfHint,
      given: {},
      problem: { argument: 'a', message: 'Give a or b.', hint: oneOfHint },
    },
    {
      rule: apart('a', 'b', 'c'),
      description: 'a cannot be given together with b, c.',
      given: { a: '1', c: '1' },
      problem: { argument: 'a', message: 'a cannot be given together with b, c.', hint: 'Leave out a, or c.' },
    },
    {
      rule: apart('a', 'b', 'c'),
      description: 'a cannot be given together with b, c.',
      given: { a: '1', b: '1', c: '1' },
      problem: { hint: 'Leave out a, or b, c.' },
    },
    { rule: apart('a', 'b', 'c'), description: 'a cannot be given together with b, c.', given: { a: '1' } },
    { rule: apart('a', 'b', 'c'), description: 'a cannot be given together with b, c.', given: { b: '1', c: '1' } },
    {
      rule: needs('f', true, 'a'),
      description: 'f=true requires a.',
      given: { f: 'yes' },
      problem: { argument: 'a', message: 'f=true requires a.', hint: 'Add a=<value>, or leave f out.' },
    },
    {
      rule: onlyWith('a', 'x', 'b', '0'),
      description: 'b is for a=x alone.',
      given: { b: '1' },
      problem: { argument: 'b', message: 'b is for a=x alone.', hint: 'Leave out b, or set a=x.' },
    },
    {
      rule: onlyWith('a', 'x', 'b', '0'),
      description: 'b is for a=x alone.',
      given: { a: 'y', b: '1' },
      problem: { argument: 'b' },
    },
    { rule: onlyWith('a', 'x', 'b', '0'), description: 'b is for a=x alone.', given: { a: 'x', b: '1' } },
    { rule: onlyWith('a', 'x', 'b', '0'), description: 'b is for a=x alone.', given: { a: 'y', b: '0' } },
    { rule: onlyWith('a', 'x', 'b', '0'), description: 'b is for a=x alone.', given: { a: 'y' } },
    {
      rule: combinedBytes(['a', 'b'], 4),
      description: 'a, b may have at most 4 bytes together.',
      given: { b: 'xxxx' },
    },
    {
      rule: combinedBytes(['a', 'b'], 4),
      description: 'a, b may have at most 4 bytes together.',
      given: { a: 'ä', b: 'äx' },
      problem: { argument: 'a', message: 'a, b may have at most 4 bytes together. They have 5.' },
    },
  ])('$description ($given)', ({ rule, description, given, problem }) => {
    expect(rule.description).toBe(description);
    const problems = problemsOf(() => readPairs(args, Object.entries(given), {}, [rule]));
    expect(problems).toEqual(problem === undefined ? [] : [expect.objectContaining(problem)]);
  });
});

describe('did you mean', () => {
  test.each([
    ['prmopt', ['prompt'], 'prompt'],
    ['abdc', ['abcd'], 'abcd'],
    ['badc', ['abcd'], undefined],
    ['bac', ['abc'], 'abc'],
    ['ab', ['ba'], 'ba'],
    ['acb', ['bca'], undefined],
    ['aab', ['bab', 'aba'], 'bab'],
    ['xy', ['ab'], undefined],
    ['x', ['y'], 'y'],
    ['abcxyz', ['abcdef'], undefined],
    ['abcdxy', ['abcdef'], 'abcdef'],
    ['one', ['on', 'once'], 'on'],
    ['top', ['top-list', 'list'], 'top-list'],
    ['to', ['to-the-list'], undefined],
    ['list', ['the-very-long-list'], 'the-very-long-list'],
    [`${'a'.repeat(100)}zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz`, ['a'.repeat(100)], 'a'.repeat(100)],
  ])('%s of %j: %s', (word, choices, meant) => {
    expect(suggest(word, choices)).toBe(meant);
    expect(didYouMean(word, choices)).toBe(meant === undefined ? undefined : `Did you mean "${meant}"?`);
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
  ])('%s (%s) is %s', (given, bound, moment) => {
    expect(momentOf('a', given, now, bound)).toBe(moment);
  });

  test.each(['2026-02-30', '2026-13-01', '2026-11-20T25:00:00Z', 'x 5 days', '5 days agone', '5 years', 'x2026-11-20'])(
    'there is no %s',
    (given) => {
      expect(problemsOf(() => momentOf('a', given, now))).toEqual([
        { argument: 'a', message: `a: there is no such day or time as "${given}".` },
      ]);
    },
  );
});
