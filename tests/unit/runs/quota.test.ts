/** Bytes that a token and its tenant may hold. */
import { Quota } from '../../../lib/runs/quota.ts';
import { scenario } from '../../system/scenarios/claims.ts';

describe('Bytes of a token', () => {
  const options = { noun: 'files', own: 10, tenant: 25, hint: 'Delete some.' };

  scenario('fair-memory', 'have a limit for the token and a limit shared by its tenant', () => {
    const quota = new Quota(options);
    for (const owner of ['a/t', 'b/t']) quota.take(owner, 10);
    expect(() => quota.take('a/t', 1)).toThrow('The files of this token have reached their limit');
    expect(() => quota.take('c/t', 6)).toThrow('The files of this tenant have reached their limit');
    quota.take('c/t', 5);
    quota.take('c/other', 10);
    quota.give('a/t', 10);
    quota.take('a/t', 10);
  });

  scenario('fair-memory', 'are returned, and a refusal does not count', () => {
    const quota = new Quota(options);
    for (let count = 0; count < 100; count += 1) expect(() => quota.take('a/t', 11)).toThrow();
    quota.take('a/t', 10);
  });

  it('beyond a limit are refused with the limit and how to make room', () => {
    const quota = new Quota({ noun: 'sessions', own: 50_000_000, tenant: 75_500_000, hint: 'Close some.' });
    const problem = (message: string) => ({ code: 'quota', retryable: true, hint: 'Close some.', message });
    quota.take('ci@/t', 50_000_000);
    expect(thrownBy(() => quota.take('ci@/t', 1))).toMatchObject(
      problem('The sessions of this token have reached their limit of 50 MB.'),
    );
    expect(thrownBy(() => quota.take('nightly@/t', 30_000_000))).toMatchObject(
      problem('The sessions of this tenant have reached their limit of 75.5 MB.'),
    );
  });

  it('of tokens with names of any length count for their tenant, whatever its name', () => {
    const quota = new Quota(options);
    for (const owner of ['a/eu/west', 'nightly@/eu/west']) quota.take(owner, 10);
    expect(() => quota.take('ci@/eu/west', 6)).toThrow('of this tenant');
    quota.take('ci@/us/west', 6);
    quota.take('ci@/eu', 6);
  });

  it('that already exist are counted beyond every limit', () => {
    const quota = new Quota(options);
    quota.add('a/t', 30);
    expect(() => quota.take('a/t', 1)).toThrow('of this token');
    expect(() => quota.take('b/t', 1)).toThrow('of this tenant');
    quota.give('a/t', 25);
    quota.take('a/t', 5);
    expect(() => quota.take('a/t', 1)).toThrow('of this token');
  });

  it('are never negative, so that no token gains room', () => {
    const quota = new Quota(options);
    quota.take('a/t', 5);
    quota.give('a/t', 100);
    quota.take('a/t', 10);
    expect(() => quota.take('a/t', 1)).toThrow('of this token');
    quota.take('b/t', 10);
    expect(() => quota.take('c/t', 6)).toThrow('of this tenant');
  });
});

function thrownBy(act: () => void): unknown {
  try {
    act();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}
