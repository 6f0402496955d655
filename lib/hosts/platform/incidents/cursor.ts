/**
 * The position up to which a source was read. Times are those of the service, so that the clock of the platform may be
 * wrong: only the first fetch begins at a time of the platform.
 */
import { isObject, objectOf } from '../../../core/json.ts';
import { isOwn } from '../../../text/own.ts';

type Times = Readonly<Record<string, string>>;

export interface Cursor {
  /** Creation time of the last record that was read; it never goes back. */
  readonly through: string;
  /** Records created before are not read any more; it never goes back, even where the look-back grows. */
  readonly floor: string;
  /** How many records to skip before the page with which the next fetch begins. */
  readonly depth: number;
  /** Creation times of the records since the floor that were decided, by id. */
  readonly seen: Times;
  /** Creation times of the records that are not decided yet, by id. */
  readonly open: Times;
  /** Times of the platform at which records in `open` were read last, by id. */
  readonly checked: Times;
}

/** Creates the cursor of a first fetch. @param first ISO time */
export function newCursor(first: string): Cursor {
  return { through: first, floor: first, depth: 0, seen: {}, open: {}, checked: {} };
}

/**
 * Corrects the cursor of a first fetch whose clock was ahead.
 * @param first where a first fetch would begin now, as an ISO time
 */
export function healed(cursor: Cursor, first: string): Cursor {
  const isUnused = Object.keys(cursor.seen).length + Object.keys(cursor.open).length === 0;
  return isUnused && timeOf(first) < timeOf(cursor.floor) ? newCursor(first) : cursor;
}

/** Reads a stored cursor; one of an earlier version has fewer members. @returns undefined for any other value */
export function cursorIn(value: unknown): Cursor | undefined {
  const { through, floor, depth = 0, seen, open, checked = {} } = objectOf(value);
  if (!isTime(through) || !isTime(floor) || typeof depth !== 'number' || !(depth >= 0)) return undefined;
  return areTimes(seen) && areTimes(open) && areTimes(checked)
    ? { through, floor, depth, seen, open, checked }
    : undefined;
}

/** A clock that was wrong may have stored a time before 1970. */
function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

function areTimes(value: unknown): value is Times {
  return isObject(value) && Object.values(value).every(isTime);
}

/** Maximum time that a record waits for its decision, in milliseconds: 60 days. */
const MAX_WAIT_MS = 5_184_000_000;

/** A waiting record that no list shows is read again after this time, and after this part of its age. */
const [CHECK_MS, CHECK_PART] = [300_000, 0.1];

/** Moves a cursor. @param lookBackMs see the settings */
export function moveCursor(cursor: Cursor, lookBackMs: number) {
  const seen: Record<string, string> = { ...cursor.seen };
  const open: Record<string, string> = { ...cursor.open };
  const checked: Record<string, string> = { ...cursor.checked };
  let { through: reached, depth } = cursor;
  return {
    floor: timeOf(cursor.floor),
    depth: () => depth,
    /** Stores where the next fetch begins. */
    goTo: (skip: number): void => {
      depth = skip;
    },
    /** Reports whether a record is still to be decided: not too old, and not decided. */
    isUndecided: (id: string, created: string): boolean =>
      isOwn(open, id) || (!isOwn(seen, id) && timeOf(created) >= timeOf(cursor.floor)),
    /** Ids of waiting records that are due, the oldest first. @param now the platform's time */
    due: (now: number): readonly string[] =>
      Object.keys(open)
        .filter((id) => {
          const wait = now - timeOf(checked[id]);
          return wait < 0 || wait >= Math.max(CHECK_MS, CHECK_PART * (now - timeOf(open[id])));
        })
        .sort((one, other) => timeOf(open[one]) - timeOf(open[other])),
    /** Returns the creation time of a waiting record. */
    createdOf: (id: string): string => open[id] ?? reached,
    /** Stores how a record was decided. @param now the platform's time, as ISO */
    decide: (id: string, created: string, decision: 'open' | 'done', now: string): void => {
      delete open[id];
      delete checked[id];
      (decision === 'open' ? open : seen)[id] = created;
      if (decision === 'open') checked[id] = now;
      reached = later(reached, created);
    },
    /** Returns the cursor for the next fetch. @param now the platform's time, as ISO */
    end: (now: string): Cursor => {
      // A record with a time in the future must not hide the records that follow.
      const through = later(cursor.through, timeOf(reached) > timeOf(now) ? now : reached);
      const floor = later(cursor.floor, new Date(timeOf(through) - lookBackMs).toISOString());
      const waiting = keptFrom(open, timeOf(through) - MAX_WAIT_MS);
      const known = Object.fromEntries(Object.entries(checked).filter(([id]) => isOwn(waiting, id)));
      return { through, floor, depth, seen: keptFrom(seen, timeOf(floor)), open: waiting, checked: known };
    },
  };
}

export type Writer = ReturnType<typeof moveCursor>;

function keptFrom(times: Times, from: number): Times {
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
