/**
 * Finds the program's folders: by the XDG base directory specification where its variables are set, otherwise where the
 * system keeps such files.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, posix, win32 } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;
type Kind = keyof typeof BASES;

/** The system properties that folders depend on. */
export interface System {
  readonly platform: NodeJS.Platform;
  homedir(): string;
  exists(path: string): boolean;
}

/** Folders below the home directory. On Windows, an environment variable names the same folder, which may be on a server. */
const BASES = {
  cache: {
    xdg: { variable: 'XDG_CACHE_HOME', below: '.cache' },
    darwin: 'Library/Caches',
    win32: { variable: 'LOCALAPPDATA', below: 'AppData/Local' },
  },
  config: {
    xdg: { variable: 'XDG_CONFIG_HOME', below: '.config' },
    darwin: 'Library/Application Support',
    win32: { variable: 'APPDATA', below: 'AppData/Roaming' },
  },
  state: {
    xdg: { variable: 'XDG_STATE_HOME', below: '.local/state' },
    darwin: 'Library/Application Support',
    win32: { variable: 'LOCALAPPDATA', below: 'AppData/Local' },
  },
} as const;

const THIS_SYSTEM: System = { platform: process.platform, homedir, exists: existsSync };

/** Returns the folder for one kind of file; without HOME, a folder below the home directory of the system's user. */
export function userFolder(kind: Kind, environment: Environment, system = THIS_SYSTEM): string {
  return environmentFolder(kind, environment, system) ?? folderBelow(kind, system.homedir(), system);
}

/** Returns the folder that follows from the environment only. @returns undefined without a home directory */
export function environmentFolder(kind: Kind, environment: Environment, system = THIS_SYSTEM): string | undefined {
  const { platform } = system;
  const path = platform === 'win32' ? win32 : posix;
  const { xdg, win32: windows } = BASES[kind];
  const named = (variable: string) => {
    const base = environment[variable] ?? '';
    // The specification ignores relative paths.
    return path.isAbsolute(base) ? path.join(base, 'aisec') : undefined;
  };
  const { HOME = '', USERPROFILE = '' } = environment;
  const home = platform === 'win32' && USERPROFILE !== '' ? USERPROFILE : HOME;
  const fixed = platform === 'win32' ? named(windows.variable) : undefined;
  return named(xdg.variable) ?? (home === '' ? fixed : folderBelow(kind, home, system, fixed));
}

/**
 * Returns the folder in a home directory. On every system, settings and history stay where earlier versions kept them.
 * @param usual the folder that a variable of the system names
 */
function folderBelow(kind: Kind, home: string, { platform, exists }: System, usual?: string): string {
  const path = platform === 'win32' ? win32 : posix;
  const { xdg, darwin, win32: windows } = BASES[kind];
  const earlier = path.join(home, xdg.below, 'aisec');
  if (platform !== 'darwin' && platform !== 'win32') return earlier;
  if (kind !== 'cache' && exists(earlier)) return earlier;
  return usual ?? path.join(home, platform === 'darwin' ? darwin : windows.below, 'aisec');
}

/** Returns the path of the token file, which is next to the settings file. */
export function tokensPath(environment: Environment): string {
  return join(userFolder('config', environment), 'tokens.json');
}
