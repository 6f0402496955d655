/** Determines the names of a server, and the networks of its clients. */
import { isIPv4, isIPv6 } from 'node:net';

const GROUPS = 8;

/**
 * Returns the first half of an IPv6 address, because one customer owns the whole second half; returns other addresses
 * unchanged.
 */
export function networkOf(remote: string): string {
  const [address = ''] = remote.toLowerCase().split('%');
  const mapped = address.replace(/^::ffff:/, '');
  if (isIPv4(mapped)) return mapped;
  if (!isIPv6(address)) return address;
  const [before = [], after = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: GROUPS - before.length - after.length }, () => '');
  return [...before, ...zeros, ...after]
    .slice(0, GROUPS / 2)
    .map((group) => group.padStart(4, '0'))
    .join(':');
}

/** Returns an address in the form of a URL and a `Host` header. */
export function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** Lists the loopback names, and the address itself, without ports. */
export function ownNames(host: string): readonly string[] {
  return ['localhost', '127.0.0.1', '[::1]', bracketed(host)];
}
