/**
 * HTTP on Node. One attempt, no redirect; whatever repeats a request stands above. Nothing is loaded before the first request.
 */
import { ConfigurationError } from '../errors.ts';
import type { HttpRequest, HttpResponse, KeepBytes, Stop, Transport } from '../ports.ts';
import { hostOf } from '../settings/address.ts';
import { settingTitle } from '../settings/parameters.ts';
import { stopped } from '../stop.ts';
import { LARGEST_ANSWER, timedOut } from './failures.ts';
import { openAgents } from './node/agents.ts';
import type { Errand } from './node/errand.ts';
import { explain } from './node/failures.ts';
import { type Environment, proxyFor } from './node/proxy.ts';

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
      const proxy = options.proxy ? proxyFor(target, options.environment ?? {}) : undefined;
      warnOnce();
      const { carry } = await import('./node/carrier.ts');
      if (request.stop?.stopped === true) throw stopped();
      const known = { target, proxy, limit, insecure, host: hostOf(request.url) };
      return within(request, known, (errand) => carry(request, errand, agents, keep));
    },
    close: () => agents.close(),
  };
}

/** Carries a request within its time and until its stop, and says of every failure what it was. */
async function within(
  { timeoutMs, stop }: HttpRequest,
  known: Omit<Errand, 'phase' | 'onEnd'>,
  carry: (errand: Errand) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const end = endOf(timeoutMs, stop);
  const errand: Errand = { ...known, phase: known.proxy === undefined ? 'waiting' : 'connecting', onEnd: end.onEnd };
  const { host, proxy } = known;
  try {
    return await carry(errand);
  } catch (thrown) {
    if (end.reached() === 'stop') throw stopped();
    if (end.reached() !== 'time') throw explain(thrown, host, errand.phase);
    const way = errand.phase === 'connecting' && proxy !== undefined ? ` through the proxy ${proxy.host}` : '';
    throw timedOut(`${host}${way}`, errand.phase, timeoutMs);
  } finally {
    end.clear();
  }
}

/** One end for the time of the whole exchange and for its stop, and which of the two it was. */
function endOf(timeoutMs: number, stop: Stop | undefined) {
  let reached: 'time' | 'stop' | undefined;
  let end: (reason: Error) => void = () => undefined;
  const reach = (why: 'time' | 'stop') => () => {
    reached ??= why;
    end(new Error(why));
  };
  const timer = setTimeout(reach('time'), timeoutMs);
  const leave = stop?.onStop(reach('stop'));
  return {
    onEnd: (next: (reason: Error) => void) => {
      end = next;
      if (reached !== undefined) end(new Error(reached));
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

// A `Request` would refuse them too, and repeat the value in what it throws.
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) continue;
    throw new ConfigurationError(`The header ${name} holds a character that cannot be sent.`, {
      hint: 'Check the credentials for line breaks and for characters that look like others.',
    });
  }
}
