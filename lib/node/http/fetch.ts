/**
 * Sends every request on Node over `node:http` and `node:https`: text, uploads and downloads, direct or through a
 * proxy.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { UsageError } from '../../core/errors.ts';
import type { HttpRequest, Upload } from '../../core/ports.ts';
import type { Phase } from '../../runtime/transport/failures.ts';
import { multipartFrame } from '../../runtime/transport/multipart.ts';
import type { Agents, TunnelOptions } from './agents.ts';
import { proxyFailed, proxyRefused } from './failures.ts';
import type { ProxyServer } from './proxy.ts';

/** State of one request, in addition to the request itself. */
export interface RequestContext {
  /** Updated by the HTTP client while the request runs. */
  phase: Phase;
  /** Host and port, for error messages. */
  readonly host: string;
  readonly target: URL;
  readonly proxy: ProxyServer | undefined;
  /** Accept any certificate of the service. */
  readonly insecure: boolean;
  /** Maximum size of the response after decompression, in bytes. */
  readonly limit: number;
  /** Aborted by the time-out or the stop of the request, with an error. */
  readonly ended: AbortSignal;
}

/** The parts of a `Request` that are sent. */
export type RequestHead = Pick<Request, 'method' | 'url' | 'headers'>;

/**
 * Sends a request.
 * @returns the response as soon as its headers have arrived
 * @throws errors of the connection; `explain` translates them
 */
export async function fetchOverHttp(
  { method, url, headers }: RequestHead,
  content: Content,
  context: RequestContext,
  agents: Agents,
): Promise<IncomingMessage> {
  const { request, agent } = await agents.route(context.target, context.proxy);
  const opening = new AbortController();
  const options: TunnelOptions = {
    method,
    headers: { ...Object.fromEntries(headers), ...content.headers },
    agent,
    rejectUnauthorized: !context.insecure,
    ...(context.proxy === undefined ? {} : { opening: opening.signal }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, options);
    const fail = (thrown: Error) => {
      opening.abort();
      sent.destroy();
      reject(thrown);
    };
    let end = fail;
    const onEnded = () => end(context.ended.reason as Error);
    context.ended.addEventListener('abort', onEnded);
    if (context.ended.aborted) onEnded();
    const proxyFailure = watchProxy(sent, context, fail);
    sent.on('error', (thrown) => fail(proxyFailure(thrown)));
    sent.on('socket', (socket) => trackPhase(sent, socket, context));
    sent.on('response', (response) => {
      context.phase = 'reading';
      // Destroying the request would drop unread data, and the body would look complete.
      end = (reason) => response.destroy(reason);
      // If the response comes before the end of an upload, the connection cannot be reused.
      response.once('end', () => sent.writableEnded || sent.destroy());
      resolve(response);
    });
    content.write(sent).catch((thrown: unknown) => fail(thrown as Error));
  });
}

/** Watches the tunnel. @returns a function that names the proxy in an error that occurs before the tunnel is open */
function watchProxy(sent: ClientRequest, { proxy, target }: RequestContext, fail: (thrown: Error) => void) {
  if (proxy === undefined) return (thrown: Error) => thrown;
  let isOpen = false;
  sent.on('proxyConnect', ({ statusCode }: { statusCode: number }) => {
    isOpen = statusCode === 200;
    if (!isOpen) fail(proxyRefused(proxy.host, target.host, statusCode));
  });
  return (thrown: Error) => (isOpen || sent.reusedSocket ? thrown : proxyFailed(proxy.host, thrown));
}

function trackPhase(
  sent: ClientRequest,
  socket: NodeJS.EventEmitter & { connecting?: boolean },
  context: RequestContext,
): void {
  const isSecure = context.target.protocol === 'https:';
  // A proxy's socket is already connected; only TLS inside the tunnel remains.
  if (sent.reusedSocket || (context.proxy !== undefined && !isSecure)) {
    context.phase = 'waiting';
    return;
  }
  context.phase = 'connecting';
  socket.once(isSecure ? 'secureConnect' : 'connect', () => {
    context.phase = 'waiting';
  });
}

/** The body of a request: plain text, or a file as multipart, streamed from disk. */
interface Content {
  /** Added to the headers of the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Writes the body and ends the request. @throws if the request is destroyed first */
  write(sent: ClientRequest): Promise<void>;
}

/** Returns the content of a request. @throws UsageError for a file that cannot be read */
export async function requestContent({ body, upload, onSent }: HttpRequest): Promise<Content> {
  if (upload !== undefined) return fileContent(upload, onSent);
  return {
    headers: {},
    write: async (sent) => {
      sent.end(body);
    },
  };
}

async function fileContent(upload: Upload, onSent: HttpRequest['onSent']): Promise<Content> {
  const [{ stat }, { randomUUID }] = await Promise.all([import('node:fs/promises'), import('node:crypto')]);
  const { entry, name } = upload.file;
  const { size } = await stat(entry).catch(() => {
    throw new UsageError(`The file ${name} can no longer be read.`);
  });
  // Random, because the file is not searched for the boundary.
  const { contentType, head, tail } = multipartFrame(upload, `----aisec-part-${randomUUID()}`);
  const length = Buffer.byteLength(head) + size + Buffer.byteLength(tail);
  return {
    headers: { 'content-type': contentType, 'content-length': String(length) },
    write: async (sent) => {
      const { pipeline } = await import('node:stream/promises');
      await pipeline(async function* () {
        yield head;
        yield* bytesOf(upload, size, onSent);
        yield tail;
      }, sent);
    },
  };
}

async function* bytesOf({ file }: Upload, size: number, onSent: HttpRequest['onSent']): AsyncGenerator<Buffer> {
  if (size === 0) return;
  const { createReadStream } = await import('node:fs');
  let bytes = 0;
  // Limit the content to the announced length, because the file may grow in the meantime.
  const chunks: AsyncIterable<Buffer> = createReadStream(file.entry, { end: size - 1 });
  for await (const chunk of chunks) {
    bytes += chunk.length;
    yield chunk;
    // The connection asks for the next chunk when it has taken this one.
    onSent?.(bytes);
  }
  if (bytes < size) throw new UsageError(`The file ${file.name} became shorter while it was being sent.`);
}
