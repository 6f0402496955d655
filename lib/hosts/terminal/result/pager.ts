/** Shows a text in a pager: `$PAGER`, or less. */

import { type ChildProcess, spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { SECRET_VARIABLES } from '../line/options.ts';
import type { Environment, TerminalHost, TerminalOutput } from '../ui/host.ts';

/** Exit codes with which a shell reports that it cannot run a program. */
const NOT_RUN = [126, 127];
/** `-F`: end if it fits one screen; `-R`: show colours; `-X`: leave the text on the screen. */
const LESS_OPTIONS = 'FRX';

/** Finds the pager. @returns undefined without a pager: `--no-pager`, `PAGER=cat`, an empty PAGER, or a dumb terminal */
export function pagerCommand(environment: Environment, noPager: boolean): string | undefined {
  const command = (environment['PAGER'] ?? 'less').trim();
  const isOff = noPager || environment['TERM'] === 'dumb' || command === '' || command === 'cat';
  return isOff ? undefined : command;
}

/** Reports whether a text needs more lines than the terminal has, minus one for the shell prompt. */
export function isHigher(text: string, { rows, columns }: Pick<TerminalOutput, 'rows' | 'columns'>): boolean {
  if (rows === undefined || rows <= 0) return false;
  let lines = 1;
  for (const line of text.split('\n')) {
    lines += Math.max(1, Math.ceil(stripVTControlCharacters(line).length / (columns ?? Infinity)));
    if (lines > rows) return true;
  }
  return false;
}

/**
 * Shows a text in a pager until the user leaves it. Meanwhile the pager handles Ctrl-C.
 * @param signal ends it
 * @returns false if the pager could not be started
 */
export async function showInPager(
  text: string,
  command: string,
  host: TerminalHost,
  signal?: AbortSignal,
): Promise<boolean> {
  const ignore = () => undefined;
  process.on('SIGINT', ignore);
  try {
    const child = start(command, host, signal);
    // A user who leaves before the end closes the pipe.
    child.stdin?.on('error', ignore);
    child.stdin?.end(`${text}\n`);
    child.stdout?.pipe(host.stdout, { end: false });
    return await new Promise<boolean>((resolve) => {
      child.once('error', () => resolve(false));
      child.once('close', (code) => resolve(!NOT_RUN.includes(code ?? 0)));
    });
  } finally {
    process.off('SIGINT', ignore);
  }
}

function start(command: string, { environment, stdout }: TerminalHost, signal: AbortSignal | undefined): ChildProcess {
  const output = stdout === process.stdout ? 'inherit' : 'pipe';
  const stdio = ['pipe', output, output === 'inherit' ? 'inherit' : 'ignore'] as const;
  const env = { LESS: LESS_OPTIONS, ...withoutSecrets(environment) };
  const options = { stdio: [...stdio], env, ...(signal === undefined ? {} : { signal }) };
  // As in git, PAGER is a shell command line, and the text is passed only through the pipe.
  return environment['PAGER'] === undefined
    ? spawn('less', [`-${LESS_OPTIONS}`], options)
    : spawn(command, { ...options, shell: true });
}

/** Remove credentials: a pager can start other programs, which do not need them. */
function withoutSecrets(environment: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRET_VARIABLES.includes(name)));
}
