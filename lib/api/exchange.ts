/** Sends one request with its retries, within the command's time. Independent of planes and credentials. */
import { CancelledError, NetworkError, RateLimitError, ResponseError, TimeoutError } from '../core/errors.ts';
import type { HttpRequest, HttpResponse, Stop } from '../core/ports.ts';
import type { Runtime } from '../core/runtime.ts';
import { stopped } from '../core/stop.ts';
import { type Redact, responseRedaction } from '../redaction/responses.ts';
import type { Call } from './call.ts';
import { backoff, MAX_ATTEMPTS, MAX_RETRY_AFTER_MS, mayRetry, retryAfterOf } from './retry.ts';

/**
 * Minimum time for an attempt. A timer may end the previous attempt a moment early; a new attempt would then run out of
 * time at once, with a misleading message.
 */
const MIN_ATTEMPT_MS = 5;

/** Options that limit a request to one attempt. */
export type AttemptOptions = Pick<Call, 'attemptMs' | 'prefetch'>;

/**
 * Sends a request and retries it.
 * @param request ended by its own stop, or else by the command's
 * @param repeatable may be sent again if its outcome is unknown
 * @returns the last response, whatever its status
 * @throws NetworkError, TimeoutError, CancelledError
 */
export type Exchange = (
  request: Omit<HttpRequest, 'timeoutMs'>,
  repeatable: boolean,
  attempts?: AttemptOptions,
) => Promise<HttpResponse>;

/**
 * Creates the exchange of one command: its requests share the command's time and the retry budget of all commands.
 * @param redact removes secrets from logged requests and responses
 */
export function createExchange(runtime: Runtime, redact: Redact = responseRedaction(runtime, [])): Exchange {
  const { transport, clock, log } = runtime;
  const { retryBudget } = runtime.shared;
  const deadline = clock.elapsed() + runtime.budgetMs;

  const isOver = (milliseconds: number) => deadline - milliseconds < MIN_ATTEMPT_MS;

  const timeLeft = (attemptMs: number | undefined, stop: Stop | undefined) => {
    if (stop?.stopped === true) throw stopped();
    if (attemptMs !== undefined) return Math.min(attemptMs, runtime.budgetMs);
    const now = clock.elapsed();
    if (isOver(now)) throw outOfTime(runtime);
    return deadline - now;
  };

  const attemptOnce = async (request: Omit<HttpRequest, 'timeoutMs'>, timeoutMs: number) => {
    const started = clock.elapsed();
    log.trace?.('sending', () => ({
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: redact.body(request.body ?? ''),
      upload: request.upload?.file.name,
    }));
    const response = await transport.send({ ...request, timeoutMs });
    log.trace?.('received', () => ({ ...redact.response(response), file: response.file?.name }));
    log.debug('request', {
      method: request.method,
      url: request.url,
      status: response.status,
      ms: clock.elapsed() - started,
    });
    return response;
  };

  const waitToRetry = async (milliseconds: number, stop: Stop | undefined) => {
    if (isOver(clock.elapsed() + milliseconds) || !retryBudget.spend()) return false;
    await clock.wait(milliseconds, stop);
    return true;
  };

  return async (input, repeatable, { attemptMs, prefetch } = {}) => {
    const stop = input.stop ?? runtime.stop;
    const request = stop === undefined ? input : { ...input, stop };
    for (let attempt = 0; ; attempt += 1) {
      const mayAttemptAgain = attemptMs === undefined && prefetch !== true && attempt + 1 < MAX_ATTEMPTS;
      const timeoutMs = timeLeft(attemptMs, stop);
      let delay = backoff(attempt, clock.random());
      const wasStopped = stop?.stopped === true;
      try {
        const response = await attemptOnce(request, timeoutMs);
        if (response.status < 400) retryBudget.refill(attempt > 0);
        if (!mayRetry(response.status, repeatable)) return response;
        const retryAfterMs = retryAfterOf(response, clock.now());
        if (retryAfterMs !== undefined && (retryAfterMs > MAX_RETRY_AFTER_MS || isOver(clock.elapsed() + retryAfterMs)))
          return response;
        delay = retryAfterMs ?? delay;
        if (!mayAttemptAgain || !(await waitToRetry(delay, stop))) return response;
      } catch (thrown) {
        if (!repeatable && !wasStopped) throw outcomeUnknown(thrown);
        const final = !(mayAttemptAgain && thrown instanceof NetworkError && thrown.retryable);
        if (final || !(await waitToRetry(delay, stop))) throw thrown;
      }
      log.info('retrying a request', { method: request.method, url: request.url, attempt: attempt + 1, delay });
    }
  };
}

function outOfTime({ budgetMs, advice }: Runtime): TimeoutError {
  return new TimeoutError(`The command did not finish within ${budgetMs / 1000} seconds.`, {
    hint: advice.time,
  });
}

/** The hint after a change whose response was lost. */
export const OUTCOME_UNKNOWN = 'The outcome is unknown: list what exists before you repeat the command.';

/** Marks an error after which the service may have made the change; returns any other error as it is. */
function outcomeUnknown(thrown: unknown): unknown {
  const isSent = thrown instanceof NetworkError && thrown.sent;
  if (!isSent && !(thrown instanceof ResponseError) && !(thrown instanceof CancelledError)) return thrown;
  const Same = thrown.constructor as typeof NetworkError | typeof ResponseError | typeof CancelledError;
  return new Same(thrown.message, { hint: withUnknownOutcome(thrown.hint), retryable: false, outcomeUnknown: true });
}

/** Adds that the outcome is unknown to a hint. */
export function withUnknownOutcome(hint: string | undefined): string {
  return hint === undefined ? OUTCOME_UNKNOWN : `${hint} ${OUTCOME_UNKNOWN}`;
}

/** Returns the error for a 429 that was not retried. */
export function rateLimited(
  response: HttpResponse,
  title: string,
  now: number,
  requestId: string | undefined,
): RateLimitError {
  const retryAfterMs = retryAfterOf(response, now);
  const wait = retryAfterMs === undefined ? 'a while' : `${Math.ceil(retryAfterMs / 1000)} seconds`;
  return new RateLimitError(`The ${title} limits the request rate.`, {
    hint: `Try again in ${wait}.`,
    status: 429,
    requestId,
    retryable: true,
    waitMs: retryAfterMs,
  });
}
