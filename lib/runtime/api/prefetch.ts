/** Prefetches pages and returns them in order. */
import { CancelledError, TimeoutError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';

/** One page: its position, and the number of records still wanted. */
export interface PageRequest {
  readonly position: number;
  readonly wanted: number;
}

/** Predicts the pages that follow. */
export interface PageForecast {
  /** Returns the page after a page; undefined if no further page is expected. */
  after(page: PageRequest): PageRequest | undefined;
  /** True if the service reports the total, so that the predicted pages exist. */
  readonly certain: boolean;
}

/** Requests a page. @param isPrefetch one attempt is enough, because a failed page is requested again when its turn comes */
export type RequestPage = (page: PageRequest, isPrefetch: boolean) => Promise<JsonObject>;

type Outcome = { readonly response: JsonObject } | { readonly thrown: unknown };

interface Prefetched {
  readonly page: PageRequest;
  /** Never rejects, because it may never be awaited. */
  readonly outcome: Promise<Outcome>;
}

/**
 * Fetches pages and prefetches the pages that follow. The caller chooses each next page, as it would without prefetching.
 * If that page was not prefetched, the queue is discarded; a page that failed is requested again, with retries. In both cases,
 * concurrency restarts at one and grows by one with each page, so it doubles with each round trip. If the service
 * reports the total, concurrency starts at its maximum.
 */
export class PagePrefetcher {
  private readonly maxConcurrency: number;
  private readonly requestPage: RequestPage;
  private readonly queue: Prefetched[] = [];
  /** Prefetched pages, and discarded pages whose request is still pending. */
  private pending = 0;
  private concurrency = 1;
  private hasFailed = false;

  /** @param maxConcurrency limit of pending requests and held responses, including the current page */
  constructor(maxConcurrency: number, requestPage: RequestPage) {
    this.maxConcurrency = maxConcurrency;
    this.requestPage = requestPage;
  }

  /** Returns the response for one page; the pages after it may be prefetched in the meantime. */
  async fetch(page: PageRequest, forecast: PageForecast): Promise<JsonObject> {
    const prefetched = this.next(page);
    const outcomeOfPage = prefetched?.outcome ?? settled(this.requestPage(page, false));
    this.prefetch(page, forecast);
    const outcome = await outcomeOfPage;
    if ('thrown' in outcome) {
      if (prefetched === undefined || endsTheCommand(outcome.thrown)) throw outcome.thrown;
      this.slowDown();
    }
    const response = 'response' in outcome ? outcome.response : await this.requestPage(page, false);
    this.concurrency = Math.min(this.maxConcurrency, this.concurrency + 1);
    return response;
  }

  private next(page: PageRequest): Prefetched | undefined {
    const expected = this.queue[0]?.page;
    if (expected?.position !== page.position || expected.wanted !== page.wanted) {
      if (expected !== undefined) this.discardQueue();
      return undefined;
    }
    this.pending -= 1;
    return this.queue.shift();
  }

  private prefetch(page: PageRequest, { after, certain }: PageForecast): void {
    const { queue } = this;
    if (certain && !this.hasFailed) this.concurrency = this.maxConcurrency;
    let expected = after(queue[queue.length - 1]?.page ?? page);
    while (expected !== undefined && 1 + this.pending < this.concurrency) {
      this.pending += 1;
      queue.push({ page: expected, outcome: settled(this.requestPage(expected, true)) });
      expected = after(expected);
    }
  }

  private discardQueue(): void {
    this.slowDown();
    for (const { outcome } of this.queue.splice(0)) {
      void outcome.then(() => {
        this.pending -= 1;
      });
    }
  }

  private slowDown(): void {
    this.concurrency = 1;
    this.hasFailed = true;
  }
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
