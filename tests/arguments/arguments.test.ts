import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { registry } from '../../commands/index.ts';
import { parseLine } from '../../lib/arguments/argv.ts';
import { GENERIC_NAMES } from '../../lib/arguments/generic.ts';
import { parseJsonText } from '../../lib/arguments/json-text.ts';
import { readArguments, type World } from '../../lib/arguments/read.ts';
import { combinedBytes, needs, oneOf, type Rule } from '../../lib/arguments/rules.ts';
import { didYouMean, suggest } from '../../lib/arguments/suggest.ts';
import {
  type Argument,
  type Arguments,
  email,
  flag,
  json,
  limit,
  list,
  number,
  text,
  uuid,
} from '../../lib/arguments/words.ts';
import { ValidationError } from '../../lib/errors.ts';
import { scenario } from '../scenarios/claims.ts';

const NAME = 'aisec-test';
const CANARY = 'canary-5ecret';

interface Given extends Partial<World> {
  rules?: readonly Rule[];
}

function read(rest: string, args: Arguments, { rules = [], context = {}, secretSource }: Given = {}) {
  const invocation = parseLine(`!${NAME} ${rest}`);
  return readArguments({ name: NAME, args, rules }, invocation, { context, secretSource });
}

/** What a typed value, as a playbook hands it over, becomes. */
function readTyped(argument: Argument, value: unknown) {
  const invocation = { name: NAME, pairs: [{ name: 'a', value }], positionals: [] };
  return readArguments({ name: NAME, args: { a: argument } }, invocation, { context: {} }).values['a'];
}

function refusal(run: () => unknown): ValidationError {
  try {
    run();
  } catch (error) {
    if (error instanceof ValidationError) return error;
    throw error;
  }
  throw new Error('It was expected to be refused.');
}

const problemsOf = (rest: string, args: Arguments, given?: Given) =>
  refusal(() => read(rest, args, given)).problems.map(({ message }) => message);

describe('JSON text', () => {
  const fault = (value: string) => {
    const parsed = parseJsonText(value);
    return 'fault' in parsed ? `${parsed.fault.line}:${parsed.fault.column}` : undefined;
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
      { numRuns: 300 },
    );
  });

  test('is taken exactly where the engine takes it, but for twofold and forbidden keys', () => {
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
          const twofold = 'fault' in parsed && parsed.fault.message === 'this key is given twice';
          if (!twofold) expect('value' in parsed).toBe(engine);
        },
      ),
      { numRuns: 3000 },
    );
  });

  scenario.each([
    { what: 'nothing', value: '', at: '1:1' },
    { what: 'depth 10,000', value: '['.repeat(10_000), at: '1:101' },
    { what: 'depth 10,000, objects', value: '{"a":'.repeat(10_000), at: '1:501' },
    { what: 'more than 20 MB', value: `"${'x'.repeat(20_000_000)}"`, at: '1:1' },
    { what: 'a key given twice', value: `{"a": "${CANARY}",\n "a": 2}`, at: '2:2' },
    { what: 'a key given twice, written otherwise', value: '{"a":1,"\\u0061":2}', at: '1:8' },
    { what: 'a byte order mark', value: '\ufeff{}', at: '1:1' },
    { what: 'NaN', value: `{"a": NaN, "b": "${CANARY}"}`, at: '1:7' },
    { what: 'Infinity', value: '[-Infinity]', at: '1:2' },
    { what: 'a comma too many, list', value: '[1,\n2,]', at: '2:3' },
    { what: 'a comma too many, object', value: '{"a":1,}', at: '1:8' },
    { what: 'half of a surrogate pair', value: `"${CANARY}\ud800"`, at: '1:15' },
    { what: 'half of a surrogate pair, escaped', value: '["\\ud800"]', at: '1:3' },
    { what: 'the other half', value: '["\\udc00\\ud800"]', at: '1:3' },
    { what: 'text after the end', value: '{} {}', at: '1:4' },
    { what: 'single quotes', value: "{'a':1}", at: '1:2' },
    { what: 'a comment', value: '[1 /* x */]', at: '1:4' },
    { what: 'a leading zero', value: '[01]', at: '1:3' },
    { what: 'a text that is not closed', value: `{"a": "${CANARY}}`, at: '1:7' },
    { what: 'a line break in a text', value: '{"a": "x\ny"}', at: '1:9' },
    { what: 'an escape that does not exist', value: '"\\x41"', at: '1:2' },
    { what: 'three hexadecimal digits', value: '"\\u041"', at: '1:2' },
    { what: 'a missing colon', value: '{"a" 1}', at: '1:6' },
    { what: 'a missing bracket', value: '[1, 2', at: '1:6' },
  ])('json-bombs', 'with $what is refused at $at, without repeating it', ({ value, at }) => {
    expect(fault(value)).toBe(at);
    const argument = json()('A.', {});
    const message = refusal(() =>
      readArguments(
        { name: NAME, args: { a: { ...argument, required: true } } },
        { name: NAME, pairs: [{ name: 'a', value }], positionals: [] },
        { context: {} },
      ),
    ).message;
    expect(message).not.toContain(CANARY);
    if (value !== '') expect(message).toMatch(/a is not valid JSON: line \d+, column \d+: \w/);
  });

  scenario.each(
    ['__proto__', 'constructor', 'prototype', '\\u005f_proto__', 'c\\u006fnstructor'].flatMap((key) => [
      { value: `{"${key}": {"polluted": 1}}` },
      { value: `{"a": [{"b": {"${key}": {"prototype": {"polluted": 1}}}}]}` },
    ]),
  )('proto-json', 'that reaches for a prototype is refused in every JSON argument: $value', async ({ value }) => {
    for (const load of Object.values(registry)) {
      const { args } = await load();
      for (const [name, argument] of Object.entries(args)) {
        if (argument.kind !== 'json' && argument.kind !== 'list') continue;
        const given = argument.kind === 'list' ? `[${value}]` : value;
        const invocation = { name: NAME, pairs: [{ name, value: given }], positionals: [] };
        const { problems } = refusal(() => readArguments({ name: NAME, args }, invocation, { context: {} }));
        expect(problems).toContainEqual(
          expect.objectContaining({ argument: name, message: expect.stringContaining('is not allowed') }),
        );
      }
    }
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  scenario('proto-json', 'that a context holds keeps such a key as its own', () => {
    const value: unknown = JSON.parse('{"__proto__": {"polluted": 1}, "b": 2}');
    const given = readTyped(json()('A.', { type: 'object' }), value);
    expect(Reflect.get(Object(given), 'polluted')).toBeUndefined();
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });
});

describe('a value', () => {
  const force = { force: flag('Force.') };
  scenario.each(
    ['true', 'True', 'TRUE', 'yes', 'YES', '" true "']
      .map((given) => ({ given, value: true }))
      .concat(
        ['false', 'False', 'no', 'No', 'NO'].map((given) => ({ given, value: false })),
        ['""', '" "', ''].map((given) => ({ given, value: undefined as unknown as boolean })),
      ),
  )('bool-forms', '$given is $value', ({ given, value }) => {
    expect(read(`force=${given}`, force).values['force']).toBe(value);
  });

  scenario.each(['1', '0', 'maybe', 'on', 'off', 'y', 'null', 'truefalse', '[]'].map((given) => ({ given })))(
    'bool-forms',
    '$given is no Boolean',
    ({ given }) => {
      expect(problemsOf(`force=${given}`, force)).toEqual(['force must be true or false.']);
    },
  );

  scenario.each(['raw-response', 'ignore-outputs'].flatMap((name) => ['1', 'maybe'].map((given) => ({ name, given }))))(
    'bool-forms',
    'nor is $given for $name, an argument of the platform',
    ({ name, given }) => {
      expect(problemsOf(`${name}=${given}`, {})).toEqual([`${name} must be true or false.`]);
    },
  );

  scenario('bool-forms', 'an empty Boolean takes its default, and is missing where it is required', () => {
    expect(read('force=""', { force: flag('Force.', { default: 'true' }) }).values['force']).toBe(true);
    expect(problemsOf('force=""', { force: flag('Force.', { required: true }) })).toEqual([
      'The required argument force is empty.',
    ]);
  });

  const clearable = { clearable: true } as const;
  scenario.each<{ argument: Argument; given: string; value: unknown }>([
    { argument: text('A.', clearable), given: 'null', value: null },
    { argument: number('A.', clearable), given: 'null', value: null },
    { argument: flag('A.', clearable), given: 'null', value: null },
    { argument: list('A.', clearable), given: 'null', value: null },
    { argument: uuid('A.', clearable), given: 'null', value: null },
    { argument: text('A.', clearable), given: '""', value: undefined },
    { argument: text('A.', clearable), given: 'NULL', value: 'NULL' },
    { argument: list('A.', clearable), given: '[]', value: [] },
    { argument: text('A.'), given: 'null', value: 'null' },
    { argument: list('A.'), given: 'null', value: ['null'] },
  ])('bool-forms', 'the text null clears where that is declared: $given is $value', ({ argument, given, value }) => {
    expect(read(`a=${given}`, { a: argument }).values['a']).toEqual(value);
  });

  test.each<{ given: string; value: unknown }>([
    { given: 'a,b', value: ['a', 'b'] },
    { given: '" a , ,b, "', value: ['a', 'b'] },
    { given: 'one', value: ['one'] },
    { given: '`["a, b", "c"]`', value: ['a, b', 'c'] },
    { given: '`[1, true, "x"]`', value: ['1', 'true', 'x'] },
    { given: '[]', value: [] },
    { given: 'a a=b', value: ['a', 'b'] },
    { given: 'a a=', value: ['a'] },
  ])('of a list: $given', ({ given, value }) => {
    expect(read(`a=${given}`, { a: list('A.') }).values['a']).toEqual(value);
  });

  test.each([
    { given: '`["a"`', message: 'a is not valid JSON: line 1, column 5: expected "," or "]".' },
    { given: '`[{"b": 1}]`', message: 'a (at 0) must be a string.' },
    { given: '`[null]`', message: 'a (at 0) must be a string.' },
  ])('of a list that is none: $given', ({ given, message }) => {
    expect(problemsOf(`a=${given}`, { a: list('A.') })).toEqual([message]);
  });

  test('may be a neutral token or the word of the wire; results repeat the one, requests carry the other', () => {
    const closed = {
      a: text('A.', { tokens: 'cloud', choices: ['cloud_a', 'other'] }),
      b: text('B.', { tokens: 'cloud' }),
    };
    for (const given of ['cloud_a', 'aws']) {
      const { values, typed } = read(`a=${given} b=${given}`, closed);
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

  test('tells every problem of it at once, each with its argument', () => {
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
    { line: 'name=äöü', messages: ['name must have at most 4 bytes; it has 6.'] },
    { line: 'name=x id=nope', messages: ['id must be a UUID, not "nope".'] },
    { line: 'name=x count=11', messages: ['count must be at most 10, not "11".'] },
    { line: 'name=x count=ten', messages: ['count must be a whole number.'] },
    { line: 'name=x who=ana', messages: ['who must be an email address, not "ana".'] },
    { line: 'name=x mode=blok', messages: ['mode does not take "blok".'] },
    { line: 'name=x items=a,b,c,d', messages: ['items must have at most 3 entries.'] },
    { line: 'name=x policy=`{}`', messages: ['policy lacks "a".'] },
    { line: 'name=x policy=`{"a":{}}`', messages: ['policy (at a) must be an array.'] },
    { line: 'name=x policy=`[]`', messages: ['policy must be an object.'] },
    { line: `name=x key=${CANARY}`, messages: ['key must be lower case.'] },
    { line: 'name=x name=y', messages: ['name is given more than once.'] },
    { line: 'x y', messages: [`A value without a name belongs to no argument of ${NAME}.`] },
    { line: 'x name=y', messages: [`A value without a name belongs to no argument of ${NAME}.`] },
    { line: 'name=x extend-context=nonsense', messages: ['extend-context must read key=path, joined with "::".'] },
    {
      line: 'name=x execution-timeout=-1',
      messages: ['execution-timeout must be a whole number of seconds or times.'],
    },
  ])('"$line": $messages', ({ line, messages }) => {
    expect(problemsOf(line, args)).toEqual(messages);
  });

  test.each([
    { line: 'name=x mod=block', hint: 'Did you mean "mode"?' },
    { line: 'name=x mode=blok', hint: 'Did you mean "block"? Choices: block, allow.' },
    { line: '', hint: 'name: Name of it.' },
  ])('"$line" is answered with what to do: $hint', ({ line, hint }) => {
    expect(refusal(() => read(line, args)).hint).toBe(hint);
  });

  test('counts an empty optional argument as not given', () => {
    const { values } = read('name=x id="" mode="  " count= items="" policy="" key=""', args);
    expect(values).toEqual({
      ...Object.fromEntries(Object.keys(args).map((name) => [name, undefined])),
      name: 'x',
      mode: 'block',
    });
  });

  test('takes a value without its name where one argument may be so typed', () => {
    expect(read('x count=2', args).values).toMatchObject({ name: 'x', count: 2 });
    expect(problemsOf('x', { a: text('A.') })).toEqual([`"x" belongs to no argument of ${NAME}.`]);
  });

  test('knows the arguments of the platform, and says which have no effect', () => {
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
      without: ['using', 'debug-mode'],
    });
    for (const name of GENERIC_NAMES) expect(read(`${name}=""`, {}).generic).toBeDefined();
  });

  const secretSource = (kind: 'env' | 'file', name: string) =>
    name === 'KNOWN' ? `${kind}: \${not.a.reference}` : undefined;
  test.each([
    { given: '@env:KNOWN', value: 'env: ${not.a.reference}' },
    { given: '@file:KNOWN', value: 'file: ${not.a.reference}' },
    { given: 'plain', value: 'plain' },
    { given: '@other:KNOWN', value: '@other:KNOWN' },
  ])('takes a secret from where $given says', ({ given, value }) => {
    expect(read(`a=${given}`, { a: text('A.', { secret: true }) }, { secretSource }).values['a']).toBe(value);
  });

  test('takes nothing but a secret from there', () => {
    expect(read('a=@env:KNOWN', { a: text('A.') }, { secretSource }).values['a']).toBe('@env:KNOWN');
  });

  test.each([
    { given: '@env:UNKNOWN', message: 'a: environment variable UNKNOWN is not set.' },
    { given: '@file:/no/such', message: 'a: file /no/such cannot be read.' },
  ])('says that $given is not there', ({ given, message }) => {
    const secret = { a: text('A.', { secret: true }) };
    expect(problemsOf(`a=${given}`, secret, { secretSource })).toEqual([message]);
    expect(problemsOf(`a=${given}`, secret)).toEqual([message]);
  });

  test.each<{ rule: Rule; line: string; message: string | undefined }>([
    { rule: oneOf('a', 'b'), line: '', message: 'Give a or b.' },
    { rule: oneOf('a', 'b'), line: 'b=1', message: undefined },
    { rule: needs('f', true, 'a'), line: 'f=true', message: 'f=true requires a.' },
    { rule: needs('f', true, 'a'), line: 'f=true a=1', message: undefined },
    { rule: needs('f', true, 'a'), line: 'f=false', message: undefined },
    {
      rule: combinedBytes(['a', 'c'], 4),
      line: 'a=äb c=c,d',
      message: 'a, c may have at most 4 bytes together. They have 5.',
    },
    { rule: combinedBytes(['a', 'c'], 5), line: 'a=äb c=c,d', message: undefined },
  ])('holds it against the rule "$rule.description" ($line)', ({ rule, line, message }) => {
    const all = { a: text('A.'), b: text('B.'), c: list('C.'), f: flag('F.') };
    if (message === undefined) expect(read(line, all, { rules: [rule] }).values).toBeDefined();
    else expect(problemsOf(line, all, { rules: [rule] })).toEqual([message]);
  });

  test('a limit is at least one', () => {
    expect(read('', { limit: limit(50) }).values['limit']).toBe(50);
    expect(problemsOf('limit=0', { limit: limit(50) })).toEqual(['limit must be at least 1, not "0".']);
  });
});

describe('did you mean', () => {
  const names = ['profile_name', 'prompt', 'aisec-runtime-topics-list', 'aisec-runtime-topics-get'];
  test.each([
    ['promt', 'prompt'],
    ['PROMPT', 'prompt'],
    ['profile', 'profile_name'],
    ['topics-list', 'aisec-runtime-topics-list'],
    ['aisec-runtime-topic-list', 'aisec-runtime-topics-list'],
    ['zebra', undefined],
    ['', undefined],
  ])('"%s": %s', (word, choice) => {
    expect(suggest(word, names)).toBe(choice);
    expect(didYouMean(word, names, '!')).toBe(choice === undefined ? undefined : `Did you mean "!${choice}"?`);
  });
});

describe('the checks', () => {
  const argumentsOf = async (name: string): Promise<Arguments> => (await registry[name]?.())?.args ?? {};

  test.each(Object.keys(registry))('of %s have a schema that is one', async (name) => {
    const args = await argumentsOf(name);
    const ajv = new Ajv2020({ strict: true, strictTypes: false });
    ajv.addKeyword({ keyword: 'maxBytes', type: 'string', schemaType: 'number' });
    for (const { schema } of Object.values(args)) expect(() => ajv.compile(schema)).not.toThrow();
  });
});
