import fc from 'fast-check';
import { parseLine, parseOptions, parseWords } from '../../../lib/client/argv.ts';
import { UsageError, ValidationError } from '../../../lib/core/errors.ts';
import { type Argument, flag, json, list, number, text } from '../../../lib/runtime/arguments/builders.ts';
import { tokenize } from '../../../lib/runtime/arguments/lexer.ts';
import { resolveReferences } from '../../../lib/runtime/arguments/references.ts';
import { anyCharacter } from '../../support/characters.ts';
import { shareOf } from '../../support/runs.ts';
import { anyText, QUOTINGS, quotings, wholeText, withoutReferences } from '../../system/laws/subjects.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { CANARY, NAME, read, readPairs, readTyped, refusal } from './reading.ts';

describe('the lexer', () => {
  scenario.each([
    { line: 'a="two words"', value: 'two words' },
    { line: 'a=`two "words"`', value: 'two "words"' },
    { line: `a='say "hi"'`, value: 'say "hi"' },
    { line: 'a="say \\"hi\\""', value: 'say "hi"' },
    { line: 'a="tick ` tock"', value: 'tick ` tock' },
    { line: 'a="one\ntwo"', value: 'one\ntwo' },
    { line: 'a=`one\n\ttwo`', value: 'one\n\ttwo' },
    { line: 'a="one\\ntwo\\tthree\\rfour"', value: 'one\ntwo\tthree\rfour' },
    { line: 'a="x\\^y\\:z\\,w\\ v"', value: 'x^y:z,w v' },
    { line: 'a="C:\\dir"', value: 'C:\\dir' },
    { line: 'a=C:\\new', value: 'C:\\new' },
    { line: 'a=`C:\\new\\`', value: 'C:\\new\\' },
    { line: 'a=b=c', value: 'b=c' },
    { line: 'a=größe→😀', value: 'größe→😀' },
    { line: 'a=', value: '' },
    { line: 'a=x"y"', value: 'x"y"' },
    { line: "a=it's", value: "it's" },
    { line: 'a=`{"k": "v\\"", "l": [1]}`', value: '{"k": "v\\"", "l": [1]}' },
  ])('lexer-quotes', '$line is "$value"', ({ line, value }) => {
    expect(tokenize(line)).toEqual([{ name: 'a', value }]);
    expect(parseLine(`!${NAME} ${line}`).pairs).toEqual([{ name: 'a', value }]);
  });

  scenario('lexer-quotes', 'keeps repeated arguments in order, and values without a name', () => {
    expect(parseLine(`!${NAME} b=1 one a=2 b="3" 'two words' a=`)).toMatchObject({
      name: NAME,
      pairs: [
        { name: 'b', value: '1' },
        { name: 'b', value: '3' },
        { name: 'a', value: '2' },
        { name: 'a', value: '' },
      ],
      positionals: ['one', 'two words'],
    });
  });

  scenario.each(quotings.map((quoting) => ({ quoting })))(
    'lexer-quotes',
    'round-trips any text with ${ in $quoting, written \\${ after doubled backslashes',
    ({ quoting }) => {
      const parts = fc.array(fc.constantFrom('${', '}', '${AiSec.X}', '{', '$', 'a', ' ', '\\', '"', "'"), {
        maxLength: 8,
      });
      fc.assert(
        fc.property(
          parts.map((all) => all.join('')),
          (value) => {
            const line = QUOTINGS[quoting](withoutReferences(value));
            fc.pre(line !== undefined);
            const context = { AiSec: { X: CANARY } };
            expect(read(`a=${line}`, { a: text('A.') }, { context }).values['a'] ?? '').toBe(value.trim() && value);
          },
        ),
      );
    },
  );

  scenario.each([
    { line: 'a="b', message: 'The quote opened at position 3 is not closed.' },
    { line: 'x=1 a=`b', message: 'The quote opened at position 7 is not closed.' },
    { line: "a='b\\'", message: 'The quote opened at position 3 is not closed.' },
    { line: 'a="b"c', message: 'There is text directly after the closing quote at position 5.' },
  ])('lexer-quotes', 'refuses $line with the position', ({ line, message }) => {
    const error = refusal(() => tokenize(line));
    expect(error.message).toBe(message);
    expect(error.hint).toMatch(/quote/);
  });

  test.each(['', '   ', '!', '! ', 'a=1', '!a=1 b'])('refuses "%s", which does not begin with a command', (line) => {
    expect(() => parseLine(line)).toThrow(UsageError);
  });
});

describe('the words of a line', () => {
  const args = { tsg_id: text('Id.'), prompt: text('Prompt.'), n: number('Number.') };

  scenario.each(
    [
      '--constructor=1',
      '--a.__proto__.b=1',
      '--tsg_id 0012',
      '-tsg_id=0012',
      '__proto__=1',
      '__proto__.polluted=1',
      'constructor=1',
      'constructor.prototype.polluted=1',
      'a.b=1',
      'toString=1',
      'no-prompt=1',
      'tsgId=1',
      'n=1e3',
      'n=0x10',
      'n=9007199254740993',
      'n=٣',
    ].map((line) => ({ line })),
  )('argv-hostile', 'refuses $line', ({ line }) => {
    const error = refusal(() => read(line, args));
    expect(error.exitCode).toBe(2);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  scenario.each([
    { line: 'prompt=-5', name: 'prompt', value: '-5' },
    { line: 'prompt=--prompt=5', name: 'prompt', value: '--prompt=5' },
    { line: 'prompt=1e3', name: 'prompt', value: '1e3' },
    { line: 'prompt=true', name: 'prompt', value: 'true' },
    { line: 'prompt=null', name: 'prompt', value: 'null' },
    { line: "prompt=`'quoted'`", name: 'prompt', value: "'quoted'" },
    { line: 'prompt=`"quoted"`', name: 'prompt', value: '"quoted"' },
    { line: 'prompt=__proto__', name: 'prompt', value: '__proto__' },
    { line: 'tsg_id=0012', name: 'tsg_id', value: '0012' },
    { line: 'tsg_id=12345678901234567890', name: 'tsg_id', value: '12345678901234567890' },
    { line: 'n=-5', name: 'n', value: -5 },
    { line: 'n=007', name: 'n', value: 7 },
  ])('argv-hostile', 'keeps the value of $line as typed', ({ line, name, value }) => {
    expect(read(line, args).values).toEqual({ tsg_id: undefined, prompt: undefined, n: undefined, [name]: value });
  });

  scenario('argv-hostile', 'any argument name is kept as typed, or refused', () => {
    const names = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom(...Object.getOwnPropertyNames(Object.prototype)),
    );
    fc.assert(
      fc.property(names, anyText, (name, value) => {
        fc.pre(name !== '' && !/[\s="'`]/.test(name));
        try {
          expect(parseWords(NAME, [`${name}=${value}`]).pairs).toEqual([{ name, value }]);
        } catch (error) {
          if (!(error instanceof ValidationError)) throw error;
          expect(error.message).toContain('Unknown argument');
        }
      }),
      { numRuns: shareOf(500) },
    );
  });

  test('split by a shell become named and unnamed values', () => {
    expect(parseWords('!aisec-x', ['a=1 2', 'two words', 'b=', '=c', 'no name=1', 'a=3'])).toMatchObject({
      name: 'aisec-x',
      pairs: [
        { name: 'a', value: '1 2' },
        { name: 'a', value: '3' },
        { name: 'b', value: '' },
      ],
      positionals: ['two words', '=c', 'no name=1'],
    });
  });

  const options = { output: 'text', quiet: 'flag', timeout: 'number', fault: 'texts' } as const;
  test.each([
    { argv: ['--output', 'json', '!x a=1', 'y'], values: { output: 'json' }, positionals: ['!x a=1', 'y'] },
    { argv: ['--output=json', '--quiet', 'y'], values: { output: 'json', quiet: true }, positionals: ['y'] },
    { argv: ['--timeout', '1.5'], values: { timeout: '1.5' }, positionals: [] },
    { argv: ['--fault', '503', '--fault', 'drop'], values: { fault: ['503', 'drop'] }, positionals: [] },
    { argv: ['--', '--output', 'x'], values: {}, positionals: ['--output', 'x'] },
    { argv: ['0012', '1e3'], values: {}, positionals: ['0012', '1e3'] },
  ])('are parsed into options and positionals: %j', ({ argv, values, positionals }) => {
    const parsed = parseOptions(argv, options);
    expect(Object.fromEntries(Object.entries(parsed.values).filter(([, value]) => value !== false))).toEqual(values);
    expect(parsed.positionals).toEqual(positionals);
  });

  test.each([
    { argv: ['--outptu', 'x'], message: 'Unknown option --outptu.', hint: 'Did you mean "--output"?' },
    { argv: ['--output', 'a', '--output', 'b'], message: 'Option --output is given more than once.', hint: undefined },
    { argv: ['--output'], message: 'Option --output needs a value.', hint: undefined },
    { argv: ['--timeout', 'soon'], message: 'Option --timeout needs a number.', hint: 'For example --timeout 30.' },
    { argv: ['--timeout', '1e3'], message: 'Option --timeout needs a number.', hint: 'For example --timeout 30.' },
    { argv: ['--constructor', '1'], message: 'Unknown option --constructor.', hint: undefined },
    { argv: ['--no-quiet'], message: 'Unknown option --no-quiet.', hint: undefined },
    { argv: ['--output.x', '1'], message: 'Unknown option --output.x.', hint: expect.anything() },
  ])('are refused as options: %j', ({ argv, message, hint }) => {
    let thrown: unknown;
    try {
      parseOptions(argv, options);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(UsageError);
    expect(thrown).toMatchObject({ message, hint });
  });

  scenario('argv-hostile', 'no option reaches a prototype', () => {
    for (const argv of [
      ['--__proto__.polluted', '1'],
      ['--__proto__', '1'],
      ['--constructor.prototype.polluted', '1'],
    ]) {
      expect(() => parseOptions(argv, options)).toThrow(UsageError);
      expect(Reflect.get({}, 'polluted')).toBeUndefined();
    }
  });
});

describe('a reference', () => {
  const context = {
    AiSec: {
      Topic: [
        { topic_id: 't1', topic_name: 'pets', revision: 2, active: true, tags: ['a', 'b'], who: { name: 'Ana' } },
        { topic_id: 't2', topic_name: 'x "y"', revision: 5, active: false, note: null },
      ],
      One: { id: 'o1', empty: '' },
    },
    key: 'v',
  };
  const resolved = (value: string) => {
    const missing: string[] = [];
    const result = resolveReferences(value, context, (reference) => missing.push(reference));
    return { result, missing };
  };

  test.each([
    ['${key}', 'v'],
    ['${ key }', 'v'],
    ['${AiSec.One.id}', 'o1'],
    ['${AiSec.One.[0].id}', 'o1'],
    ['${AiSec.Topic.[1].revision}', 5],
    ['${AiSec.Topic[0].active}', true],
    ['${AiSec.Topic.topic_id}', ['t1', 't2']],
    ['${AiSec.Topic.note}', null],
    ['${AiSec.Topic.[0].tags}', ['a', 'b']],
    ['${AiSec.Topic(val.topic_name == "pets").topic_id}', 't1'],
    ["${AiSec.Topic(val.topic_name === 'pets').revision}", 2],
    ['${AiSec.Topic(val.active == true).topic_id}', 't1'],
    ['${AiSec.Topic(val.revision != 2).topic_id}', 't2'],
    ['${AiSec.Topic(val.revision == 2 && val.who.name == "Ana").topic_id}', 't1'],
    ['${AiSec.Topic.[0].who}', { name: 'Ana' }],
    ['id=${AiSec.Topic.[0].topic_id};', 'id=t1;'],
    ['${key}${key}', 'vv'],
    ['n=${AiSec.Topic.[1].revision} b=${AiSec.Topic.[1].active}', 'n=5 b=false'],
    ['${AiSec.Topic.[0].who}!', '{"name":"Ana"}!'],
    ['${AiSec.Topic.[0].tags}!', '["a","b"]!'],
  ])('%s is %j', (value, expected) => {
    expect(resolved(value)).toEqual({ result: expected, missing: [] });
  });

  scenario.each(
    [
      '${jndi:ldap://x}',
      '${}',
      '${7*7}',
      '${.key}',
      '${key.}',
      '${key[0}',
      '${key(true)}',
      '${key(val => 1)}',
      '${key(quit())}',
      '${constructor.constructor("return 1")()}',
      '${key=val.toString()}',
      '${key(val.x==1 2)}',
      '${key.x (val.y==1)}',
      '$key',
      '${key',
      '{{key}}',
    ].map((value) => ({ value })),
  )('reference-injection', 'without a valid path is left as typed: $value', ({ value }) => {
    expect(resolved(value)).toEqual({ result: value, missing: [] });
  });

  scenario.each(
    ['nothing', 'AiSec.Nothing.id', 'AiSec.Topic.[9].topic_id', 'AiSec.Topic(val.topic_name == "z").topic_id'].map(
      (value) => ({ value }),
    ),
  )('reference-injection', 'to a missing value is an error that names it: $value', ({ value }) => {
    const error = refusal(() => read(`a="see \${${value.replace(/"/g, '\\"')}}"`, { a: text('A.') }, { context }));
    expect(error).toMatchObject({ argument: 'a', message: `a: \${${value}} finds nothing in the context.` });
  });

  scenario.each(
    ['__proto__', 'constructor.name', 'AiSec.toString', 'AiSec.Topic.length', 'key.length'].map((value) => ({ value })),
  )('proto-json', 'reads only own members: ${$value} finds nothing', ({ value }) => {
    expect(resolved(`\${${value}}`)).toEqual({ result: undefined, missing: [value] });
  });

  test.each([
    ['\\${key}', '${key}'],
    ['\\${key} ${key}', '${key} v'],
    ['\\\\${key}', '\\v'],
    ['\\\\\\${key}', '\\${key}'],
    ['\\${key', '${key'],
    ['\\${jndi:x}', '${jndi:x}'],
  ])('%s is the text %s', (value, expected) => {
    expect(resolved(value)).toEqual({ result: expected, missing: [] });
  });

  const injections = fc.oneof(
    wholeText,
    fc.constantFrom(
      '" force=true',
      "' force=true",
      '` force=true',
      ' force=true',
      '\n!aisec-x',
      '${secret}',
      '\\${a}',
      '","b',
    ),
  );
  scenario.each(quotings.filter((quoting) => quoting !== 'bare').map((quoting) => ({ quoting })))(
    'reference-injection',
    'never adds an argument and is resolved once (in $quoting)',
    ({ quoting }) => {
      const args = { a: text('A.'), b: text('B.'), force: flag('Force.', { default: 'false' }) };
      fc.assert(
        fc.property(injections, (value) => {
          const runtime = { context: { AiSec: { v: value }, secret: CANARY } };
          const quoted = QUOTINGS[quoting]('<${AiSec.v}>') ?? '';
          const { values } = read(`a=${quoted} b=\${AiSec.v}`, args, runtime);
          expect(values['a']).toBe(`<${value}>`);
          expect(values['b']).toBe(value.trim() === '' ? undefined : value);
          expect(values['force']).toBe(false);
        }),
        { numRuns: shareOf(300) },
      );
    },
  );

  test.each<{ argument: Argument; value: unknown; expected: unknown }>([
    { argument: text('A.'), value: 5, expected: '5' },
    { argument: text('A.'), value: { b: 1 }, expected: '{"b":1}' },
    { argument: number('A.'), value: 5, expected: 5 },
    { argument: flag('A.'), value: true, expected: true },
    { argument: flag('A.'), value: false, expected: false },
    { argument: list('A.'), value: ['x, y', 2, true], expected: ['x, y', '2', 'true'] },
    { argument: json()('A.', {}), value: { b: [1] }, expected: { b: [1] } },
    { argument: text('A.'), value: null, expected: undefined },
    { argument: text('A.', { clearable: true }), value: 'null', expected: null },
  ])('to $value as the whole value keeps its type: $expected', ({ argument, value, expected }) => {
    expect(read('a=${AiSec.v}', { a: argument }, { context: { AiSec: { v: value } } }).values['a']).toEqual(expected);
    expect(readTyped(argument, value)).toEqual(expected);
  });

  test.each(['${key}', '@env:${key}', '\\${key}', 'see ${no.such.thing}'])(
    'is left unchanged if the host has resolved references: %s',
    (value) => {
      const { values } = readPairs({ a: text('A.') }, [['a', value]], { context: undefined });
      expect(values).toEqual({ a: value });
    },
  );
});
