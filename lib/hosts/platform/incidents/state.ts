/** The state that a fetch of incidents stores for the next one. */
import { PreconditionError } from '../../../core/errors.ts';
import { isObject, type JsonObject, objectOf } from '../../../core/json.ts';
import { isOwn } from '../../../core/text/own.ts';
import { attempt, ownCopy, type PlatformGlobals } from '../globals.ts';
import { epochOf, type Incident, type Records, type Source, type SourceTools } from './sources.ts';

export interface State {
  readonly cursors: Readonly<Record<string, Cursor>>;
  /** Ids of keys for which an incident already exists. */
  readonly keys: readonly string[];
  /** The source with which the next fetch begins. */
  readonly next?: string;
  /** Incidents of a fetch that the platform stopped before it returned them. */
  readonly made: readonly Incident[];
}

/**
 * Reads the state that the last fetch stored. Only an empty object is a first fetch.
 * @throws PreconditionError, because a fetch without its state would duplicate incidents
 */
export function readState({ getLastRun }: PlatformGlobals): State {
  const read = attempt(() => ({ lastRun: ownCopy(getLastRun?.()) }));
  if (getLastRun === undefined || read === undefined)
    throw new PreconditionError('The platform did not return the state of the last fetch.', { hint: NEXT });
  const { lastRun } = read;
  if (isObject(lastRun) && Object.keys(lastRun).length === 0) return { cursors: {}, keys: [], made: [] };
  const { state } = objectOf(lastRun);
  const found = typeof state === 'string' ? attempt(() => stateIn(objectOf(JSON.parse(state)))) : undefined;
  if (found !== undefined) return found;
  throw new PreconditionError('The state of the last fetch cannot be read.', {
    hint: 'No incident was made, because a fetch without its state would duplicate incidents. Reset the last run of the instance to begin at First fetch time.',
  });
}

/** Reads a stored state; states of earlier versions have fewer members. @returns undefined for any other value */
function stateIn({ cursors, keys, next, made = [] }: JsonObject): State | undefined {
  if (!isObject(cursors) || !Array.isArray(keys) || !keys.every((key) => typeof key === 'string')) return undefined;
  if (!Array.isArray(made) || !made.every(isIncident)) return undefined;
  const read: Record<string, Cursor> = {};
  for (const [name, value] of Object.entries(cursors)) {
    const cursor = cursorIn(value);
    if (cursor === undefined) return undefined;
    read[name] = cursor;
  }
  return { cursors: read, keys, made, ...(typeof next === 'string' ? { next } : {}) };
}

function isIncident(value: unknown): value is Incident {
  const { name, occurred, rawJSON } = objectOf(value);
  return [name, occurred, rawJSON].every((text) => typeof text === 'string');
}

/** @throws PreconditionError before any incident is created, so that the next fetch creates each incident once */
export function storeState({ setLastRun }: PlatformGlobals, state: State): void {
  const isStored = attempt(() => {
    setLastRun?.({ state: JSON.stringify(state) });
    return true;
  });
  if (setLastRun !== undefined && isStored === true) return;
  throw new PreconditionError('The platform did not store the state of the fetch.', { hint: NEXT });
}

const NEXT = 'No incident was made; the next fetch tries again.';

type Times = Readonly<Record<string, string>>;

/**
 * The position up to which a source was read. Uses the service's times, because the platform's clock may be wrong: only
 * the first fetch begins at a platform time.
 */
export interface Cursor {
  /** Creation time of the last record that was read; it never goes back. */
  readonly through: string;
  /** Older records are no longer read; it never goes back, even if the look-back grows. */
  readonly floor: string;
  /** Number of records to skip before the first page of the next fetch. */
  readonly depth: number;
  /** Creation times of decided records since the floor, by id. */
  readonly seen: Times;
  /** Creation times of undecided records, by id. */
  readonly open: Times;
  /** Platform times at which records in `open` were last read, by id. */
  readonly checked: Times;
}

/** Creates the cursor of a first fetch. @param first ISO time */
export function newCursor(first: string): Cursor {
  return { through: first, floor: first, depth: 0, seen: {}, open: {}, checked: {} };
}

/**
 * Corrects the cursor of a first fetch whose clock was ahead.
 * @param first the time at which a first fetch would begin now, as an ISO time
 */
export function healed(cursor: Cursor, first: string): Cursor {
  const isUnused = Object.keys(cursor.seen).length + Object.keys(cursor.open).length === 0;
  return isUnused && epochOf(first) < epochOf(cursor.floor) ? newCursor(first) : cursor;
}

/** Reads a stored cursor; cursors of earlier versions have fewer members. @returns undefined for any other value */
export function cursorIn(value: unknown): Cursor | undefined {
  const { through, floor, depth = 0, seen, open, checked = {} } = objectOf(value);
  if (!isTime(through) || !isTime(floor) || typeof depth !== 'number' || !(depth >= 0)) return undefined;
  return areTimes(seen) && areTimes(open) && areTimes(checked)
    ? { through, floor, depth, seen, open, checked }
    : undefined;
}

/** A wrong clock may have stored a time before 1970. */
function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

function areTimes(value: unknown): value is Times {
  return isObject(value) && Object.values(value).every(isTime);
}

/** Maximum time that a record waits for its decision, in milliseconds: 60 days. */
const MAX_WAIT_MS = 5_184_000_000;

/** A waiting record missing from lists is read again after this time, and after this fraction of its age. */
const [CHECK_MS, CHECK_PART] = [300_000, 0.1];

/** Moves a cursor. @param lookBackMs see the settings */
export function moveCursor(cursor: Cursor, lookBackMs: number) {
  const seen: Record<string, string> = { ...cursor.seen };
  const open: Record<string, string> = { ...cursor.open };
  const checked: Record<string, string> = { ...cursor.checked };
  let { through: reached, depth } = cursor;
  return {
    floor: epochOf(cursor.floor),
    depth: () => depth,
    /** Stores the start of the next fetch. */
    goTo: (skip: number): void => {
      depth = skip;
    },
    /** Reports whether a record is still to be decided: not too old, and not decided. */
    isUndecided: (id: string, created: string): boolean =>
      isOwn(open, id) || (!isOwn(seen, id) && epochOf(created) >= epochOf(cursor.floor)),
    /** Ids of waiting records that are due, the oldest first. @param now the platform's time */
    due: (now: number): readonly string[] =>
      Object.keys(open)
        .filter((id) => {
          const wait = now - epochOf(checked[id]);
          return wait < 0 || wait >= Math.max(CHECK_MS, CHECK_PART * (now - epochOf(open[id])));
        })
        .sort((one, other) => epochOf(open[one]) - epochOf(open[other])),
    /** Returns the creation time of a waiting record. */
    createdOf: (id: string): string => open[id] ?? reached,
    /** Stores the decision about a record. @param now the platform's time, as ISO */
    decide: (id: string, created: string, decision: 'open' | 'done', now: string): void => {
      delete open[id];
      delete checked[id];
      (decision === 'open' ? open : seen)[id] = created;
      if (decision === 'open') checked[id] = now;
      reached = later(reached, created);
    },
    /** Returns the cursor for the next fetch. @param now the platform's time, as ISO */
    end: (now: string): Cursor => {
      // A record dated in the future must not hide later records.
      const through = later(cursor.through, epochOf(reached) > epochOf(now) ? now : reached);
      const floor = later(cursor.floor, new Date(epochOf(through) - lookBackMs).toISOString());
      const waiting = keptFrom(open, epochOf(through) - MAX_WAIT_MS);
      const known = Object.fromEntries(Object.entries(checked).filter(([id]) => isOwn(waiting, id)));
      return { through, floor, depth, seen: keptFrom(seen, epochOf(floor)), open: waiting, checked: known };
    },
  };
}

export type Writer = ReturnType<typeof moveCursor>;

function keptFrom(times: Times, from: number): Times {
  return Object.fromEntries(Object.entries(times).filter(([, created]) => epochOf(created) >= from));
}

function later(one: string, other: string): string {
  return epochOf(other) > epochOf(one) ? other : one;
}

const PAGE = 100;
/** Number of records that two pages share, because new records shift all others. */
const OVERLAP = 10;

export interface Walk {
  readonly source: Source;
  readonly tools: SourceTools;
  readonly writer: Writer;
  /** Stores the progress at intervals. @returns true if the fetch must end */
  readonly isOver: () => boolean;
  /** Takes a page, the newest record first. @returns false if the fetch must end */
  readonly take: (page: Records) => Promise<boolean>;
}

/**
 * Walks over the new records of a list, the oldest first, although lists of the service begin with the newest record: down
 * to the first page with an old record, and from there up to the newest page.
 */
export async function walkIncidents(options: Walk): Promise<void> {
  const { source, tools, writer, isOver, take } = options;
  const list = (skip: number) => source.list(tools, { limit: PAGE, skip });
  const createdOf = (record: Records[number]) => epochOf(source.createdOf(record));
  let skip = writer.depth();
  let page = await list(skip);
  while (page.length >= PAGE && !page.some((record) => createdOf(record) < writer.floor)) {
    skip += PAGE;
    writer.goTo(skip);
    if (isOver()) return;
    page = await list(skip);
  }
  while ((await take(page)) && skip > 0) {
    const [newest] = page;
    const joins = (next: Records) =>
      newest === undefined ||
      next.length === 0 ||
      next.some((record) => source.idOf(record) === source.idOf(newest) || createdOf(record) < createdOf(newest));
    skip = Math.max(0, skip - PAGE + OVERLAP);
    // Without a common record, new records have shifted this page away from the previous page.
    for (page = await list(skip); !joins(page) && !isOver(); page = await list(skip)) skip += PAGE - OVERLAP;
    writer.goTo(skip);
  }
}
