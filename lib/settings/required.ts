/** Settings that a command cannot do without. */
import { ConfigurationError } from '../errors.ts';
import { SETTINGS, type SettingName, type Settings } from './parameters.ts';

/** The settings there are, and where this host's users make them. */
export interface Configured {
  readonly settings: Settings;
  readonly advice: { readonly settings: string };
}

/** Returns the values of settings, in the order of their names. @throws ConfigurationError that names every absent one */
export function needSettings({ settings, advice }: Configured, names: readonly SettingName[]): string[] {
  const absent = names.filter((name) => (settings[name] ?? '') === '');
  if (absent.length > 0) {
    const shown = absent.map((name) => `${SETTINGS[name].display} (${SETTINGS[name].environment})`);
    throw new ConfigurationError(`Not configured: ${shown.join(', ')}.`, { hint: advice.settings });
  }
  return names.map((name) => String(settings[name]));
}
