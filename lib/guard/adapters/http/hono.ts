/** Guards the handlers of Hono. */
import { claimsUtf8 } from '../../../text/charset.ts';
import { isEncoded } from '../../readable/json.ts';
import { decoded } from '../../readable.ts';
import { headOf } from './answer.ts';
import type { Bodies, Checked } from './bodies.ts';

/** The part of a context that the middleware uses. */
export interface HonoContext {
  readonly req: { readonly raw: Request; arrayBuffer(): Promise<ArrayBuffer> };
  res: Response;
}

/** Creates the middleware. */
export function honoOf(bodies: Bodies) {
  return async (context: HonoContext, next: () => Promise<void>): Promise<Response | undefined> => {
    const about = bodies.contextOf(context, context.req.raw.signal);
    // The handler reads the body itself: masked text cannot take its place for all its ways of reading.
    const asked = await bodies.asked(() => readAs(context.req), about, false);
    if ('refusal' in asked) return refusalOf(asked);
    await next();
    const { body: given, headers: all, status } = context.res;
    if (given === null) return undefined;
    const headers = new Headers(all);
    headers.delete('content-length');
    const head = headOf((name) => all.get(name));
    const answer = await bodies.answered(given, head, about);
    // Hono joins the headers of an answer that is replaced by another with its own.
    Object.assign(context, { res: undefined });
    context.res = 'body' in answer ? new Response(answer.body, { status, headers }) : refusalOf(answer);
    return undefined;
  };
}

function refusalOf({ refusal: { status, body, type } }: Extract<Checked<unknown>, { refusal: unknown }>): Response {
  return new Response(body, { status, headers: { 'content-type': type } });
}

/** Reads a body as the handler may. @returns undefined for what is no JSON @throws where two readers could read differently */
async function readAs(request: HonoContext['req']): Promise<unknown> {
  const bytes = await request.arrayBuffer();
  if (!isEncoded(new TextDecoder().decode(bytes))) return undefined;
  if (!claimsUtf8(request.raw.headers.get('content-type') ?? ''))
    throw new TypeError('The body claims another charset.');
  return decoded(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}
