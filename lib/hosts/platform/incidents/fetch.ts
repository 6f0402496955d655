/** Fetches incidents: reads each source from its cursor on, and creates each incident once. */

import { toAisecError } from '../../../core/errors.ts';
import { type JsonObject, objectOf, objectsOf } from '../../../core/json.ts';
import type { Log } from '../../../core/ports.ts';
import type { Runtime } from '../../../core/runtime.ts';
import { Api } from '../../../runtime/api/client.ts';
import { findCommand, type Registry } from '../../../runtime/engine/command.ts';
import { dispatch } from '../../../runtime/engine/dispatch.ts';
import { members, type PlatformGlobals } from '../globals.ts';
import { type Now, platformRuntime } from '../runtime.ts';
import { type FetchSettings, fetchSettings, type SourceName } from './settings.ts';
import {
  deniedIncident,
  epochOf,
  type Incident,
  type Judgement,
  keysAboutToExpire,
  modelScans,
  type Records,
  redTeamScans,
  type Source,
  type SourceTools,
  violationsOf,
} from './sources.ts';
import {
  healed,
  moveCursor,
  newCursor,
  readState,
  type State,
  storeState,
  type Writer,
  walkIncidents,
} from './state.ts';

/** The command with which the platform requests incidents. */
export const FETCH = 'fetch-incidents';

/** Time limit of one fetch, divided among the sources. The platform's own limit is longer. */
const FETCH_MS = 60_000;
/** Interval at which progress is stored, because the platform may stop the fetch. */
const SLICE_MS = 1000;
/** Maximum size of the incidents of one fetch, in characters: the stored progress contains them. */
const MAX_SIZE = 1_000_000;

/**
 * Fetches incidents and stores the cursors.
 * @returns the incidents as JSON, in the platform's format
 * @throws AisecError if no source can be read, or the state cannot be read or stored
 */
export async function fetchIncidents(globals: PlatformGlobals, registry: Registry, now: Now): Promise<string> {
  const runtime = platformRuntime(globals, true, now);
  const settings = fetchSettings(members(globals.params), runtime.clock.now());
  const before = readState(globals);
  const progress = openProgress(globals, runtime, settings.most, before);
  // The platform stopped the last fetch, so this fetch may not have time to create more.
  const sources = before.made.length > 0 ? [] : settings.sources;
  const start = Math.max(0, sources.indexOf(before.next as SourceName));
  const order = [...sources.slice(start), ...sources.slice(0, start)];
  const failures: unknown[] = [];
  for (const [at, name] of order.entries()) {
    if (progress.isFull()) break;
    progress.begin(order[at + 1] ?? order[0], FETCH_MS / order.length);
    try {
      await fetchSource(name, progress, toolsFor(runtime, registry, settings, progress.timeLeft), runtime);
    } catch (thrown) {
      // Keep the other sources; this one continues from its cursor next time.
      failures.push(thrown);
      runtime.log.warn('a source of incidents cannot be read', { source: name, error: toAisecError(thrown).message });
    }
  }
  if (failures.length > 0 && failures.length === order.length && progress.incidents.length === 0) throw failures[0];
  storeState(globals, { ...progress.state(), made: [] });
  return JSON.stringify(progress.incidents);
}

type Progress = ReturnType<typeof openProgress>;

/** Opens the progress of a fetch. */
function openProgress(globals: PlatformGlobals, { clock }: Runtime, most: number, before: State) {
  const incidents: Incident[] = [...before.made];
  let size = 0;
  let state: State = before;
  let [stored, deadline] = [clock.elapsed(), clock.elapsed() + FETCH_MS];
  const timeLeft = () => deadline - clock.elapsed();
  const isFull = () => incidents.length >= most || size >= MAX_SIZE;
  return {
    incidents,
    state: () => state,
    timeLeft,
    isFull,
    /** Begins a source. @param next the source with which a fetch begins after a full or stopped fetch */
    begin: (next: string | undefined, shareMs: number) => {
      deadline = clock.elapsed() + shareMs;
      state = { ...state, ...(next === undefined ? {} : { next }) };
    },
    raise: (incident: Incident) => {
      incidents.push(incident);
      size += incident.rawJSON.length;
    },
    move: (moved: Partial<State>) => {
      state = { ...state, ...moved };
    },
    /**
     * Stores the progress at intervals.
     * @param moved the progress of this source
     * @returns true if the source must end
     */
    isOver: (moved: () => Partial<State>): boolean => {
      if (clock.elapsed() - stored >= SLICE_MS) {
        state = { ...state, ...moved() };
        storeState(globals, { ...state, made: incidents });
        stored = clock.elapsed();
      }
      return isFull() || timeLeft() <= 0;
    },
  };
}

/** Checks the settings of the fetch, and that each source can be read. @throws AisecError */
export async function checkFetch(globals: PlatformGlobals, registry: Registry, runtime: Runtime): Promise<void> {
  const settings = fetchSettings(members(globals.params), runtime.clock.now());
  const tools = toolsFor(runtime, registry, settings, () => runtime.budgetMs);
  for (const name of settings.sources) {
    if (name === 'Keys about to expire') await keysAboutToExpire(tools);
    else await sourceOf(name, runtime).list(tools, { limit: 1, skip: 0 });
  }
}

function toolsFor(runtime: Runtime, registry: Registry, settings: FetchSettings, timeLeft: () => number): SourceTools {
  // Records are judged here, and do not go into a context.
  const unlimited = { ...runtime, contextLimit: Number.MAX_SAFE_INTEGER };
  return {
    settings,
    now: runtime.clock.now(),
    read: async (name, args) => {
      const pairs = Object.entries(args).map(([argument, value]) => ({ name: argument, value }));
      const limited = { ...unlimited, budgetMs: Math.max(1, timeLeft()) };
      const { writes } = await dispatch({ name, pairs, positionals: [] }, registry, limited);
      const own = (await findCommand(registry, name))?.output.record.path;
      return writes.filter(({ path }) => path === own).flatMap(({ value }): Records => recordsIn(value));
    },
  };
}

function recordsIn(value: unknown): Records {
  return Array.isArray(value) ? objectsOf(value) : [objectOf(value)];
}

function sourceOf(name: Exclude<SourceName, 'Keys about to expire'>, runtime: Runtime): Source {
  if (name === 'Runtime violations') return violationsOf(new Api(runtime), runtime.log);
  return name === 'Model scans' ? modelScans : redTeamScans;
}

async function fetchSource(name: SourceName, progress: Progress, tools: SourceTools, runtime: Runtime): Promise<void> {
  if (name === 'Keys about to expire') return fetchKeys(progress, tools);
  const { first, lookBackMs } = tools.settings;
  const cursor = progress.state().cursors[name];
  const writer = moveCursor(cursor === undefined ? newCursor(first) : healed(cursor, first), lookBackMs);
  const moved = () => ({
    cursors: { ...progress.state().cursors, [name]: writer.end(new Date(tools.now).toISOString()) },
  });
  // Its requests share the source's time.
  const source = sourceOf(name, { ...runtime, budgetMs: progress.timeLeft() });
  try {
    await fetchRecords({ source, writer, tools, log: runtime.log, progress, isOver: () => progress.isOver(moved) });
  } finally {
    progress.move(moved());
  }
}

async function fetchKeys(progress: Progress, tools: SourceTools): Promise<void> {
  const due = await keysAboutToExpire(tools);
  const before = progress.state().keys;
  const known = before.filter((id) => due.has(id));
  for (const [id, incident] of due) {
    if (progress.isFull()) break;
    if (known.includes(id)) continue;
    progress.raise(incident);
    known.push(id);
  }
  // Keep a key that is not due by this clock, for example after a clock change.
  const later = before.filter((id) => !due.has(id)).slice(-MAX_KEYS);
  progress.move({ keys: [...later, ...known] });
}

/** Maximum ids of keys that are kept although they are not due. */
const MAX_KEYS = 1000;

interface Reading {
  readonly source: Source;
  readonly writer: Writer;
  readonly tools: SourceTools;
  readonly log: Log;
  readonly progress: Progress;
  readonly isOver: () => boolean;
}

async function fetchRecords(reading: Reading): Promise<void> {
  const { source, writer, tools, log, isOver } = reading;
  const take = async (page: Records): Promise<boolean> => {
    // The oldest first, so that the cursor stops before the first record that is left for the next fetch.
    for (const record of oldestFirst(source, page)) {
      const [id, created] = [source.idOf(record), source.createdOf(record)];
      if (id === '' || epochOf(created) === 0) log.warn('a record without an identifier or a time is skipped', { id });
      else if (writer.isUndecided(id, created)) {
        if (isOver()) return false;
        await decide(reading, { id, created, record }, () => source.judge(record, tools));
      }
    }
    return !isOver();
  };
  await walkIncidents({ source, tools, writer, isOver, take });
  for (const id of writer.due(tools.now)) {
    if (isOver()) return;
    await decide(reading, { id, created: writer.createdOf(id), record: {} }, () => source.again(id, tools));
  }
}

function oldestFirst(source: Source, page: Records): Records {
  return [...page].sort((one, other) => epochOf(source.createdOf(one)) - epochOf(source.createdOf(other)));
}

interface Listed {
  readonly id: string;
  readonly created: string;
  readonly record: JsonObject;
}

/** Judges a record. An unreadable record stays open; a service may list a scan before it can be read. */
async function decide(reading: Reading, listed: Listed, judge: () => Promise<Judgement>): Promise<void> {
  const { source, writer, tools, log, progress } = reading;
  const { id, created, record } = listed;
  const judgement = await judge().catch((thrown: unknown): Judgement => {
    const { message, status } = toAisecError(thrown);
    log.warn('a record cannot be read', { id, error: message });
    return status === 403 ? deniedIncident(source.kind, id, { occurred: created, message }, record) : 'open';
  });
  if (typeof judgement === 'object') progress.raise(judgement);
  writer.decide(id, created, judgement === 'open' ? 'open' : 'done', new Date(tools.now).toISOString());
}
