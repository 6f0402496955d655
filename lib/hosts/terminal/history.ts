/** The history file: lines of earlier war rooms, for their owner alone. */
import { appendFileSync, chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { codeOf, codeText } from '../../node/system-error.ts';
import type { Environment } from './host.ts';

const MOST_LINES = 1000;
const OWNER_ONLY = 0o600;
const LONGEST_LINE = 2000;

export interface History {
  /** Newest last. */
  readonly lines: readonly string[];
  /** Keeps one more line. A history that cannot be written is no reason to stop. */
  add(line: string): void;
}

/** `$XDG_STATE_HOME/aisec/history`, or the place that stands for it when it is not set. */
export function historyPath(environment: Environment): string {
  const { XDG_STATE_HOME: state = '', HOME: home = '' } = environment;
  const base = isAbsolute(state) ? state : join(home === '' ? homedir() : home, '.local', 'state');
  return join(base, 'aisec', 'history');
}

/** Opens the history. @param problem is told once when it cannot be used */
export function openHistory(path: string, problem: (message: string) => void): History {
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
    lines,
    add: (line) => {
      if (line === last || line.length > LONGEST_LINE) return;
      last = line;
      attempt(() => appendFileSync(path, `${line}\n`, { mode: OWNER_ONLY }), undefined);
    },
  };
}

function load(path: string): string[] {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const text = readIfThere(path);
  if (text === undefined) {
    writeFileSync(path, '', { mode: OWNER_ONLY });
    return [];
  }
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, OWNER_ONLY);
  const all = text.split('\n').filter((line) => line !== '');
  const kept = all.slice(-MOST_LINES);
  if (kept.length < all.length) writeFileSync(path, `${kept.join('\n')}\n`, { mode: OWNER_ONLY });
  return kept;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}
