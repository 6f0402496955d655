/** Guards the handlers of Hono. */
import { decoded } from '../../readable.ts';
import type { Decision } from '../../types.ts';
import { claimsUtf8, hasEvents, UNREADABLE } from './answer.ts';
import type { Bodies } from './bodies.ts';

/** The part of a context that the middleware uses. */
export interface HonoContext {
  readonly req: { readonly raw: Request; arrayBuffer(): Promise<ArrayBuffer> };
  res: Response;
}

/** Creates the middleware. */
export function honoOf(bodies: Bodies) {
  const responseOf = (decision: Decision) => {
    const { status, body, type } = bodies.refusal(decision);
    return new Response(String(body), { status, headers: { 'content-type': type } });
  };
  return async (context: HonoContext, next: () => Promise<void>): Promise<Response | undefined> => {
    const about = bodies.contextOf(context, context.req.raw.signal);
    const unreadable: Decision = { ...UNREADABLE, kind: 'input' };
    const body = await bodyOf(context.req).catch(() => unreadable);
    if (body === unreadable) return responseOf(unreadable);
    const asked = await bodies.asked(body, about);
    if ('refused' in asked) return responseOf(asked.refused);
    // The handler reads the body of the request itself: masked text cannot take its place for all its ways of reading.
    if (asked.body !== body) return responseOf(unreadable);
    await next();
    const answer = context.res;
    if (answer.body === null) return undefined;
    const { headers: given, status } = answer;
    const head = { type: given.get('content-type') ?? '', encoding: given.get('content-encoding') ?? '' };
    const headers = new Headers(given);
    headers.delete('content-length');
    const chunks = answer.body as unknown as AsyncIterable<unknown>;
    // Hono joins the headers of an answer that is replaced by another with its own.
    Object.assign(context, { res: undefined });
    if (hasEvents(head)) {
      context.res = new Response(bodies.events(chunks, about), { status, headers });
      return undefined;
    }
    const checked = await bodies.answered(chunks, head, about);
    context.res = 'passed' in checked ? new Response(checked.passed, { status, headers }) : responseOf(checked.refused);
    return undefined;
  };
}

/** Reads a body as the handler may. @returns undefined for what is no JSON @throws where two readers could read differently */
async function bodyOf(request: HonoContext['req']): Promise<unknown> {
  const bytes = await request.arrayBuffer();
  try {
    JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
  if (!claimsUtf8(request.raw.headers.get('content-type') ?? ''))
    throw new TypeError('The body claims another charset.');
  return decoded(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}
