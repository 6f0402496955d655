/**
 * The position up to which a source was read. Times are those of the service, so that the clock of the platform may be
 * wrong: only the first fetch begins at a time of the platform.
 */
import { isObject, type JsonObject, objectOf } from '../../../core/json.ts';
import { isOwn } from '../../../text/own.ts';

export interface Cursor {
  /** Creation time of the last record that was read; it never goes back. */
  readonly through: string;
  /** Records created before are not read any more; it never goes back, even where the look-back grows. */
  readonly floor: string;
  /** Creation times of the records since the floor that were decided, by id. */
  readonly seen: Readonly<Record<string, string>>;
  /** Creation times of the records that are not decided yet, by id. */
  readonly open: Readonly<Record<string, string>>;
}

/** Creates the cursor of a first fetch. @param first ISO time */
export function newCursor(first: string): Cursor {
  return { through: first, floor: first, seen: {}, open: {} };
}

/** Reads a stored cursor. @returns undefined for any other value */
export function cursorIn(value: unknown): Cursor | undefined {
  if (!isObject(value)) return undefined;
  const { through, floor, seen, open } = value;
  if (typeof through !== 'string' || typeof floor !== 'string') return undefined;
  return { through, floor, seen: textsIn(objectOf(seen)), open: textsIn(objectOf(open)) };
}

function textsIn(value: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}

/** Maximum time that a record waits for its decision, in milliseconds: 60 days. */
const MAX_WAIT_MS = 5_184_000_000;

/** Moves a cursor. @param lookBackMs see the settings */
export function moveCursor(cursor: Cursor, lookBackMs: number) {
  const seen: Record<string, string> = { ...cursor.seen };
  const open: Record<string, string> = { ...cursor.open };
  let reached = cursor.through;
  return {
    /** Reports whether a record is still to be decided: not too old, and neither decided nor waiting. */
    isNew: (id: string, created: string): boolean => {
      const isKnown = isOwn(seen, id) || isOwn(open, id);
      return !isKnown && timeOf(created) >= timeOf(cursor.floor);
    },
    /** Ids that wait for a decision, the oldest first. */
    waiting: (): readonly string[] => Object.keys(open).sort((one, other) => timeOf(open[one]) - timeOf(open[other])),
    /** Stores how a record was decided. */
    decide: (id: string, created: string, decision: 'open' | 'done'): void => {
      (decision === 'open' ? open : seen)[id] = created;
      reached = later(reached, created);
    },
    /** Stores that a waiting record is decided. */
    settle: (id: string): void => {
      seen[id] = open[id] ?? reached;
      delete open[id];
    },
    /** Returns the cursor for the next fetch. @param now the platform's time, as ISO */
    end: (now: string): Cursor => {
      // A record with a time in the future must not hide the records that follow.
      const through = later(cursor.through, timeOf(reached) > timeOf(now) ? now : reached);
      const floor = later(cursor.floor, new Date(timeOf(through) - lookBackMs).toISOString());
      const oldest = timeOf(through) - MAX_WAIT_MS;
      return {
        through,
        floor,
        seen: keptFrom(seen, timeOf(floor)),
        open: keptFrom(open, oldest),
      };
    },
  };
}

function keptFrom(times: Readonly<Record<string, string>>, from: number): Record<string, string> {
  return Object.fromEntries(Object.entries(times).filter(([, created]) => timeOf(created) >= from));
}

function later(one: string, other: string): string {
  return timeOf(other) > timeOf(one) ? other : one;
}

/** Converts a time to milliseconds since the epoch; an invalid time is 0. */
export function timeOf(text: unknown): number {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? 0 : time;
}
