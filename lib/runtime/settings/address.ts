/**
 * Parses absolute http(s) addresses, because the embedded engine has no `URL`. Addresses are rewritten in one
 * normalised form, so that no other parser can read them differently.
 */

export interface Address {
  scheme: 'http' | 'https';
  /** Lower case; an IPv6 address keeps its brackets. */
  host: string;
  port: number | undefined;
  /** Empty, or with a leading slash and without a trailing slash. */
  path: string;
}

const AUTHORITY = /^(https?):\/\/([^/?#]*)([^?#]*)([?#]?)/i;
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/i;
const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
const LOOPBACK = new RegExp(`^(?:localhost|\\[::1\\]|127(?:\\.${OCTET}){3})$`);

/**
 * Parses an address.
 * @returns the address, or a problem that completes a sentence, without the text itself: it may contain a password
 */
export function parseAddress(text: string): Address | { problem: string } {
  // Parsers treat spaces, control characters and backslashes differently; non-ASCII characters have an encoded form.
  if (!/^[\x21-\x7e]*$/.test(text) || text.includes('\\')) {
    return { problem: 'contains a space, a backslash or a character outside ASCII' };
  }
  const match = AUTHORITY.exec(text);
  if (match === null) return { problem: 'must be an absolute address that starts with https://' };
  const [, scheme = '', authority = '', path = '', more = ''] = match;
  if (authority.includes('@')) return { problem: 'must not contain credentials' };
  if (more !== '') return { problem: `must end before the ${more === '?' ? 'query (?)' : 'fragment (#)'}` };
  const authorityParts = parseAuthority(authority);
  if (authorityParts === undefined) return { problem: 'has no valid host and port' };
  return {
    scheme: scheme.toLowerCase() === 'http' ? 'http' : 'https',
    ...authorityParts,
    path: withoutTrailingSlashes(path),
  };
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path.charAt(end - 1) === '/') end -= 1;
  return path.slice(0, end);
}

function parseAuthority(authority: string): Pick<Address, 'host' | 'port'> | undefined {
  const colon = authority.lastIndexOf(':');
  const split = colon > authority.lastIndexOf(']');
  const host = (split ? authority.slice(0, colon) : authority).toLowerCase();
  const digits = split ? authority.slice(colon + 1) : undefined;
  if (!HOST.test(host) || host.includes('..')) return undefined;
  if (digits === undefined) return { host, port: undefined };
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0;
  return port < 1 || port > 65535 ? undefined : { host, port };
}

/** Returns true for a host that is always this machine: 127.0.0.0/8, `localhost` and `[::1]`. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host.toLowerCase());
}

/** Writes an address without a trailing slash. */
export function writeAddress({ scheme, host, port, path }: Address): string {
  return `${scheme}://${host}${port === undefined ? '' : `:${port}`}${path}`;
}

/** Returns host and port of an address for messages, without credentials. */
export function hostOf(url: string): string {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\\]*)/i.exec(url)?.[1] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  return host === '' ? 'the service' : host;
}
