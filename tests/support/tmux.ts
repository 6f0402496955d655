/** A real terminal, for effects that only a terminal shows. It is tmux, which needs no compiler and no other interpreter. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentOfRealTime, until } from './machine.ts';

/** Without tmux, tests in a real terminal are skipped, with a message. */
export const hasTerminal = spawnSync('tmux', ['-V']).status === 0;

export interface TerminalOptions {
  /** The program's working directory and home. */
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

export interface Terminal {
  type(text: string): void;
  /** Presses keys by their tmux names, such as `Tab` and `C-r`. */
  press(...keys: readonly string[]): void;
  /** Returns the lines of the screen without trailing spaces. */
  screen(): string;
  /** Resolves when the screen shows it. */
  see(what: string | RegExp): Promise<void>;
  /** Closes the terminal as a person closes its window. */
  hangUp(): void;
  /** Resolves to the program's exit code. */
  readonly code: () => Promise<number>;
}

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders.splice(0)) {
    spawnSync('tmux', ['-S', join(folder, SOCKET), 'kill-server']);
    rmSync(folder, { recursive: true, force: true });
  }
});

const SOCKET = 'socket';
/** Shows the exit code, which tmux itself does not always report, and keeps the screen. */
const KEEPER = `trap : INT; "$@"; printf '\\n(ended with %s)\\n' $?; exec cat`;
const ENDED = /^\(ended with (\d+)\)$/m;

/** Starts a program in a terminal of 80x24, which is closed after the file's tests. */
export function openTerminal(
  command: readonly string[],
  { folder, environment = {}, columns = 80, rows = 24 }: TerminalOptions,
): Terminal {
  // Not a test folder, which would be removed before the terminal is closed.
  const own = mkdtempSync(join(tmpdir(), 'aisec-tmux-'));
  folders.push(own);
  const env = { ...environmentOfRealTime(), HOME: folder, ...environment };
  const run = (...words: readonly string[]) =>
    execFileSync('tmux', ['-u', '-S', join(own, SOCKET), '-f', '/dev/null', ...words], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
  const size = ['-x', String(columns), '-y', String(rows)];
  const kept = ['sh', '-c', KEEPER, 'sh', ...command];
  run(
    'start-server',
    ';',
    'set-option',
    '-g',
    'status',
    'off',
    ';',
    'new-session',
    '-d',
    ...size,
    '-c',
    folder,
    ...kept,
  );
  const screen = () => run('capture-pane', '-p').replace(/ +$/gm, '').trimEnd();
  const see = async (what: string | RegExp) => {
    const isSeen = (text: string) => (typeof what === 'string' ? text.includes(what) : what.test(text));
    await until(
      () => isSeen(screen()),
      () => `${String(what)} was never seen in:\n${screen()}`,
    );
  };
  return {
    type: (text) => void run('send-keys', '-l', '--', text),
    press: (...keys) => void run('send-keys', ...keys),
    screen,
    see,
    hangUp: () => void run('kill-server'),
    code: async () => {
      await see(ENDED);
      return Number(ENDED.exec(screen())?.[1]);
    },
  };
}
