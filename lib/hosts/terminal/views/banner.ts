/** The first line of the war room. */
import { sanitize } from '../render/sanitize.ts';
import type { Style } from '../render/style.ts';

/** Of a name that the user chose. */
export const MAX_NAME_LENGTH = 40;

/** What the banner says of the tenant. */
export interface Banner {
  readonly version: string;
  /** Section of the settings file. */
  readonly profile: string | undefined;
  readonly tenant: string | undefined;
  /** Base address of the service. */
  readonly url: string | undefined;
  readonly isSimulated: boolean;
  readonly isProduction: boolean;
}

/** Renders the first line: the program and the tenant. */
export function bannerLine(banner: Banner, style: Style): string {
  const { version, profile, tenant, url, isSimulated, isProduction } = banner;
  const plain = (text: string) => sanitize(text).replace(/\s+/g, ' ').slice(0, MAX_NAME_LENGTH);
  const parts = [
    profile === undefined ? undefined : `profile ${plain(profile)}`,
    tenant === undefined ? undefined : `tenant ${plain(tenant)}`,
    isSimulated ? 'simulated' : undefined,
    isProduction ? style.yellow('production') : undefined,
    url === undefined || isSimulated ? undefined : hostOf(url),
  ];
  return [`aisec ${version}`, ...parts.filter((part) => part !== undefined)].join(', ');
}

function hostOf(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
}
