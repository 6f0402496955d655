/** Checks the settings that a command requires. */
import { ConfigurationError } from '../core/errors.ts';
import { type SettingName, type Settings, settingText } from '../core/parameters.ts';

/** Settings, and the host's advice about where to set them. */
export interface Configured {
  readonly settings: Settings;
  readonly advice: { readonly settings: string; readonly settingName?: (name: SettingName) => string };
}

/**
 * Returns the values of settings, in the order of their names.
 * @throws ConfigurationError that lists every missing one
 */
export function needSettings({ settings, advice }: Configured, names: readonly SettingName[]): string[] {
  const absent = names.filter((name) => (settings[name] ?? '') === '');
  if (absent.length > 0) {
    const shown = absent.map(advice.settingName ?? settingText);
    throw new ConfigurationError(`Not configured: ${shown.join(', ')}.`, { hint: advice.settings });
  }
  return names.map((name) => String(settings[name]));
}
