/** One request with its repeats, within the command's time. Knows nothing of planes or credentials. */
import { CancelledError, NetworkError, RateLimitError, TimeoutError } from '../errors.ts';
import type { HttpRequest, HttpResponse } from '../ports.ts';
import type { Runtime } from '../runtime.ts';
import { askedDelay, backoff, LONGEST_ASKED_MS, MAX_ATTEMPTS, mayRepeat, RetryBudget } from './retry.ts';

/**
 * @param repeatable may the request be sent again when its outcome is unknown?
 * @param attemptMs a single attempt, with a time of its own
 * @returns the last answer, whatever its status
 * @throws NetworkError, TimeoutError, CancelledError
 */
export type Exchange = (
  request: Omit<HttpRequest, 'timeoutMs'>,
  repeatable: boolean,
  attemptMs?: number,
) => Promise<HttpResponse>;

/** Requests that share one time budget and one budget of repeats. */
export function createExchange(runtime: Runtime): Exchange {
  const { transport, clock, log } = runtime;
  const deadline = clock.now() + runtime.budgetMs;
  const budget = new RetryBudget();

  const timeLeft = (attemptMs: number | undefined) => {
    if (runtime.cancelled()) throw new CancelledError('Stopped.');
    if (attemptMs !== undefined) return Math.min(attemptMs, runtime.budgetMs);
    const timeoutMs = deadline - clock.now();
    if (timeoutMs <= 0) throw outOfTime(runtime);
    return timeoutMs;
  };

  const attemptOnce = async (request: Omit<HttpRequest, 'timeoutMs'>, timeoutMs: number) => {
    const started = clock.now();
    const response = await transport.send({ ...request, timeoutMs });
    log.debug('request', {
      method: request.method,
      url: request.url,
      status: response.status,
      ms: clock.now() - started,
    });
    return response;
  };

  const pause = async (milliseconds: number) => {
    if (clock.now() + milliseconds >= deadline) return false;
    await clock.wait(milliseconds);
    return true;
  };

  return async (request, repeatable, attemptMs) => {
    for (let attempt = 0; ; attempt += 1) {
      const again = attemptMs === undefined && attempt + 1 < MAX_ATTEMPTS;
      const timeoutMs = timeLeft(attemptMs);
      let delay = backoff(attempt, clock.random());
      try {
        const response = await attemptOnce(request, timeoutMs);
        if (response.status < 400) budget.refill();
        if (!mayRepeat(response.status, repeatable)) return response;
        const asked = askedDelay(response, clock.now());
        if (asked !== undefined && (asked > LONGEST_ASKED_MS || clock.now() + asked >= deadline)) return response;
        delay = asked ?? delay;
        if (!again || !budget.take() || !(await pause(delay))) return response;
      } catch (thrown) {
        const unknown = thrown instanceof NetworkError && thrown.sent && !repeatable ? outcomeUnknown(thrown) : thrown;
        const final = !(thrown instanceof NetworkError && thrown.retryable && repeatable && again);
        if (final || !budget.take() || !(await pause(delay))) throw unknown;
      }
      log.info('repeating a request', { method: request.method, url: request.url, attempt: attempt + 1, delay });
    }
  };
}

function outOfTime({ budgetMs, advice }: Runtime): TimeoutError {
  return new TimeoutError(`The command did not finish within ${Math.round(budgetMs / 1000)} seconds.`, {
    hint: advice.time,
  });
}

/** What to do after a change whose answer was lost. */
export const OUTCOME_UNKNOWN = 'The outcome is unknown: list what is there before you repeat the command.';

function outcomeUnknown(error: NetworkError): NetworkError {
  const hint = error.hint === undefined ? OUTCOME_UNKNOWN : `${error.hint} ${OUTCOME_UNKNOWN}`;
  const Same = error.constructor as typeof NetworkError;
  return new Same(error.message, { hint, retryable: false });
}

/** The error for a 429 that was not waited out. */
export function rateLimited(
  response: HttpResponse,
  title: string,
  now: number,
  requestId: string | undefined,
): RateLimitError {
  const asked = askedDelay(response, now);
  const wait = asked === undefined ? 'a while' : `${Math.ceil(asked / 1000)} seconds`;
  return new RateLimitError(`The ${title} asks for fewer requests.`, {
    hint: `Try again in ${wait}.`,
    status: 429,
    requestId,
    retryable: true,
    waitMs: asked,
  });
}
