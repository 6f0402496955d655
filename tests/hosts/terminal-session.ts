import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Given, start } from './terminal-support.ts';

export const CTRL_D = '\u0004';

/** Opens a war room, types, and leaves with Ctrl-D. */
export async function session(typed: readonly (readonly [keys: string, seen: string | RegExp])[], given: Given = {}) {
  const running = start(['--simulate'], { terminal: true, columns: 100, ...given });
  await running.see('(simulated)');
  for (const [keys, seen] of typed) {
    running.stdin.write(keys);
    await running.see(seen);
  }
  running.stdin.write(CTRL_D);
  const code = await running.code;
  return { code, stdout: running.output(), stderr: running.errors(), requests: running.requests, state: running.state };
}

/** Reads the history file of a run. */
export const historyOf = (state: string) =>
  readFileSync(join(state, 'aisec', 'history'), 'utf8')
    .trim()
    .split('\n');
