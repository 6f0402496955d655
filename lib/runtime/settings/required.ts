/** Checks the settings that a command requires. */
import { ConfigurationError } from '../../core/errors.ts';
import { type SettingName, settingText } from '../../core/parameters.ts';
import type { Runtime } from '../../core/runtime.ts';

/** Settings, and the host's advice about where to set them. */
export type Configured = Pick<Runtime, 'settings' | 'advice'>;

/**
 * Returns the values of settings, in the order of their names. @throws ConfigurationError that lists every missing setting
 */
export function needSettings({ settings, advice }: Configured, names: readonly SettingName[]): string[] {
  const absent = names.filter((name) => (settings[name] ?? '') === '');
  if (absent.length > 0) {
    const shown = absent.map(advice.settingName ?? settingText);
    throw new ConfigurationError(`Not configured: ${shown.join(', ')}.`, { hint: advice.settings });
  }
  return names.map((name) => String(settings[name]));
}

/** Returns the value of one setting. @throws ConfigurationError if it is missing */
export function needSetting(configured: Configured, name: SettingName): string {
  const [value = ''] = needSettings(configured, [name]);
  return value;
}
