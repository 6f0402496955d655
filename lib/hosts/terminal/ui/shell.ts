/** The place where a person pastes a command: a shell, or the war room. */
import type { Environment } from './host.ts';

/** The quoting rules. `room`: a line of the war room. `powershell-5`: Windows PowerShell, and 7 up to 7.2. */
export type Dialect = 'room' | 'posix' | 'powershell' | 'powershell-5';

export interface Shell {
  readonly dialect: Dialect;
  /** Options that choose the same tenant again. */
  readonly options: readonly string[];
}

/** Returns the dialect of the shell that started the program. */
export function dialectOf(environment: Environment): Dialect {
  const shell = environment['SHELL'] ?? '';
  if (/(?:^|[\\/])pwsh(?:\.exe)?$/.test(shell)) return 'powershell';
  if (environment['OS'] !== 'Windows_NT' || shell !== '') return 'posix';
  // Folders of Windows PowerShell are named WindowsPowerShell.
  return /[\\/]PowerShell[\\/]/i.test(environment['PSModulePath'] ?? '') ? 'powershell' : 'powershell-5';
}

/** Unquoted, PowerShell reads numbers by value (`1kb`), and ends an option at a full stop or a colon. */
const SAFE_IN_POWERSHELL = /^(?!-.*[.:])(?![-+]?[\d.][\w.+]*$)[\w.:+/=-]+$/;

/** Words that no shell changes. */
const SAFE: Readonly<Record<Dialect, RegExp>> = {
  // A full stop or a colon at the end could be mistaken for part of the surrounding sentence.
  room: /^[\w.:@%+/=-]*[\w@%+/=-]$/,
  posix: /^(?!=)[\w.:@%+,/=-]+$/,
  powershell: SAFE_IN_POWERSHELL,
  'powershell-5': SAFE_IN_POWERSHELL,
};

const QUOTED: Readonly<Record<Dialect, (word: string) => string>> = {
  room: (word) => `"${word.replace(/["\\]/g, '\\$&')}"`,
  posix: (word) => `'${word.replace(/'/g, "'\\''")}'`,
  powershell: (word) => `'${word.replace(/['‘’‚‛]/g, '$&$&')}'`,
  'powershell-5': (word) => QUOTED.powershell(escapedForWindows(word)),
};

/** Escapes a word that would otherwise reach the program without its double quotes, or not at all if it is empty. */
function escapedForWindows(word: string): string {
  if (word === '') return '""';
  const escaped = word.replace(/(\\*)"/g, '$1$1\\"');
  // Backslashes at the end would escape the closing quote that PowerShell puts around white space.
  return /\s/.test(word) ? escaped.replace(/\\+$/, '$&$&') : escaped;
}

/** Quotes a word, so that the shell passes it unchanged. */
export function quoted(word: string, dialect: Dialect): string {
  return SAFE[dialect].test(word) ? word : QUOTED[dialect](word);
}

/** Writes the line of a subcommand, with the options that choose the tenant. @param words the first names it */
export function subcommandLine(words: readonly string[], { dialect, options }: Shell): string {
  const program = dialect === 'room' ? [] : ['aisec'];
  return [...program, ...[...words, ...options].map((word) => quoted(word, dialect))].join(' ');
}
