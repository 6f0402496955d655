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
import { Connections } from '../../node/connections.ts';
import { bracketed, ownNames } from '../../node/network.ts';
import { codingProblem, formProblem, HEADERS_READ } from '../../node/request-form.ts';
import type { Agent } from './agent.ts';
import { serverOf } from './server.ts';
import { unclearIn } from './stdio/refusal.ts';

const PATH = '/mcp';
const MAX_BODY_BYTES = 10_000_000;
/** Time for the headers of a request, in milliseconds: slow senders hold a connection no longer. */
const HEADERS_MS = 10_000;
/** Ratio of the time for a whole request to the time for its headers. */
const WHOLE = 3;
/** Checks for slow connections per timeout. */
const LOOKS = 5;

export interface HttpOptions {
  /** Address to listen on. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Every request needs it as a bearer token. */
  readonly token: string;
  /** Time for the headers of a request, in milliseconds; the whole of it has three times as long. Default: 10 seconds. */
  readonly headersMs?: number;
  readonly warn: (message: string) => void;
}

/** Listens. @returns the address of the endpoint, and its end @throws system errors, such as EADDRINUSE */
export async function serveHttp(agent: Agent, { host, port, token, warn, headersMs = HEADERS_MS }: HttpOptions) {
  const names = [...ownNames(host)];
  const [checkHost, checkOrigin] = [hostHeaderValidation(names), originValidation(names)];
  const handler = createMcpHandler(() => serverOf(agent), { maxRequestBodySize: MAX_BODY_BYTES });
  const fetch: FetchLikeMcpHandler['fetch'] = async (request, options) => {
    const refused = request.method === 'POST' ? unclearIn(await request.clone().text()) : undefined;
    return refused === undefined ? handler.fetch(request, options) : Response.json(refused, { status: 400 });
  };
  const handle = toNodeHandler({ fetch }, { maxRequestBodySize: MAX_BODY_BYTES });
  const isToken = comparison(token);
  const limits = {
    headersTimeout: headersMs,
    requestTimeout: headersMs * WHOLE,
    connectionsCheckingInterval: headersMs / LOOKS,
  };
  const server = createServer(limits, (request, response) => {
    if (!checkHost(request, response) || !checkOrigin(request, response)) return;
    if (!isToken(request)) return refuse(response, 401, 'A bearer token is required.', 'Bearer');
    connections.trust(request.socket);
    if (request.url?.split('?')[0] !== PATH) return refuse(response, 404, 'Not found.');
    const problem = formProblem(request) ?? codingProblem(request.headers);
    if (problem !== undefined) return refuse(response, problem.status, `${problem.message} ${problem.hint}`);
    // A request that cannot be answered must not end the server.
    handle(request as Parameters<typeof handle>[0], response).catch(() => response.destroy());
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

function refuse(response: ServerResponse, status: number, message: string, challenge?: string): void {
  const headers = {
    'content-type': 'application/json',
    connection: 'close',
    ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
  };
  response.writeHead(status, headers).end(`${JSON.stringify({ error: message })}\n`);
}
