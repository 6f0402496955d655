/** The state that a fetch of incidents stores for the next one. */
import { PreconditionError } from '../../../core/errors.ts';
import { isObject, type JsonObject, objectOf } from '../../../core/json.ts';
import { attempt, ownCopy, type PlatformGlobals } from '../globals.ts';
import { type Cursor, cursorIn } from './cursor.ts';
import type { Incident } from './sources.ts';

export interface State {
  readonly cursors: Readonly<Record<string, Cursor>>;
  /** Ids of keys that already are incidents. */
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

/** Reads a stored state; one of an earlier version has fewer members. @returns undefined for any other value */
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

/** @throws PreconditionError before any incident is made, so that the next fetch makes each of them once */
export function storeState({ setLastRun }: PlatformGlobals, state: State): void {
  const isStored = attempt(() => {
    setLastRun?.({ state: JSON.stringify(state) });
    return true;
  });
  if (setLastRun !== undefined && isStored === true) return;
  throw new PreconditionError('The platform did not store the state of the fetch.', { hint: NEXT });
}

const NEXT = 'No incident was made; the next fetch tries again.';
