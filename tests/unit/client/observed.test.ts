/** Requests as a host may show them. */

import { observing } from '../../../lib/client/observed.ts';
import type { HttpRequest, HttpResponse, SavedFile } from '../../../lib/core/ports.ts';
import { responseRedaction } from '../../../lib/core/redaction/responses.ts';
import type { SeenRequest } from '../../../lib/core/runtime.ts';
import { newShared } from '../../../lib/core/shared.ts';

const SECRET = 'a-secret-of-the-settings';
const redact = responseRedaction({ settings: { client_secret: SECRET }, shared: newShared() } as never, [
  'of-the-line',
]);
const file = { name: 'report.zip', entry: '/tmp/report.zip', size: 1, contentType: 'application/zip' } as SavedFile;

function seen(request: Partial<HttpRequest>, response?: Partial<HttpResponse>): SeenRequest {
  let now = 0;
  const clock = { now: () => 1000, elapsed: () => (now += 7.4) } as never;
  const found: SeenRequest[] = [];
  const whole = { method: 'POST', url: 'https://a/b', ...request } as HttpRequest;
  const answer = response === undefined ? undefined : { status: 200, headers: {}, body: '', ...response };
  observing(clock, (each) => void found.push(each))(whole, redact)(answer);
  return found[0] as SeenRequest;
}

it('A request has its start, its duration and its bodies', () => {
  expect(seen({ body: '{"a":[1]}' }, { body: '{"b":null}' })).toEqual({
    ...{ method: 'POST', url: 'https://a/b', status: 200, ms: 7, at: '1970-01-01T00:00:01.000Z' },
    ...{ sent: { a: [1] }, received: { b: null } },
  });
});

it('A request without a response has no status', () => {
  expect(seen({})).toEqual({ method: 'POST', url: 'https://a/b', status: null, ms: 7, at: '1970-01-01T00:00:01.000Z' });
});

it.each<{ what: string; body: string; received: unknown }>([
  { what: 'text', body: 'gone', received: 'gone' },
  { what: 'a known secret', body: `{"x":"${SECRET}"}`, received: { x: '***' } },
  { what: 'a secret of the line', body: '{"x":{"y":["of-the-line"]}}', received: { x: { y: ['***'] } } },
  {
    what: 'a member with the name of a secret',
    body: '{"api_key":"new","auth_code":"D1","n":{"token":"t"}}',
    received: { api_key: '***', auth_code: '***', n: { token: '***' } },
  },
  {
    what: 'an object with the name of a secret',
    body: '{"connection_params":{"h":"x"}}',
    received: { connection_params: '***' },
  },
  { what: 'a form with a secret', body: 'a=1&client_secret=new-one', received: 'a=1&client_secret=***' },
  { what: 'a prompt', body: '{"prompt":"Say hello to me."}', received: { prompt: 'Say hello to me.' } },
  { what: 'a long body', body: JSON.stringify('x'.repeat(30_000)), received: `"${'x'.repeat(19_999)}…` },
  { what: 'a huge body', body: 'x'.repeat(500_001), received: '(500,001 characters)' },
])('$what is shown without secrets, and cut', ({ body, received }) => {
  expect(seen({ body: '' }, { body })).toMatchObject({ received });
  expect(seen({ body }, {})).toMatchObject({ sent: received });
});

it('A secret at the cut of a long body is masked before the cut', () => {
  const body = JSON.stringify({ text: `${'x'.repeat(19_985)}${SECRET}` });
  expect(JSON.stringify(seen({ body }))).not.toContain('a-secret');
});

it('Files have only their names, and an address has no secret', () => {
  const url = `https://user:pass@a/b?token=abcdefgh&x=${SECRET}`;
  const upload = { file, field: 'f', contentType: '', parts: [] };
  const found = seen({ url, upload }, { file, body: '' });
  expect(found).toMatchObject({ sent: { file: 'report.zip' }, received: { file: 'report.zip' } });
  expect(found.url).toBe('https://***@a/b?token=***&x=***');
});
