/** The place where a person pastes a command: a shell, or the war room. */
import { SETTINGS } from '../../../core/parameters.ts';
import type { Environment } from '../host.ts';
import type { Options } from './cli-options.ts';

/** How words are quoted. `room`: as a line of the war room. */
export type Dialect = 'room' | 'posix' | 'fish' | 'powershell' | 'cmd';

export interface Shell {
  readonly dialect: Dialect;
  /** Options that choose the same tenant again. */
  readonly options: readonly string[];
}

/** Returns the dialect of the shell that started the program. */
export function dialectOf(environment: Environment): Dialect {
  const shell = environment['SHELL'] ?? '';
  if (/(?:^|[\\/])fish(?:\.exe)?$/.test(shell)) return 'fish';
  if (/(?:^|[\\/])pwsh(?:\.exe)?$/.test(shell)) return 'powershell';
  if (environment['OS'] !== 'Windows_NT' || shell !== '') return 'posix';
  // cmd.exe sets it for its own prompt; PowerShell does not.
  return environment['PROMPT'] === undefined ? 'powershell' : 'cmd';
}

/** Words that no shell changes. */
const SAFE: Readonly<Record<Dialect, RegExp>> = {
  room: /^[\w.:@%+/=-]+$/,
  posix: /^(?!=)[\w.:@%+,/=-]+$/,
  fish: /^[\w.:@+,/=-]+$/,
  powershell: /^[\w.:+/=-]+$/,
  cmd: /^[\w.:@+/=-]+$/,
};

const QUOTED: Readonly<Record<Dialect, (word: string) => string>> = {
  room: (word) => `"${word.replace(/["\\]/g, '\\$&')}"`,
  posix: (word) => `'${word.replace(/'/g, "'\\''")}'`,
  fish: (word) => `'${word.replace(/['\\]/g, '\\$&')}'`,
  powershell: (word) => `'${word.replace(/['‘’‚‛]/g, '$&$&')}'`,
  cmd: (word) => `"${word.replace(/"/g, '""')}"`,
};

/** Quotes a word, so that the shell passes it unchanged. */
export function quoted(word: string, dialect: Dialect): string {
  return SAFE[dialect].test(word) ? word : QUOTED[dialect](word);
}

type TenantOptions = Pick<Options, 'config' | 'profile' | 'simulate' | 'settings'>;

/** Writes the options that choose the tenant as words, such as `--profile=staging`. */
export function tenantOptions({ config, profile, simulate, settings }: TenantOptions): string[] {
  const given: Readonly<Record<string, string | undefined>> = { config, profile, ...settings };
  const typed = Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const option = `--${name.replace(/_/g, '-')}`;
    const isFlag = Object.entries(SETTINGS).some(([setting, { kind }]) => setting === name && kind === 'flag');
    if (isFlag) return value === 'true' ? [option] : [];
    return [`${option}=${value}`];
  });
  return simulate ? [...typed, '--simulate'] : typed;
}
