/**
 * A process that takes locks, for `contenders.ts`. Input: a lock as JSON, `check` or `release`. Output: one line for each.
 */
import { createInterface } from 'node:readline';
import { type Lock, type LockOptions, lock } from '../../../lib/node/files/lock.ts';

export interface Wanted extends LockOptions {
  readonly path: string;
}

let held: Lock | undefined;

async function done(line: string): Promise<string> {
  if (line === 'release') {
    await held?.release();
    return 'released';
  }
  if (line === 'check') await held?.check();
  else {
    const { path, ...times } = JSON.parse(line) as Wanted;
    held = await lock(path, times);
  }
  return 'mine';
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${await done(line).catch(String)}\n`);
}
