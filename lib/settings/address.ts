/**
 * Reads absolute http(s) addresses. The embedded engine has no `URL`, and a base address needs less than `URL` takes:
 * what is read here is written out again in one plain form, so that no other parser can understand it differently.
 */

export interface Address {
  scheme: 'http' | 'https';
  /** Lower case; an IPv6 address keeps its brackets. */
  host: string;
  port: number | undefined;
  /** Empty, or begins with a slash and does not end in one. */
  path: string;
}

const AUTHORITY = /^(https?):\/\/([^/?#]*)([^?#]*)([?#]?)/i;
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/i;
const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
const LOOPBACK = new RegExp(`^(?:localhost|\\[::1\\]|127(?:\\.${OCTET}){3})$`);

/**
 * Reads an address.
 * @returns the address, or what is wrong with it as the rest of a sentence; the text itself is not repeated, it may hold a password
 */
export function parseAddress(text: string): Address | { problem: string } {
  // Spaces, control characters and backslashes are where parsers differ; what is beyond ASCII has a written-out form.
  if (!/^[\x21-\x7e]*$/.test(text) || text.includes('\\')) {
    return { problem: 'holds a space, a backslash or a character outside ASCII' };
  }
  const found = AUTHORITY.exec(text);
  if (found === null) return { problem: 'must be an absolute address that begins with https://' };
  const [, scheme = '', authority = '', path = '', more = ''] = found;
  if (authority.includes('@')) return { problem: 'must not hold credentials' };
  if (more !== '') return { problem: `must end before the ${more === '?' ? 'query (?)' : 'fragment (#)'}` };
  const place = parsePlace(authority);
  if (place === undefined) return { problem: 'holds no valid host and port' };
  return { scheme: scheme.toLowerCase() === 'http' ? 'http' : 'https', ...place, path: withoutTrailingSlashes(path) };
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path.charAt(end - 1) === '/') end -= 1;
  return path.slice(0, end);
}

function parsePlace(authority: string): Pick<Address, 'host' | 'port'> | undefined {
  const colon = authority.lastIndexOf(':');
  const split = colon > authority.lastIndexOf(']');
  const host = (split ? authority.slice(0, colon) : authority).toLowerCase();
  const digits = split ? authority.slice(colon + 1) : undefined;
  if (!HOST.test(host) || host.includes('..')) return undefined;
  if (digits === undefined) return { host, port: undefined };
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0;
  return port < 1 || port > 65535 ? undefined : { host, port };
}

/** Does it stay on this machine, whatever the name service says? 127.0.0.0/8, `localhost` and `[::1]`. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host.toLowerCase());
}

/** The address as text, without a slash at its end. */
export function writeAddress({ scheme, host, port, path }: Address): string {
  return `${scheme}://${host}${port === undefined ? '' : `:${port}`}${path}`;
}

/** Host and port of any address as a message names them: never what stands before an `@`. */
export function hostOf(url: string): string {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\\]*)/i.exec(url)?.[1] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  return host === '' ? 'the service' : host;
}
