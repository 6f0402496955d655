/** Starts programs to measure or test, and stops them when this process ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from './root.mjs';

/** The built program. */
export const AISEC = join(ROOT, 'dist', 'aisec.cjs');

const running = new Set();

/** Kills all programs that still run. */
export function killAll() {
  for (const child of running) child.kill('SIGKILL');
}

process.once('exit', killAll);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/**
 * Creates the environment of a program: PATH, HOME and the given variables only. Others, such as `NODE_EXTRA_CA_CERTS`, could
 * slow down an empty Node and so reduce every ratio.
 */
export function cleanEnvironment(variables = {}) {
  return { PATH: process.env.PATH, HOME: process.env.HOME, ...variables };
}

/**
 * Starts a program, and waits until its output matches the patterns.
 * @param words its arguments
 * @param options of `spawn`, with a clean environment that `environment` extends
 * @param options.program default: this Node
 * @param options.ready patterns to wait for in stdout or stderr, by the name under which `found` has the first group;
 * default none
 * @returns `child`, its `stdout` and `stderr` so far, `found`, a promise `ended`, and `stop`, which waits for the end
 * @throws Error with the output, if the program ends before
 */
export async function startProgram(words, { program = process.execPath, ready = {}, environment, ...options } = {}) {
  const child = spawn(program, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
    env: cleanEnvironment(environment),
  });
  running.add(child);
  const [stdout, stderr] = [collected(child.stdout), collected(child.stderr)];
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child);
    return { code, signal, stdout: stdout.text, stderr: stderr.text };
  });
  const found = await new Promise((resolve, reject) => {
    const look = () => {
      const text = `${stdout.text}\n${stderr.text}`;
      const entries = Object.entries(ready).map(([name, pattern]) => [name, pattern.exec(text)?.[1]]);
      if (entries.every(([, value]) => value !== undefined)) resolve(Object.fromEntries(entries));
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    const failed = ({ code }) => new Error(`${words[0]} ended with ${code}: ${stderr.text}${stdout.text.slice(-2000)}`);
    ended.then((end) => reject(failed(end)), reject);
    look();
  });
  const stop = (signal = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  return { child, stdout, stderr, found, ended, stop };
}

/** Collects the text of a stream. */
export function collected(stream) {
  const into = { text: '' };
  stream?.setEncoding('utf8').on('data', (chunk) => {
    into.text += chunk;
  });
  return into;
}
