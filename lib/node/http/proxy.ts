/**
 * Chooses the proxy of a request by the variables that command-line tools share: `HTTPS_PROXY`, `HTTP_PROXY` and
 * `NO_PROXY`, the lower-case spelling first. Chosen here instead of in the HTTP library, so that an error can name the
 * proxy.
 */
import { BlockList, isIP, isIPv6 } from 'node:net';
import { ConfigurationError } from '../../core/errors.ts';
import { isLoopback } from '../../runtime/settings/address.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ProxyServer {
  /** The whole address, which may contain credentials: only for the HTTP library, never for a message. */
  url: string;
  /** Host and port, for messages. */
  host: string;
}

/**
 * Returns the proxy for one address, or undefined for a direct connection. Without `HTTPS_PROXY`, `HTTP_PROXY` serves
 * both schemes.
 * @throws ConfigurationError when the variable holds no http(s) address
 */
export function proxyFor(target: URL, environment: Environment): ProxyServer | undefined {
  const read = (name: string) => (environment[name.toLowerCase()] ?? environment[name])?.trim() || undefined;
  const name = target.protocol === 'https:' && read('HTTPS_PROXY') !== undefined ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const text = read(name);
  if (text === undefined || isExempt(target, read('NO_PROXY') ?? '')) return undefined;
  const url = parseProxy(text);
  if (url === undefined) {
    throw new ConfigurationError(`The environment variable ${name} is not the address of an HTTP proxy.`, {
      hint: 'Write it as http://host:port, or unset it. In a user name or password, write % as %25.',
    });
  }
  // Plain http is only for this machine: through a proxy it would cross the network.
  if (target.protocol === 'http:' && !isLoopback(url.hostname)) return undefined;
  return { url: url.href, host: url.host };
}

function parseProxy(text: string): URL | undefined {
  const written = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(written) ? new URL(written) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  return isHttp && isDecodable(url.username) && isDecodable(url.password) ? url : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Matches as curl does, and also ports and wildcards. A name exempts its subdomains too; an entry with a port exempts
 * only that port.
 */
function isExempt(target: URL, list: string): boolean {
  const port = target.port === '' ? (target.protocol === 'https:' ? '443' : '80') : target.port;
  const host = target.hostname.replace(/^\[|[\].]$/g, '');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .map((entry) => (isIPv6(entry.replace(/\/\d+$/, '')) ? [entry] : entry.split(/:(\d+)$/)))
    .some(([name = '', only = port]) => only === port && covers(name.replace(/[[\]]/g, ''), host));
}

function covers(entry: string, host: string): boolean {
  const [address = '', bits = MOST_BITS[isIP(entry)] ?? ''] = entry.split('/');
  const family = isIP(address);
  if (family !== 0) return /^\d+$/.test(bits) && includes(address, family, Number(bits), host);
  const name = entry.replace(/^(?:\*?\.)+|\.$/g, '');
  const isPart = name !== '' && isIP(host) === 0 && host.endsWith(`.${name}`);
  return isPart || wildcards(name).test(host);
}

const MOST_BITS: Readonly<Record<number, string>> = { 4: '32', 6: '128' };

/** Compares addresses as numbers, because each address has several spellings. */
function includes(address: string, family: number, bits: number, host: string): boolean {
  if (isIP(host) === 0 || bits > Number(MOST_BITS[family])) return false;
  const range = new BlockList();
  range.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  return range.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
}

function wildcards(name: string): RegExp {
  const parts = name.split('*').map((part) => part.replace(/[^\w-]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}
