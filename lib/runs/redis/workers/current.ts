/** The jobs that a worker has now, and the stops that it listens for. */
import { type Kind, keyOf, STOPS } from '../connection/names.ts';
import type { RedisLink } from '../connection/redis.ts';

interface Entry {
  readonly kind: Kind;
  readonly id: string;
  readonly controller: AbortController;
}

export class CurrentJobs {
  readonly #all = new Set<Entry>();
  readonly #halted = new Set<Kind>();

  /** Adds a job. @param id of the scan or run that stops it @returns its signal, and a function that removes it */
  add(kind: Kind, id: string): { readonly signal: AbortSignal; done(): void } {
    const entry = { kind, id, controller: new AbortController() };
    this.#all.add(entry);
    if (this.#halted.has(kind)) entry.controller.abort();
    return { signal: entry.controller.signal, done: () => void this.#all.delete(entry) };
  }

  /** Stops all jobs of a scan or a run. */
  stop(id: string): void {
    this.#abort((entry) => entry.id === id);
  }

  /** Stops all jobs of a kind, because the worker ends. */
  halt(kind: Kind): void {
    this.#halted.add(kind);
    this.#abort((entry) => entry.kind === kind);
  }

  /** Reports whether the worker ends: stopped jobs continue elsewhere. */
  isHalted(kind: Kind): boolean {
    return this.#halted.has(kind);
  }

  ids(): readonly string[] {
    return [...new Set([...this.#all].map(({ id }) => id))];
  }

  counts(): Readonly<Record<Kind, number>> {
    const count = (kind: Kind) => [...this.#all].filter((entry) => entry.kind === kind).length;
    return { shards: count('shards'), runs: count('runs') };
  }

  #abort(isMeant: (entry: Entry) => boolean): void {
    for (const entry of this.#all) if (isMeant(entry)) entry.controller.abort();
  }
}

export interface Stops {
  /** Checks for stops whose message was lost. */
  look(): Promise<void>;
  close(): void;
}

/** Listens for stops. */
export async function listenForStops(link: RedisLink, current: CurrentJobs): Promise<Stops> {
  const subscriber = await link.subscriber();
  subscriber.on('message', (_, id: string) => current.stop(id));
  await subscriber.subscribe(STOPS);
  return {
    look: async () => {
      for (const id of current.ids()) {
        if ((await link.client.exists(keyOf.stopped(id))) > 0) current.stop(id);
      }
    },
    close: () => subscriber.disconnect(),
  };
}
