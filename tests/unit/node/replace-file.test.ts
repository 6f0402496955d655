import { replaceFile } from '../../../lib/node/files/atomic-write.ts';
import { codeOf } from '../../../lib/node/system-error.ts';

describe('a file that replaces one that another program has open', () => {
  /** Fails with these codes, one at each attempt. */
  const failing = (codes: readonly string[]) => {
    const left = [...codes];
    return async () => {
      const code = left.shift();
      if (code !== undefined) throw Object.assign(new Error(code), { code });
    };
  };

  test.each<{ platform: NodeJS.Platform; codes: string[]; outcome: string }>([
    { platform: 'win32', codes: [], outcome: 'done' },
    { platform: 'win32', codes: ['EPERM', 'EACCES'], outcome: 'done' },
    { platform: 'win32', codes: ['ENOSPC'], outcome: 'ENOSPC' },
    { platform: 'linux', codes: ['EPERM'], outcome: 'EPERM' },
  ])('on $platform, after $codes: $outcome', async ({ platform, codes, outcome }) => {
    const replaced = replaceFile('new', 'old', { platform, move: failing(codes) });
    expect(
      await replaced.then(
        () => 'done',
        (thrown: unknown) => codeOf(thrown),
      ),
    ).toBe(outcome);
  });
});
