/** The history file of the war room, readable by its owner only. */
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeText } from '../../../node/system-error.ts';
import { userFolder } from '../../../node/user-folder.ts';
import type { Environment } from '../host.ts';

const MAX_LINES = 1000;
const OWNER_ONLY = 0o600;
const MAX_LINE_LENGTH = 2000;

export type History = ReturnType<typeof openHistory>;

/** Returns `$XDG_STATE_HOME/aisec/history`, or the same below `~/.local/state`. */
export function historyPath(environment: Environment): string {
  return join(userFolder('state', environment), 'history');
}

/** Opens the history. @param problem called once if the file cannot be used */
export function openHistory(path: string, problem: (message: string) => void) {
  let usable = true;
  const attempt = <Value>(work: () => Value, otherwise: Value): Value => {
    try {
      return usable ? work() : otherwise;
    } catch (thrown) {
      usable = false;
      problem(`the history ${path} cannot be used${codeText(thrown)}`);
      return otherwise;
    }
  };
  const lines = attempt(() => load(path), []);
  let last = lines.at(-1);
  return {
    /** Newest last. */
    lines,
    /** Appends a line. A history that cannot be written does not end the war room. */
    add: (line: string) => {
      if (line === last || line.length > MAX_LINE_LENGTH) return;
      last = line;
      attempt(() => appendFileSync(path, `${line}\n`, { mode: OWNER_ONLY }), undefined);
    },
  };
}

function load(path: string): string[] {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (!existsSync(path)) writeFileSync(path, '', { mode: OWNER_ONLY });
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, OWNER_ONLY);
  const all = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const kept = all.slice(-MAX_LINES);
  if (kept.length < all.length) writeFileSync(path, `${kept.join('\n')}\n`, { mode: OWNER_ONLY });
  return kept;
}
