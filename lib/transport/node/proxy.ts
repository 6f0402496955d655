/**
 * Chooses the proxy of a request by the variables that command-line tools share: `HTTPS_PROXY`, `HTTP_PROXY` and
 * `NO_PROXY`, the lower-case spelling first. Chosen here and not in the HTTP library, so that an error can name the
 * proxy.
 */
import { ConfigurationError } from '../../core/errors.ts';
import { isLoopback } from '../../settings/address.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ProxyServer {
  /** The whole address, which may contain credentials: for the HTTP library, never for a message. */
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
      hint: 'Write it as http://host:port, or unset it.',
    });
  }
  // Plain http is for this machine alone: through a proxy it would cross the network.
  if (target.protocol === 'http:' && !isLoopback(url.hostname)) return undefined;
  return { url: url.href, host: url.host };
}

function parseProxy(text: string): URL | undefined {
  const written = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(written) ? new URL(written) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

/** `*` exempts every host, a name itself and its subdomains, a name with a port that port alone. */
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
