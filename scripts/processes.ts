/** Runs other programs, and waits for them. */
import { spawnSync } from 'node:child_process';

interface Options {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Name of the program in errors; by default the program and its first argument. */
  readonly title?: string;
}

/** Largest output of a program, in bytes. */
const MAX_OUTPUT = 2 ** 26;

/** Runs a program. @returns its stdout @throws Error with its stderr, if it fails or cannot be started */
export function outputOf(program: string, words: readonly string[], options: Options = {}): string {
  const { title = titleOf(program, words), ...where } = options;
  const result = spawnSync(program, words, { ...where, encoding: 'utf8', maxBuffer: MAX_OUTPUT });
  if (result.error !== undefined) throw new Error(`${title} failed: ${result.error.message}`);
  const { status, signal, stdout, stderr } = result;
  if (status === 0) return stdout;
  throw new Error(
    `${title} failed: ${stderr.trim() || stdout.trim() || `ended by ${signal ?? `exit code ${status}`}`}`,
  );
}

/** Runs npm. @returns its stdout @throws Error if it fails */
export function npm(words: readonly string[], options: Options = {}): string {
  // `npm` is not an executable on every system, so the npm that runs this script is used, if any.
  const running = process.env['npm_execpath'];
  const [program, ...first] = running?.endsWith('.js') === true ? [process.execPath, running] : ['npm'];
  return outputOf(program, [...first, ...words], { title: titleOf('npm', words), ...options });
}

function titleOf(program: string, [word = '']: readonly string[]): string {
  return `${program} ${word}`.trim();
}
