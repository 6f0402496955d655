/**
 * Answers requests that the parser or the router refuses. They pass the same hooks as all requests, so that their host
 * is checked first, and their responses have the same format and headers.
 */
import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { formProblem } from '../../node/http/request-form.ts';
import { HttpError } from './problems.ts';

/** Maximum length of a part of a path. */
export const MAX_PART = 200;
/** Path without a route. */
const NOWHERE = '/-';
const HOST = /^host:[ \t]*(.*?)[ \t]*\r$/im;

const SHORTER = 'Send less in headers, and arguments in the body.';
const PARSER_ERRORS: ReadonlyMap<string, HttpError> = new Map([
  ['HPE_HEADER_OVERFLOW', new HttpError(431, 'size', 'The headers are too large.', { hint: SHORTER })],
  ['ERR_HTTP_REQUEST_TIMEOUT', new HttpError(408, 'timeout', 'The request did not arrive in time.')],
]);
const NO_HTTP = new HttpError(400, 'request', 'The request is not valid HTTP.', {
  hint: 'Use an HTTP client, which writes requests in the form of RFC 9112.',
});
const UNEXPECTED = new HttpError(417, 'request', 'The service supports only the expectation 100-continue.', {
  hint: 'Omit the header Expect.',
});

export type Malformed = ReturnType<typeof watchMalformed>;

/** Watches a server. @param server returns the server, which is created after its options */
export function watchMalformed(server: () => Server) {
  const reasons = new WeakMap<object, HttpError>();
  const unread = new WeakSet<IncomingMessage>();
  const answered = new WeakSet<Socket>();
  return {
    /** Returns the path to route; an undecodable path becomes a path without a route. */
    route: (request: IncomingMessage): string => {
      const url = request.url ?? NOWHERE;
      if (reasons.has(request)) return NOWHERE;
      const problem = targetProblem(request) ?? urlProblem(url);
      if (problem === undefined) return url;
      reasons.set(request, problem);
      return NOWHERE;
    },
    /** Answers a parser error. */
    refuse: (failure: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }, socket: Socket): void => {
      // The parser fails again on each further packet.
      if (answered.has(socket)) return;
      answered.add(socket);
      const { _httpMessage: due } = socket as Socket & { readonly _httpMessage?: unknown };
      // Send nothing while another response is due: the client would mistake this response for it.
      if (!socket.writable || (due !== null && due !== undefined)) {
        socket.destroy();
        return;
      }
      const request = new IncomingMessage(socket);
      const host = HOST.exec(failure.rawPacket?.toString('latin1') ?? '')?.[1];
      Object.assign(request, { method: 'GET', url: NOWHERE, headers: host === undefined ? {} : { host } });
      reasons.set(request, PARSER_ERRORS.get(failure.code ?? '') ?? NO_HTTP);
      if (host === undefined) unread.add(request);
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket);
      response.once('finish', () => socket.destroySoon());
      server().emit('request', request, response);
    },
    /** Answers a request with an `Expect` header other than `100-continue`. */
    refuseExpectation: (request: IncomingMessage, response: ServerResponse): void => {
      reasons.set(request, UNEXPECTED);
      server().emit('request', request, response);
    },
    /** Returns the reason why a request was refused. */
    reason: (request: IncomingMessage): HttpError | undefined => reasons.get(request),
    /** Reports whether a request's headers were read. */
    isRead: (request: IncomingMessage): boolean => !unread.has(request),
  };
}

function targetProblem(request: IncomingMessage): HttpError | undefined {
  const problem = formProblem(request);
  return (
    problem &&
    new HttpError(problem.status, problem.status === 431 ? 'size' : 'request', problem.message, { hint: problem.hint })
  );
}

/** Returns the problem of a path that the router cannot decode. */
function urlProblem(url: string): HttpError | undefined {
  const [path = ''] = url.split('?', 1);
  if (path.length > MAX_PART && path.split('/').some((part) => part.length > MAX_PART)) {
    return new HttpError(414, 'size', `A path segment is longer than ${MAX_PART} characters.`, {
      hint: 'Send arguments in the body.',
    });
  }
  if (!path.includes('%')) return undefined;
  try {
    decodeURIComponent(path);
    return undefined;
  } catch {
    return new HttpError(400, 'request', 'The path has an invalid percent-encoding.', {
      hint: 'Encode each part of the path as UTF-8: a percent sign is %25.',
    });
  }
}
