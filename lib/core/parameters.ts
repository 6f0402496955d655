/**
 * Declares each setting once: environment names, the manifest's parameters and `doctor` follow from this table.
 * The settings are the spec's connection parameters; where the platform prescribes a label, it is used.
 */

import { isOwn } from './text/own.ts';
import { DLP_URL, SCANNER_URLS, TOKEN_URL } from './wire.ts';

export interface Settings {
  url?: string;
  client_id?: string;
  client_secret?: string;
  runtime_api_key?: string;
  tsg_id?: string;
  scanner_base_url: string;
  dlp_base_url: string;
  token_url: string;
  insecure: boolean;
  proxy: boolean;
}

export type SettingName = keyof Settings;

export interface Setting {
  readonly environment: string;
  readonly display: string;
  readonly description: string;
  readonly kind: 'address' | 'text' | 'digits' | 'secret' | 'flag';
  readonly default?: string | boolean;
  /** Choices in the manifest. */
  readonly options?: readonly string[];
  readonly advanced?: boolean;
}

export const SETTINGS: Readonly<Record<SettingName, Setting>> = {
  url: {
    environment: 'AISEC_BASE_URL',
    display: 'Server URL',
    description: 'Base address of the management API.',
    kind: 'address',
  },
  client_id: {
    environment: 'AISEC_CLIENT_ID',
    display: 'API Client ID',
    description: 'OAuth 2.0 client identifier for management operations.',
    kind: 'text',
  },
  client_secret: {
    environment: 'AISEC_CLIENT_SECRET',
    display: 'API Client Secret',
    description: 'OAuth 2.0 client secret for management operations.',
    kind: 'secret',
  },
  runtime_api_key: {
    environment: 'AISEC_RUNTIME_API_KEY',
    display: 'Runtime API Key',
    description: 'Key of the scanner API; used for runtime scanning only.',
    kind: 'secret',
  },
  tsg_id: {
    environment: 'AISEC_TSG_ID',
    display: 'Tenant Services Group ID',
    description: 'Default tenant services group, a string of digits.',
    kind: 'digits',
  },
  scanner_base_url: {
    environment: 'AISEC_SCANNER_BASE_URL',
    display: 'Scanner API Base URL',
    description: 'Regional address of the scanner API; it must match the region of the deployment profile.',
    kind: 'address',
    default: SCANNER_URLS.US,
    options: Object.values(SCANNER_URLS),
  },
  dlp_base_url: {
    environment: 'AISEC_DLP_BASE_URL',
    display: 'DLP API Base URL',
    description: 'Address of the DLP API; change it only for a regional or custom address.',
    kind: 'address',
    default: DLP_URL,
  },
  token_url: {
    environment: 'AISEC_TOKEN_URL',
    display: 'Token URL',
    description: 'Address that exchanges the client credentials for an access token.',
    kind: 'address',
    default: TOKEN_URL,
    advanced: true,
  },
  insecure: {
    environment: 'AISEC_INSECURE',
    display: 'Trust any certificate (not secure)',
    description: 'Accept any TLS certificate of the service.',
    kind: 'flag',
    default: false,
  },
  proxy: {
    environment: 'AISEC_PROXY',
    display: 'Use system proxy settings',
    description: 'Send requests through the proxy of the system settings.',
    kind: 'flag',
    default: false,
  },
};

/** Returns true if a string is the name of a setting. */
export function isSettingName(name: string): name is SettingName {
  return isOwn(SETTINGS, name);
}

export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS).filter(isSettingName);

/** Names a setting for users: its title and its environment variable. */
export function settingText(name: SettingName): string {
  return `${SETTINGS[name].display} (${SETTINGS[name].environment})`;
}

/** Returns the name of a setting for messages. */
export function settingTitle(name: SettingName): string {
  return `"${SETTINGS[name].display}" (${SETTINGS[name].environment})`;
}
