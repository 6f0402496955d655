import { expectNone } from './expect-none.ts';

/** Fails an expectation. @returns its error */
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

  test('points at the line of the caller', () => {
    const [first = ''] = (failure(['x'], 'findings').stack ?? '').split('\n').filter((line) => / at /.test(line));
    expect(first).toContain('expect-none.test.ts');
  });

  test.each<{ what: string; finding: unknown; line: string }>([
    { what: 'a request', finding: { method: 'GET', url: '/v1/x', headers: {} }, line: 'GET /v1/x' },
    { what: 'a request with a body', finding: { method: 'PUT', url: '/x', body: '{"a":1}' }, line: 'PUT /x {"a":1}' },
    { what: 'an error', finding: new TypeError('no'), line: 'TypeError: no' },
    { what: 'a record', finding: { name: 'aisec-x', code: 2 }, line: '{"name":"aisec-x","code":2}' },
    { what: 'several lines', finding: 'one\n  two', line: 'one two' },
    { what: 'an empty text', finding: '', line: '(an empty text)' },
    { what: 'nothing', finding: undefined, line: 'undefined' },
    { what: 'a long text', finding: 'x'.repeat(500), line: `${'x'.repeat(400)}...` },
  ])('shows $what in brief', ({ finding, line }) => {
    expect(failure([finding], 'findings').message).toBe(`expected no findings, found 1:\n  ${line}`);
  });

  test('counts the findings that it does not list', () => {
    const found = Array.from({ length: 60 }, (_, index) => `finding ${index}`);
    const lines = failure(found, 'findings').message.split('\n');
    expect([lines[0], lines.length, lines.at(-1)]).toEqual([
      'expected no findings, found 60:',
      52,
      '  ... and 10 more',
    ]);
  });

  test.each([[undefined], [null], [{}], [''], [0]])('refuses %j instead of a list', (found) => {
    expect(failure(found, 'findings').message).toMatch(/^findings: no list, but /);
  });
});
