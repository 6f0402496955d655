import { codeOf } from './system-error.ts';

/** Is there a process of this number on this machine? One that belongs to somebody else counts. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) !== 'ESRCH';
  }
}
