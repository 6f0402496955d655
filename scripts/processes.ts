/** Runs other programs, and waits for them. */
import { spawnSync } from 'node:child_process';

interface Options {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Name of the program in errors; default its name and the first word. */
  readonly title?: string;
}

/** Largest output of a program, in bytes. */
const MAX_OUTPUT = 2 ** 26;

export interface Result {
  /** Exit code; null after a signal. */
  readonly status: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program that may fail. @throws Error if it cannot be started */
export function resultOf(program: string, words: readonly string[], options: Options = {}): Result {
  const { title = titleOf(program, words), ...where } = options;
  const result = spawnSync(program, words, { ...where, encoding: 'utf8', maxBuffer: MAX_OUTPUT });
  if (result.error !== undefined) throw new Error(`${title} failed: ${result.error.message}`);
  return result;
}

/**
 * Runs a program.
 * @returns what it wrote to stdout
 * @throws Error with what it wrote to stderr, if it fails or cannot be started
 */
export function outputOf(program: string, words: readonly string[], options: Options = {}): string {
  const { status, signal, stdout, stderr } = resultOf(program, words, options);
  if (status === 0) return stdout;
  const { title = titleOf(program, words) } = options;
  throw new Error(
    `${title} failed: ${stderr.trim() || stdout.trim() || `ended by ${signal ?? `exit code ${status}`}`}`,
  );
}

/** Runs npm. @returns what it wrote to stdout @throws Error if it fails */
export function npm(words: readonly string[], options: Options = {}): string {
  const [program, ...first] = npmCommand();
  return outputOf(program, [...first, ...words], { title: titleOf('npm', words), ...options });
}

/** Runs npm, which may fail. */
export function npmResult(words: readonly string[]): Result {
  const [program, ...first] = npmCommand();
  return resultOf(program, [...first, ...words], { title: titleOf('npm', words) });
}

/** `npm` is not an executable on every system, so the npm of the running script is used where there is one. */
function npmCommand(): readonly [program: string, ...first: string[]] {
  const running = process.env['npm_execpath'];
  return running?.endsWith('.js') === true ? [process.execPath, running] : ['npm'];
}

function titleOf(program: string, [word = '']: readonly string[]): string {
  return `${program} ${word}`.trim();
}
