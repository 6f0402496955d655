/** Sends one request with its retries, within the command's time. Independent of planes and credentials. */
import { CancelledError, NetworkError, RateLimitError, ResponseError, TimeoutError } from '../../core/errors.ts';
import type { HttpRequest, HttpResponse, Stop } from '../../core/ports.ts';
import { type Redact, responseRedaction } from '../../core/redaction/responses.ts';
import type { Runtime } from '../../core/runtime.ts';
import { stopped } from '../../core/stop.ts';
import type { Call } from './call.ts';
import { backoff, MAX_ATTEMPTS, MAX_RETRY_AFTER_MS, mayRetry, retryAfterOf } from './retry.ts';

/**
 * Minimum time for an attempt. A timer may end the previous attempt a moment early; a new attempt would then run out of
 * time at once, with a misleading message.
 */
const MIN_ATTEMPT_MS = 5;

/** Options that limit a request to one attempt. */
export type AttemptOptions = Pick<Call, 'attemptMs' | 'prefetch'>;

type Request = Omit<HttpRequest, 'timeoutMs'>;

/** Sends the requests of one command, which share the command's time and the retry budget of all commands. */
export class Exchange {
  private readonly runtime: Runtime;
  private readonly redact: Redact;
  private readonly deadline: number;

  /** @param redact removes secrets from logged requests and responses */
  constructor(runtime: Runtime, redact: Redact = responseRedaction(runtime, [])) {
    this.runtime = runtime;
    this.redact = redact;
    this.deadline = runtime.clock.elapsed() + runtime.budgetMs;
  }

  /**
   * Sends a request and retries it.
   * @param input the request; its own stop or the command's stop ends it @param repeatable whether it may be sent again if
   * its outcome is unknown
   * @returns the last response, whatever its status
   * @throws NetworkError, TimeoutError, CancelledError
   */
  async send(input: Request, repeatable: boolean, { attemptMs, prefetch }: AttemptOptions = {}): Promise<HttpResponse> {
    const { clock, log, shared } = this.runtime;
    const stop = input.stop ?? this.runtime.stop;
    const request = stop === undefined ? input : { ...input, stop };
    for (let attempt = 0; ; attempt += 1) {
      const mayAttemptAgain = attemptMs === undefined && prefetch !== true && attempt + 1 < MAX_ATTEMPTS;
      const timeoutMs = this.timeLeft(attemptMs, stop);
      let delay = backoff(attempt, clock.random());
      const wasStopped = stop?.stopped === true;
      try {
        const response = await this.attempt(request, timeoutMs);
        if (response.status < 400) shared.retryBudget.refill(attempt > 0);
        if (!mayRetry(response.status, repeatable)) return response;
        const retryAfterMs = retryAfterOf(response, clock.now());
        if (retryAfterMs !== undefined && (retryAfterMs > MAX_RETRY_AFTER_MS || this.isOverAfter(retryAfterMs)))
          return response;
        delay = retryAfterMs ?? delay;
        if (!mayAttemptAgain || !(await this.waitToRetry(delay, stop))) return response;
      } catch (thrown) {
        if (!repeatable && !wasStopped) throw outcomeUnknown(thrown);
        const final = !(mayAttemptAgain && thrown instanceof NetworkError && thrown.retryable);
        if (final || !(await this.waitToRetry(delay, stop))) throw thrown;
      }
      log.info('retrying a request', { method: request.method, url: request.url, attempt: attempt + 1, delay });
    }
  }

  private async attempt(request: Request, timeoutMs: number): Promise<HttpResponse> {
    const { transport, clock, log } = this.runtime;
    const { method, url, headers, body = '', upload } = request;
    const started = clock.elapsed();
    const seen = this.runtime.observe?.(request, this.redact);
    log.trace?.('sending', () => ({ method, url, headers, body: this.redact.body(body), upload: upload?.file.name }));
    const response = await transport.send({ ...request, timeoutMs }).catch((thrown: unknown) => {
      seen?.();
      throw thrown;
    });
    seen?.(response);
    log.trace?.('received', () => ({ ...this.redact.response(response), file: response.file?.name }));
    log.debug('request', { method, url, status: response.status, ms: clock.elapsed() - started });
    return response;
  }

  private timeLeft(attemptMs: number | undefined, stop: Stop | undefined): number {
    if (stop?.stopped === true) throw stopped();
    if (attemptMs !== undefined) return Math.min(attemptMs, this.runtime.budgetMs);
    const left = this.deadline - this.runtime.clock.elapsed();
    if (left < MIN_ATTEMPT_MS) throw outOfTime(this.runtime);
    return left;
  }

  private isOverAfter(milliseconds: number): boolean {
    return this.deadline - this.runtime.clock.elapsed() - milliseconds < MIN_ATTEMPT_MS;
  }

  private async waitToRetry(milliseconds: number, stop: Stop | undefined): Promise<boolean> {
    const { clock, shared } = this.runtime;
    if (this.isOverAfter(milliseconds) || !shared.retryBudget.spend()) return false;
    await clock.wait(milliseconds, stop);
    return true;
  }
}

function outOfTime({ budgetMs, advice }: Runtime): TimeoutError {
  return new TimeoutError(`The command did not finish within ${budgetMs / 1000} seconds.`, {
    hint: advice.time,
  });
}

/** The hint after a change whose response was lost. */
export const OUTCOME_UNKNOWN = 'The outcome is unknown: list what exists before you repeat the command.';

/** Marks an error after which the service may have made the change; returns any other error unchanged. */
function outcomeUnknown(thrown: unknown): unknown {
  const isSent = thrown instanceof NetworkError && thrown.sent;
  if (!isSent && !(thrown instanceof ResponseError) && !(thrown instanceof CancelledError)) return thrown;
  const Same = thrown.constructor as typeof NetworkError | typeof ResponseError | typeof CancelledError;
  return new Same(thrown.message, { hint: withUnknownOutcome(thrown.hint), retryable: false, outcomeUnknown: true });
}

/** Adds a sentence to a hint: the outcome is unknown. */
export function withUnknownOutcome(hint: string | undefined): string {
  return hint === undefined ? OUTCOME_UNKNOWN : `${hint} ${OUTCOME_UNKNOWN}`;
}

/** Returns the error for a 429 that was not retried. */
export function rateLimited(response: HttpResponse, title: string, now: number, requestId: string | undefined) {
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
