import type { ArgumentInfo } from '../../../lib/manifest/catalogue.ts';
import { type Token, tokenize } from '../../../lib/runtime/arguments/lexer.ts';
import { type Hidden, maskedLine } from '../../../lib/runtime/arguments/masked-line.ts';

const PLAIN: ArgumentInfo = {
  ...{ name: 'name', kind: 'text', description: 'A name.', required: false },
  ...{ secret: false, content: false, extension: false, clearable: false, positional: false },
};
const KEY: ArgumentInfo = { ...PLAIN, name: 'key', secret: true };
const PROMPT: ArgumentInfo = { ...PLAIN, name: 'prompt', content: true };
const WORD: ArgumentInfo = { ...PLAIN, name: 'word', positional: true };
const KNOWN = [PLAIN, KEY, PROMPT, WORD];

function masked(typed: readonly Token[], hidden: Hidden = 'content', known: readonly ArgumentInfo[] = KNOWN): string {
  const pairs = typed.flatMap(({ name, value }) => (name === undefined ? [] : [{ name, value }]));
  const positionals = typed.filter(({ name }) => name === undefined).map(({ value }) => value);
  return maskedLine('!do', known, { name: 'do', pairs, positionals }, hidden);
}

describe('a masked line', () => {
  test.each<[value: string, bare: string, unnamed?: string]>([
    ['plain', 'plain'],
    ['', '``'],
    ['two words', '`two words`'],
    ['a=b', 'a=b', '`a=b`'],
    ['it"s', 'it"s', '`it"s`'],
    ['"quoted"', '`"quoted"`'],
    ["'single'", "`'single'`"],
    ['`back', '"`back"'],
    ['back `tick` "x"', '"back `tick` \\"x\\""'],
    ['"a"\nb\r\nc', '"\\"a\\"\\nb\\r\\nc"'],
    ['C:\\x y', '`C:\\x y`'],
  ])('writes %j so that it parses to the same value', (value, bare, unnamed = bare) => {
    const named = masked([{ name: 'name', value }]);
    expect(named).toBe(`!do name=${bare}`);
    expect(tokenize(named)).toEqual([{ value: '!do' }, { name: 'name', value }]);
    const positional = masked([{ value }]);
    expect(positional).toBe(`!do ${unnamed}`);
    expect(tokenize(positional)).toEqual([{ value: '!do' }, { value }]);
  });

  test.each<[value: string, written: string]>([
    ['a\\`b c', '"a\\\\`b c"'],
    ['a\\\nb', '`a\\\nb`'],
    ['a \u2028', '`a \u2028`'],
    ['\u2029 a', '`\u2029 a`'],
    ['` \u2028', '"` \u2028"'],
    ['`\\${A} \\\\\n"', '"`\\${A} \\\\\\\\\n\\""'],
  ])('masks %j, which one line cannot express, and writes it in a room', (value, written) => {
    expect(masked([{ name: 'name', value }])).toBe('!do name=***');
    const shown = masked([{ name: 'name', value }], 'secrets');
    expect(shown).toBe(`!do name=${written}`);
    expect(tokenize(shown)).toEqual([{ value: '!do' }, { name: 'name', value }]);
  });

  test.each<[typed: Token, secrets: string, content: string]>([
    [{ name: 'key', value: 'abc' }, 'key=***', 'key=***'],
    [{ name: 'key', value: '@env:THE_KEY' }, 'key=@env:THE_KEY', 'key=@env:THE_KEY'],
    [{ name: 'key', value: '@file:~/a-b.txt' }, 'key=@file:~/a-b.txt', 'key=@file:~/a-b.txt'],
    [{ name: 'key', value: 'x@env:THE_KEY' }, 'key=***', 'key=***'],
    [{ name: 'key', value: '@env:THE KEY' }, 'key=***', 'key=***'],
    [{ name: 'prompt', value: 'abc' }, 'prompt=abc', 'prompt=***'],
    [{ name: 'prompt', value: '@file:~/a-b.txt' }, 'prompt=@file:~/a-b.txt', 'prompt=@file:~/a-b.txt'],
    [{ name: 'prompt', value: '@file:a b' }, 'prompt=`@file:a b`', 'prompt=***'],
    [{ name: 'prompt', value: 'x@file:a' }, 'prompt=x@file:a', 'prompt=***'],
    [{ name: 'prompt', value: '@env:NAME' }, 'prompt=@env:NAME', 'prompt=***'],
    [{ name: 'name', value: 'abc' }, 'name=abc', 'name=abc'],
    [{ name: 'name', value: '@file:a b' }, 'name=`@file:a b`', 'name=`@file:a b`'],
    [{ name: 'retry-count', value: '3' }, 'retry-count=3', 'retry-count=3'],
    [{ name: 'abc', value: 'd' }, '***', '***'],
  ])('masks secrets and content of %j', (typed, secrets, content) => {
    expect(masked([typed], 'secrets')).toBe(`!do ${secrets}`);
    expect(masked([typed], 'content')).toBe(`!do ${content}`);
  });

  test.each<[what: string, typed: readonly Token[], line: string, known?: readonly ArgumentInfo[]]>([
    ['the first alone', [{ value: 'one' }, { value: 'two' }], 'one ***'],
    ['one next to an open argument', [{ name: 'name', value: 'n' }, { value: 'one' }], 'name=n one'],
    ['none next to its own name', [{ name: 'word', value: 'a' }, { value: 'part' }], 'word=a ***'],
    [
      'none next to a secret',
      [{ name: 'name', value: 'n' }, { name: 'key', value: 'k' }, { value: 'part' }],
      'name=n key=*** ***',
    ],
    ['none beside content', [{ name: 'prompt', value: 'p' }, { value: 'part' }], 'prompt=*** ***'],
    ['none that no argument accepts', [{ value: 'one' }], '***', [PLAIN, KEY]],
    [
      'none that no argument accepts, next to another',
      [{ name: 'name', value: 'n' }, { value: 'x' }],
      'name=n ***',
      [PLAIN],
    ],
    ['no secret', [{ value: 'one' }], '***', [{ ...WORD, secret: true }]],
    ['the source of a secret', [{ value: '@env:KEY' }], '@env:KEY', [{ ...WORD, secret: true }]],
  ])('keeps of unnamed values %s', (_, typed, line, known = KNOWN) => {
    expect(masked(typed, 'content', known)).toBe(`!do ${line}`);
  });
});
