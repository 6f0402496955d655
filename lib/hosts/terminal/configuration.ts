/** Where settings come from in a terminal: options, environment, settings file, or the simulated service in their place. */

import { isSettingName, SETTINGS, type SettingName, type Settings } from '../../settings/parameters.ts';
import type { SettingSource } from '../../settings/settings.ts';
import type { Options } from './cli-options.ts';
import type { SimulatedService, TerminalHost } from './host.ts';
import { simulatedService } from './simulation.ts';

export interface Configuration {
  readonly settings: Settings;
  readonly sources: Readonly<Partial<Record<SettingName, SettingSource>>>;
  /** For people, such as a settings file that others can read. */
  readonly warnings: readonly string[];
  /** Values that must not be shown. */
  readonly secrets: readonly string[];
  /** Answers in place of a tenant. */
  readonly simulation: SimulatedService | undefined;
}

/** @throws ConfigurationError for a setting that cannot be used, UsageError for options that do not go together */
export async function readConfiguration(host: TerminalHost, options: Options): Promise<Configuration> {
  const { resolveSettings } = await import('../../settings/settings.ts');
  if (options.simulate) {
    const simulation = await simulatedService(host, options);
    const resolved = resolveSettings({ environment: simulation.settings() });
    return { ...resolved, warnings: [], secrets: secretsOf(resolved.settings), simulation };
  }
  const { readSettingsFile } = await import('../../settings/file.ts');
  const { environment } = host;
  const file = await readSettingsFile({ path: options.config, profile: options.profile, environment });
  const resolved = resolveSettings({ flags: options.settings, environment, file: file?.values ?? {} });
  return { ...resolved, warnings: file?.warnings ?? [], secrets: secretsOf(resolved.settings), simulation: undefined };
}

function secretsOf(settings: Settings): string[] {
  const names = Object.keys(settings).filter(isSettingName);
  return names.filter((name) => SETTINGS[name].kind === 'secret').map((name) => String(settings[name]));
}
