/** Converts settings to the platform's instance parameters. */

import { SETTINGS, type Setting, type SettingName } from '../core/parameters.ts';
import { FETCH_SETTINGS, FETCH_SOURCES, type FetchSettingName } from '../runtime/settings/fetch.ts';

/** The platform's parameter types, with the platform's numbers for them. */
const TYPE = { text: 0, checkbox: 8, credentials: 9, incidentType: 13, choice: 15, choices: 16, interval: 19 } as const;

export interface ManifestParameter {
  name: string;
  display: string;
  displaypassword?: string;
  hiddenusername?: true;
  type: number;
  section: string;
  /** A string, because the platform's model uses strings here. */
  advanced?: 'true';
  required: boolean;
  defaultvalue?: string;
  options?: readonly string[];
  additionalinfo: string;
}

// The contract requires these parameters, but a tenant that only scans, or never scans, has no value for some of them.
const UNLESS_MANAGED = 'A dash (-) if the instance only scans.';
const UNLESS_SCANNED = 'A dash (-) if the instance never scans.';

// The platform keeps secrets in credential parameters: an identifier with a password, or only a password.
const CREDENTIALS: ManifestParameter = {
  name: 'credentials',
  display: SETTINGS.client_id.display,
  displaypassword: SETTINGS.client_secret.display,
  type: TYPE.credentials,
  section: 'Connect',
  required: true,
  additionalinfo: `OAuth 2.0 client identifier and secret for management operations. ${UNLESS_MANAGED}`,
};

const RUNTIME_KEY: ManifestParameter = {
  name: 'runtime_api_key',
  display: SETTINGS.runtime_api_key.display,
  displaypassword: SETTINGS.runtime_api_key.display,
  hiddenusername: true,
  type: TYPE.credentials,
  section: 'Connect',
  required: true,
  additionalinfo: `${SETTINGS.runtime_api_key.description} ${UNLESS_SCANNED}`,
};

/** All parameters, in the order of the instance form. */
export const PARAMETERS: readonly ManifestParameter[] = [
  required('url'),
  CREDENTIALS,
  RUNTIME_KEY,
  required('tsg_id'),
  optional('scanner_base_url'),
  optional('dlp_base_url'),
  optional('token_url'),
  optional('insecure'),
  optional('proxy'),
  // The names and titles that the platform itself uses.
  collected(
    'isFetch',
    'Fetch incidents',
    TYPE.checkbox,
    'Create incidents from what the commands can read; off by default.',
    'false',
  ),
  collected(
    'incidentType',
    'Incident type',
    TYPE.incidentType,
    'Type of all incidents; leave it empty to use the classifier of the pack.',
  ),
  collected('incidentFetchInterval', 'Incidents Fetch Interval', TYPE.interval, 'Time between two fetches.', '10'),
  { ...fetched('fetch_sources', TYPE.choices), options: FETCH_SOURCES },
  fetched('first_fetch', TYPE.text),
  fetched('max_fetch', TYPE.text),
  { ...fetched('look_back', TYPE.text), advanced: 'true' },
  fetched('red_team_rate', TYPE.text),
  fetched('key_warning_days', TYPE.text),
  { ...fetched('fetch_violations', TYPE.checkbox), advanced: 'true' },
];

function fetched(name: FetchSettingName, type: number): ManifestParameter {
  const { display, description, default: standard } = FETCH_SETTINGS[name];
  return collected(name, display, type, description, standard);
}

function collected(
  name: string,
  display: string,
  type: number,
  additionalinfo: string,
  defaultvalue?: string,
): ManifestParameter {
  const standard = defaultvalue === undefined ? {} : { defaultvalue };
  return { name, display, type, section: 'Collect', required: false, ...standard, additionalinfo };
}

function required(name: SettingName): ManifestParameter {
  const parameter = optional(name);
  return { ...parameter, required: true, additionalinfo: `${parameter.additionalinfo} ${UNLESS_MANAGED}` };
}

function optional(name: SettingName): ManifestParameter {
  const setting: Setting = SETTINGS[name];
  return {
    name,
    display: setting.display,
    type: typeOf(setting),
    section: 'Connect',
    ...(setting.advanced === true ? { advanced: 'true' } : {}),
    required: false,
    ...(setting.default === undefined ? {} : { defaultvalue: String(setting.default) }),
    ...(setting.options === undefined ? {} : { options: setting.options }),
    additionalinfo: setting.description,
  };
}

function typeOf({ kind, options }: Setting): number {
  if (kind === 'flag') return TYPE.checkbox;
  return options === undefined ? TYPE.text : TYPE.choice;
}
