import { expectNone } from './expect-none.ts';

/** Makes an expectation fail. @returns its error */
function failure(found: unknown, what: string): Error {
  try {
    expectNone(found, what);
  } catch (thrown) {
    if (thrown instanceof Error) return thrown;
  }
  throw new Error('expectNone found nothing wrong');
}

describe('expectNone', () => {
  test('passes an empty list', () => {
    expect(() => expectNone([], 'commands that show a secret')).not.toThrow();
  });

  test('prints each finding on its own line', () => {
    const found = ['aisec-x: leaked CANARY in stderr', 'aisec-y: leaked CANARY in a file'];
    expect(failure(found, 'commands that show a secret').message).toBe(
      [
        'expected no commands that show a secret, found 2:',
        '  aisec-x: leaked CANARY in stderr',
        '  aisec-y: leaked CANARY in a file',
      ].join('\n'),
    );
  });

  test.each([[undefined], [null], [{}], [''], [0]])('refuses %j instead of a list', (found) => {
    expect(failure(found, 'findings').message).toMatch(/^findings: no list, but /);
  });
});
