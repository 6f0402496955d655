/** Requests of each token in a minute. */
import { RateLimitError } from '../../../lib/core/errors.ts';
import { Rate } from '../../../lib/hosts/http/access/admission.ts';
import { testClock } from '../../support/simulated.ts';

test('requests are counted for each token separately, for a minute from the first request', () => {
  const clock = testClock();
  const rate = new Rate(10, clock);
  const count = (owner: string) => rate.count(owner);
  clock.advance(5000);
  expect(count('ci')).toEqual({ current: 1, ttl: 60_000 });
  clock.advance(59_999);
  expect(count('ci')).toEqual({ current: 2, ttl: 1 });
  expect(count('cd')).toEqual({ current: 1, ttl: 60_000 });
  clock.advance(1);
  expect(count('ci')).toEqual({ current: 1, ttl: 60_000 });
  expect(count('cd')).toEqual({ current: 2, ttl: 59_999 });
});

test('a token is refused beyond its limit, and told when to continue', () => {
  const clock = testClock();
  const rate = new Rate(2, clock);
  const take = (owner: string) => rate.take(owner);
  expect(rate.limit).toBe(2);
  rate.count('ci');
  take('ci');
  clock.advance(20_000);
  expect(() => take('ci')).toThrow(
    new RateLimitError('This token may send 2 requests a minute, and retries count as requests.'),
  );
  expect(() => take('ci')).toThrow(
    expect.objectContaining({
      hint: 'Send fewer at once, or a smaller retry-count.',
      retryable: true,
      waitMs: 40_000,
    }) as Error,
  );
  take('cd');
  clock.advance(40_000);
  take('ci');
});

test('a flood of other tokens does not reset a count of this minute', () => {
  const clock = testClock();
  const rate = new Rate(10, clock);
  const count = (owner: string) => rate.count(owner);
  for (let at = 0; at < 4999; at += 1) count(`old-${at}`);
  clock.advance(59_999);
  count('ci');
  for (let at = 0; at < 10; at += 1) count(`new-${at}`);
  expect(count('old-0').current).toBe(2);
  clock.advance(1);
  for (let at = 10; at < 20; at += 1) count(`new-${at}`);
  expect([count('ci').current, count('new-0').current, count('old-1').current]).toEqual([2, 2, 1]);
});
