/** Resolves what the requests of one command need of the settings: once for each plane, and on first use. */
import type { SettingName } from '../settings/parameters.ts';
import { type Configured, needSettings } from '../settings/required.ts';
import { PLANES, type Plane } from './wire.ts';

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
export class Tenant {
  private readonly configured: Configured;
  private readonly roots: Partial<Record<Plane, string>> = {};
  private token: TokenClient | undefined;

  constructor(configured: Configured) {
    this.configured = configured;
  }

  /** Returns the address that the paths of a plane are appended to. Its credentials are checked too. */
  rootOf(plane: Plane): string {
    const known = this.roots[plane];
    if (known !== undefined) return known;
    const { base, prefix, auth } = PLANES[plane];
    const [address = ''] = this.need([base, ...CREDENTIALS[auth]]);
    // Many examples include the prefix of the management plane in the address.
    const root = address.replace(/\/+$/, '').replace(base === 'url' ? MANAGEMENT_PREFIX : '', '') + prefix;
    this.roots[plane] = root;
    return root;
  }

  /** Returns the tenant services group. */
  id(): string {
    return this.token?.tenant ?? this.need(['tsg_id'])[0] ?? '';
  }

  /** Returns the key of the scanner. */
  key(): string {
    return this.need(CREDENTIALS.key)[0] ?? '';
  }

  /** Returns the settings of a token request. */
  tokenClient(): TokenClient {
    if (this.token === undefined) {
      const [url = '', id = '', secret = '', tenant = ''] = this.need(CREDENTIALS.token);
      this.token = { url, id, secret, tenant };
    }
    return this.token;
  }

  private need(names: readonly SettingName[]): string[] {
    return needSettings(this.configured, names);
  }
}
