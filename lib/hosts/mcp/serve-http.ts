/** Serves over Streamable HTTP, without state between requests. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type FetchLikeMcpHandler,
  hostHeaderValidation,
  originValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { Connections } from '../../node/http/connections.ts';
import { bracketed, ownNames } from '../../node/http/network.ts';
import { codingProblem, formProblem, HEADERS_READ } from '../../node/http/request-form.ts';
import type { Agent } from './agent.ts';
import { readMessage } from './message.ts';
import { serverOf } from './server.ts';

const PATH = '/mcp';
const MAX_BODY_BYTES = 10_000_000;
/** Time for the headers of a request, in milliseconds: slow senders cannot hold a connection longer. */
const HEADERS_MS = 10_000;
/** Ratio of the time for a whole request to the time for its headers. */
const WHOLE = 3;
/** Checks for slow connections per timeout. */
const LOOKS = 5;

export interface HttpOptions {
  /** Address to listen on. */
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Every request must send it as a bearer token. */
  readonly token: string;
  /**
   * Time for the headers of a request, in milliseconds; a whole request has three times as long. Default: 10 seconds.
   */
  readonly headersMs?: number;
  readonly warn: (message: string) => void;
}

/** Listens. @returns the endpoint's URL, and a function that closes it @throws system errors, such as EADDRINUSE */
export async function serveHttp(agent: Agent, { host, port, token, warn, headersMs = HEADERS_MS }: HttpOptions) {
  const names = [...ownNames(host)];
  const [checkHost, checkOrigin] = [hostHeaderValidation(names), originValidation(names)];
  const bounds = { maxRequestBodySize: MAX_BODY_BYTES };
  const handler = createMcpHandler(() => serverOf(agent), bounds);
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request;
    const bytes = await bytesOf(request);
    if (bytes === undefined) return refuse(response, 413, `The message is longer than ${MAX_BODY_BYTES} bytes.`);
    const read = method === 'POST' ? readMessage(bytes) : { value: undefined };
    if ('refusal' in read) return answer(response, 400, read.refusal);
    // If the library read the body, it would replace bytes that are not UTF-8.
    const fetch: FetchLikeMcpHandler['fetch'] = (sent, options) =>
      handler.fetch(sent, { ...options, parsedBody: read.value });
    return toNodeHandler({ fetch }, bounds)({ method, url, headers, [Symbol.asyncIterator]: noBody }, response);
  };
  const isToken = comparison(token);
  const limits = {
    headersTimeout: headersMs,
    requestTimeout: headersMs * WHOLE,
    connectionsCheckingInterval: headersMs / LOOKS,
  };
  const server = createServer(limits, (request, response) => {
    if (!checkHost(request, response) || !checkOrigin(request, response)) return;
    if (!isToken(request)) return refuse(response, 401, 'A valid bearer token is required.', 'Bearer');
    if (!connections.trust(request.socket, '')) return refuse(response, 503, 'All connections are in use.');
    if (request.url?.split('?')[0] !== PATH) return refuse(response, 404, 'Not found.');
    const problem = formProblem(request) ?? codingProblem(request.headers);
    if (problem !== undefined) return refuse(response, problem.status, `${problem.message} ${problem.hint}`);
    // A failing response must not end the server.
    handle(request, response).catch(() => response.destroy());
  });
  server.maxHeadersCount = HEADERS_READ;
  const connections = new Connections(server, { warn });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${bracketed(host)}:${bound}${PATH}`,
    close: async () => {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Compares digests in constant time, so that timing reveals nothing. */
function comparison(token: string): (request: IncomingMessage) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const wanted = digest(token);
  return ({ headers: { authorization = '' } }) => {
    const [scheme, sent = ''] = authorization.split(' ');
    return timingSafeEqual(digest(sent), wanted) && scheme?.toLowerCase() === 'bearer';
  };
}

/** Reads a body. @returns undefined beyond the limit */
async function bytesOf(request: IncomingMessage): Promise<Uint8Array | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return undefined;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Uint8Array>) {
    size += piece.length;
    if (size > MAX_BODY_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function* noBody(): AsyncGenerator<never> {}

function refuse(response: ServerResponse, status: number, message: string, challenge?: string): void {
  const more = challenge === undefined ? {} : { 'www-authenticate': challenge };
  answer(response, status, { error: message }, { connection: 'close', ...more });
}

function answer(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(`${JSON.stringify(body)}\n`);
}
