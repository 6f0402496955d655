/** Guards the handlers of Express. */
import { headOf } from './answer.ts';
import type { Bodies } from './bodies.ts';
import { type HeldResponse, held } from './held-response.ts';

/** The part of a request that the middleware uses. */
export interface ExpressRequest {
  body?: unknown;
}

/** The part of Node's response by which its type is known. */
export interface ExpressResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  getHeader(name: string): unknown;
  removeHeader(name: string): unknown;
  flushHeaders(): void;
}

/** Creates the middleware. */
export function expressOf(bodies: Bodies) {
  return async (request: ExpressRequest, given: ExpressResponse, next: () => void): Promise<void> => {
    const response = given as HeldResponse;
    const leaving = new AbortController();
    response.on('close', () => leaving.abort());
    const context = bodies.contextOf(request, leaving.signal);
    const refuse = ({ status, type }: { readonly status: number; readonly type: string }) => {
      response.statusCode = status;
      for (const name of ['content-encoding', 'etag']) response.removeHeader(name);
      response.setHeader('content-type', type);
    };
    const asked = await bodies.asked(() => request.body, context);
    if ('refusal' in asked) {
      refuse(asked.refusal);
      response.end(asked.refusal.body);
      return;
    }
    request.body = asked.body;
    held(response, async (chunks) => {
      const head = headOf((name) => response.getHeader(name));
      const answer = await bodies.answered(chunks, head, context);
      if (!('body' in answer && answer.body === '')) response.removeHeader('content-length');
      if ('body' in answer) return answer.body;
      refuse(answer.refusal);
      return answer.refusal.body;
    });
    next();
  };
}
