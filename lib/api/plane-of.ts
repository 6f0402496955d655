/** Tells which plane of the service a request goes to, for measurements. */
import type { Settings } from '../settings/parameters.ts';
import { PLANES, type Plane } from './wire.ts';

/** @returns `token` for the request of an access token, `other` for an address outside the settings */
export function planeOf(url: string, settings: Settings): Plane | 'token' | 'other' {
  if (url.startsWith(settings.token_url)) return 'token';
  let found: Plane | 'other' = 'other';
  let longest = -1;
  for (const [plane, { base, prefix }] of Object.entries(PLANES) as [Plane, (typeof PLANES)[Plane]][]) {
    const address = (settings[base] ?? '').replace(/\/+$/, '');
    const start = address.endsWith(prefix) ? address : `${address}${prefix}`;
    if (address === '' || !url.startsWith(start) || start.length <= longest) continue;
    [found, longest] = [plane, start.length];
  }
  return found;
}
