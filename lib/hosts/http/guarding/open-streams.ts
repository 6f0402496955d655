/** Limits the guarded streams of each token: how many are open, and how much text they hold. */
import { Quota } from '../../../runs/quota.ts';
import { Streams } from '../events/streams.ts';

/** An open stream. */
interface OpenStream {
  /** Counts received bytes until the stream ends. @throws QuotaError if the token or its tenant has too many */
  take(bytes: number): void;
  leave(): void;
}

export class OpenStreams {
  readonly #streams: Streams;
  readonly #quota = new Quota({
    noun: 'texts of open streams',
    own: 100_000_000,
    tenant: 400_000_000,
    hint: 'Guard fewer streams at once.',
  });

  /** @param most maximum number of open streams per token */
  constructor(most: number) {
    this.#streams = new Streams(most);
  }

  /** Opens a stream. @param owner of `ownerKey` @returns undefined if the token has too many */
  enter(owner: string): OpenStream | undefined {
    const leave = this.#streams.enter(owner);
    if (leave === undefined) return undefined;
    let taken = 0;
    return {
      take: (bytes) => {
        this.#quota.take(owner, bytes);
        taken += bytes;
      },
      leave: () => {
        this.#quota.give(owner, taken);
        leave();
      },
    };
  }

  count(): number {
    return this.#streams.count();
  }
}
