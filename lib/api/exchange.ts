/** One request with its repeats, within the command's time. Knows nothing of planes or credentials. */
import { NetworkError, RateLimitError, ResponseError, TimeoutError } from '../errors.ts';
import type { HttpRequest, HttpResponse, Stop } from '../ports.ts';
import { type Redact, redacting } from '../redaction/responses.ts';
import type { Runtime } from '../runtime.ts';
import { stopped } from '../stop.ts';
import type { Call } from './call.ts';
import { askedDelay, backoff, LONGEST_ASKED_MS, MAX_ATTEMPTS, mayRepeat } from './retry.ts';

/** What is a single attempt: with a time of its own, or within that of the command. */
export type Attempts = Pick<Call, 'attemptMs' | 'ahead'>;

/**
 * @param request it and its repeats end with its own stop, or else with the one of the command
 * @param repeatable may the request be sent again when its outcome is unknown?
 * @returns the last answer, whatever its status
 * @throws NetworkError, TimeoutError, CancelledError
 */
export type Exchange = (
  request: Omit<HttpRequest, 'timeoutMs'>,
  repeatable: boolean,
  attempts?: Attempts,
) => Promise<HttpResponse>;

/**
 * Requests that share one time budget, and the repeats of all commands.
 * @param conceal takes secrets out of what is logged of them
 */
export function createExchange(runtime: Runtime, conceal: Redact = redacting(runtime, [])): Exchange {
  const { transport, clock, log } = runtime;
  const { repeats } = runtime.shared;
  const deadline = clock.elapsed() + runtime.budgetMs;

  const timeLeft = (attemptMs: number | undefined, stop: Stop | undefined) => {
    if (stop?.stopped === true) throw stopped();
    if (attemptMs !== undefined) return Math.min(attemptMs, runtime.budgetMs);
    const timeoutMs = deadline - clock.elapsed();
    if (timeoutMs <= 0) throw outOfTime(runtime);
    return timeoutMs;
  };

  const attemptOnce = async (request: Omit<HttpRequest, 'timeoutMs'>, timeoutMs: number) => {
    const started = clock.elapsed();
    log.trace?.('sending', () => ({
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: conceal.body(request.body ?? ''),
      upload: request.upload?.file.name,
    }));
    const response = await transport.send({ ...request, timeoutMs });
    log.trace?.('received', () => ({ ...conceal.response(response), file: response.file?.name }));
    log.debug('request', {
      method: request.method,
      url: request.url,
      status: response.status,
      ms: clock.elapsed() - started,
    });
    return response;
  };

  const pause = async (milliseconds: number, stop: Stop | undefined) => {
    if (clock.elapsed() + milliseconds >= deadline || !repeats.take()) return false;
    await clock.wait(milliseconds, stop);
    return true;
  };

  return async (asked, repeatable, { attemptMs, ahead } = {}) => {
    const stop = asked.stop ?? runtime.stop;
    const request = stop === undefined ? asked : { ...asked, stop };
    for (let attempt = 0; ; attempt += 1) {
      const again = attemptMs === undefined && ahead !== true && attempt + 1 < MAX_ATTEMPTS;
      const timeoutMs = timeLeft(attemptMs, stop);
      let delay = backoff(attempt, clock.random());
      try {
        const response = await attemptOnce(request, timeoutMs);
        if (response.status < 400) repeats.refill(attempt > 0);
        if (!mayRepeat(response.status, repeatable)) return response;
        const asked = askedDelay(response, clock.now());
        if (asked !== undefined && (asked > LONGEST_ASKED_MS || clock.elapsed() + asked >= deadline)) return response;
        delay = asked ?? delay;
        if (!again || !(await pause(delay, stop))) return response;
      } catch (thrown) {
        if (!repeatable) throw outcomeUnknown(thrown);
        const final = !(again && thrown instanceof NetworkError && thrown.retryable);
        if (final || !(await pause(delay, stop))) throw thrown;
      }
      log.info('repeating a request', { method: request.method, url: request.url, attempt: attempt + 1, delay });
    }
  };
}

function outOfTime({ budgetMs, advice }: Runtime): TimeoutError {
  return new TimeoutError(`The command did not finish within ${budgetMs / 1000} seconds.`, {
    hint: advice.time,
  });
}

/** What to do after a change whose answer was lost. */
export const OUTCOME_UNKNOWN = 'The outcome is unknown: list what is there before you repeat the command.';

/** The same error, of a change that the service may have made; any other is left as it is. */
function outcomeUnknown(thrown: unknown): unknown {
  const lost = (thrown instanceof NetworkError && thrown.sent) || thrown instanceof ResponseError ? thrown : undefined;
  if (lost === undefined) return thrown;
  const Same = lost.constructor as typeof NetworkError | typeof ResponseError;
  return new Same(lost.message, { hint: unknownAfter(lost.hint), retryable: false });
}

/** @param hint what else there is to do */
export function unknownAfter(hint: string | undefined): string {
  return hint === undefined ? OUTCOME_UNKNOWN : `${hint} ${OUTCOME_UNKNOWN}`;
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
