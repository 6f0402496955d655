/** Returns the plane of the service that a request goes to, for measurements. */
import type { Settings } from '../core/parameters.ts';
import { PLANES, type Plane } from '../core/wire.ts';

/** @returns `token` for the request of an access token, `other` for an address outside the settings */
export function planeOf(url: string, settings: Settings): Plane | 'token' | 'other' {
  if (url.startsWith(settings.token_url)) return 'token';
  const starts = (Object.entries(PLANES) as [Plane, (typeof PLANES)[Plane]][]).flatMap(([plane, { base, prefix }]) => {
    const address = (settings[base] ?? '').replace(/\/+$/, '');
    const start = address.endsWith(prefix) ? address : address + prefix;
    return address !== '' && url.startsWith(start) ? [{ plane, length: start.length }] : [];
  });
  return starts.sort((one, other) => other.length - one.length)[0]?.plane ?? 'other';
}
