/** Finds the program's folders in the home directory, by the XDG base directory specification. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;
type Kind = keyof typeof BASES;

const BASES = {
  cache: { variable: 'XDG_CACHE_HOME', below: '.cache' },
  config: { variable: 'XDG_CONFIG_HOME', below: '.config' },
  state: { variable: 'XDG_STATE_HOME', below: join('.local', 'state') },
} as const;

/** Returns the folder for one kind of file; without HOME it is below the home directory of the system's user. */
export function userFolder(kind: Kind, environment: Environment): string {
  return environmentFolder(kind, environment) ?? join(homedir(), BASES[kind].below, 'aisec');
}

/** Returns the folder that the environment alone determines. @returns undefined without HOME */
export function environmentFolder(kind: Kind, environment: Environment): string | undefined {
  const { variable, below } = BASES[kind];
  const { [variable]: base = '', HOME: home = '' } = environment;
  // The specification ignores relative paths.
  if (isAbsolute(base)) return join(base, 'aisec');
  return home === '' ? undefined : join(home, below, 'aisec');
}

/** Returns the path of the file of tokens, beside the settings file. */
export function tokensPath(environment: Environment): string {
  return join(userFolder('config', environment), 'tokens.json');
}
