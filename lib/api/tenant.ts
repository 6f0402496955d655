/** Resolves the settings that requests need. */
import type { SettingName } from '../core/parameters.ts';
import { PLANES, type Plane } from '../core/wire.ts';
import { type Configured, needSettings } from '../settings/required.ts';

const CREDENTIALS: Readonly<Record<'token' | 'key', readonly SettingName[]>> = {
  token: ['token_url', 'client_id', 'client_secret', 'tsg_id'],
  key: ['runtime_api_key'],
};

const MANAGEMENT_PREFIX = new RegExp(`${PLANES.management.prefix}$`);

/**
 * Returns the address that the paths of a plane are appended to. Its credentials are checked too.
 * @throws ConfigurationError that lists every missing setting
 */
export function rootOf(configured: Configured, plane: Plane): string {
  const { base, prefix, auth } = PLANES[plane];
  const [address = ''] = needSettings(configured, [base, ...CREDENTIALS[auth]]);
  // Many examples include the prefix of the management plane in the address.
  return address.replace(/\/+$/, '').replace(base === 'url' ? MANAGEMENT_PREFIX : '', '') + prefix;
}

/** Returns the settings of a token request. @throws ConfigurationError that lists every missing one */
export function tokenClientOf(configured: Configured) {
  const [url = '', id = '', secret = '', tenant = ''] = needSettings(configured, CREDENTIALS.token);
  return { url, id, secret, tenant };
}
