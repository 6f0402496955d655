/** Repeated requests: a key does its work once, and never returns the response to another request or caller. */
import { type Answer, Idempotency } from '../../../lib/hosts/http/responses/idempotency.ts';
import { RUN_COMMAND } from '../../../lib/hosts/http/routes/commands.ts';
import { compileValidator, requestSchemas, validationError } from '../../../lib/hosts/http/validation.ts';

const DAY = 86_400_000;
const NEVER = new Promise<Answer>(() => undefined);

function memory() {
  let now = 0;
  let count = 0;
  const keys = new Idempotency({ elapsed: () => now });
  const answer = (changes: Partial<Answer> = {}): Answer => {
    count += 1;
    return { status: 200, headers: {}, body: String(count), forget: false, ...changes };
  };
  const once = (key: string, changes?: Partial<Answer>, owner = 'ci', request = 'POST /a') =>
    keys.once(owner, key, request, async () => answer(changes));
  return { keys, once, answer, advance: (milliseconds: number) => (now += milliseconds), done: () => count };
}

const HEADERS = { method: 'POST', url: RUN_COMMAND.url, httpPart: 'headers' };
const validate = compileValidator({ ...HEADERS, schema: requestSchemas(RUN_COMMAND).headers ?? {} });

/** Validates a key as the server does, and runs its work once. */
async function checkedOnce({ once }: Pick<ReturnType<typeof memory>, 'once'>, key: string) {
  if (validate({ 'idempotency-key': key }) === true) return once(key);
  throw validationError(RUN_COMMAND, validate.errors ?? [], 'headers');
}

test('a repeated request gets the first response, marked as repeated', async () => {
  const { once, done } = memory();
  const first = await once('k');
  expect(first).toMatchObject({ body: '1', replayed: false });
  expect(await once('k')).toEqual({ ...first, replayed: true });
  expect(done()).toBe(1);
});

test('a repeated request waits for the response of the running request', async () => {
  const { keys, answer, done } = memory();
  let finish: (answer: Answer) => void = () => undefined;
  const first = keys.once('ci', 'k', 'a', () => new Promise((resolve) => (finish = resolve)));
  const second = keys.once('ci', 'k', 'a', async () => answer());
  finish(answer({ body: 'one' }));
  expect([(await first).replayed, await second]).toEqual([
    false,
    expect.objectContaining({ body: 'one', replayed: true }),
  ]);
  expect(done()).toBe(1);
});

test('keys are scoped to their caller', async () => {
  const { once, done } = memory();
  expect([(await once('k', {}, 'a')).body, (await once('k', {}, 'b')).body, done()]).toEqual(['1', '2', 2]);
  // Another caller's name and key cannot be imitated by a chosen name.
  expect((await once('b","k', {}, 'a')).replayed).toBe(false);
});

test('a key cannot be reused for another request', async () => {
  const { once, done } = memory();
  await once('k');
  await expect(once('k', {}, 'ci', 'POST /b')).rejects.toMatchObject({
    statusCode: 422,
    code: 'idempotency-key',
    message: 'This Idempotency-Key was used for another request.',
    options: { hint: expect.stringContaining('new key') as unknown },
  });
  expect(done()).toBe(1);
});

test.each(['', ' ', 'a b', 'é', 'a\n', 'x'.repeat(256)])('the key %j is refused, and nothing is done', async (key) => {
  const { once, done } = memory();
  await expect(checkedOnce({ once }, key)).rejects.toMatchObject({
    statusCode: 400,
    code: 'idempotency-key',
    message: expect.stringContaining('255 visible') as unknown,
    options: { hint: expect.stringContaining('UUID') as unknown },
  });
  expect(done()).toBe(0);
});

test.each(['!', '~', 'x'.repeat(255)])('accepts the key %j', async (key) => {
  expect((await checkedOnce(memory(), key)).replayed).toBe(false);
});

test.each([
  [
    'failed before it changed anything',
    async ({ once }: ReturnType<typeof memory>) => void (await once('k', { forget: true })),
  ],
  [
    'threw an error',
    async ({ keys }: ReturnType<typeof memory>) => {
      const work = () => Promise.reject(new Error('It failed.'));
      await expect(keys.once('ci', 'k', 'POST /a', work)).rejects.toThrow('It failed.');
    },
  ],
])('a request that %s can be repeated', async (_, fail) => {
  const all = memory();
  await fail(all);
  expect((await all.once('k')).replayed).toBe(false);
  expect((await all.once('k')).replayed).toBe(true);
});

test.each([0, 30 * DAY])('a response is kept for exactly a day by a process that runs for %d ms', async (age) => {
  const { once, advance } = memory();
  advance(age);
  await once('k');
  advance(DAY);
  expect((await once('k')).replayed).toBe(true);
  advance(1);
  expect((await once('k')).replayed).toBe(false);
});

test('work that still runs after a day is not repeated', async () => {
  const { keys, once, advance, done } = memory();
  void keys.once('ci', 'slow', 'POST /a', () => NEVER);
  await once('k');
  advance(2 * DAY);
  void once('slow');
  await once('other');
  void once('slow');
  expect(done()).toBe(2);
  expect((await once('k')).replayed).toBe(false);
});

test('ten thousand keys of an owner are kept, and the oldest is forgotten beyond them', async () => {
  const { once, done } = memory();
  for (let index = 0; index < 10_000; index += 1) await once(`k${index}`);
  expect([(await once('k0')).replayed, done()]).toEqual([true, 10_000]);
  await once('last');
  expect((await once('k5')).replayed).toBe(true);
  expect((await once('k0')).replayed).toBe(false);
});

test('the oldest keys of the same owner are forgotten beyond 50 million characters of requests and responses', async () => {
  const { once } = memory();
  const half = 'x'.repeat(25_000_000);
  const repeat = () => once('b', {}, 'ci', half);
  await once('a', { body: half }, 'ci', '');
  await once('b', { body: '' }, 'ci', half);
  expect((await once('a', {}, 'ci', '')).replayed).toBe(true);
  await once('c', { body: 'more' });
  expect((await once('a', {}, 'ci', '')).replayed).toBe(true);
  await once('d');
  expect((await repeat()).replayed).toBe(true);
  expect((await once('a', {}, 'ci', '')).replayed).toBe(false);
});
