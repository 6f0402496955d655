/** What a worker is doing now, so that it can be stopped. */
import type { Kind } from '../connection/names.ts';

export interface Current {
  /** Adds a piece of work. @param id of the work or run that stops it @returns its signal, and what removes it */
  add(kind: Kind, id: string): { readonly signal: AbortSignal; done(): void };
  /** Stops everything of a work or a run. */
  stop(id: string): void;
  /** Stops everything of a kind, because the worker ends. */
  halt(kind: Kind): void;
  /** The worker ends: what was stopped goes on elsewhere. */
  isHalted(kind: Kind): boolean;
  ids(): readonly string[];
  counts(): Readonly<Record<Kind, number>>;
}

/** Creates an empty one. */
export function newCurrent(): Current {
  const all = new Set<{ kind: Kind; id: string; controller: AbortController }>();
  const halted = new Set<Kind>();
  const abort = (isMeant: (each: { kind: Kind; id: string }) => boolean) => {
    for (const each of all) if (isMeant(each)) each.controller.abort();
  };
  return {
    add: (kind, id) => {
      const entry = { kind, id, controller: new AbortController() };
      all.add(entry);
      if (halted.has(kind)) entry.controller.abort();
      return { signal: entry.controller.signal, done: () => void all.delete(entry) };
    },
    stop: (id) => abort((each) => each.id === id),
    halt: (kind) => {
      halted.add(kind);
      abort((each) => each.kind === kind);
    },
    isHalted: (kind) => halted.has(kind),
    ids: () => [...new Set([...all].map(({ id }) => id))],
    counts: () => {
      const count = (kind: Kind) => [...all].filter((each) => each.kind === kind).length;
      return { shards: count('shards'), runs: count('runs') };
    },
  };
}
