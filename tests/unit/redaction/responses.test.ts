import { type Redact, responseRedaction } from '../../../lib/core/redaction/responses.ts';
import { stage } from '../../support/exchange.ts';

const ALL = '[script-client-secret] [script-runtime-key] [own-secret] [token-one] [token-two]';

describe('redaction of responses', () => {
  const { runtime } = stage([]);
  const redactionOf = (secrets: readonly string[]): Redact => responseRedaction(runtime, secrets);

  test('masks the secrets of the settings, of the command and of the newest token', () => {
    const { body } = redactionOf(['own-secret', '']);
    expect(body(ALL)).toBe('[***] [***] [***] [token-one] [token-two]');
    runtime.shared.token = 'token-one';
    expect(body(ALL)).toBe('[***] [***] [***] [***] [token-two]');
    expect(body(ALL)).toBe('[***] [***] [***] [***] [token-two]');
    runtime.shared.token = 'token-two';
    expect(body(ALL)).toBe('[***] [***] [***] [token-one] [***]');
  });

  test('works without any secret', () => {
    const { scanner_base_url, dlp_base_url, token_url, insecure, proxy } = runtime.settings;
    const settings = { scanner_base_url, dlp_base_url, token_url, insecure, proxy };
    const { body } = responseRedaction({ settings, shared: { ...runtime.shared, token: undefined } }, []);
    expect(body(ALL)).toBe(ALL);
  });

  test('finds a secret in any notation of JSON, and keeps members of any name', () => {
    const { body, response } = redactionOf(['own-secret']);
    const sent = '{"x": "own-s\\u0065cret", "prompt": "abc", "n": 1}';
    const masked = '{"x":"***","prompt":"abc","n":1}';
    expect(body(sent)).toBe(masked);
    const headers = { a: 'is own-secret', b: 'c' };
    const whole = { status: 200, headers, body: sent };
    expect(response(whole)).toEqual({ status: 200, headers: { a: 'is ***', b: 'c' }, body: masked });
    expect(whole).toEqual({ status: 200, headers: { a: 'is own-secret', b: 'c' }, body: sent });
  });

  test('masks a body that is not JSON as text', () => {
    expect(redactionOf(['own-secret']).body('{"x": "own-secret"')).toBe('{"x": "***"');
  });
});
