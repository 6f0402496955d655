/** Where settings come from on Node: given values, environment variables, and the settings file. */
import { isSettingName, SETTINGS, type SettingName, type Settings } from '../settings/parameters.ts';
import type { ResolvedSettings, SettingSource } from '../settings/settings.ts';

export interface Configuration {
  readonly settings: Settings;
  readonly sources: Readonly<Partial<Record<SettingName, SettingSource>>>;
  /** For people, such as a settings file that others can read. */
  readonly warnings: readonly string[];
  /** Values that must not be shown. */
  readonly secrets: readonly string[];
}

export interface ConfigurationRequest {
  /** Values by setting name, before all others. */
  readonly given?: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly path?: string | undefined;
  readonly profile?: string | undefined;
}

/** @throws ConfigurationError for a setting that cannot be used, or a file that is missing or cannot be understood */
export async function readConfiguration(request: ConfigurationRequest): Promise<Configuration> {
  const [{ resolveSettings }, { readSettingsFile }] = await Promise.all([
    import('../settings/settings.ts'),
    import('../settings/file.ts'),
  ]);
  const { environment, path, profile, given } = request;
  const file = await readSettingsFile({ path, profile, environment });
  const resolved = resolveSettings({ flags: given, environment, file: file?.values ?? {} });
  return configurationOf(resolved, file?.warnings);
}

/** The same from an environment alone. */
export async function readEnvironment(environment: ConfigurationRequest['environment']): Promise<Configuration> {
  const { resolveSettings } = await import('../settings/settings.ts');
  return configurationOf(resolveSettings({ environment }));
}

function configurationOf(resolved: ResolvedSettings, warnings: readonly string[] = []): Configuration {
  const names = Object.keys(resolved.settings).filter(isSettingName);
  const secrets = names
    .filter((name) => SETTINGS[name].kind === 'secret')
    .map((name) => String(resolved.settings[name]));
  return { ...resolved, warnings, secrets };
}
