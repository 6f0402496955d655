/** Prefetches pages and returns them in order. */
import { CancelledError, TimeoutError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';

/** One page: its position, and the number of records still wanted. */
export interface PageRequest {
  readonly position: number;
  readonly wanted: number;
}

/** Predicts the pages that follow. */
export interface PageForecast {
  /** Returns the page after a page; undefined if no further page is expected. */
  after(page: PageRequest): PageRequest | undefined;
  /** The service reports the total, so the predicted pages exist. */
  readonly certain: boolean;
}

/** Requests a page. @param isPrefetch one attempt is enough, because a failed page is requested again in its turn */
export type RequestPage = (page: PageRequest, isPrefetch: boolean) => Promise<JsonObject>;
/** Returns the response for one page; pages after it may be prefetched meanwhile. */
export type FetchPage = (page: PageRequest, forecast: PageForecast) => Promise<JsonObject>;

type Outcome = { readonly response: JsonObject } | { readonly thrown: unknown };

interface Prefetched {
  readonly page: PageRequest;
  /** Never rejects, because it may never be awaited. */
  readonly outcome: Promise<Outcome>;
}

/**
 * Creates a function that fetches pages and prefetches the following ones. The caller chooses the next page, as without
 * prefetching. If it is not the prefetched one, the queue is discarded; a page that failed is requested again, with
 * retries. After either, concurrency restarts at one and grows by one with each page, so it doubles with each round
 * trip. If the service reports the total, concurrency starts at its maximum.
 * @param maxConcurrency limit of pending requests and held responses, including the current page
 */
export function pagePrefetcher(maxConcurrency: number, requestPage: RequestPage): FetchPage {
  const queue: Prefetched[] = [];
  /** Prefetched pages, and discarded ones whose request is still pending. */
  let pending = 0;
  let concurrency = 1;
  let hasFailed = false;

  const slowDown = () => {
    concurrency = 1;
    hasFailed = true;
  };
  const release = () => {
    pending -= 1;
  };
  const discardQueue = () => {
    slowDown();
    for (const { outcome } of queue.splice(0)) void outcome.then(release);
  };
  const next = (page: PageRequest): Prefetched | undefined => {
    const expected = queue[0]?.page;
    if (expected?.position !== page.position || expected.wanted !== page.wanted) {
      if (expected !== undefined) discardQueue();
      return undefined;
    }
    release();
    return queue.shift();
  };
  const prefetch = (page: PageRequest, { after, certain }: PageForecast) => {
    if (certain && !hasFailed) concurrency = maxConcurrency;
    let expected = after(queue[queue.length - 1]?.page ?? page);
    while (expected !== undefined && 1 + pending < concurrency) {
      pending += 1;
      queue.push({ page: expected, outcome: settled(requestPage(expected, true)) });
      expected = after(expected);
    }
  };

  return async (page, forecast) => {
    const prefetched = next(page);
    const outcomeOfPage = prefetched?.outcome ?? settled(requestPage(page, false));
    prefetch(page, forecast);
    const outcome = await outcomeOfPage;
    if ('thrown' in outcome) {
      if (prefetched === undefined || endsTheCommand(outcome.thrown)) throw outcome.thrown;
      slowDown();
    }
    const response = 'response' in outcome ? outcome.response : await requestPage(page, false);
    concurrency = Math.min(maxConcurrency, concurrency + 1);
    return response;
  };
}

function settled(response: Promise<JsonObject>): Promise<Outcome> {
  return response.then(
    (value) => ({ response: value }),
    (thrown: unknown) => ({ thrown }),
  );
}

/** Returns true if the command ends here, so that the page is not requested again. */
function endsTheCommand(thrown: unknown): boolean {
  return thrown instanceof TimeoutError || thrown instanceof CancelledError;
}
