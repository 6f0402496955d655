/** Reads settings on Node: explicit values, environment variables, and the settings file. */

import { isSettingName, SETTINGS, type SettingName, type Settings } from '../../core/parameters.ts';
import type { ResolvedSettings, SettingSource } from '../../runtime/settings/settings.ts';
import type { SettingsFileUse } from './file.ts';

export interface Configuration {
  readonly settings: Settings;
  readonly sources: Readonly<Partial<Record<SettingName, SettingSource>>>;
  /** Warnings for the user, for example that others can read the settings file. */
  readonly warnings: readonly string[];
  /** The settings file in use. */
  readonly file?: SettingsFileUse | undefined;
  /** Values that must not be shown. */
  readonly secrets: readonly string[];
}

export interface ConfigurationRequest {
  /** Values by setting name that override all others. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly path?: string | undefined;
  readonly profile?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Reads all sources. @throws ConfigurationError for an invalid setting, or a missing or invalid file */
export async function readConfiguration(request: ConfigurationRequest): Promise<Configuration> {
  const [{ resolveSettings }, { readSettingsFile }] = await Promise.all([
    import('../../runtime/settings/settings.ts'),
    import('./file.ts'),
  ]);
  const { environment, path, profile, overrides, signal } = request;
  const file = await readSettingsFile({ path, profile, environment, signal });
  const resolved = resolveSettings({ flags: overrides, environment, file: file?.values ?? {} });
  if (file === undefined) return configurationOf(resolved);
  const { values: _, warnings, ...use } = file;
  return { ...configurationOf(resolved, warnings), file: use };
}

/** Resolves values by setting name, ignoring environment and file. @throws ConfigurationError for an invalid setting */
export async function configurationFor(values: Readonly<Record<string, unknown>>): Promise<Configuration> {
  const { resolveSettings } = await import('../../runtime/settings/settings.ts');
  return configurationOf(resolveSettings({ environment: {}, file: values }));
}

/** Reads only the environment. */
export async function readEnvironment(environment: ConfigurationRequest['environment']): Promise<Configuration> {
  const { resolveSettings } = await import('../../runtime/settings/settings.ts');
  return configurationOf(resolveSettings({ environment }));
}

function configurationOf(resolved: ResolvedSettings, warnings: readonly string[] = []): Configuration {
  const names = Object.keys(resolved.settings).filter(isSettingName);
  const secrets = names
    .filter((name) => SETTINGS[name].kind === 'secret')
    .map((name) => String(resolved.settings[name]));
  return { ...resolved, warnings, secrets };
}
