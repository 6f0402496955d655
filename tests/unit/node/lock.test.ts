import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConflictError } from '../../../lib/core/errors.ts';
import { lock } from '../../../lib/node/files/lock.ts';
import { expectNone } from '../../support/expect-none.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { machineClock } from '../../support/machine.ts';
import { scenario } from '../../system/scenarios/claims.ts';

const path = () => join(temporaryFolder('lock'), 'work.lock');
/** No heartbeat occurs during a test. */
const SLOW = { heartbeatMs: 60_000 };

scenario('lock-owner', 'a lock is readable only by its owner, held once, and leaves nothing behind', async () => {
  const file = path();
  const mine = await lock(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await expect(lock(file)).rejects.toThrow(`belongs to process ${process.pid} on`);
  await mine.confirm();
  await mine.release();
  expectNone(readdirSync(join(file, '..')), 'files next to the lock');
});

test('a lock that was taken over is noticed, and not released', async () => {
  const file = path();
  const mine = await lock(file, SLOW);
  writeFileSync(file, 'theirs');
  await expect(mine.confirm()).rejects.toThrow(ConflictError);
  await expect(mine.check()).rejects.toThrow(ConflictError);
  await mine.release();
  expect(readFileSync(file, 'utf8')).toBe('theirs');
});

scenario.each([{ hours: 1 }, { hours: -1 }])(
  ['two-writers', 'clock-jump'],
  'an owner whose clock has moved by $hours h since its last heartbeat checks its lock again',
  async ({ hours }) => {
    const file = path();
    const mine = await lock(file, SLOW);
    writeFileSync(file, 'theirs');
    await mine.check();
    const later = machineClock.now() + hours * 3_600_000;
    const now = jest.spyOn(Date, 'now').mockReturnValue(later);
    try {
      await expect(mine.check()).rejects.toThrow(ConflictError);
    } finally {
      now.mockRestore();
      await mine.release();
    }
  },
);

test.each([
  { seconds: 8, isTaken: false },
  { seconds: 12, isTaken: true },
])('the lock of an owner that cannot be seen, $seconds s after its last heartbeat: $isTaken', async (row) => {
  const file = path();
  writeFileSync(file, 'another process');
  const then = machineClock.now() / 1000 - row.seconds;
  utimesSync(file, then, then);
  const taken = await lock(file, { heartbeatMs: 1 }).catch((thrown: unknown) => thrown);
  expect(taken instanceof ConflictError).toBe(!row.isTaken);
  if (!(taken instanceof Error)) await (taken as Awaited<ReturnType<typeof lock>>).release();
});
