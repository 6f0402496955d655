/**
 * HTTP on Node. One attempt, no redirect; whatever repeats a request stands above. Nothing is loaded before the first request.
 */
import { ConfigurationError } from '../errors.ts';
import type { HttpRequest, HttpResponse, KeepBytes, Transport } from '../ports.ts';
import { hostOf } from '../settings/address.ts';
import { settingTitle } from '../settings/parameters.ts';
import { stopped } from '../stop.ts';
import { LARGEST_ANSWER, timedOut } from './failures.ts';
import { lazy } from './lazy.ts';
import type { Carrier, Errand } from './node-carrier.ts';
import { newExchange } from './node-exchange.ts';
import { explain } from './node-failures.ts';
import { type Environment, type ProxyServer, proxyFor } from './node-proxy.ts';

export interface NodeTransportOptions {
  /** Accept any certificate of the service, for this transport alone. */
  insecure: boolean;
  /** Read `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
  proxy: boolean;
  /** Limit of one answer after decompression, in bytes; default 100 MB. */
  maxResponseBytes?: number;
  /** Where the proxy variables are read; none when absent. */
  environment?: Environment;
  /** Where downloads go; without it they cannot be made. */
  keep?: KeepBytes;
  /** Told once, at the first request, when certificates are not checked. */
  warn?: (message: string) => void;
}

export type NodeTransport = Transport & {
  /** Ends every connection; a request on its way fails. */
  close(): Promise<void>;
};

export function nodeTransport(options: NodeTransportOptions): NodeTransport {
  const { insecure, keep, maxResponseBytes: limit = LARGEST_ANSWER } = options;
  const plain = lazy(() => openPlain(insecure));
  const fetching = lazy(() => openFetch(insecure, keep));
  let warned = false;
  const carrierFor = ({ upload, download }: HttpRequest, proxy: ProxyServer | undefined): Promise<Carrier> => {
    if (insecure && !warned)
      options.warn?.(`${settingTitle('insecure')} is on: certificates of the service are not checked.`);
    warned = true;
    const isText = upload === undefined && download === undefined;
    return (isText && proxy === undefined ? plain : fetching).get();
  };
  return {
    async send(request) {
      checkHeaders(request.headers);
      const target = parseTarget(request.url);
      const proxy = options.proxy ? proxyFor(target, options.environment ?? {}) : undefined;
      const carrier = await carrierFor(request, proxy);
      if (request.stop?.stopped === true) throw stopped();
      return carry(request, { target, proxy, limit, host: hostOf(request.url) }, carrier);
    },
    async close() {
      for (const carrier of [plain, fetching]) await (await carrier.made())?.close();
    },
  };
}

async function openPlain(insecure: boolean): Promise<Carrier> {
  return (await import('./node-plain.ts')).plainCarrier(insecure);
}

async function openFetch(insecure: boolean, keep: KeepBytes | undefined): Promise<Carrier> {
  return (await import('./node-fetch.ts')).fetchCarrier(insecure, keep);
}

async function carry(
  request: HttpRequest,
  where: Pick<Errand, 'target' | 'proxy' | 'limit' | 'host'>,
  carrier: Carrier,
): Promise<HttpResponse> {
  const { host, proxy } = where;
  const state = newExchange();
  const end = deadline(request);
  try {
    return await carrier.carry(request, { ...where, state, onStop: end.onStop });
  } catch (thrown) {
    if (end.reached() === 'cancelled') throw stopped();
    if (end.reached() !== 'time') throw explain(thrown, state.failure, host, state.phase);
    const way = state.phase === 'connecting' && proxy !== undefined ? ` through the proxy ${proxy.host}` : '';
    throw timedOut(`${host}${way}`, state.phase, request.timeoutMs);
  } finally {
    end.clear();
  }
}

/** One end for the time of the whole exchange and for the user's stop, and which of the two it was. */
function deadline({ timeoutMs, stop: given }: HttpRequest) {
  let reached: 'time' | 'cancelled' | undefined;
  let end: () => void = () => undefined;
  const stop = (why: 'time' | 'cancelled') => () => {
    reached ??= why;
    end();
  };
  const cancel = stop('cancelled');
  const timer = setTimeout(stop('time'), timeoutMs);
  const leave = given?.onStop(cancel);
  return {
    onStop: (carrierStop: () => void) => {
      end = carrierStop;
      if (reached !== undefined) end();
    },
    reached: () => reached,
    clear() {
      clearTimeout(timer);
      leave?.();
    },
  };
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

// fetch would refuse them too, and repeat the value in what it throws.
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue;
    throw new ConfigurationError(`The header ${name} holds a character that cannot be sent.`, {
      hint: 'Check the credentials for line breaks and for characters that look like others.',
    });
  }
}
