/** Answers a request with the events that its caller may read. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/authenticate.ts';
import { callerKey, callerOf, callerStill } from '../access/rights.ts';
import { type StreamEvent, streamEvents, whilePermitted } from '../events/event-stream.ts';
import { HttpError } from '../problems.ts';
import type { Service } from '../service.ts';
import { unreadBy } from './unread.ts';

/** Header from which a reader resumes. */
export const LAST_EVENT_ID = {
  type: 'integer',
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The last event that the caller has; later events follow.',
} as const;

/** Events for one reader. */
export interface Followed {
  /** @param last id of the last event that the reader has */
  readonly follow: (last: number, signal: AbortSignal) => AsyncIterable<StreamEvent>;
  /** Returns why a caller may not read on. */
  readonly refusal: (caller: Caller) => HttpError | undefined;
}

/** Sends events until they end, the reader leaves, or the caller's rights end. @throws HttpError for too many streams */
export async function answerEvents(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  { follow, refusal }: Followed,
): Promise<FastifyReply> {
  const last = Number(request.headers['last-event-id'] ?? 0);
  const leave = service.streams.enter(callerKey(callerOf(request)));
  if (leave === undefined) {
    throw new HttpError(429, 'rate-limit', 'Too many streams of events are open.', {
      headers: { 'retry-after': '10' },
    });
  }
  try {
    const refusalNow = async () => {
      const now = await callerStill(service, request);
      return now instanceof HttpError ? now : refusal(now);
    };
    const permitted = whilePermitted((signal) => follow(last, signal), refusalNow, last);
    await streamEvents(reply, unreadBy(service, request), permitted);
  } finally {
    leave();
  }
  return reply;
}
