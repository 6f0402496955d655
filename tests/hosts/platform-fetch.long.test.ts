/** A fetch of incidents with a slow service, a stopped engine, long lists and damaged state. */
import { MODEL_SEED_IDS } from '../../fixtures/service/model-security/seed.ts';
import { createService } from '../../fixtures/service/service.ts';
import type { Service } from '../../fixtures/service/types.ts';
import { enginesFor, type OpenEngine } from '../support/engine.ts';
import { type Platform, platformOf, type Raised } from '../support/incidents.ts';
import { sharedBundle } from '../support/platform-bundle.ts';
import { TEST_TIME } from '../support/simulated.ts';
import { scenario } from '../system/scenarios/claims.ts';

let open: OpenEngine;
beforeAll(async () => {
  open = enginesFor(await sharedBundle());
});

const MINUTE = 60_000;
const START = TEST_TIME - MINUTE;
const RED_TEAM = '/v1/scan';
const MODELS = '/v1/scans';

interface Listed {
  readonly uuid: string;
  readonly created_at: string;
  readonly [name: string]: unknown;
}

/** Identifiers count from 1. */
const uuidOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** Records one second apart, newest first, as the service lists them. */
function listed(count: number, members: (number: number) => Record<string, unknown>): Listed[] {
  return Array.from({ length: count }, (_, at) => ({
    uuid: uuidOf(count - at),
    created_at: new Date(START - at * 1000).toISOString(),
    ...members(count - at),
  }));
}

interface Slow {
  readonly service: Service;
  /** Requests for single scans. */
  readonly reads: string[];
  /** Red-team scans and model scans, newest first; a test may change them. */
  readonly lists: Record<string, Listed[]>;
  /** Answers single scans instead of the usual answer. */
  status: (url: string) => number;
}

/** A service with long lists, on which each request takes a tenth of a second. */
function slowService(
  lists: Record<string, Listed[]>,
  requestMs = 100,
): Slow & { clock: { advance(ms: number): void } } {
  const inner = createService();
  const clock: { advance(ms: number): void } = { advance: () => undefined };
  const slow = { service: inner, reads: [] as string[], lists, status: (_: string) => 200, clock };
  const answer = (status: number, value: unknown) => ({
    status,
    headers: {},
    latencyMs: 0,
    body: JSON.stringify(value),
  });
  const handle: Service['handle'] = (request, time) => {
    clock.advance(requestMs);
    const [path = '', query = ''] = request.url.replace(/^https?:\/\/[^/]+/, '').split('?');
    const name = [RED_TEAM, MODELS].find((each) => path.endsWith(each));
    const number = (key: string, otherwise: number) => Number(new URLSearchParams(query).get(key) ?? otherwise);
    if (request.method === 'GET' && name !== undefined) {
      const all = slow.lists[name] ?? [];
      const skip = number('skip', 0);
      const page = all.slice(skip, skip + number('limit', 50));
      return answer(200, { [name === RED_TEAM ? 'data' : 'scans']: page, pagination: { total_items: all.length } });
    }
    const [, uuid] = /\/v1\/scans?\/([0-9a-f-]{36})$/.exec(path) ?? [];
    if (request.method !== 'GET' || uuid === undefined) return inner.handle(request, time);
    slow.reads.push(uuid);
    const status = slow.status(path);
    const all = Object.values(slow.lists).flat();
    return answer(status, status === 200 ? all.find((each) => each.uuid === uuid) : { detail: 'no' });
  };
  return Object.assign(slow, { service: { ...inner, handle } });
}

/** Opens an instance on a slow service. */
function slowPlatform(settings: Record<string, unknown>, lists: Record<string, Listed[]>, requestMs?: number) {
  const slow = slowService(lists, requestMs);
  const platform = platformOf(open, { first_fetch: '30 days', ...settings }, {}, slow.service);
  slow.clock.advance = (ms) => platform.engine.clock.advance(ms);
  return { ...platform, platform, slow };
}

/** Fetches until a fetch creates no incident. */
function fetchAll({ fetch, engine }: Platform): Raised[] {
  const raised: Raised[] = [];
  for (let quiet = 0, round = 0; quiet < 3 && round < 60; round += 1) {
    const fetched = fetch();
    quiet = fetched.length === 0 ? quiet + 1 : 0;
    for (const incident of fetched) raised.push(incident);
    engine.clock.advance(MINUTE);
  }
  return raised;
}

/** Fetches in an engine that stops the script after some time. @returns undefined if it was stopped */
function fetchWithin({ platform, slow }: ReturnType<typeof slowPlatform>, limitMs: number): Raised[] | undefined {
  const { clock } = platform.engine;
  const end = clock.now() + limitMs;
  slow.clock.advance = (ms) => clock.advance(clock.now() > end ? MINUTE : ms);
  let kept = platform.lastRun;
  const setLastRun = (state: unknown) => {
    if (clock.now() <= end) kept = JSON.parse(JSON.stringify(state));
  };
  const fetched = platform.fetch({ setLastRun });
  platform.lastRun = kept;
  return clock.now() > end ? undefined : fetched;
}

const ended = { status: 'COMPLETED', asr: 90, target: { name: 'chatbot' } };
const idsOf = (raised: readonly Raised[]) => raised.map(({ raw }) => String(raw['aisec_id']));

describe('the time of a fetch', () => {
  test('150 finished scans on a slow service are incidents although the engine stops each fetch after 5 s', () => {
    const instance = slowPlatform({ fetch_sources: 'Red-team scans' }, { [RED_TEAM]: listed(150, () => ended) });
    const raised: Raised[] = [];
    for (let round = 0; round < 20; round += 1) {
      for (const incident of fetchWithin(instance, 5000) ?? []) raised.push(incident);
      instance.engine.clock.advance(MINUTE);
    }
    expect(idsOf(raised)).toEqual(
      listed(150, () => ({}))
        .map(({ uuid }) => uuid)
        .reverse(),
    );
  });

  test('a fetch returns within two minutes, and the next one continues', () => {
    const lists = { [RED_TEAM]: listed(150, () => ended) };
    const { platform, fetch, engine } = slowPlatform(
      { fetch_sources: 'Red-team scans', max_fetch: '200' },
      lists,
      2000,
    );
    const start = engine.clock.now();
    const first = fetch();
    expect(engine.clock.now() - start).toBeLessThan(2 * MINUTE);
    expect(first.length).toBeGreaterThan(5);
    expect(idsOf([...first, ...fetchAll(platform)])).toEqual(lists[RED_TEAM].map(({ uuid }) => uuid).reverse());
  });

  test('a source that does not respond leaves time for the other sources', () => {
    const { fetch, engine } = (() => {
      const inner = createService({ jobSeconds: 0, faults: ['hang@/ai-red-teaming'] });
      return platformOf(open, { first_fetch: '1 day' }, {}, inner);
    })();
    engine.run('aisec-model-security-scans-create', {
      model_uri: 'https://hub.example.com/acme/pickle',
      security_group_uuid: MODEL_SEED_IDS.groups.hub,
    });
    const start = engine.clock.now();
    expect(fetch().map(({ raw }) => raw['aisec_kind'])).toEqual(['model_scan']);
    expect(engine.clock.now() - start).toBeLessThan(2 * MINUTE);
  });

  test('a source with more incidents than a fetch takes leaves the next fetch to the other sources', () => {
    const { fetch } = slowPlatform(
      { fetch_sources: 'Red-team scans,Model scans', max_fetch: '3' },
      { [RED_TEAM]: listed(60, () => ended), [MODELS]: listed(1, () => ({ eval_outcome: 'BLOCKED' })) },
    );
    const kinds = [fetch(), fetch()].flat().map(({ raw }) => raw['aisec_kind']);
    expect(kinds).toContain('model_scan');
    expect(kinds).toContain('red_team_scan');
  });
});

describe('long lists', () => {
  test('the oldest of 26,000 new records is an incident', () => {
    const blocked = (number: number) => ({ eval_outcome: number === 1 || number === 26_000 ? 'BLOCKED' : 'ALLOWED' });
    const { platform } = slowPlatform({ fetch_sources: 'Model scans' }, { [MODELS]: listed(26_000, blocked) });
    expect(idsOf(fetchAll(platform))).toEqual([uuidOf(1), uuidOf(26_000)]);
  });

  test('records that appear while pages are read become incidents, and so do all earlier records', () => {
    const { platform, slow } = slowPlatform(
      { fetch_sources: 'Model scans', max_fetch: '200' },
      { [MODELS]: listed(450, () => ({ eval_outcome: 'BLOCKED' })) },
    );
    const { advance } = slow.clock;
    let number = 450;
    slow.clock.advance = (ms) => {
      advance(ms);
      if (number >= 1450) return;
      const created_at = new Date(platform.engine.clock.now()).toISOString();
      const fresh = Array.from({ length: 40 }, () => ({ uuid: uuidOf(++number), created_at, eval_outcome: 'BLOCKED' }));
      slow.lists[MODELS] = [...fresh.reverse(), ...(slow.lists[MODELS] ?? [])];
    };
    const ids = idsOf(fetchAll(platform));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(number);
  });

  test('a record without a time is named in the log', () => {
    const { fetch, engine } = slowPlatform(
      { fetch_sources: 'Model scans' },
      { [MODELS]: [...listed(2, () => ({ eval_outcome: 'BLOCKED' })), { uuid: uuidOf(9), created_at: '' }] },
    );
    expect(fetch()).toHaveLength(2);
    expect(engine.logged.join('\n')).toContain(uuidOf(9));
  });
});

describe('single scans', () => {
  test('a running scan is not read at each fetch, and becomes an incident when it has ended', () => {
    const running = { status: 'RUNNING', target: { name: 'chatbot' } };
    // Newer scans end the look-back before it reaches the running scan.
    const old = { ...running, uuid: uuidOf(9), created_at: new Date(START - 120 * MINUTE).toISOString() };
    const { fetch, engine, slow } = slowPlatform(
      { fetch_sources: 'Red-team scans', red_team_rate: '95' },
      { [RED_TEAM]: [...listed(3, () => running), old] },
    );
    const rounds = 60;
    for (let round = 0; round < rounds; round += 1) {
      expect(fetch()).toEqual([]);
      engine.clock.advance(MINUTE);
    }
    expect(slow.reads.length).toBeLessThan(rounds / 4);
    const done = { status: 'COMPLETED', asr: 100 };
    slow.lists[RED_TEAM] = (slow.lists[RED_TEAM] ?? []).map((scan) => ({ ...scan, ...done }));
    engine.clock.advance(30 * MINUTE);
    expect(idsOf(fetch()).sort()).toEqual([1, 2, 3, 9].map(uuidOf));
    expect(fetch()).toEqual([]);
  });

  test('a finished scan whose details answer 403 is an incident that says so, once', () => {
    const { fetch, slow, engine } = slowPlatform(
      { fetch_sources: 'Red-team scans' },
      { [RED_TEAM]: listed(2, () => ended) },
    );
    slow.status = (url) => (url.endsWith(uuidOf(1)) ? 403 : 200);
    const raised = fetch();
    expect(raised).toHaveLength(2);
    expect(raised[0]).toMatchObject({ name: expect.stringMatching(/cannot be read.*HTTP 403/), severity: 3 });
    expect(engine.logged.join('\n')).toContain(uuidOf(1));
    slow.status = () => 200;
    expect(fetch()).toEqual([]);
  });

  test('a scan that cannot be read now is named in the log, and an incident later', () => {
    const { fetch, slow, engine } = slowPlatform(
      { fetch_sources: 'Red-team scans' },
      { [RED_TEAM]: listed(1, () => ended) },
    );
    slow.status = () => 404;
    expect(fetch()).toEqual([]);
    expect(engine.logged.join('\n')).toContain(uuidOf(1));
    slow.status = () => 200;
    engine.clock.advance(MINUTE);
    expect(idsOf(fetch())).toEqual([uuidOf(1)]);
  });
});

describe('the state of a fetch', () => {
  const cursor = { through: '2026-11-21T11:00:00Z', floor: '2026-11-21T11:00:00Z', seen: {}, open: {} };
  const state = (changes: Record<string, unknown>, inCursor: Record<string, unknown> = {}) => ({
    state: JSON.stringify({ cursors: { 'Model scans': { ...cursor, ...inCursor } }, keys: [], ...changes }),
  });
  const models = () =>
    slowPlatform({ fetch_sources: 'Model scans' }, { [MODELS]: listed(1, () => ({ eval_outcome: 'BLOCKED' })) });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'x'],
    ['a number', 3],
    ['a list', []],
    ['another member', { time: '2026-11-21' }],
    ['an empty text', { state: '' }],
    ['no JSON', { state: 'x' }],
    ['null as JSON', { state: 'null' }],
    ['a list as JSON', { state: '[]' }],
    ['no cursors', { state: '{}' }],
    ['half of it', { state: JSON.stringify({ cursors: { 'Model scans': cursor }, keys: [] }).slice(0, 60) }],
    ['an object instead of its text', { state: { cursors: {}, keys: [] } }],
    ['a list of cursors', state({ cursors: [] })],
    ['a cursor that is a number', state({ cursors: { 'Model scans': 3 } })],
    ['no keys', state({ keys: undefined })],
    ['keys that are a text', state({ keys: 'a' })],
    ['a key that is a number', state({ keys: [1] })],
    ['no floor', state({}, { floor: undefined })],
    ['an invalid time', state({}, { through: 'soon' })],
    ['ids that are a list', state({}, { seen: ['a'] })],
    ['no open scans', state({}, { open: undefined })],
    ['an invalid time of a record', state({}, { seen: { a: 1 } })],
    ['a depth that is a text', state({}, { depth: 'deep' })],
    ['incidents that are a text', state({ made: 'x' })],
  ])('that is %s fails, and creates no incident', (_, lastRun) => {
    const { platform, fetch } = models();
    platform.lastRun = lastRun;
    expect(fetch).toThrow('The state of the last fetch cannot be read.');
    expect(platform.lastRun).toEqual(lastRun);
  });

  test('of an earlier version is read', () => {
    const { platform, fetch } = models();
    platform.lastRun = state({});
    expect(fetch()).toHaveLength(1);
  });

  test.each([
    { what: 'a year ahead', ms: 365 * 24 * 60 * MINUTE },
    { what: 'a month ahead', ms: 31 * 24 * 60 * MINUTE },
    { what: 'at the beginning of 1970', ms: -TEST_TIME },
    { what: 'in 1970', ms: 10 * 24 * 60 * MINUTE - TEST_TIME },
  ])('a first fetch with a clock $what loses no incident', ({ ms }) => {
    const { platform, engine, slow } = models();
    const records = slow.lists[MODELS] ?? [];
    for (const list of [[], records]) {
      slow.lists[MODELS] = list;
      platform.lastRun = {};
      engine.skew.ms = ms;
      const early = fetchAll(platform);
      engine.skew.ms = 0;
      slow.lists[MODELS] = records;
      expect([...early, ...fetchAll(platform)]).toHaveLength(1);
    }
  });

  test('a first fetch from the beginning of 1970 is continued', () => {
    const { platform } = slowPlatform({ fetch_sources: 'Model scans', first_fetch: '1970-01-01T00:00:00Z' }, {});
    expect([...fetchAll(platform), ...fetchAll(platform)]).toEqual([]);
  });
});

scenario('incidents-once', 'an engine that stops fetches at any time makes each incident once', () => {
  const scans = listed(250, (number) => ({ status: number % 7 === 0 ? 'RUNNING' : 'COMPLETED', asr: 90 }));
  const instance = slowPlatform(
    { max_fetch: '20', fetch_sources: 'Red-team scans,Model scans' },
    { [RED_TEAM]: scans, [MODELS]: listed(40, () => ({ eval_outcome: 'BLOCKED' })) },
  );
  const raised: Raised[] = [];
  for (let round = 0; round < 120; round += 1) {
    for (const incident of fetchWithin(instance, 1500 + ((round * 977) % 6000)) ?? []) raised.push(incident);
    instance.engine.clock.advance(MINUTE);
    if (round === 60) instance.slow.lists[RED_TEAM] = scans.map((scan) => ({ ...scan, status: 'COMPLETED' }));
  }
  const ids = raised.map(({ raw }) => `${String(raw['aisec_kind'])} ${String(raw['aisec_id'])}`);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toHaveLength(290);
});
