import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { registry } from '../../../commands/index.ts';
import { parseJsonText } from '../../../lib/core/json-text.ts';
import {
  type Argument,
  type Arguments,
  email,
  file,
  flag,
  json,
  limit,
  list,
  number,
  text,
  uuid,
} from '../../../lib/runtime/arguments/builders.ts';
import { GENERIC_NAMES } from '../../../lib/runtime/arguments/generic.ts';
import { shareOf } from '../../support/runs.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { CANARY, NAME, problemsOf, read, readPairs, readTyped, refusal } from './reading.ts';

describe('JSON text', () => {
  const fault = (value: string) => {
    const parsed = parseJsonText(value);
    return 'error' in parsed ? `${parsed.error.line}:${parsed.error.column}` : undefined;
  };

  test('of any value is read as that value', () => {
    const values = fc
      .jsonValue()
      .filter((value) => !/"(__proto__|constructor|prototype)":/.test(JSON.stringify(value)));
    fc.assert(
      fc.property(values, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const written = ` ${JSON.stringify(value, undefined, indent)}\r\n`;
        expect(parseJsonText(written)).toEqual({ value: JSON.parse(written) });
      }),
      { numRuns: shareOf(300) },
    );
  });

  test('is accepted exactly where JSON.parse accepts it, except for duplicate and forbidden keys', () => {
    const tokens = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '1',
      '-',
      '0',
      '.5',
      'e1',
      'true',
      'null',
      ' ',
      '"',
      '\\u0041',
    );
    fc.assert(
      fc.property(
        fc.array(tokens, { maxLength: 12 }).map((parts) => parts.join('')),
        (value) => {
          let engine = true;
          try {
            JSON.parse(value);
          } catch {
            engine = false;
          }
          const parsed = parseJsonText(value);
          const isDuplicate = 'error' in parsed && parsed.error.message === 'this key is given twice';
          if (!isDuplicate) expect('value' in parsed).toBe(engine);
        },
      ),
      { numRuns: shareOf(3000) },
    );
  });

  scenario.each([
    { what: 'nothing', value: '', at: '1:1' },
    { what: 'depth 10,000', value: '['.repeat(10_000), at: '1:101' },
    { what: 'depth 10,000, objects', value: '{"a":'.repeat(10_000), at: '1:501' },
    { what: 'more than 1 MB', value: `"${'x'.repeat(1_000_000)}"`, at: '1:1' },
    { what: 'a key given twice', value: `{"a": "${CANARY}",\n "a": 2}`, at: '2:2' },
    { what: 'a key given twice, in different notations', value: '{"a":1,"\\u0061":2}', at: '1:8' },
    { what: 'a byte order mark', value: '\ufeff{}', at: '1:1' },
    { what: 'NaN', value: `{"a": NaN, "b": "${CANARY}"}`, at: '1:7' },
    { what: 'an extra comma in a list', value: '[1,\n2,]', at: '2:3' },
    { what: 'half of a surrogate pair', value: `"${CANARY}\ud800"`, at: '1:15' },
    { what: 'half of a surrogate pair, escaped', value: '["\\ud800"]', at: '1:3' },
    { what: 'the other half', value: '["\\udc00\\ud800"]', at: '1:3' },
    { what: 'two high halves, escaped', value: '["\\ud800\\uda00"]', at: '1:3' },
    { what: 'a high half before a character', value: '"\udbff\ue000"', at: '1:2' },
    { what: 'an integer that loses digits', value: '[1,\n -9007199254740993]', at: '2:2' },
    { what: 'a decimal that loses digits', value: '9007199254740993.0', at: '1:1' },
    { what: 'an exponent that loses digits', value: '900719925474099301e2', at: '1:1' },
    { what: 'text after the end', value: '{} {}', at: '1:4' },
    { what: 'a leading zero', value: '[01]', at: '1:3' },
    { what: 'an unterminated string', value: `{"a": "${CANARY}}`, at: '1:7' },
    { what: 'a line break in a string', value: '{"a": "x\ny"}', at: '1:9' },
    { what: 'an escape that does not exist', value: '"\\x41"', at: '1:2' },
  ])('json-bombs', 'with $what is refused at $at, and the error does not repeat the text', ({ value, at }) => {
    expect(fault(value)).toBe(at);
    const { message } = refusal(() => readPairs({ a: json()('A.', {}, { required: true }) }, [['a', value]]));
    expect(message).not.toContain(CANARY);
    if (value !== '') expect(message).toMatch(/a is not valid JSON: line \d+, column \d+: \w/);
  });

  scenario.each(
    ['__proto__', 'constructor', 'prototype', '\\u005f_proto__', 'c\\u006fnstructor'].flatMap((key) => [
      { value: `{"${key}": {"polluted": 1}}` },
      { value: `{"a": [{"b": {"${key}": {"prototype": {"polluted": 1}}}}]}` },
    ]),
  )('proto-json', 'with a prototype key is refused in every JSON argument: $value', async ({ value }) => {
    for (const load of Object.values(registry)) {
      const { args } = await load();
      for (const [name, argument] of Object.entries(args)) {
        if (argument.kind !== 'json' && argument.kind !== 'list') continue;
        const typed = argument.kind === 'list' ? `[${value}]` : value;
        const { problems } = refusal(() => readPairs(args, [[name, typed]]));
        expect(problems).toContainEqual(
          expect.objectContaining({ argument: name, message: expect.stringContaining('is not allowed') }),
        );
      }
    }
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  scenario('proto-json', 'from the context keeps a prototype key as an own key', () => {
    const value: unknown = JSON.parse('{"__proto__": {"polluted": 1}, "b": 2}');
    const typed = readTyped(json()('A.', { type: 'object' }), value);
    expect(Reflect.get(Object(typed), 'polluted')).toBeUndefined();
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

test.each([
  '"\\ud7ff\\ue000"',
  '"\\uDBFF\\uDFFF."',
  '"\udbff\udfff."',
  '" \\"\\\\\\/\\b\\f\\n\\r\\t"',
  '[9007199254740991, 9007199254740994, 1e300, 100000000000000000, 0.12345678901234567890]',
  `${'['.repeat(100)}${']'.repeat(100)}`,
])('the JSON text %.70s is read as JSON.parse reads it', (source) => {
  expect(parseJsonText(source)).toEqual({ value: JSON.parse(source) });
});

describe('a value', () => {
  const force = { force: flag('Force.') };
  scenario.each(
    ['true', 'True', 'TRUE', 'yes', 'YES', '" true "']
      .map((typed) => ({ typed, value: true }))
      .concat(
        ['false', 'False', 'no', 'No', 'NO'].map((typed) => ({ typed, value: false })),
        ['""', '" "', ''].map((typed) => ({ typed, value: undefined as unknown as boolean })),
      ),
  )('bool-forms', '$typed is $value', ({ typed, value }) => {
    expect(read(`force=${typed}`, force).values['force']).toBe(value);
  });

  scenario.each(['1', '0', 'maybe', 'on', 'off', 'y', 'null', 'truefalse', '[]'].map((typed) => ({ typed })))(
    'bool-forms',
    '$typed is not a Boolean',
    ({ typed }) => {
      expect(problemsOf(`force=${typed}`, force)).toEqual(['force must be true or false.']);
    },
  );

  scenario.each(['raw-response', 'ignore-outputs'].flatMap((name) => ['1', 'maybe'].map((typed) => ({ name, typed }))))(
    'bool-forms',
    '$typed is not a Boolean for the platform argument $name',
    ({ name, typed }) => {
      expect(problemsOf(`${name}=${typed}`, {})).toEqual([`${name} must be true or false.`]);
    },
  );

  scenario('bool-forms', 'an empty Boolean takes its default, and is missing where it is required', () => {
    expect(read('force=""', { force: flag('Force.', { default: 'true' }) }).values['force']).toBe(true);
    expect(problemsOf('force=""', { force: flag('Force.', { required: true }) })).toEqual([
      'The required argument force is empty.',
    ]);
  });

  const clearable = { clearable: true } as const;
  scenario.each<{ argument: Argument; typed: string; value: unknown }>([
    { argument: text('A.', clearable), typed: 'null', value: null },
    { argument: number('A.', clearable), typed: 'null', value: null },
    { argument: flag('A.', clearable), typed: 'null', value: null },
    { argument: list('A.', clearable), typed: 'null', value: null },
    { argument: uuid('A.', clearable), typed: 'null', value: null },
    { argument: text('A.', clearable), typed: '""', value: undefined },
    { argument: text('A.', clearable), typed: 'NULL', value: 'NULL' },
    { argument: list('A.', clearable), typed: '[]', value: [] },
    { argument: text('A.'), typed: 'null', value: 'null' },
    { argument: list('A.'), typed: 'null', value: ['null'] },
  ])(
    'bool-forms',
    'the string null clears a clearable argument: $typed becomes $value',
    ({ argument, typed, value }) => {
      expect(read(`a=${typed}`, { a: argument }).values['a']).toEqual(value);
    },
  );

  test.each<{ typed: string; value: unknown }>([
    { typed: 'a,b', value: ['a', 'b'] },
    { typed: '" a , ,b, "', value: ['a', 'b'] },
    { typed: 'one', value: ['one'] },
    { typed: '`["a, b", "c"]`', value: ['a, b', 'c'] },
    { typed: '`[1, true, "x"]`', value: ['1', 'true', 'x'] },
    { typed: '[]', value: [] },
    { typed: 'a a=b', value: ['a', 'b'] },
    { typed: 'a a=', value: ['a'] },
  ])('of a list: $typed is $value', ({ typed, value }) => {
    expect(read(`a=${typed}`, { a: list('A.') }).values['a']).toEqual(value);
  });

  test.each([
    { typed: '`["a"`', message: 'a is not valid JSON: line 1, column 5: expected "," or "]".' },
    { typed: '`[{"b": 1}]`', message: 'a (at 0) must be a string.' },
    { typed: '`[null]`', message: 'a (at 0) must be a string.' },
  ])('of a list is refused: $typed', ({ typed, message }) => {
    expect(problemsOf(`a=${typed}`, { a: list('A.') })).toEqual([message]);
  });

  test.each([
    { argument: text('A.'), given: ['f1'], value: 'f1' },
    { argument: file('A.'), given: ['f1'], value: 'f1' },
    { argument: file('A.'), given: '["f1"]', value: 'f1' },
    { argument: file('A.'), given: '["f1', value: '["f1' },
    { argument: number('A.'), given: [5], value: 5 },
    { argument: flag('A.'), given: ['yes'], value: true },
    { argument: text('A.'), given: [null], value: undefined },
    { argument: text('A.'), given: '["f1"]', value: '["f1"]' },
    { argument: list('A.'), given: ['f1'], value: ['f1'] },
    { argument: json()('A.', {}), given: ['f1'], value: ['f1'] },
  ])(
    'of $argument.kind: a list with one entry counts as that entry, $given is $value',
    ({ argument, given, value }) => {
      expect(readTyped(argument, given)).toEqual(value);
    },
  );

  test.each([
    { argument: file('A.'), given: '["f1","f2"]' },
    { argument: text('A.'), given: ['f1', 'f2'] },
    { argument: text('A.'), given: [['f1', 'f2']] },
  ])('of $argument.kind is refused: $given', ({ argument, given }) => {
    const { problems } = refusal(() => readTyped(argument, given));
    expect(problems.map(({ message }) => message)).toEqual(['a takes one value, and this is a list of 2.']);
  });

  test('may be a neutral or a wire token: results show the neutral token, requests have the wire token', () => {
    const closed = {
      a: text('A.', { tokens: 'cloud', choices: ['cloud_a', 'other'] }),
      b: text('B.', { tokens: 'cloud' }),
    };
    for (const token of ['cloud_a', 'aws']) {
      const { values, typed } = read(`a=${token} b=${token}`, closed);
      expect([values, typed]).toEqual([
        { a: 'aws', b: 'aws' },
        { a: 'cloud_a', b: 'cloud_a' },
      ]);
    }
    expect(read('b=new-cloud', closed).values['b']).toBe('new-cloud');
    expect(read('a=other', closed).values['a']).toBe('other');
  });
});

describe('reading a line', () => {
  const args = {
    name: text('Name of it.', { required: true, positional: true, schema: { maxBytes: 4 } }),
    id: uuid('Id of it.'),
    mode: text('Mode.', { choices: ['block', 'allow'], default: 'block' }),
    count: number('Count.', { schema: { minimum: 1, maximum: 10 } }),
    who: email('Who.'),
    key: text('Key.', { secret: true, schema: { pattern: '^[a-z]+$', title: 'lower case' } }),
    prompt: text('Prompt.', { content: true, choices: ['never'] }),
    items: list('Items.', { schema: { minItems: 2, maxItems: 3 } }),
    policy: json()('Policy.', { type: 'object', required: ['a'], properties: { a: { type: 'array' } } }),
  };

  test('reports all problems at once, each with its argument', () => {
    const error = refusal(() =>
      read(
        `nmae=x id=7 mode=blok count=0 who=ana key=${CANARY} prompt="${CANARY}" items=a policy=\`{"a":1}\` extra=${CANARY} retry-count=x`,
        args,
      ),
    );
    expect(error.problems.map(({ argument }) => argument).sort()).toEqual(
      ['nmae', 'extra', 'retry-count', 'name', 'id', 'mode', 'count', 'who', 'key', 'prompt', 'items', 'policy'].sort(),
    );
    expect(error).toMatchObject({ command: NAME, exitCode: 2, code: 'arguments' });
    expect(`${error.message} ${error.hint}`).not.toContain(CANARY);
  });

  test.each([
    { line: '', messages: ['The required argument name is missing.'] },
    { line: 'name=""', messages: ['The required argument name is empty.'] },
    { line: 'name=x count=11', messages: ['count must be at most 10, not "11".'] },
    { line: 'name=x name=y', messages: ['name is given more than once.'] },
    { line: 'x y', messages: [`A value without a name belongs to no argument of ${NAME}.`] },
    { line: 'x name=y', messages: [`A value without a name belongs to no argument of ${NAME}.`] },
    { line: 'name=x extend-context=nonsense', messages: ['extend-context must read key=path, joined with "::".'] },
    {
      line: 'name=x execution-timeout=-1',
      messages: ['execution-timeout must be a whole number of seconds or times.'],
    },
    {
      what: 'a time limit longer than any timer',
      line: 'name=x execution-timeout=2073601',
      messages: ['execution-timeout must be a whole number of seconds or times, at most 2073600.'],
    },
  ])('"$line": $messages', ({ line, messages }) => {
    expect(problemsOf(line, args)).toEqual(messages);
  });

  test.each(['', 'rows='])('"%s" is refused if one of two arguments is required', (line) => {
    const either = { rows: text('The rows.', { required: true, unless: 'source' }), source: text('A file of rows.') };
    const { message, hint } = refusal(() => read(line, either));
    expect([message, hint]).toEqual(['Neither rows nor source is given.', 'rows: The rows. Or give source.']);
    expect(read('source=x', either).values['rows']).toBeUndefined();
  });

  test('a required argument may have several alternatives', () => {
    const any = {
      rows: text('The rows.', { required: true, unless: ['source', 'query'] }),
      source: text('A file of rows.'),
      query: text('A query for rows.'),
    };
    const { message, hint } = refusal(() => read('query=', any));
    expect([message, hint]).toEqual([
      'Neither rows nor source nor query is given.',
      'rows: The rows. Or give source or query.',
    ]);
    expect(read('query=x', any).values).toMatchObject({ query: 'x' });
    expect(read('rows=a source=x', any).values).toMatchObject({ rows: 'a', source: 'x' });
  });

  test('counts an empty optional argument as missing', () => {
    const { values } = read('name=x id="" mode="  " count= items="" policy="" key=""', args);
    expect(values).toEqual({
      ...Object.fromEntries(Object.keys(args).map((name) => [name, undefined])),
      name: 'x',
      mode: 'block',
    });
  });

  test('accepts a value without a name for the default argument', () => {
    expect(read('x count=2', args).values).toMatchObject({ name: 'x', count: 2 });
    expect(problemsOf('x', { a: text('A.') })).toEqual([`"x" belongs to no argument of ${NAME}.`]);
  });

  test('accepts platform arguments, and says which have no effect', () => {
    const line =
      'raw-response=true ignore-outputs=YES extend-context="a.b=x.y::c=." execution-timeout=5 retry-count=2 retry-interval=7 using=i debug-mode=true';
    expect(read(line, {}).generic).toEqual({
      showRaw: true,
      ignoreOutputs: true,
      extend: [
        { path: 'a.b', from: 'x.y' },
        { path: 'c', from: '.' },
      ],
      timeoutSeconds: 5,
      retries: 2,
      retrySeconds: 7,
      ignored: ['using', 'debug-mode'],
    });
    for (const name of GENERIC_NAMES) expect(read(`${name}=""`, {}).generic).toBeDefined();
  });

  const secretSource = (kind: 'env' | 'file', name: string) =>
    name === 'KNOWN' ? `${kind}: \${not.a.reference}` : undefined;
  test.each([
    { typed: '@env:KNOWN', value: 'env: ${not.a.reference}' },
    { typed: '@file:KNOWN', value: 'file: ${not.a.reference}' },
    { typed: 'plain', value: 'plain' },
    { typed: '@other:KNOWN', value: '@other:KNOWN' },
  ])('reads a secret typed as $typed', ({ typed, value }) => {
    expect(read(`a=${typed}`, { a: text('A.', { secret: true }) }, { secretSource }).values['a']).toBe(value);
  });

  scenario.each([
    { what: 'a text', value: 'a\ud83d' },
    { what: 'an element', value: ['whole', '\udc00\ud800'] },
    { what: 'a member', value: [{ b: { c: '\ud83d' } }] },
    { what: 'the name of a member', value: [{ '\udfff': 1 }] },
    { what: 'a value of the context', value: '${half}' },
  ])('one-json', 'refuses half of a surrogate pair in $what by name', ({ value }) => {
    const args = { a: text('A.'), b: list('B.') };
    const name = typeof value === 'string' ? 'a' : 'b';
    const { problems } = refusal(() => readPairs(args, [[name, value]], { context: { half: '\ude00' } }));
    expect(problems).toContainEqual(
      expect.objectContaining({
        argument: name,
        message: `${name} has a broken character: half of a surrogate pair.`,
      }),
    );
    expect(readPairs(args, [[name, '\ud83d\ude00']]).values[name]).toBeDefined();
  });

  test('reads @env and @file only for secret arguments', () => {
    expect(read('a=@env:KNOWN', { a: text('A.') }, { secretSource }).values['a']).toBe('@env:KNOWN');
  });

  test.each([
    {
      typed: '@env:UNKNOWN',
      message: 'a: environment variable UNKNOWN is not set.',
      elsewhere: 'a: @env: is not available here.',
    },
    {
      typed: '@file:/no/such',
      message: 'a: file /no/such cannot be read.',
      elsewhere: 'a: @file: is not available here.',
    },
  ])('refuses $typed, which does not exist or is not readable by the host', ({ typed, message, elsewhere }) => {
    const secret = { a: text('A.', { secret: true }) };
    expect(problemsOf(`a=${typed}`, secret, { secretSource })).toEqual([message]);
    expect(problemsOf(`a=${typed}`, secret)).toEqual([elsewhere]);
  });

  test('a limit is at least 1', () => {
    expect(read('', { limit: limit(50) }).values['limit']).toBe(50);
    expect(problemsOf('limit=0', { limit: limit(50) })).toEqual(['limit must be at least 1, not "0".']);
  });
});

describe('the arguments', () => {
  const argumentsOf = async (name: string): Promise<Arguments> => (await registry[name]?.())?.args ?? {};

  const ajv = new Ajv2020({ strict: true, strictTypes: false });
  ajv.addKeyword({ keyword: 'maxBytes', type: 'string', schemaType: 'number' });
  test.each(Object.keys(registry))('of %s have valid JSON schemas', async (name) => {
    const args = await argumentsOf(name);
    for (const { schema } of Object.values(args)) expect(() => ajv.compile(schema)).not.toThrow();
  });
});
