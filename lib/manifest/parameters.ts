/** Converts settings to the platform's instance parameters. */
import { SETTINGS, type Setting, type SettingName } from '../settings/parameters.ts';

/** Parameter types of the platform, by its own numbers. */
const TYPE = { text: 0, checkbox: 8, credentials: 9, choice: 15 } as const;

export interface ManifestParameter {
  name: string;
  display: string;
  displaypassword?: string;
  hiddenusername?: true;
  type: number;
  section: string;
  /** A text, as in the platform's model. */
  advanced?: 'true';
  required: boolean;
  defaultvalue?: string;
  options?: readonly string[];
  additionalinfo: string;
}

// The contract requires these parameters, but a tenant that only scans, or never scans, has no value for some of them.
const UNLESS_MANAGED = 'A dash (-) if the instance only scans.';
const UNLESS_SCANNED = 'A dash (-) if the instance never scans.';

// The platform keeps secrets in credential parameters: an identifier with a password, or a password alone.
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
];

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
