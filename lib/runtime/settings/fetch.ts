/** Settings for fetching incidents on a platform: the instance form and the fetch read this table. */

/** Incident sources to choose from. */
export const FETCH_SOURCES = ['Red-team scans', 'Model scans', 'Keys about to expire'] as const;

export const FETCH_SETTINGS = {
  fetch_sources: {
    display: 'Incident sources',
    description: 'Red-team scans above the success rate, model scans that are blocked or failed, keys about to expire.',
    default: FETCH_SOURCES.join(','),
  },
  first_fetch: {
    display: 'First fetch time',
    description: 'How far the first fetch goes back, such as 3 days, 12 hours or 2026-11-25T00:00:00Z.',
    default: '3 days',
  },
  max_fetch: {
    display: 'Maximum incidents per fetch',
    description: 'From 1 to 200; the next fetch continues with the rest.',
    default: '50',
  },
  look_back: {
    display: 'Look back (minutes)',
    description: 'How far back each fetch looks for records that appear late.',
    default: '60',
  },
  red_team_rate: {
    display: 'Attack success rate (percent)',
    description: 'A finished red-team scan above this rate is an incident.',
    default: '20',
  },
  key_warning_days: {
    display: 'Key warning (days)',
    description: 'A runtime API key that expires within this number of days is an incident.',
    default: '30',
  },
  fetch_violations: {
    display: 'Fetch single runtime violations',
    description:
      'Uses undocumented addresses of the service, which may change without notice. Incidents then hold prompts and responses.',
    default: 'false',
  },
} as const;

export type FetchSettingName = keyof typeof FETCH_SETTINGS;
