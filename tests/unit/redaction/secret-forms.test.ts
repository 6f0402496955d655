import { redaction, secretForms } from '../../../lib/core/redaction/redact.ts';

describe('the forms of a secret', () => {
  test.each<[what: string, secret: string, forms: readonly string[]]>([
    ['are none for three characters', 'abc', []],
    ['are one for four letters, whose base64 is too short to be found', 'abcd', ['abcd']],
    ['include six letters of base64 at each offset', 'abcde', ['abcde', 'YWJjZG', 'FiY2Rl', 'hYmNkZ']],
    [
      'include both alphabets of base64',
      '>?>?>?',
      [
        ...['>?>?>?', '%3E%3F%3E%3F%3E%3F'],
        ...['Pj8+Pz4/', '4/Pj8+P', '+Pz4/Pj'],
        ...['Pj8-Pz4_', '4_Pj8-P', '-Pz4_Pj'],
      ],
    ],
    ['include JSON, and JSON in JSON', 'a"b\\', ['a"b\\', 'a\\"b\\\\', 'a\\\\\\"b\\\\\\\\', 'a%22b%5C']],
    ['include an escaped line break', 'ab\nc', ['ab\nc', 'ab\\nc', 'ab\\\\nc', 'ab%0Ac']],
    ['include marks that only some encoders escape', "'(!)", ["'(!)", '%27%28%21%29']],
    ['include characters that a form escapes and characters that it keeps', '*a~b', ['*a~b', '%2Aa~b', '*a%7Eb']],
    ['include a space in a form', 'a b*', ['a b*', 'a%20b*', 'a%20b%2A', 'a+b%2A', 'a+b*']],
  ])('%s', (_, secret, forms) => {
    expect(secretForms([secret]).sort()).toEqual([...forms].sort());
  });

  test('are listed once, longest first', () => {
    expect(secretForms(['abcd', 'abcd', 'a/b/', 'abc', 'efgh'])).toEqual(['a%2Fb%2F', 'abcd', 'a/b/', 'efgh']);
  });

  test.each([
    ['percent-encoded', encodeURIComponent('x\u{1f600}yz\ufffd')],
    ['as base64', Buffer.from('x\u{1f600}yz\ud800').toString('base64').slice(0, 13)],
    ['in JSON', 'x\u{1f600}yz\\ud800'],
  ])('keep a surrogate pair next to a lone surrogate: %s', (_, form) => {
    expect(redaction({ secrets: ['x\u{1f600}yz\ud800'] }).text(form)).toBe('***');
  });
});

test.each(['a*b!c~d', "it's (a) *test*~", '%+&=-._'])('a browser form does not show the secret %j', (secret) => {
  const form = new URLSearchParams({ q: secret }).toString();
  expect(redaction({ secrets: [secret] }).text(form)).toBe('q=***');
});
