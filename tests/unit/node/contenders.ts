import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { machineClock } from '../../support/machine.ts';
import { ROOT } from '../../support/program.ts';
import type { Wanted } from './contender.ts';

const CONTAINER = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'] as const;

/** The reason why PID namespaces cannot be tested; undefined if they can. */
export const noContainers = (() => {
  const [program, ...options] = CONTAINER;
  const { status, error, stderr } = spawnSync(program, [...options, 'true'], { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
})();

export interface Contender {
  readonly pid: number;
  /** Requests a lock. @returns `mine`, or the error */
  take(wanted: Wanted): Promise<string>;
  /** Checks the lock. @returns `mine`, or the error */
  check(): Promise<string>;
  release(): Promise<void>;
  /** Suspends the process, or continues it. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Kills the process, as `kill -9` does. */
  kill(): Promise<void>;
}

/** Builds contenders before the tests of a file, and ends them after each. */
export function contenders(): (place?: 'here' | 'container') => Contender {
  const cache = join(ROOT, 'node_modules', '.cache', 'aisec');
  const path = join(cache, `contender-${process.pid}-${machineClock.now()}.mjs`);
  const started: ChildProcess[] = [];
  beforeAll(async () => {
    mkdirSync(cache, { recursive: true });
    await build({
      entryPoints: [join(ROOT, 'tests', 'unit', 'node', 'contender.ts')],
      outfile: path,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      logLevel: 'error',
    });
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map(end));
  });
  afterAll(() => rmSync(path, { force: true }));
  return (place = 'here') => {
    const [program, ...words] = [...(place === 'here' ? [] : CONTAINER), process.execPath, path];
    const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
    started.push(child);
    return talkingTo(child);
  };
}

function talkingTo(child: ChildProcess): Contender {
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('a contender has pipes');
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const ask = async (line: string) => {
    stdin.write(`${line}\n`);
    const answer: IteratorResult<string, unknown> = await lines.next();
    return String(answer.value);
  };
  return {
    pid: child.pid ?? 0,
    take: (wanted) => ask(JSON.stringify(wanted)),
    check: () => ask('check'),
    signal: (name) => void spawnSync('pkill', [`-${name.slice(3)}`, '-P', String(child.pid)]),
    release: async () => {
      await ask('release');
    },
    kill: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // The program in a container outlives the process that created it; its output ends with the last of them.
  const ended = once(child, 'close');
  child.kill('SIGKILL');
  await ended;
}
