/** Fetches incidents: reads each source from its cursor on, and makes each incident once. */
import { Api } from '../../../api/client.ts';
import { PreconditionError, toAisecError } from '../../../core/errors.ts';
import { type JsonObject, objectOf, objectsOf } from '../../../core/json.ts';
import type { Runtime } from '../../../core/runtime.ts';
import { findCommand, type Registry } from '../../../engine/command.ts';
import { dispatch } from '../../../engine/dispatch.ts';
import { attempt, members, type PlatformGlobals } from '../globals.ts';
import { type Now, platformRuntime } from '../runtime.ts';
import { type Cursor, cursorIn, moveCursor, newCursor, timeOf } from './cursor.ts';
import { type FetchSettings, fetchSettings, type SourceName } from './settings.ts';
import {
  type Incident,
  type Judgement,
  keysAboutToExpire,
  modelScans,
  type Records,
  redTeamScans,
  type Source,
  type SourceTools,
} from './sources.ts';
import { violationsOf } from './violations.ts';

/** The command by which the platform asks for incidents. */
export const FETCH = 'fetch-incidents';

/** State that one fetch stores for the next one. */
interface State {
  readonly cursors: Readonly<Record<string, Cursor>>;
  /** Ids of keys that already are incidents. */
  readonly keys: readonly string[];
}

interface Fetched {
  readonly incidents: readonly Incident[];
  readonly state: Partial<State>;
}

/**
 * Fetches incidents and stores the cursors.
 * @returns the incidents as JSON, as the platform takes them
 * @throws AisecError if no source can be read, or the state cannot be read or stored
 */
export async function fetchIncidents(globals: PlatformGlobals, registry: Registry, now: Now): Promise<string> {
  const runtime = platformRuntime(globals, true, now);
  const settings = fetchSettings(members(globals.params), runtime.clock.now());
  const before = stateIn(storedBy(globals));
  const tools = toolsFor(runtime, registry, settings);
  const incidents: Incident[] = [];
  const failures: unknown[] = [];
  let state = before;
  for (const name of settings.sources) {
    const left = settings.most - incidents.length;
    if (left <= 0) break;
    try {
      const fetched = await fetchSource(name, before, left, tools, runtime);
      for (const incident of fetched.incidents) incidents.push(incident);
      state = { ...state, ...fetched.state, cursors: { ...state.cursors, ...fetched.state.cursors } };
    } catch (thrown) {
      // Keep the other sources; this one continues from its cursor next time.
      failures.push(thrown);
      runtime.log.warn('a source of incidents cannot be read', { source: name, error: toAisecError(thrown).message });
    }
  }
  if (failures.length === settings.sources.length && failures.length > 0) throw failures[0];
  store(globals, state);
  return JSON.stringify(incidents);
}

/**
 * Reads the state that the last fetch stored.
 * @throws PreconditionError, because a fetch without it would duplicate incidents
 */
function storedBy({ getLastRun }: PlatformGlobals): unknown {
  const read = attempt(() => ({ state: getLastRun?.() }));
  if (getLastRun !== undefined && read !== undefined) return read.state;
  throw new PreconditionError('The platform did not return the state of the last fetch.', { hint: NEXT });
}

/** @throws PreconditionError before any incident is made, so that the next fetch makes each of them once */
function store({ setLastRun }: PlatformGlobals, state: State): void {
  const isStored = attempt(() => {
    setLastRun?.({ state: JSON.stringify(state) });
    return true;
  });
  if (setLastRun !== undefined && isStored === true) return;
  throw new PreconditionError('The platform did not store the state of the fetch.', { hint: NEXT });
}

const NEXT = 'No incident was made; the next fetch tries again.';

/** Checks the settings of the fetch, and that each source can be read. @throws AisecError */
export async function checkFetch(globals: PlatformGlobals, registry: Registry, runtime: Runtime): Promise<void> {
  const settings = fetchSettings(members(globals.params), runtime.clock.now());
  const tools = toolsFor(runtime, registry, settings);
  for (const name of settings.sources) {
    if (name === 'Keys about to expire') await keysAboutToExpire(tools);
    else await sourceOf(name, runtime).list(tools, 1);
  }
}

function toolsFor(runtime: Runtime, registry: Registry, settings: FetchSettings): SourceTools {
  // Records are judged here, and do not go into a context.
  const unlimited = { ...runtime, contextLimit: Number.MAX_SAFE_INTEGER };
  return {
    settings,
    now: runtime.clock.now(),
    read: async (name, args) => {
      const pairs = Object.entries(args).map(([argument, value]) => ({ name: argument, value }));
      const { writes } = await dispatch({ name, pairs, positionals: [] }, registry, unlimited);
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

async function fetchSource(
  name: SourceName,
  before: State,
  most: number,
  tools: SourceTools,
  runtime: Runtime,
): Promise<Fetched> {
  if (name === 'Keys about to expire') return fetchKeys(before, most, tools);
  const cursor = before.cursors[name] ?? newCursor(tools.settings.first);
  const { incidents, next } = await fetchRecords(sourceOf(name, runtime), cursor, most, tools);
  return { incidents, state: { cursors: { [name]: next } } };
}

async function fetchKeys(before: State, most: number, tools: SourceTools): Promise<Fetched> {
  const due = await keysAboutToExpire(tools);
  const known = before.keys.filter((id) => due.has(id));
  const incidents: Incident[] = [];
  for (const [id, incident] of due) {
    if (incidents.length >= most || known.includes(id)) continue;
    incidents.push(incident);
    known.push(id);
  }
  // A key that is not due by this clock, such as after a clock change, is still known.
  const later = before.keys.filter((id) => !due.has(id)).slice(-MAX_KEYS);
  return { incidents, state: { keys: [...later, ...known] } };
}

/** Ids of keys that are kept although they are not due. */
const MAX_KEYS = 1000;

async function fetchRecords(source: Source, cursor: Cursor, most: number, tools: SourceTools) {
  const writer = moveCursor(cursor, tools.settings.lookBackMs);
  const incidents: Incident[] = [];
  const judged = async (judge: () => Promise<Judgement>): Promise<'open' | 'done'> => {
    // A record that cannot be read now stays open; a service may list a scan before it shows it.
    const judgement = await judge().catch((): Judgement => 'open');
    if (typeof judgement === 'object') incidents.push(judgement);
    return judgement === 'open' ? 'open' : 'done';
  };
  for (const id of writer.waiting()) {
    if (incidents.length >= most) break;
    if ((await judged(() => source.again(id, tools))) === 'done') writer.settle(id);
  }
  const fresh = (await recordsSince(source, cursor.floor, tools)).filter((record) =>
    writer.isNew(source.idOf(record), source.createdOf(record)),
  );
  // The oldest first, so that the cursor stops before the first record that is left for the next fetch.
  for (const record of fresh.sort((one, other) => timeOf(source.createdOf(one)) - timeOf(source.createdOf(other)))) {
    if (incidents.length >= most) break;
    const decision = await judged(() => source.judge(record, tools));
    writer.decide(source.idOf(record), source.createdOf(record), decision);
  }
  return { incidents, next: writer.end(new Date(tools.now).toISOString()) };
}

/** The first list, and the longest one: lists of the service begin with the newest record. */
const [FIRST_LIST, MAX_LIST] = [100, 25_600];

/** Lists all records since the floor. */
async function recordsSince(source: Source, floor: string, tools: SourceTools): Promise<Records> {
  for (let limit = FIRST_LIST; ; limit *= 4) {
    const records = await source.list(tools, limit);
    const isWhole =
      records.length < limit || records.some((record) => timeOf(source.createdOf(record)) < timeOf(floor));
    if (isWhole || limit >= MAX_LIST) return uniqueIn(source, records);
  }
}

/** A record may come twice when another one is created while pages are read. */
function uniqueIn(source: Source, records: Records): Records {
  const byId = new Map<string, JsonObject>();
  for (const record of records) if (source.idOf(record) !== '') byId.set(source.idOf(record), record);
  return Array.from(byId.values());
}

/** Reads the stored state; any other value is a first fetch. */
function stateIn(lastRun: unknown): State {
  const { state } = members(lastRun);
  const stored = objectOf(attempt((): unknown => JSON.parse(String(state ?? '{}'))));
  const cursors = Object.entries(objectOf(stored['cursors'])).flatMap(([name, value]) => {
    const cursor = cursorIn(value);
    return cursor === undefined ? [] : [[name, cursor] as const];
  });
  const { keys } = stored;
  return {
    cursors: Object.fromEntries(cursors),
    keys: Array.isArray(keys) ? keys.filter((key): key is string => typeof key === 'string') : [],
  };
}
