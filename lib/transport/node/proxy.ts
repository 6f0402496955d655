/**
 * Which proxy a request goes through, by the variables that command-line tools share: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`,
 * the lower-case spelling first. Decided here rather than in the HTTP library, so that an error can name the proxy.
 */
import { ConfigurationError } from '../../errors.ts';
import { isLoopback } from '../../settings/address.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ProxyServer {
  /** The whole address, with the credentials it may hold: for the HTTP library, never for a message. */
  url: string;
  /** Host and port, for messages. */
  host: string;
}

/**
 * The proxy for one address, or undefined for a direct connection. Without `HTTPS_PROXY`, `HTTP_PROXY` serves both schemes.
 * @throws ConfigurationError when the variable holds no http(s) address
 */
export function proxyFor(target: URL, environment: Environment): ProxyServer | undefined {
  const read = (name: string) => (environment[name.toLowerCase()] ?? environment[name])?.trim() || undefined;
  const name = target.protocol === 'https:' && read('HTTPS_PROXY') !== undefined ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const text = read(name);
  if (text === undefined || isExempt(target, read('NO_PROXY') ?? '')) return undefined;
  const url = parseProxy(text);
  if (url === undefined) {
    throw new ConfigurationError(`The environment variable ${name} does not hold the address of an HTTP proxy.`, {
      hint: 'Write it as http://host:port, or unset it.',
    });
  }
  // Plain http is allowed to this machine alone; through a proxy elsewhere it would cross the network.
  if (target.protocol === 'http:' && !isLoopback(url.hostname)) return undefined;
  return { url: url.href, host: url.host };
}

function parseProxy(text: string): URL | undefined {
  const written = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(written) ? new URL(written) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

/** `*` exempts everything; a name exempts itself and what ends in it, a name with a port that port alone. */
function isExempt(target: URL, list: string): boolean {
  const port = target.port === '' ? (target.protocol === 'https:' ? '443' : '80') : target.port;
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, name = '', only] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      const host = name.replace(/^\*?\./, '');
      if (only !== undefined && only !== port) return false;
      return host === '*' || target.hostname === host || target.hostname.endsWith(`.${host}`);
    });
}
