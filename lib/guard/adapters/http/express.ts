/** Guards the handlers of Express. */
import type { Decision } from '../../types.ts';
import { hasEvents, textIn } from './answer.ts';
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
    const asked = await bodies.asked(request.body, context);
    const refuse = (decision: Decision, end: (body: string) => void) => {
      const { status, body, type } = bodies.refusal(decision);
      response.statusCode = status;
      for (const name of ['content-encoding', 'etag']) response.removeHeader(name);
      response.setHeader('content-type', type);
      end(String(body));
    };
    if ('refused' in asked) return refuse(asked.refused, (body) => response.end(body as never));
    request.body = asked.body;
    held(response, async (chunks, passing) => {
      const [type, encoding] = ['content-type', 'content-encoding'].map((name) => textIn(response.getHeader(name)));
      const head = { type: type ?? '', encoding: encoding ?? '' };
      if (hasEvents(head)) {
        response.removeHeader('content-length');
        const events = bodies.events(chunks, context).getReader();
        const left = new Promise<void>((done) => response.once('close', done));
        for (let read = await events.read(); !read.done; read = await events.read()) {
          // A reader that is slow makes the scans wait.
          if (!passing.write(read.value))
            await Promise.race([new Promise<void>((done) => response.once('drain', done)), left]);
        }
        return passing.end();
      }
      const checked = await bodies.answered(chunks, head, context);
      if ('passed' in checked && checked.passed === '') return passing.end();
      response.removeHeader('content-length');
      if ('passed' in checked) return passing.end(checked.passed);
      return refuse(checked.refused, (body) => passing.end(body));
    });
    next();
  };
}
