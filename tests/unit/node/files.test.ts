import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { replaceFile } from '../../../lib/node/files/atomic-write.ts';
import { filesDirectory, unfinishedPath } from '../../../lib/node/files/unfinished.ts';
import { codeOf } from '../../../lib/node/system/system-error.ts';
import { temporaryFolder } from '../../support/folder.ts';

describe('a file that replaces one that another program has open', () => {
  /** Fails with these codes, one per attempt. */
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

afterEach(() => jest.useRealTimers());

/** Writes an unfinished file under the name of a process that does not exist. */
function leaveBehind(folder: string): string {
  const own = basename(unfinishedPath(folder)).split('-');
  const path = join(folder, own.with(-3, '4194999').join('-'));
  writeFileSync(path, 'half');
  return path;
}

test('are removed by a timer, also if nothing is uploaded, until the server ends', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance', 'Date', 'nextTick', 'queueMicrotask'] });
  const folder = temporaryFolder('stale');
  const own = unfinishedPath(folder);
  writeFileSync(own, 'half');
  const server = await filesDirectory(folder, 'aisec-test-');
  const tenant = join(folder, 'default');
  mkdirSync(tenant);
  const left = [leaveBehind(folder), leaveBehind(tenant)];
  jest.advanceTimersByTime(60_000);
  while (left.some((path) => existsSync(path))) await turn();
  expect(readdirSync(folder).toSorted()).toEqual([basename(own), 'default']);
  await server.remove();
  expect(jest.getTimerCount()).toBe(0);
});
