/** The transport on Node: one attempt, without redirects or retries. Its modules are loaded on the first request. */
import { ConfigurationError } from '../../core/errors.ts';
import { settingTitle } from '../../core/parameters.ts';
import type { HttpRequest, HttpResponse, KeepBytes, Transport } from '../../core/ports.ts';
import { stopped } from '../../core/stop.ts';
import { hostOf } from '../../runtime/settings/address.ts';
import { MAX_RESPONSE_BYTES, timedOut } from '../../runtime/transport/failures.ts';
import { openAgents } from './agents.ts';
import { explain } from './failures.ts';
import type { RequestContext } from './fetch.ts';
import type { Environment } from './proxy.ts';

export interface NodeTransportOptions {
  /** Accept any certificate of the service, only for this transport. */
  insecure: boolean;
  /** Read `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
  proxy: boolean;
  /** Maximum size of a response after decompression, in bytes; default 100 MB. */
  maxResponseBytes?: number;
  /** Source of the proxy variables; no proxy without it. */
  environment?: Environment;
  /** Stores downloads; without it, a download is read as text. */
  keep?: KeepBytes;
  /** Called once, on the first request, if certificate checks are off. */
  warn?: (message: string) => void;
}

// Causes that end a request early: the first cause that occurs is reported.
const [TIME, STOP] = [new Error('time'), new Error('stop')];

export type NodeTransport = Transport & {
  /** Closes every connection; pending requests fail. */
  close(): Promise<void>;
};

/** Creates the transport. */
export function nodeTransport(options: NodeTransportOptions): NodeTransport {
  const { insecure, keep, maxResponseBytes: limit = MAX_RESPONSE_BYTES } = options;
  const agents = openAgents();
  let warned = false;
  const warnOnce = () => {
    if (insecure && !warned)
      options.warn?.(`${settingTitle('insecure')} is on: certificates of the service are not checked.`);
    warned = true;
  };
  return {
    async send(request) {
      checkHeaders(request.headers);
      const target = parseTarget(request.url);
      const { proxyFor } = options.proxy ? await import('./proxy.ts') : {};
      const proxy = proxyFor?.(target, options.environment ?? {});
      warnOnce();
      const { sendRequest } = await import('./http-client.ts');
      if (request.stop?.stopped === true) throw stopped();
      const fixed = { target, proxy, limit, insecure, host: hostOf(request.url) };
      return withinTimeout(request, fixed, (context) => sendRequest(request, context, agents, keep));
    },
    close: () => agents.close(),
  };
}

/** Sends a request until its time-out or its stop, and translates every failure. */
async function withinTimeout(
  { timeoutMs, stop }: HttpRequest,
  fixed: Omit<RequestContext, 'phase' | 'ended'>,
  send: (context: RequestContext) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { host, proxy } = fixed;
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(TIME), timeoutMs);
  const unsubscribe = stop?.onStop(() => ending.abort(STOP));
  const phase = proxy === undefined ? 'waiting' : 'connecting';
  const context: RequestContext = { ...fixed, phase, ended: ending.signal };
  try {
    return await send(context);
  } catch (thrown) {
    const reason: unknown = ending.signal.reason;
    if (reason === STOP) throw stopped();
    if (reason !== TIME) throw explain(thrown, host, context.phase);
    const way = context.phase === 'connecting' && proxy !== undefined ? ` through the proxy ${proxy.host}` : '';
    throw timedOut(`${host}${way}`, context.phase, timeoutMs);
  } finally {
    clearTimeout(timer);
    unsubscribe?.();
  }
}

function parseTarget(url: string): URL {
  try {
    return new URL(url);
  } catch {
    throw new ConfigurationError(`The address of ${hostOf(url)} is not valid.`, {
      hint: 'Check the address settings.',
    });
  }
}

// A `Request` rejects such values too, but its error repeats them.
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue;
    throw new ConfigurationError(`The header ${name} contains a character that cannot be sent.`, {
      hint: 'Check the credentials for line breaks and for look-alike characters.',
    });
  }
}
