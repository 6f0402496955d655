/** Returns the plane of the service that a request goes to, for measurements. */
import type { Settings } from '../core/parameters.ts';
import { PLANES, type Plane } from '../core/wire.ts';

/** Addresses of the planes, longest first, cached by settings: every attempt looks them up. */
const known = new WeakMap<Settings, readonly (readonly [plane: Plane, start: string])[]>();

/** @returns `token` for the request of an access token, `other` for an address outside the settings */
export function planeOf(url: string, settings: Settings): Plane | 'token' | 'other' {
  if (url.startsWith(settings.token_url)) return 'token';
  const starts = known.get(settings) ?? startsOf(settings);
  known.set(settings, starts);
  return starts.find(([, start]) => url.startsWith(start))?.[0] ?? 'other';
}

function startsOf(settings: Settings): readonly (readonly [Plane, string])[] {
  return (Object.entries(PLANES) as [Plane, (typeof PLANES)[Plane]][])
    .flatMap(([plane, { base, prefix }]) => {
      const address = (settings[base] ?? '').replace(/\/+$/, '');
      return address === '' ? [] : [[plane, address.endsWith(prefix) ? address : `${address}${prefix}`] as const];
    })
    .sort(([, one], [, other]) => other.length - one.length);
}
