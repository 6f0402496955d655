/** Unfinished files that a killed process left in the folder of a server. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { filesDirectory, unfinishedPath } from '../../../lib/node/files/unfinished.ts';
import { temporaryFolder } from '../../support/folder.ts';

afterEach(() => jest.useRealTimers());

/** Writes an unfinished file under the name of a process whose number no process has. */
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
