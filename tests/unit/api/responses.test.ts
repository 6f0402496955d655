import {
  AuthError,
  ConflictError,
  NotFoundError,
  PermissionError,
  PreconditionError,
  QuotaError,
  RefusedError,
  ServiceError,
} from '../../../lib/core/errors.ts';
import { type Call, management, scanner } from '../../../lib/runtime/api/call.ts';
import { number, string } from '../../../lib/runtime/output/record.ts';
import { shape } from '../../../lib/runtime/output/shape.ts';
import { failing, stage } from '../../support/exchange.ts';
import { scenario } from '../../system/scenarios/claims.ts';
import { always, create, failed, read, status, things, UNKNOWN } from './calls.ts';

describe('a response', () => {
  const remove = management.delete(things);

  scenario.each([
    { what: 'no body', reply: status(204), value: {} },
    { what: 'white space', reply: { body: ' \n' }, value: {} },
    { what: 'a plain text', reply: { body: 'successfully deleted' }, value: { message: 'successfully deleted' } },
    { what: 'text surrounded by white space', reply: { body: ' gone <b> ' }, value: { message: 'gone <b>' } },
    { what: 'a JSON text', reply: { json: 'deleted' }, value: { message: 'deleted' } },
    { what: 'an object', reply: { json: { message: 'deleted' } }, value: { message: 'deleted' } },
  ])('delete-bodies', 'to a delete may be $what', async ({ reply, value }) => {
    const room = stage([reply]);
    await expect(room.api({ effect: 'delete' }).fetch(remove)).resolves.toEqual(value);
  });

  test.each<[body: string, call: Call, value: unknown]>([
    ['  ', read, {}],
    ['[1]', { ...read, array: true }, { items: [1] }],
  ])('"%s" to %j becomes %j', async (body, call, value) => {
    await expect(stage([{ body }]).api().fetch(call)).resolves.toEqual(value);
  });

  scenario.each([
    { body: '{"id": 9007199254740993}', value: { id: '9007199254740993' } },
    { body: '{"id":-123456789012345678901234567890}', value: { id: '-123456789012345678901234567890' } },
    { body: '{"a":[9007199254740993,1]}', value: { a: ['9007199254740993', 1] } },
    { body: '{"id": 9007199254740991}', value: { id: 9_007_199_254_740_991 } },
    { body: '{"x": 1.00000000000000001, "y": 1e20}', value: { x: 1, y: 1e20 } },
    {
      body: String.raw`{"a\"9007199254740993": "\\", "b": "\"9007199254740993"}`,
      value: { 'a"9007199254740993': '\\', b: '"9007199254740993' },
    },
  ])('slow-inputs', 'keeps the digits of its integers: $body', async ({ body, value }) => {
    await expect(stage([{ body }]).api().fetch(read)).resolves.toEqual(value);
  });

  scenario('slow-inputs', 'keeps the digits in fields declared as numbers or texts', () => {
    const fields = { count: number('Count.'), id: string('Id.') };
    const wire = { count: '9007199254740993', id: '9007199254740993' };
    expect(shape({ path: 'AiSec.Thing', fields }, wire, {})).toEqual(wire);
    expect(shape({ path: 'AiSec.Thing', fields }, { count: '12', id: 5 }, {})).toEqual({ count: 12, id: '5' });
  });

  test.each<[body: string, call: Call]>([
    ['gone', read],
    ['"gone"', read],
    ['[1]', read],
    ['5', read],
    ['null', read],
    ['{"a":', read],
    ['<html>sign in</html>', read],
    ['5', remove],
    ['{"a"', remove],
    ['[1', remove],
    ['<html>sign in</html>', remove],
    [`{"a": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`, read],
  ])('%.30s to %j is rejected, and not shown', async (body, call) => {
    const error = await failed({ body, headers: { 'x-request-id': 'r-1' } }, call);
    expect(error).toMatchObject({ name: 'ResponseError', code: 'response', status: 200, requestId: 'r-1' });
    expect(error.message).toContain('returned an invalid response');
    expect(error.message).not.toContain('sign in');
    expect(error.hint).toContain('proxy');
    expect(error.hint).not.toContain(UNKNOWN);
  });

  test('that is invalid leaves the outcome of a change unknown', async () => {
    expect((await failed({ body: '<html>' }, create, 'create')).hint).toMatch(/proxy .*outcome is unknown/);
  });
});

describe('an error status', () => {
  test.each<[status: number, type: unknown, exitCode: number, message: string, hint: string]>([
    [400, RefusedError, 2, 'rejected the request', 'Check the arguments'],
    [401, AuthError, 4, 'does not accept the credentials', 'API Client Secret'],
    [402, QuotaError, 6, 'quota is used up', 'wait'],
    [403, PermissionError, 4, 'denied access', 'role'],
    [404, NotFoundError, 5, 'found nothing', 'list command'],
    [409, ConflictError, 5, 'conflict', 'in use'],
    [412, PreconditionError, 5, 'failed precondition', 'Check the arguments'],
    [413, RefusedError, 2, 'too large', 'Send less'],
    [415, RefusedError, 2, 'type of content', 'Check the arguments'],
    [422, RefusedError, 2, 'rejected the request', 'Check the arguments'],
    [300, ServiceError, 8, 'redirect', 'Redirects are not followed'],
    [399, ServiceError, 8, 'redirect', 'Redirects are not followed'],
    [418, ServiceError, 8, 'unexpected response', 'Check the address'],
    [199, ServiceError, 8, 'unexpected response', 'Check the address'],
    [500, ServiceError, 8, 'failed', 'Try again later'],
    [501, ServiceError, 8, 'failed', 'Try again later'],
  ])('%i is a %p with exit code %i', async (code, type, exitCode, message, hint) => {
    const error = await failed({ status: code, headers: { 'x-request-id': 'req-1' } });
    expect(error.constructor).toBe(type);
    expect(error).toMatchObject({ status: code, exitCode, requestId: 'req-1', retryable: code >= 500 });
    expect(error.hint).toContain(hint);
    expect(error.message).toMatch(new RegExp(`^The management API .*${message} \\(HTTP ${code} to GET\\)\\.$`));
    expect(error.name === 'RefusedError').toBe(error.code === 'refused');
  });

  test.each([
    [401, 'Set the Runtime API Key'],
    [403, 'Scanner API Base URL'],
  ])('%i of the scanner has a hint about its key', async (status, hint) => {
    expect((await failed({ status }, scanner.get(things))).hint).toContain(hint);
  });

  test.each([
    [500, true],
    [499, false],
  ])('%i to a change is not retryable, and its outcome is unknown: %s', async (code, unknown) => {
    const error = await failed({ status: code }, create, 'create');
    expect([error.retryable, error.hint?.includes(UNKNOWN)]).toEqual([false, unknown]);
  });

  const long = 'a'.repeat(300);
  const places = [{ loc: ['body', 'a', 0], msg: 'reason' }, { loc: ['body'], msg: 'more' }, { msg: 'last' }];
  test.each<[what: string, json: unknown, shown: string]>([
    ['a text', 'reason', ': reason'],
    ['nothing', {}, '.'],
    ['a number', 5, '.'],
    ['a list', ['reason'], '.'],
    ['a message', { message: 'reason' }, ': reason'],
    ['an object as message', { message: { a: ['reason'] } }, '.'],
    ['no text', { message: 5, detail: 6 }, '.'],
    ['an empty text before another', { message: '', error_description: 'reason' }, ': reason'],
    ['an error message first', { message: 'other', error_message: 'reason' }, ': reason'],
    ['an error that is a string', { error: 'reason', detail: 'other' }, ': reason'],
    ['an error with a message', { error: { message: 'reason' } }, ': reason'],
    ['a detail', { detail: 'reason' }, ': reason'],
    ['places', { detail: [...places, { loc: ['b', 'x'] }] }, ': a.0: reason; more; last; x:'],
    ['controls', { message: ' a\u0000\u001b\u009fb\n ' }, ': a b'],
    ['three hundred characters', { message: long }, `: ${long}`],
    ['more than that', { message: `${long}b` }, `: ${long}...`],
  ])('whose body has %s shows it at the end of the message', async (_, json, shown) => {
    const { message } = await failed({ status: 409, json });
    expect(message.slice(message.indexOf(')') + 1)).toBe(shown);
  });

  test.each(['<html><body>nginx</body></html>', ''])('whose body is "%s" does not show the body', async (body) => {
    expect((await failed({ status: 400, body })).message).toBe(
      'The management API rejected the request (HTTP 400 to GET).',
    );
  });

  const code = 'QUOTA_EXCEEDED';
  test.each<[json: unknown, type: unknown]>([
    [{ code }, QuotaError],
    [{ error_code: code }, QuotaError],
    [{ error: { code } }, QuotaError],
    [{ detail: { error_code: code } }, QuotaError],
    [{ code: 5, detail: { code } }, QuotaError],
    [{ code: 'OTHER', detail: { code } }, RefusedError],
    [{ code: 'constructor' }, RefusedError],
    [code, RefusedError],
  ])('400 with the body %j is a %p', async (json, type) => {
    expect((await failed({ status: 400, json })).constructor).toBe(type);
  });

  test('has the request id and the rows in its body', async () => {
    const payload = [{ id: 1 }, 'x', null];
    const headers = { 'x-correlation-id': 'c'.repeat(101), 'request-id': 'other' };
    const error = await failed({ status: 409, json: { payload }, headers });
    expect([error.requestId, error.rows]).toEqual(['c'.repeat(100), [{ id: 1 }]]);
    expect(await failed({ status: 409, json: 'x' })).toMatchObject({ requestId: undefined, rows: [] });
  });

  test('has the hint that the command declares', async () => {
    const api = stage(always(status(409))).api({ hints: { 409: 'Use force=true.' } });
    expect((await failing(api.fetch(read))).hint).toBe('Use force=true.');
  });

  const YEAR = [31_536_000_000, '31536000 seconds'] as const;
  test.each<[header: string | undefined, waitMs: number | undefined, hint: string]>([
    [undefined, undefined, 'in a while'],
    ['90.5', 90_500, '91 seconds'],
    ['9'.repeat(400), ...YEAR],
    ['1'.padEnd(300, '0'), ...YEAR],
    ['Fri, 31 Dec 9999 23:59:59 GMT', ...YEAR],
  ])('429 with retry-after %s asks to wait %p ms', async (header, waitMs, hint) => {
    const headers = { 'x-request-id': 'r', ...(header === undefined ? {} : { 'retry-after': header }) };
    const error = await failed({ status: 429, headers });
    expect(error).toMatchObject({
      code: 'rate-limit',
      exitCode: 7,
      waitMs,
      status: 429,
      requestId: 'r',
      retryable: true,
    });
    expect(error.message).toContain('management API');
    expect(error.hint).toContain(hint);
  });
});
