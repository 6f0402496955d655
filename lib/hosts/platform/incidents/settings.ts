/** Settings of the fetch of incidents, as the instance form has them. */

import { type Problem, ValidationError } from '../../../core/errors.ts';
import { momentOf } from '../../../runtime/arguments/builders.ts';
import { FETCH_SETTINGS, FETCH_SOURCES, type FetchSettingName } from '../../../runtime/settings/fetch.ts';

export type SourceName = (typeof FETCH_SOURCES)[number] | 'Runtime violations';

export interface FetchSettings {
  readonly sources: readonly SourceName[];
  /** Start of the first fetch, as an ISO time. */
  readonly first: string;
  /** Maximum number of incidents in one fetch. */
  readonly most: number;
  /** How far back to look for records that appear late, in milliseconds. */
  readonly lookBackMs: number;
  /** A red-team scan above this attack success rate is an incident, in percent. */
  readonly rate: number;
  /** A key that expires within this number of days is an incident. */
  readonly keyDays: number;
}

const MINUTE_MS = 60_000;

/**
 * Reads the settings.
 * @param params parameters of the instance
 * @param now milliseconds since the epoch
 * @throws ValidationError that lists every setting with an invalid value
 */
export function fetchSettings(params: Readonly<Record<string, unknown>>, now: number): FetchSettings {
  const problems: Problem[] = [];
  const numberOf = (name: FetchSettingName, least: number, most: number): number => {
    const value = settingIn(params, name);
    const number = Number(value);
    if (/^\d+(\.\d+)?$/.test(value) && number >= least && number <= most) return number;
    problems.push({
      argument: name,
      message: `${FETCH_SETTINGS[name].display}: "${value.slice(0, 40)}" is not a number from ${least} to ${most}.`,
    });
    return least;
  };
  const settings: FetchSettings = {
    sources: sourcesIn(params, problems),
    first: firstIn(settingIn(params, 'first_fetch'), now, problems),
    most: numberOf('max_fetch', 1, 200),
    lookBackMs: numberOf('look_back', 0, 10_080) * MINUTE_MS,
    rate: numberOf('red_team_rate', 0, 100),
    keyDays: numberOf('key_warning_days', 1, 365),
  };
  if (problems.length > 0) throw new ValidationError(problems);
  return settings;
}

function sourcesIn(params: Readonly<Record<string, unknown>>, problems: Problem[]): readonly SourceName[] {
  const chosen = params['fetch_sources'];
  // The platform passes a list, or one comma-separated string.
  const names = Array.isArray(chosen) ? chosen.map(String) : settingIn(params, 'fetch_sources').split(',');
  const sources: SourceName[] = [];
  for (const name of names.map((each) => each.trim())) {
    const known = FETCH_SOURCES.find((each) => each === name);
    if (known !== undefined) sources.push(known);
    else
      problems.push({
        argument: 'fetch_sources',
        message: `${FETCH_SETTINGS.fetch_sources.display}: there is no source "${name.slice(0, 40)}".`,
      });
  }
  return settingIn(params, 'fetch_violations') === 'true' ? [...sources, 'Runtime violations'] : sources;
}

function firstIn(text: string, now: number, problems: Problem[]): string {
  try {
    return momentOf('first_fetch', text.toLowerCase(), now) ?? text;
  } catch {
    const message = `${FETCH_SETTINGS.first_fetch.display}: "${text.slice(0, 40)}" is not a time such as 3 days, 12 hours or 2026-11-25T00:00:00Z.`;
    problems.push({ argument: 'first_fetch', message });
    return text;
  }
}

function settingIn(params: Readonly<Record<string, unknown>>, name: FetchSettingName): string {
  const value = params[name];
  return value === undefined || value === null || value === '' ? FETCH_SETTINGS[name].default : String(value);
}
