/** Lists the host names by which clients may reach a server. */

/** Returns an address as a URL and a `Host` header write it. */
export function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** Lists the names of loopback, and the address itself, without ports. */
export function ownNames(host: string): readonly string[] {
  return ['localhost', '127.0.0.1', '[::1]', bracketed(host)];
}
