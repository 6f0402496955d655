import fc from 'fast-check';
import { redaction } from '../../../lib/core/redaction/redact.ts';
import { createLog, type LogOptions } from '../../../lib/node/log/log.ts';
import { expectNone } from '../../support/expect-none.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const CANARY = 'canary/5ecret+"x"\n';

function logTo(options: Partial<LogOptions> & { isTTY?: boolean } = {}) {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text), isTTY: options.isTTY };
  const log = createLog({ stream, secrets: () => [CANARY], ...options });
  const lines = async () => {
    await log.flush();
    return written.map((line): unknown => JSON.parse(line));
  };
  return { log, written, lines };
}

describe('redaction', () => {
  const { value } = redaction({ secrets: [CANARY, 'canary', 'abc'] });

  test.each([
    ['as it is', CANARY],
    ['in JSON', JSON.stringify({ key: CANARY })],
    ['in JSON in JSON', JSON.stringify(JSON.stringify([CANARY]))],
    ['in a query', `https://a.test/?key=${encodeURIComponent(CANARY)}`],
    ['in a form', new URLSearchParams({ key: CANARY }).toString()],
    ['as base64', Buffer.from(CANARY).toString('base64')],
    ['as base64url', Buffer.from(CANARY).toString('base64url')],
    ['in a key', { [CANARY]: 1 }],
    ['in a list', [[CANARY]]],
    ['in an error', new Error(CANARY)],
  ])('finds a secret %s', (_, given) => {
    const result = JSON.stringify(value(given));
    expect(result).toContain('***');
    expect(result).not.toContain('canary');
    expect(result).not.toContain('5ecret');
    expect(result).not.toContain(Buffer.from(CANARY).toString('base64').slice(4, 12));
  });

  test('finds any secret as part of any base64 text', () => {
    const secret = fc.string({ minLength: 6, maxLength: 40, unit: 'grapheme' }).filter((given) => given.length >= 6);
    fc.assert(
      fc.property(fc.string({ maxLength: 9 }), secret, fc.string({ maxLength: 9 }), (before, given, after) => {
        const whole = Buffer.from(`${before}${given}${after}`).toString('base64');
        expect(redaction({ secrets: [given] }).text(whole)).not.toBe(whole);
      }),
    );
  });

  test.each([
    'authorization',
    'Authorization',
    'proxy-authorization',
    'cookie',
    'set-cookie',
    'x-pan-token',
    'access_token',
    'accessToken',
    'api_key',
    'apiKey',
    'x-api-key',
    'client_secret',
    'clientSecret',
    'password',
    'auth_config',
    'credentials',
  ])('masks the field %s by its name', (name) => {
    expect(value({ headers: { [name]: 'unknown value' } })).toEqual({ headers: { [name]: '***' } });
    expect(value({ [name]: { inner: 'unknown value' } })).toEqual({ [name]: '***' });
  });

  test.each(['token_url', 'total_tokens', 'passed', 'keys', 'secretary', 'status'])('keeps the field %s', (name) => {
    expect(value({ [name]: 'value' })).toEqual({ [name]: 'value' });
  });

  test('handles cycles, depth, prototypes and accessors', () => {
    const circle: Record<string, unknown> = { name: 'a' };
    circle['self'] = circle;
    expect(value(circle)).toEqual({ name: 'a', self: '[...]' });
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
    expect(JSON.stringify(value(deep))).toContain('[...]');
    expect(value(JSON.parse('{"__proto__":{"a":1},"b":2}'))).toEqual({ b: 2 });
  });
});

describe('the log', () => {
  test.each([
    ['trace', ['trace', 'debug', 'info', 'warn']],
    ['debug', ['debug', 'info', 'warn']],
    ['info', ['info', 'warn']],
    ['warn', ['warn']],
    [undefined, ['warn']],
    ['silent', []],
  ] as const)('at level %s writes %j', async (level, expected) => {
    const { log, lines } = logTo({ level });
    log.trace?.('none', () => ({}));
    log.debug('one');
    log.info('two');
    log.warn('three');
    expect((await lines()).map((line) => Reflect.get(Object(line), 'level'))).toEqual(expected);
  });

  test('writes one JSON object per line, in order, and other fields cannot replace its own', async () => {
    const { log, written, lines } = logTo({ level: 'debug' });
    log.debug('first', { level: 'x', time: 1, message: 'y' });
    log.warn('second\nline');
    expectNone(written, 'lines before they are flushed');
    await log.flush();
    log.info('third');
    expect(written).toHaveLength(3);
    expect(await lines()).toEqual([
      { level: 'debug', time: expect.any(String), message: 'first', fields: { level: 'x', time: 1, message: 'y' } },
      { level: 'warn', time: expect.any(String), message: 'second\nline' },
      { level: 'info', time: expect.any(String), message: 'third' },
    ]);
    expectNone(
      written.filter((line) => line.indexOf('\n') !== line.length - 1),
      'pieces that are not one whole line',
    );
  });

  test('is one line of plain text at a terminal, without control sequences', () => {
    const { log, written } = logTo({ isTTY: true });
    log.warn('slow\u001b[2J', { host: 'a\nb\u202e', count: 2, none: undefined, list: ['\u009b'] });
    expect(written).toEqual(['warn: slow<U+001B>[2J  host=a<U+000A>b<U+202E>  count=2  list=["<U+009B>"]\n']);
  });

  test('masks values that were secret when logged, even if written later', async () => {
    const secrets: string[] = ['first-secret'];
    const { log, lines } = logTo({ secrets: () => secrets });
    const fields = { list: ['first-secret'] };
    log.warn('with first-secret', fields);
    secrets[0] = 'second-secret';
    fields.list.push('changed');
    log.warn('with second-secret');
    expect(await lines()).toMatchObject([{ message: 'with ***', fields: { list: ['***'] } }, { message: 'with ***' }]);
  });

  test('below its level collects no secrets and reads no value', () => {
    const { log } = logTo({
      secrets: () => {
        throw new Error('asked');
      },
    });
    expect(() =>
      log.trace?.('unseen', () => {
        throw new Error('asked for fields');
      }),
    ).not.toThrow();
    expect(() =>
      log.debug('unseen', {
        get value() {
          throw new Error('looked');
        },
      }),
    ).not.toThrow();
  });

  const prompt = 'my private prompt';
  const fields = {
    prompt,
    response: prompt,
    contents: [{ prompt }],
    empty: { prompt: '' },
    nested: { list: [{ prompt, code_response: prompt }] },
    body: JSON.stringify({ contents: [{ prompt }], profile: 'p', api_key: CANARY }),
    responseBody: `not JSON, ${prompt}`,
  };
  scenario('debug-bodies', 'hides prompts and responses, also inside bodies, and shows their length', async () => {
    const { log, written, lines } = logTo({ level: 'debug' });
    log.debug('request', fields);
    expect(await lines()).toMatchObject([
      {
        fields: {
          prompt: '[hidden, 17 characters]',
          response: '[hidden, 17 characters]',
          contents: '[hidden]',
          empty: { prompt: '' },
          nested: { list: [{ prompt: '[hidden, 17 characters]', code_response: '[hidden, 17 characters]' }] },
          body: '{"contents":"[hidden]","profile":"p","api_key":"***"}',
          responseBody: '[hidden, 27 characters]',
        },
      },
    ]);
    expect(written.join('')).not.toContain(prompt);
  });

  scenario('debug-bodies', 'hides strings of a body under any name, and keeps ids and states', async () => {
    const { log, lines } = logTo({ level: 'trace' });
    const body = JSON.stringify({
      id: 'a-1',
      state: 'DONE',
      count: 2,
      text: prompt,
      list: [prompt],
      output: 'hello',
    });
    log.trace?.('received', () => ({ body }));
    const shown =
      '{"id":"a-1","state":"DONE","count":2,"text":"[hidden, 17 characters]","list":["[hidden, 17 characters]"],"output":"[hidden, 5 characters]"}';
    expect(await lines()).toMatchObject([{ level: 'trace', fields: { body: shown } }]);
  });

  scenario('debug-bodies', 'shows prompts on request, but never secrets', async () => {
    const { log, written, lines } = logTo({ level: 'debug', showContent: true });
    log.debug('request', { ...fields, other: `key ${CANARY}` });
    const [line] = await lines();
    expect(line).toMatchObject({ fields: { prompt, contents: [{ prompt }], responseBody: `not JSON, ${prompt}` } });
    expect(written.join('')).not.toContain('5ecret');
  });
});
