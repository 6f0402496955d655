/** Headers of a target that a file may have: only standard ones, with a value of their own form. */
import fc from 'fast-check';
import { isHarmlessHeader } from '../../../lib/features/guardrails/targets/secrets.ts';
import { runs } from '../../support/runs.ts';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';

test.each([
  ['Content-Type', 'application/json'],
  ['content-type', 'application/json; charset=utf-8'],
  ['CONTENT-TYPE', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Accept', 'text/html, application/xhtml+xml;q=0.9, */*;q=0.8'],
  ['Accept', 'text/event-stream'],
  ['Accept-Language', 'de-DE, de;q=0.8, zh-Hant-TW;q=0.5, *'],
  ['Content-Language', 'en'],
  ['Accept-Encoding', 'gzip, deflate;q=0.5, br'],
  ['Content-Encoding', 'identity'],
  ['Accept-Charset', 'UTF-8, iso-8859-1;q=0.5'],
  ['Cache-Control', 'no-cache, max-age=0'],
  ['Pragma', 'no-cache'],
  ['User-Agent', 'curl/8.5.0'],
  ['User-Agent', 'PostmanRuntime/7.32.3'],
  ['User-Agent', 'python-requests/2.31.0'],
  ['User-Agent', BROWSER],
])('%s: %s stays in the file', (name, value) => {
  expect(isHarmlessHeader(name, value)).toBe(true);
});

const KEY = 'c2VjcmV0c2VjcmV0c2Vj';

test.each<[string, unknown]>([
  ...['Authorization', 'Cookie', 'X-Api-Key', 'X-Anything', 'Referer', 'Origin', 'Host', 'Proxy-Authorization'].map(
    (name): [string, string] => [name, 'application/json'],
  ),
  ...[' Content-Type', 'Content-Type ', 'Content_Type', 'Content-Type\n', 'Cont\u0435nt-Type', 'constructor', ''].map(
    (name): [string, string] => [name, 'application/json'],
  ),
  ['Content-Type', '**********'],
  ['Content-Type', 'application/***'],
  ['Content-Type', '@env:KEY'],
  ['Content-Type', ''],
  ['Content-Type', 7],
  ['Content-Type', null],
  ['Content-Type', ['application/json']],
  ['Content-Type', KEY],
  ['Content-Type', `application/${KEY}`],
  ['Content-Type', `application/vnd.${KEY}+json`],
  ['Content-Type', 'application/550e8400-e29b-41d4-a716-446655440000'],
  ['Content-Type', 'application/json; token=abc'],
  ['Content-Type', `multipart/form-data; boundary=${KEY}`],
  ['Content-Type', 'application/json\r\nAuthorization: Bearer x'],
  ['Content-Type', 'application/json\n'],
  ['Accept', `Bearer ${KEY}`],
  ['Accept', 'Basic YTpi'],
  ['Accept', `*/*, ${KEY}`],
  ['Accept-Language', KEY],
  ['Accept-Language', 'en-abcdefgh-ijklmnop'],
  ['Accept-Encoding', 'gzip, secret'],
  ['Accept-Charset', 'hunter2'],
  ['Cache-Control', `max-age=${'1'.repeat(20)}`],
  ['Cache-Control', 'private="x-key"'],
  ['Pragma', 'hunter2'],
  ['User-Agent', 'hunter2'],
  ['User-Agent', `bot/1.0 ${KEY}`],
  ['User-Agent', `bot/1.0 Bearer ${KEY}`],
  ['User-Agent', 'bot/1.0 Basic YTpi'],
  ['User-Agent', 'bot/1.0 token abc'],
  ['User-Agent', 'bot/1.0 (key=abc)'],
  ['User-Agent', 'bot/1.0 dana:secret@example.com'],
  ['User-Agent', 'bot/1.0 0123456789abcdef'],
  ['User-Agent', 'bot/1.0 QWxhZGRpbjpvcGVu'],
  ['User-Agent', 'bot/1.0 sk-live-4f9a8b7c6d5e'],
  ['User-Agent', `bot/1.0 ${'word '.repeat(100)}`],
])('%j: %j is a secret', (name, value) => {
  expect(isHarmlessHeader(name, value)).toBe(false);
});

const NAMES = ['Accept', 'Accept-Charset', 'Accept-Encoding', 'Accept-Language', 'Cache-Control', 'Content-Encoding'];
const MORE_NAMES = ['Content-Language', 'Content-Type', 'Pragma', 'User-Agent'];

test('no header has a random credential in the file, wherever its value has it', () => {
  const credential = fc.oneof(
    fc.base64String({ minLength: 24, maxLength: 80 }),
    fc
      .string({ unit: fc.nat(15).map((digit) => digit.toString(16)), minLength: 32, maxLength: 64 })
      .filter((x) => /\d/.test(x)),
    fc.uuid(),
  );
  const before = fc.constantFrom(
    '',
    'Bearer ',
    'bot/1.0 ',
    'application/',
    'text/x-',
    'gzip, ',
    'en, ',
    'max-age=',
    '*/*;q=',
  );
  const after = fc.constantFrom('', '+json', ', */*', ';q=0.5', '/1.0');
  const holds = (name: string, start: string, secret: string, end: string) =>
    !/[a-z]{3}/i.test(secret) || !isHarmlessHeader(name, start + secret + end);
  fc.assert(fc.property(fc.constantFrom(...NAMES, ...MORE_NAMES), before, credential, after, holds), runs(2000, 5));
});
