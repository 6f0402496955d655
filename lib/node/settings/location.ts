/** Finds the settings file and its section without reading the file, because completion asks on each Tab. */
import { join } from 'node:path';
import { environmentFolder } from '../system/user-folder.ts';

export interface SettingsFileRequest {
  /** The requested file; by default the file at the default path, if it exists. */
  path?: string | undefined;
  /** The requested section; by default the section in `AISEC_PROFILE`, else `default` if it exists. */
  profile?: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  /** Ends the wait if the file is a named pipe. */
  signal?: AbortSignal | undefined;
}

/** Returns the section that is requested by name. */
export function namedProfile({ profile, environment }: SettingsFileRequest): string | undefined {
  const variable = environment['AISEC_PROFILE'] ?? '';
  return profile ?? (variable === '' ? undefined : variable);
}

/** Returns the path of the file, which may not exist; undefined without a home directory. */
export function settingsPath({ path, environment }: SettingsFileRequest): string | undefined {
  const folder = environmentFolder('config', environment);
  return path ?? (folder === undefined ? undefined : join(folder, 'settings.yml'));
}
