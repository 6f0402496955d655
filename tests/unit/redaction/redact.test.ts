import { redaction } from '../../../lib/core/redaction/redact.ts';

const SECRET = 'first-canary';

const hiddenEach = (...names: string[]) => Object.fromEntries(names.map((name) => [name, '[hidden, 1 characters]']));

describe('redaction of a value', () => {
  const { value, fields, texts, text } = redaction({ secrets: [SECRET] });

  test.each([
    ['an empty text', { token: '' }, { token: '' }],
    ['nothing', { token: null, secret: undefined }, { token: null, secret: undefined }],
    ['a flag', { token: true }, { token: true }],
    ['a number', { token: 5 }, { token: '***' }],
    ['a list', { credentials: ['x'] }, { credentials: '***' }],
  ])('masks a possible secret by its name: %s', (_, given, masked) => expect(value(given)).toEqual(masked));

  test.each([
    ['a text', { prompt: 'abc' }, { prompt: '[hidden, 3 characters]' }],
    ['an empty text', { prompt: '' }, { prompt: '' }],
    ['nothing', { response: null }, { response: null }],
    ['a number', { outputs: 5 }, { outputs: 5 }],
    ['a flag', { prompts: false }, { prompts: false }],
    ['a list', { goals: ['abc'] }, { goals: '[hidden]' }],
    [
      'a file',
      { prompts_csv: 'abc', script_b64: 'ab' },
      { prompts_csv: '[hidden, 3 characters]', script_b64: '[hidden, 2 characters]' },
    ],
    [
      'one of many',
      { content: 'a', goal: 'b', script: 'c', output: 'd', prompt: 'e' },
      hiddenEach('content', 'goal', 'script', 'output', 'prompt'),
    ],
    ['a name in capitals', { codeResponse: 'abc' }, { codeResponse: '[hidden, 3 characters]' }],
    ['another name', { promptly: 'abc', prompted: 'x', my: 'y' }, { promptly: 'abc', prompted: 'x', my: 'y' }],
  ])('hides content by its name: %s', (_, given, hidden) => {
    expect(value(given)).toEqual(hidden);
    expect(fields(given)).toEqual(hidden);
  });

  test.each([
    ['body', '{"text":"two words","id":"a-1","n":1}', '{"text":"[hidden, 9 characters]","id":"a-1","n":1}'],
    ['requestBody', '["two words"]', '["[hidden, 9 characters]"]'],
    ['response_body', 'null', 'null'],
    ['body', '"two words"', '[hidden, 11 characters]'],
    ['body', '', ''],
    ['somebody', '{"text":"two words"}', '{"text":"two words"}'],
  ])('parses the field %s: %j', (name, given, shown) => expect(value({ [name]: given })).toEqual({ [name]: shown }));

  test.each([[{ text: 'two words', token: 't' }], [['two words']], [5], [null]])(
    'keeps a body that is not text: %j',
    (body) => {
      const shown = JSON.parse(JSON.stringify(body).replace('"t"', '"***"')) as unknown;
      expect(value({ body })).toEqual({ body: shown });
    },
  );

  test('omits a member that would replace the prototype', () => {
    const hostile = JSON.parse('{"__proto__": {"x": 1}, "": 2, "a": {"__proto__": []}}') as Record<string, unknown>;
    for (const shown of [value(hostile), fields(hostile), texts(hostile)] as { a?: object }[]) {
      expect(shown).toEqual({ '': 2, a: {} });
      expect(Object.getPrototypeOf(shown)).toBe(Object.prototype);
      expect(Object.getPrototypeOf(shown.a)).toBe(Object.prototype);
    }
  });

  test('shows content on request, in bodies too, and masks secrets in it', () => {
    const { value: shown } = redaction({ secrets: [SECRET], showContent: true });
    expect(shown({ prompt: `a ${SECRET}`, body: `{"x":"two ${SECRET}"}`, responseBody: `no JSON ${SECRET}` })).toEqual({
      prompt: 'a ***',
      body: '{"x":"two ***"}',
      responseBody: 'no JSON ***',
    });
  });

  test('shows name and message of an error, redacted, but not of an object that looks like an error', () => {
    const error = Object.assign(new TypeError(`no ${SECRET}`), { more: 'x' });
    expect(value(error)).toEqual({ name: 'TypeError', message: 'no ***' });
    expect(value({ name: 'n', message: 'm' })).toEqual({ name: 'n', message: 'm' });
    expect(value({ name: 'n', message: 5, stack: 's' })).toEqual({ name: 'n', message: 5, stack: 's' });
  });

  test('shows twenty levels, and a repeated value each time', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)]);
    const levels = (found: unknown): number => (Array.isArray(found) ? 1 + levels(found[0]) : 0);
    expect(levels(value(nested(20)))).toBe(20);
    expect(JSON.stringify(value(nested(21)))).toBe(`${'['.repeat(20)}"[...]"${']'.repeat(20)}`);
    expect(levels(texts(nested(20)))).toBe(20);
    expect(JSON.stringify(texts(nested(21)))).toContain('[...]');
    expect(levels(fields({ a: nested(20) })['a'])).toBe(20);
    expect(JSON.stringify(fields({ a: nested(21) }))).toContain('[...]');
    const twice = { a: 1 };
    expect(value([twice, twice])).toEqual([twice, twice]);
  });

  test('keeps values that are not text', () => {
    expect(value([1, true, null, undefined])).toEqual([1, true, null, undefined]);
    expect(texts({ prompt: 'abc', token: 'x', body: '{"token":"y"}' })).toEqual({
      ...{ prompt: 'abc', token: 'x', body: '{"token":"***"}' },
    });
  });

  test.each([
    ['Bearer abcdefghijklmno', 'Bearer abcdefghijklmno'],
    ['Bearer abcdefghijklmnop', 'Bearer ***'],
    ['bearer abcdefghijklmnop, basic abcdefghijklmnop', 'bearer ***, basic ***'],
    ['xBearer abcdefghijklmnop', 'xBearer abcdefghijklmnop'],
    ['://a@b ://c@d', '://***@b ://***@d'],
    ['?token=a&my_secret=b api_key=c', '?token=***&my_secret=*** api_key=***'],
    ['xtoken=a', 'xtoken=a'],
    ['"TOKEN" : "a", "x": "b"', '"TOKEN" : "***", "x": "b"'],
    ['"token":"a\\\\", "x": "b"', '"token":"***", "x": "b"'],
    ['"token":"a\\', '"token":"***'],
    ['"token":"', '"token":"***'],
    [`${SECRET} and ${SECRET}`, '*** and ***'],
    ['Bearer of bad news', 'Bearer of bad news'],
    ['total_tokens=5&token_url=x', 'total_tokens=5&token_url=x'],
    ['https://a.test/@me', 'https://a.test/@me'],
  ])('masks the credentials in %j', (given, masked) => expect(text(given)).toBe(masked));
});
