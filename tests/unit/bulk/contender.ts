/** A process that takes locks, for `contenders.ts`. Input: a lock as JSON, or `release`. Output: one line for each. */
import { createInterface } from 'node:readline';
import { kernelLock } from '../../../lib/node/locks/kernel-lock.ts';
import { type Lock, type LockOptions, lock } from '../../../lib/node/locks/lock.ts';

export interface Wanted extends Pick<LockOptions, 'heartbeatMs' | 'leaseMs'> {
  readonly path: string;
  /** Without kernel locks, as on a system without them. */
  readonly alone?: boolean;
}

let held: Lock | undefined;
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'release') {
    await held?.release();
    process.stdout.write('released\n');
    continue;
  }
  const { path, alone, ...times } = JSON.parse(line) as Wanted;
  const options = alone === true ? { ...times, kernel: kernelLock('no-such-program') } : times;
  try {
    held = await lock(path, options);
    process.stdout.write('mine\n');
  } catch (thrown) {
    process.stdout.write(`${String(thrown)}\n`);
  }
}
