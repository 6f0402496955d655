/** Resolves the settings that the requests of one command need: once for each plane, on first use. */
import type { SettingName } from '../core/parameters.ts';
import { PLANES, type Plane } from '../core/wire.ts';
import { type Configured, needSettings } from '../settings/required.ts';

/** Settings of a token request. */
export interface TokenClient {
  readonly url: string;
  readonly id: string;
  readonly secret: string;
  readonly tenant: string;
}

const CREDENTIALS: Readonly<Record<'token' | 'key', readonly SettingName[]>> = {
  token: ['token_url', 'client_id', 'client_secret', 'tsg_id'],
  key: ['runtime_api_key'],
};

const MANAGEMENT_PREFIX = new RegExp(`${PLANES.management.prefix}$`);

/** The tenant of a command. Each method throws a ConfigurationError that lists every missing setting. */
export interface Tenant {
  /** Returns the address that the paths of a plane are appended to. Its credentials are checked too. */
  rootOf(plane: Plane): string;
  /** Returns the tenant services group. */
  id(): string;
  /** Returns the key of the scanner. */
  key(): string;
  /** Returns the settings of a token request. */
  tokenClient(): TokenClient;
}

/** Creates the tenant of a command. */
export function tenantOf(configured: Configured): Tenant {
  const roots: Partial<Record<Plane, string>> = {};
  let token: TokenClient | undefined;
  const only = (name: SettingName) => needSettings(configured, [name])[0] ?? '';
  const rootOf = (plane: Plane) => {
    const { base, prefix, auth } = PLANES[plane];
    const [address = ''] = needSettings(configured, [base, ...CREDENTIALS[auth]]);
    // Many examples include the prefix of the management plane in the address.
    return address.replace(/\/+$/, '').replace(base === 'url' ? MANAGEMENT_PREFIX : '', '') + prefix;
  };
  return {
    rootOf: (plane) => {
      roots[plane] ??= rootOf(plane);
      return roots[plane];
    },
    id: () => only('tsg_id'),
    key: () => only('runtime_api_key'),
    tokenClient: () => {
      if (token === undefined) {
        const [url = '', id = '', secret = '', tenant = ''] = needSettings(configured, CREDENTIALS.token);
        token = { url, id, secret, tenant };
      }
      return token;
    },
  };
}
