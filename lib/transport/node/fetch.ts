/** The one way to the network on Node: text, uploads and downloads, direct or through a proxy, over `node:http` and `node:https`. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Agents, TunnelOptions } from './agents.ts';
import type { Content } from './content.ts';
import type { Errand } from './errand.ts';
import { proxyAnswered, proxyFailed } from './failures.ts';

/** What is asked for: of a `Request`, what travels. */
export type Asked = Pick<Request, 'method' | 'url' | 'headers'>;

/**
 * @returns the answer when its headers have come; its body is there to be read
 * @throws whatever the connection says; `explain` makes it an error of this project
 */
export async function fetchOverHttp(
  { method, url, headers }: Asked,
  content: Content,
  errand: Errand,
  agents: Agents,
): Promise<IncomingMessage> {
  const { request, agent } = await agents.route(errand.target, errand.proxy);
  const opening = new AbortController();
  const options: TunnelOptions = {
    method,
    headers: { ...Object.fromEntries(headers), ...content.headers },
    agent,
    rejectUnauthorized: !errand.insecure,
    ...(errand.proxy === undefined ? {} : { opening: opening.signal }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, options);
    const fail = (thrown: Error) => {
      opening.abort();
      sent.destroy();
      reject(thrown);
    };
    errand.onEnd(fail);
    const proxyFailure = watchProxy(sent, errand, fail);
    sent.on('error', (thrown) => fail(proxyFailure(thrown)));
    sent.on('socket', (socket) => notePhase(sent, socket, errand));
    sent.on('response', (answer) => {
      errand.phase = 'reading';
      // Not the request: it would drop what has come and is not read yet, and the body would look complete.
      errand.onEnd((reason) => answer.destroy(reason));
      // Where the service answers before it has all of an upload, the connection is of no more use.
      answer.once('end', () => sent.writableEnded || sent.destroy());
      resolve(answer);
    });
    content.write(sent).catch((thrown: unknown) => fail(thrown as Error));
  });
}

/** @returns names the proxy for a failure that came before the proxy had opened the way */
function watchProxy(sent: ClientRequest, { proxy, target }: Errand, fail: (thrown: Error) => void) {
  if (proxy === undefined) return (thrown: Error) => thrown;
  let isOpen = false;
  sent.on('proxyConnect', ({ statusCode }: { statusCode: number }) => {
    isOpen = statusCode === 200;
    if (!isOpen) fail(proxyAnswered(proxy.host, target.host, statusCode));
  });
  return (thrown: Error) => (isOpen || sent.reusedSocket ? thrown : proxyFailed(proxy.host, thrown));
}

function notePhase(sent: ClientRequest, socket: NodeJS.EventEmitter & { connecting?: boolean }, errand: Errand): void {
  const isSecure = errand.target.protocol === 'https:';
  // A proxy hands over a connection that is open, but for the TLS within it.
  if (sent.reusedSocket || (errand.proxy !== undefined && !isSecure)) {
    errand.phase = 'waiting';
    return;
  }
  errand.phase = 'connecting';
  socket.once(isSecure ? 'secureConnect' : 'connect', () => {
    errand.phase = 'waiting';
  });
}
